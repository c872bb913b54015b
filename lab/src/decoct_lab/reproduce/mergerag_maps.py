"""MergeRAG, Figure 2: NLL(source | anchor) and similarity between the passages of a question, as maps; and how well they agree.

Every passage is a source once and all others are its anchors: a row. Asymmetric merging only ever compares the cells of one row, so a
form of affinity is compared with the exact one (the language model's, where one is given that tells losses) row by row: Kendall's tau-b
of the order, whether the first choice is the same (by chance: 1 / anchors), what the form's first choice costs over the best one in nats
a token, and what an anchor drawn at random costs.

The passages are those that HotpotQA's distractor setting gives with a question (two of evidence and eight that were retrieved), the best of
them in the order of their likeness to the question: as in the paper the map's axes are ranks. Its figure has no numbers, so nothing is
judged against it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from statistics import mean, stdev
from typing import Any, TypeAlias

from decoct.context.base import Affinity
from decoct.data import Document
from decoct.embed.base import Embedder, cosines
from decoct.embed.resolve import open_embedder
from decoct.errors import DecoctError, EvaluationError
from decoct.evaluate.report.page import drawing
from decoct.evaluate.run import sample
from decoct.llm.base import LLM
from decoct.visible import visible, write_whole
from decoct_lab.context.merge.affinity_cache_lm import CacheLM
from decoct_lab.context.merge.affinity_compression import Compression
from decoct_lab.context.merge.affinity_cosine import Cosine
from decoct_lab.context.merge.affinity_llm import LLMAffinity
from decoct_lab.dataset import Dataset, Question, load
from decoct_lab.llm.abilities import scoring
from decoct_lab.reproduce.base import ReproductionRequest
from decoct_lab.reproduce.tellable import kendall

Matrix: TypeAlias = list[list[float]]
SET = "hotpotqa"
NLL = "nll"
# At most of each question, at least to compare anchors at all; and questions where the user names no number: 56 cells each are about a
# minute of a small local model.
PASSAGES, FEWEST = 8, 3
QUESTIONS = 5


@dataclass(frozen=True, slots=True)
class Maps:
    """The maps of the first question as a picture, and the agreement over all that were drawn."""

    id: str = "figure-2"
    title: str = "NLL and similarity between the passages of a question"

    def unable(self, request: ReproductionRequest) -> str:
        """Where the set was not asked for."""
        return "" if not request.sets or SET in request.sets else f"it is drawn on {SET}"

    def run(self, request: ReproductionRequest) -> dict[str, Any]:
        """Maps, agreement and the picture's place; without a model that gives losses the forms that need none, and why."""
        dataset = load(SET, request.data, {"setting": "distractor"})
        asked = [question for question in dataset.questions if len(question.candidate_ids) >= FEWEST]
        drawn = sample(asked, request.setup.questions or QUESTIONS, request.setup.seed)
        if not drawn:
            raise EvaluationError(f"{SET} gives no question {FEWEST} passages: is it the distractor setting?")
        embedder = _opened(request.setup.embedder)
        texts = _texts(dataset, drawn, embedder)
        named, why = affinity_forms(embedder), ""
        first: dict[str, Matrix] = {}
        rows: dict[str, list[list[dict[str, float]]]] = {name: [] for name in named}
        for number, (question, passages) in enumerate(zip(drawn, texts, strict=True)):
            found = {name: square(affinity, passages) for name, affinity in named.items()}
            try:
                exact = None if why else exact_losses(request.setup.llm, passages)
            except DecoctError as error:
                exact, why = None, str(error)
            if exact is not None:
                for name in named:
                    rows[name].append(agreement(exact, found[name]))
                found = {NLL: exact, **found}
            first = first or found
            request.progress(f"{self.id}: question {number + 1} of {len(drawn)} ({question.id})")
        save(first, request.out / f"{self.id}.svg")
        return {
            "table": self.id,
            "title": self.title,
            "model": request.setup.llm.fingerprint if request.setup.llm is not None and NLL in first else None,
            "question": drawn[0].question,
            "questions": len(drawn),
            "rows": sum(map(len, texts)),
            "chance": round(mean(1 / (len(passages) - 1) for passages in texts for _ in passages), 4),
            "maps": first,
            "agreement": {name: averages(found) for name, found in rows.items() if found},
            "picture": f"{self.id}.svg",
            "no_nll": why,
        }

    def markdown(self, result: Mapping[str, Any]) -> str:
        """The picture and the agreement."""
        parts = [f"## Figure 2: {result['title']}", f"![{result['title']}]({result['picture']})"]
        parts.append(f"{', '.join(result['maps'])}: {result['question']}")
        if result["agreement"]:
            rows = [
                f"| {name} | {a['tau']:.2f}{_half(a)} | {a['first']:.2f} | {a['regret']:.3f} | {a['random']:.3f} |"
                for name, a in result["agreement"].items()
            ]
            heads = (
                "| form | Kendall's tau | same first choice | its cost, nats | at random |\n|---|---:|---:|---:|---:|"
            )
            parts.append(
                f"Agreement with {result['model']} over {result['rows']} rows of {result['questions']} questions (same first choice "
                f"by chance: {result['chance']:.2f}):"
            )
            parts.append("\n".join([heads, *rows]))
        else:
            parts.append(f"There is no NLL to compare with: {result['no_nll']}.")
        return "\n\n".join(parts) + "\n"


