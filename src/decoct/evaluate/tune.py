"""Search recipes for the user's own questions, by evidence recall at a budget, with a guard against overfitting.

1. Questions with gold are split by seed: two thirds to search on, one third to check on.
2. Candidates are the start recipe with other retriever weights, feedback, order and chunk sizes (`start_and_neighbours`). They race on the
   search part in rounds of successive halving: after each round on twice as many questions the better half goes on (Jamieson and Talwalkar,
   2016).
3. The best is compared with the start recipe on the questions it has never seen. It replaces the start only if it is better there by more
   than noise (paired bootstrap). Otherwise the start stays, and the report says so: with few questions the luckiest of many candidates
   looks better than it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from decoct.counted import counted
from decoct.errors import EvaluationError
from decoct.evaluate.contexts import Cases, Contexts
from decoct.evaluate.dataset_types import Dataset, Question
from decoct.evaluate.measure import measure_values
from decoct.evaluate.run import sample
from decoct.evaluate.significance import Comparison, paired_bootstrap
from decoct.evaluate.system import System, chunker_json, windows
from decoct.library import Library
from decoct.recipe import as_toml as recipe_as_toml
from decoct.recipe import load_recipe

LEAST = 12  # questions with gold: of fewer, a third says nothing about anything
FIRST = 16  # questions of the first round
WEIGHTS = ((1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (3.0, 1.0))


@dataclass(frozen=True, slots=True)
class Tuned:
    """What the search found. `winner` is the start itself where nothing was better beyond noise on unseen questions."""

    start: System
    winner: System
    best: System
    check: Comparison | None
    rounds: tuple[Mapping[str, Any], ...]
    searched: int
    checked: int

    @property
    def replaced(self) -> bool:
        """Whether the start recipe was bettered."""
        return self.winner.name != self.start.name


def start_and_neighbours(start: System, chunk_sizes: Sequence[int]) -> list[System]:
    """The start first, then its neighbours; none twice."""
    assert start.recipe is not None
    table = start.recipe.as_dict()
    base = {key: table[key] for key in ("retrieve", "context", "layout", "depth", "budget")}
    found, seen = [start], [(table["retrieve"], table["context"])]
    for name, changed in _neighbours(base):
        recipe = load_recipe(changed)
        if (shape := (recipe.retrieve.as_dict(), [step.as_dict() for step in recipe.context])) not in seen:
            seen.append(shape)
            found.append(System(name, recipe, start.chunker))
    for tokens in chunk_sizes:
        chunker = chunker_json(windows(tokens))
        if chunker != start.chunker:
            found.append(replace(start, name=f"{start.name}@{tokens}", chunker=chunker))
    return found


def _neighbours(base: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    stitched = [{"use": "stitch", "overflow": "truncate_last"}]
    hybrids: list[tuple[str, dict[str, Any]]] = [
        ("hybrid rrf", {"use": "hybrid", "retrievers": ["dense", "bm25"], "method": "rrf"})
    ]
    for dense, lexical in WEIGHTS:
        table = {"use": "hybrid", "retrievers": ["dense", "bm25"], "method": "convex", "weights": [dense, lexical]}
        hybrids.append((f"hybrid {dense:g}:{lexical:g}", table))
    retrievers: list[tuple[str, Any]] = [("dense", "dense"), ("bm25", "bm25"), *hybrids]
    for k_docs in (3, 5):
        guard = {"second_pass": "rrf", "k_docs": k_docs, "retriever": hybrids[1][1]}
        retrievers.append((f"feedback {k_docs}", {"use": "feedback", **guard}))
    retrievers.append(("start", base["retrieve"]))
    for name, retrieve in retrievers:
        for order, context in (
            ("stitched", stitched),
            ("ranked", []),
            ("in document order", [{"use": "order", "by": "document"}]),
        ):
            yield f"{name}, {order}", {**base, "retrieve": retrieve, "context": context}


@dataclass(slots=True)
class Tuner:
    """Searches over `libraries` (by chunker) at `budget`, by `metric` (any that needs no reader: of all these more is better)."""

    dataset: Dataset
    libraries: Mapping[str, Library]
    budget: int
    metric: str = "evidence_recall"
    seed: int = 0
    progress: Callable[[str], None] = lambda _: None

    def tune(self, systems: Sequence[System]) -> Tuned:
        """Race `systems`; the first is the start. `EvaluationError` with too few questions that have gold."""
        search, check = self.split()
        scores: dict[str, dict[str, float]] = {one.name: {} for one in systems}
        left, size, rounds = list(systems), min(FIRST, len(search)), []
        while True:
            self._score(left, search[:size], scores)
            means = {one.name: fmean(scores[one.name].values()) for one in left}
            left.sort(key=lambda one: -means[one.name])
            rounds.append({"questions": size, "systems": {one.name: round(means[one.name], 4) for one in left}})
            self.progress(f"{counted(len(left), 'recipe')} on {counted(size, 'question')}: best {left[0].name}")
            if size == len(search):
                break
            left = left[: max(2, -(-len(left) // 2))]
            size = min(2 * size, len(search))
        start = systems[0]
        best = left[0]
        if best.name == start.name:
            return Tuned(start, start, start, None, tuple(rounds), len(search), len(check))
        self._score([start, best], check, scores)
        ids = [question.id for question in check]
        pairs = [[scores[one.name][i] for i in ids] for one in (best, start)]
        test = paired_bootstrap(pairs[0], pairs[1], names=(best.name, start.name), seed=self.seed)
        winner = best if test.significant and test.difference > 0 else start
        return Tuned(start, winner, best, test, tuple(rounds), len(search), len(check))

    def split(self) -> tuple[list[Question], list[Question]]:
        """The questions to search on and those to check on."""
        graded = [
            question for question in self.dataset.questions if self.dataset.gold(question) or question.supporting_ids
        ]
        if len(graded) < LEAST:
            raise EvaluationError(
                f"tuning needs at least {LEAST} questions with gold evidence, and there are {len(graded)}; "
                "`decoct questions generate` makes some from your documents"
            )
        drawn = sample(graded, None, self.seed)
        cut = (2 * len(drawn) + 2) // 3
        return list(drawn[:cut]), list(drawn[cut:])

    def _score(
        self, systems: Sequence[System], questions: Sequence[Question], scores: dict[str, dict[str, float]]
    ) -> None:
        maker = Contexts(self.libraries, systems, lambda question: self.dataset.gold(question, "passage"))
        cases = Cases(self.dataset, self.libraries, self.dataset.spec.gold, (self.metric,))
        for question in questions:
            wanted = [(one, self.budget) for one in systems if question.id not in scores[one.name]]
            for made in maker.make(question, wanted):
                if isinstance(made.context, Exception):
                    told = f"{made.system.name} failed on {question.id!r}: {made.context}"
                    raise EvaluationError(told) from made.context
                case = cases.of(question, made, made.context)
                value = measure_values(case, [self.metric])[self.metric]
                scores[made.system.name][question.id] = 0.0 if value is None else value


def as_toml(tuned: Tuned, budget: int) -> str:
    """The winner as a recipe file, with how it was found in its description; the chunker it needs is a comment."""
    assert tuned.winner.recipe is not None
    told = f"Tuned from {tuned.start.name} on {counted(tuned.searched, 'question')}, checked on {tuned.checked} others"
    table = {**tuned.winner.recipe.as_dict(), "description": told, "budget": budget}
    kept = {key: table[key] for key in ("description", "budget", "depth", "retrieve", "context", "layout")}
    return f"# for a library cut by {tuned.winner.chunker}\n{recipe_as_toml(kept)}"
