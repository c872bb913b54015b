"""The weights by which `links` fuses vectors, words and names, fitted over all public sets at once, each left out once.

    python benchmarks/fit_fusion.py --data ../shared/data --libraries runs/libraries [--questions 150] [--fit 60]
        [--work runs/fusion] [--written LIBRARY QUESTIONS] [--organisations FOLDER …] [--before words=8.1,unnamed=0]

Of up to --questions questions of each set (drawn with a seed) the candidates and the links of the ten likeliest sources are worked out
once, over the set's library as `decoct evaluate` makes it, and kept below --work; then the numbers of
`decoct.retrieve.links.LinkWeights` are searched one after another (coordinate search, `STEPS` times each, `ROUNDS` rounds) on the
first --fit of them. What is maximised is the mean over sets of hit@1, R@5 and R@10 (documents by their first chunk), less twice what
any of them falls below the best of vectors, BM25 and both (convex) on the same candidates. `left out` has, for each set, its figures
under weights that were fitted to the others alone, beginning from the weights of before; `all` are the weights fitted to all sets:
those in `LinkWeights`. A line of QUESTIONS (JSON) has `question`, `document` (an id, or the end of one) and `quote`; such a set counts
by chunks that hold half of the quote, an organisation's by those that hold half of its longest evidence. With --before nothing is
fitted: the figures of the weights that ship beside those with these changed. A library that is there is taken as it is, and of its set
the questions whose passages it has. 95 % intervals by a paired bootstrap.
"""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from setting import command_line, gained, setting, tell, write

from decoct import Library
from decoct.data import Floats, Keys, Ranking
from decoct.index.abilities import SupportsNames, languages_of
from decoct.retrieve.fusion import convex
from decoct.retrieve.links import (
    FIRST_NAMED,
    FREQUENT,
    POOL,
    SOURCES,
    STANDING,
    Edges,
    LinkCandidates,
    Links,
    LinkWeights,
    by_better_place,
    direct_scores,
    edges,
    linked_scores,
)
from decoct.retrieve.ranking import ranked
from decoct.text.words import question_stems, subject
from decoct_lab.corpora import fill
from decoct_lab.dataset import load

SETS = ("musique", "hotpotqa", "2wikimultihopqa", "nq-gold", "covidqa", "pubmedqa", "clapnq")
MEASURES = ("hit@1", "R@5", "R@10")
LIKELY = 10  # sources whose links are kept; whatever the weights, three of them lead on
STEPS = (0.6, 0.8, 1.25)
CARRIED = (0.0, 0.6, 0.8, 1.0)
ROUNDS = 2
Figures = dict[str, Floats]


@dataclass(frozen=True)
class Tried(LinkWeights):
    """The weights, and one that was tried and is not in `links`: BM25 counts in full where a document carries so much of the question."""

    carried: float = 0.0

    def of(self, case: Case) -> LinkWeights:
        """The weights for this question."""
        return replace(self, words=self.words * min(1.0, case.carried / self.carried)) if self.carried else self


WEIGHTS = Tried()


@dataclass
class Case:
    """A question's candidates as arrays (see `Candidacy`), their links, which answers each holds, and the plain lists."""

    keys: Keys
    cosine: Floats
    words: Floats
    named: Floats
    covered: Any
    weights: Floats
    unnamed: bool
    carried: float
    pooled: Any
    links: Edges
    document: Keys
    wanted: tuple[int, ...]
    plain: Mapping[str, tuple[int, ...]]

    def part(self, kept: Any) -> Case:  # noqa: ANN401 - a mask over candidates
        return replace(
            self, keys=self.keys[kept], cosine=self.cosine[kept], words=self.words[kept], named=self.named[kept],
            covered=self.covered[kept], document=self.document[kept],
        )  # fmt: skip