def _half(found: Mapping[str, float | None]) -> str:
    half = found["tau_half_interval"]
    return "" if half is None else f" ± {half:.2f}"


def _texts(dataset: Dataset, questions: Sequence[Question], embedder: Embedder) -> list[list[str]]:
    """Of each question the best passages that were given with it, best first."""
    wanted = {doc_id for question in questions for doc_id in question.candidate_ids}
    known: dict[str, Document] = {}
    for document in dataset.documents():
        if document.id in wanted:
            known[document.id] = document
            if len(known) == len(wanted):
                break
    given = [[f"{known[i].title}\n{known[i].text}" for i in q.candidate_ids] for q in questions]
    return [in_ranked_order(q.question, texts, embedder)[:PASSAGES] for q, texts in zip(questions, given, strict=True)]


def in_ranked_order(question: str, texts: Sequence[str], embedder: Embedder) -> list[str]:
    """The texts by falling cosine with the question; of equals the earlier first."""
    near = cosines(embedder, question, list(texts))
    return [texts[at] for at in sorted(range(len(texts)), key=lambda at: (-near[at], at))]


def _opened(embedder: str | Embedder) -> Embedder:
    return open_embedder(embedder) if isinstance(embedder, str) else embedder


def affinity_forms(embedder: str | Embedder) -> dict[str, Affinity]:
    """The affinities that need no language model, by name."""
    return {"cache-lm": CacheLM(), "compression": Compression(), "cosine": Cosine(_opened(embedder))}


def square(affinity: Affinity, texts: Sequence[str]) -> Matrix:
    """Every text as a source against every text as its anchor."""
    return affinity.affinity(texts, texts)


def exact_losses(llm: LLM | None, texts: Sequence[str]) -> Matrix:
    """The exact losses; the model's error where it gives none, never the words that merging would fall back to.

    One anchor at a time: a model that shares prefixes reads each once, and one whose losses are kept on disk loses at most a column when
    it is interrupted.
    """
    if llm is None:
        raise EvaluationError("give a language model that tells losses with --llm NAME")
    affinity = LLMAffinity(scoring(llm), fallback=_Refusing())
    columns = [affinity.affinity(texts, [anchor]) for anchor in texts]
    return [[column[row][0] for column in columns] for row in range(len(texts))]


@dataclass(frozen=True, slots=True)
class _Refusing:
    def affinity(self, sources: Sequence[str], anchors: Sequence[str]) -> Matrix:
        raise EvaluationError("the language model gave no losses; take a local one or a vLLM server")


def agreement(exact: Matrix, form: Matrix) -> list[dict[str, float]]:
    """For each row: tau, whether the first choice is the same, and what it and a random one cost (the diagonal is left out)."""
    rows = []
    for at, (true_row, row) in enumerate(zip(exact, form, strict=True)):
        true, other = ([value for n, value in enumerate(one) if n != at] for one in (true_row, row))
        first, least = min(range(len(other)), key=lambda n: (other[n], n)), min(true)
        rows.append(
            {
                "tau": kendall(true, other),
                "first": float(true[first] == least),
                "regret": true[first] - least,
                "random": mean(true) - least,
            }
        )
    return rows


def averages(questions: Sequence[Sequence[Mapping[str, float]]]) -> dict[str, float | None]:
    """Means over the rows of all questions, and half of tau's 95 % interval over questions (None for one)."""
    rows = [row for found in questions for row in found]
    taus = [mean(row["tau"] for row in found) for found in questions]
    half = 1.96 * stdev(taus) / len(taus) ** 0.5 if len(taus) > 1 else None
    means: dict[str, float | None] = {key: round(mean(row[key] for row in rows), 4) for key in rows[0]}
    return means | {"tau_half_interval": None if half is None else round(half, 4)}


def save(found: Mapping[str, Matrix], path: Path) -> None:
    """Write the picture of maps."""
    write_whole(path, maps(found, "sources down, anchors across"))


def maps(found: Mapping[str, Sequence[Sequence[float]]], title: str) -> str:
    """Square matrices side by side, dark is small; each is scaled by itself, its diagonal left white."""
    out = StringIO()
    with drawing(title, out, (2.6 * len(found) + 0.4, 3.2), len(found)) as axes:
        for one, (name, matrix) in zip([axes] if len(found) == 1 else axes, found.items(), strict=True):
            shown = [[float("nan") if r == c else v for c, v in enumerate(row)] for r, row in enumerate(matrix)]
            one.imshow(shown, cmap="Blues_r")
            one.set_title(visible(name), fontsize=9)
            one.set_xlabel("anchor")
            one.set_ylabel("source")
            one.grid(visible=False)
    return out.getvalue()
