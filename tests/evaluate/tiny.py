"""A data set of five documents and four questions, and a run of it, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from decoct.data import Document, Span
from decoct.evaluate.session import Setup, execute
from decoct.evaluate.system import systems
from decoct.llm.base import LLM
from decoct_lab.dataset import Dataset, Question, Spec
from decoct_testing.hash_embedder import HashEmbedder

TEXTS = {
    "bridge": "The Karl Bridge was opened in 1912. It crosses the river Elm. Ferries served the town before.",
    "tower": "The Long Tower was designed by Ada Stone. It stands in Elmford and is 80 metres high.",
    "stone": "Ada Stone was an architect. She was born in Norwick in 1850 and died in 1921.",
    "norwick": "Norwick is a town on the coast. It has a harbour and a fish market.",
    "cakes": "Cakes are baked with flour, sugar and eggs. Butter makes them soft.",
}
SPEC = Spec("tiny", "Tiny", "this file", "CC0-1.0", "", "sentence", ("token_f1", "evidence_recall", "recall@5"))


def _span(doc: str, words: str) -> Span:
    start = TEXTS[doc].index(words)
    return Span(doc, start, start + len(words))


QUESTIONS = (
    Question(
        "q1",
        "When was the Karl Bridge opened?",
        ("1912",),
        ("bridge",),
        (_span("bridge", "The Karl Bridge was opened in 1912."),),
        "one",
    ),
    Question(
        "q2",
        "Who designed the Long Tower?",
        ("Ada Stone",),
        ("tower",),
        (_span("tower", "designed by Ada Stone"),),
        "one",
    ),
    Question(
        "q3",
        "Where was the designer of the Long Tower born?",
        ("Norwick",),
        ("stone", "tower"),
        (_span("stone", "She was born in Norwick"), _span("tower", "designed by Ada Stone")),
        "two",
    ),
    Question(
        "q4", "What makes cakes soft?", ("butter",), ("cakes",), (_span("cakes", "Butter makes them soft."),), "one"
    ),
)


def read() -> Iterator[Document]:
    return (Document(name, text, name.title()) for name, text in TEXTS.items())


def dataset(questions: tuple[Question, ...] = QUESTIONS) -> Dataset:
    return Dataset(SPEC, {}, questions, read, {name: len(text) for name, text in TEXTS.items()})


def run(
    folder: Path,
    names: str = "naive,dos",
    budgets: tuple[int | str, ...] = (30, 60),
    llm: LLM | None = None,
    **options: object,
) -> Path:
    """A run in `folder`/run; libraries are kept in `folder`/cache."""
    setup = Setup(budgets, llm=llm, cache=folder / "cache", embedder=HashEmbedder(), **options)  # type: ignore[arg-type]
    execute(dataset(), systems(names.split(",")), setup, folder / "run")
    return folder / "run"