def case_of(library: Library, question: str, gold: Sequence[str], quote: str = "") -> Case | None:
    """What `Links` looks at for the question, with the links of more sources than it takes."""
    store = library.store
    assert isinstance(store, SupportsNames)
    links = Links(store, library.embedder)
    vector = library.embedder.embed([question], "query")[0]
    languages = languages_of(store)
    stems = question_stems(question, languages)
    dense, words = store.nearest(vector, POOL), store.lexical(subject(question, languages), POOL)
    found = LinkCandidates(store, {}, vector, stems, words)
    meant, found.unnamed = links._meant(question)
    found.add(np.concatenate([dense.keys, words.keys, meant.keys]))
    links._name(found, meant)
    if not len(found):
        return None
    pool = found.keys
    leading = np.lexsort((found.keys, -(direct_scores(found) + FIRST_NAMED * found.named)))[:LIKELY]
    sources = found.keys[leading]
    led = edges(store, stems, sources, np.zeros(len(sources), np.float32), most=FREQUENT)
    found.unnamed = found.unnamed and any(chunk.title for chunk in store.chunks(sources[:SOURCES]))
    frequency, total = store.frequencies(stems)
    lacking = float((frequency == 0).sum()) * float(np.log1p(2 * total + 1))  # what stems that no chunk has would weigh
    present = float(np.log1p((total - frequency + 0.5) / (frequency + 0.5))[frequency > 0].sum())
    carried = float((found.covered @ found.weights).max(initial=0.0)) * present / max(present + lacking, 1e-9)
    found.add(led.targets)
    led = found.within(led)
    ids = [place.doc_id if place else "" for place in store.places(found.keys)]
    if quote:
        held = {
            chunk.key
            for chunk in store.chunks(found.keys)
            if holds(chunk.text, quote) and (not gold or chunk.span.doc_id.endswith(tuple(gold)))
        }
        ids = [f"right {one in held}" if one in held else f"{at}" for at, one in enumerate(found.keys.tolist())]
        gold = ["right True"]
    numbers = {one: at for at, one in enumerate(dict.fromkeys([*gold, *ids]))}
    document = np.array([numbers[one] for one in ids])
    of = dict(zip(found.keys.tolist(), document.tolist(), strict=True))
    lists = {"dense": dense, "bm25": words, "hybrid": convex([dense, words], [1.0, 1.0], 2 * POOL)}
    plain = {name: tuple(of[key] for key in one.keys.tolist()[:60]) for name, one in lists.items()}
    return Case(
        found.keys, found.cosine, found.words, found.named, found.covered, found.weights, found.unnamed, carried,
        np.isin(found.keys, pool), led, document, tuple(range(len(gold))), plain,
    )  # fmt: skip


def holds(text: str, quote: str) -> bool:
    """Whether the chunk has half of the quote, letters and digits alone compared."""
    whole, wanted = ("".join(filter(str.isalnum, one.lower())) for one in (text, quote))
    half = len(wanted) // 2
    return any(part in whole for part in (wanted, wanted[:half], wanted[half:]))


def order_of(case: Case, tried: Tried) -> tuple[int, ...]:
    """The documents by their first chunk, as `links` ranks them by these weights."""
    weights = tried.of(case)
    direct = direct_scores(case, weights)
    score = np.where(case.pooled, direct + FIRST_NAMED * case.named, -np.inf)
    leading = np.lexsort((case.keys, -score))[:SOURCES]
    leading = leading[case.pooled[leading]]
    chosen = np.isin(case.links.sources, case.keys[leading])
    best = direct[case.pooled].max()
    sources, targets = case.links.sources[chosen], case.links.targets[chosen]
    standing = (direct[np.searchsorted(case.keys, sources)] - best).astype(np.float32)
    links = Edges(sources, targets, case.links.weights[chosen] + np.float32(STANDING) * standing)
    part = case.part(case.pooled | np.isin(case.keys, targets))
    scores, _ = linked_scores(part, links, weights)
    final: Ranking = ranked(part.keys, by_better_place(part, scores, weights), 60, {})
    return tuple(part.document[np.searchsorted(part.keys, final.keys)].tolist())


def figures_of(order: Sequence[int], wanted: Sequence[int]) -> tuple[float, ...]:
    first = list(dict.fromkeys(order))
    gold = set(wanted)
    return float(bool(first) and first[0] in gold), *(len(gold & set(first[:k])) / len(gold) for k in (5, 10))


def figures(cases: Sequence[Case], weights: Tried) -> Floats:
    """hit@1, R@5 and R@10 of each question; shape (questions, 3)."""
    return np.array([figures_of(order_of(case, weights), case.wanted) for case in cases], np.float32)


def plain_of(cases: Sequence[Case]) -> Figures:
    """The same of vectors, BM25 and both."""
    return {
        name: np.array([figures_of(case.plain[name], case.wanted) for case in cases], np.float32)
        for name in ("dense", "bm25", "hybrid")
    }


class Search:
    """Coordinate search with what was worked out kept by set and weights."""

    def __init__(self, cases: Mapping[str, Sequence[Case]]) -> None:
        self.cases = cases
        self.floor = {name: np.max([f.mean(0) for f in plain_of(own).values()], 0) for name, own in cases.items()}
        self._known: dict[tuple[str, Tried], Floats] = {}

    def means(self, name: str, weights: Tried) -> Floats:
        if (name, weights) not in self._known:
            self._known[name, weights] = figures(self.cases[name], weights).mean(0)
        return self._known[name, weights]

    def worth(self, names: Sequence[str], weights: Tried) -> float:
        means = np.array([self.means(name, weights) for name in names])
        below = np.array([self.floor[name] for name in names]) - means
        return float(means.mean() - 2 * np.maximum(below, 0).max())

    def best(self, names: Sequence[str], start: Tried) -> Tried:
        best, worth = start, self.worth(names, start)
        for _ in range(ROUNDS):
            before = worth
            for change in CHANGES:
                one = replace(best, **change(best))
                if (found := self.worth(names, one)) > worth + 1e-6:
                    best, worth = one, found
                    tell(f"{worth:.4f} {best}")
            if worth <= before + 1e-4:
                break
        return best


Change = Callable[[Tried], dict[str, float]]


def _times(name: str, step: float) -> Change:
    return lambda weights: {name: round(getattr(weights, name) * step, 3)}


def _set(name: str, value: float) -> Change:
    return lambda _: {name: value}


# Of the shares one is only a scale, and stays.
SHARES = [field.name for field in fields(Tried) if field.name not in ("carried", "cosine")]
CHANGES = [*(_set("carried", value) for value in CARRIED), *(_times(name, step) for name in SHARES for step in STEPS)]


def gathered(given: Any) -> dict[str, list[Case]]:  # noqa: ANN401 - the command line
    """The cases of each set, worked out or read from where they were kept."""
    found = {}
    for name in given.sets.split(","):
        kept = given.work / f"{name}-{given.questions}.pickle"
        if not kept.is_file():
            dataset = load(name, given.data)
            asked = [one for one in dataset.questions if one.supporting_ids]
            random.Random(7).shuffle(asked)
            with Library.open(given.libraries / name) as library:
                if not library.status().documents:
                    fill(library, dataset, tell)
                held = {info.id for info in library.documents()}
                asked = [one for one in asked if held.issuperset(one.supporting_ids)]
                cases = [case_of(library, one.question, one.supporting_ids) for one in asked[: given.questions]]
            given.work.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(pickle.dumps([case for case in cases if case is not None]))
        found[name] = pickle.loads(kept.read_bytes())
        tell(f"{name}: {len(found[name])} questions\n")
    if given.written:
        folder, file = given.written
        lines = [json.loads(line) for line in Path(file).read_text("utf-8").splitlines()]
        random.Random(7).shuffle(lines)
        with Library.open(folder) as library:
            ids = [info.id for info in library.documents()]
            here = [
                one
                for one in lines
                if any(one["document"].endswith(id_) or id_.endswith(one["document"]) for id_ in ids)
            ]
            cases = [case_of(library, one["question"], [], one["quote"]) for one in here[: given.questions]]
        found["written"] = [case for case in cases if case is not None]
    for folder in given.organisations:
        with Library.open(given.libraries / folder.name) as library:
            cases = [
                case_of(library, row["question"], row["documents"], max(row["evidence"], key=len))
                for row in asked_of(folder, given.questions)
            ]
        found[folder.name] = [case for case in cases if case is not None]
        tell(f"{folder.name}: {len(found[folder.name])} questions\n")
    return found


def asked_of(folder: Path, most: int) -> list[dict[str, Any]]:
    """An organisation's questions that have evidence, drawn with a seed."""
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    told = [row for row in rows if row.get("evidence") and row.get("documents")]
    random.Random(5).shuffle(told)
    return told[:most]


def beside_before(everything: Mapping[str, Sequence[Case]], changed: str) -> dict[str, Any]:
    """The figures of the weights that ship, and of those with some changed ("words=8.1,unnamed=0")."""
    old = replace(
        WEIGHTS, **{name: float(value) for name, _, value in (one.partition("=") for one in changed.split(","))}
    )
    told = {}
    for name, cases in everything.items():
        own, before = figures(cases, WEIGHTS), figures(cases, old)
        gains = [gained(own[:, at].tolist(), before[:, at].tolist()) for at in range(len(MEASURES))]
        told[name] = {"n": len(cases), "now": _rounded(own), "before": _rounded(before), "now - before": gains}
    return {"before": asdict(old), "now": asdict(WEIGHTS), "sets": told}


def main() -> None:
    parser = command_line(__doc__, data=True, questions=150, out="fusion.json")
    parser.add_argument("--libraries", type=Path, required=True, help="a folder that holds a library a set, by name")
    parser.add_argument("--work", type=Path, default=Path("runs/fusion"))
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument(
        "--fit", type=int, default=60, help="questions of a set that weights are fitted to; all are reported on"
    )
    parser.add_argument("--written", nargs=2, metavar=("LIBRARY", "QUESTIONS"))
    parser.add_argument(
        "--organisations", type=Path, nargs="+", default=[], help="folders whose libraries are there by name"
    )
    parser.add_argument("--before", help="weights to compare with, nothing fitted: words=8.1,unnamed=0")
    given = parser.parse_args()
    everything = gathered(given)
    if given.before:
        write(given.out, {**setting(), "measures": MEASURES, **beside_before(everything, given.before)}, show=True)
        return
    search = Search({name: cases[: given.fit] for name, cases in everything.items()})
    result: dict[str, Any] = {**setting(), "measures": MEASURES, "before": asdict(WEIGHTS), "sets": {}}
    for name, cases in everything.items():
        others = [one for one in search.cases if one != name]
        weights = search.best(others, WEIGHTS)
        own, before = figures(cases, weights), figures(cases, WEIGHTS)
        told: dict[str, Any] = {
            "n": len(cases),
            "weights": asdict(weights),
            "left out": _rounded(own),
            "before": _rounded(before),
        }
        plain = {which: _rounded(values) for which, values in plain_of(cases).items()}
        told |= plain
        told["left out - best of the plain"] = over_the_best(told["left out"], list(plain.values()))
        told["left out - before"] = [gained(own[:, at].tolist(), before[:, at].tolist()) for at in range(len(MEASURES))]
        result["sets"][name] = told
        print(name, told, flush=True)
        write(given.out, result, show=False)
    weights = search.best(list(search.cases), WEIGHTS)
    result["all"] = {
        "weights": asdict(weights),
        **{name: _rounded(figures(own, weights)) for name, own in everything.items()},
    }
    print("all", result["all"], flush=True)
    write(given.out, result, show=False)


def over_the_best(own: Sequence[float], plain: Sequence[Sequence[float]]) -> list[float]:
    """Each figure less the best that a plain system has of it."""
    return [round(mine - max(theirs), 4) for mine, *theirs in zip(own, *plain, strict=True)]


def _rounded(values: Floats) -> list[float]:
    return [round(float(one), 4) for one in values.mean(0)]


if __name__ == "__main__":
    main()
