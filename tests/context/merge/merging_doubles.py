"""Operators, scorers and affinities whose behaviour is plain to see, for the tests of merging."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from decoct.context.quotes import passage_of_ranges
from decoct.data import Draft, Floats, Passage, Span
from decoct.text.sentences import sentences


@dataclass(frozen=True)
class Words:
    """A token is a run of non-white space."""

    fingerprint: str = "words"

    def count(self, text: str) -> int:
        return len(text.split())

    def counts(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


@dataclass(frozen=True)
class Heads:
    """Writes one word a passage, so a budget of n tokens holds n passages."""

    def render(self, draft: Draft) -> str:
        return " ".join("x" for _ in draft.passages)

    def block(self, number: int, passage: Passage) -> str:
        return "x"


@dataclass(frozen=True)
class TextScorer:
    """Scores by a function of the text; keeps what it was asked."""

    of: Callable[[str], float]
    asked: list[str] = field(default_factory=list)

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        self.asked.extend(texts)
        return np.array([self.of(text) for text in texts], np.float32)


@dataclass(frozen=True)
class CountingAffinity:
    """Length of the common prefix, negated; counts the cells asked for."""

    cells: list[int] = field(default_factory=list)
    value: Callable[[str, str], float] = lambda source, anchor: abs(hash((source, anchor))) % 1000 / 1000

    def affinity(self, sources: Sequence[str], anchors: Sequence[str]) -> list[list[float]]:
        self.cells.append(len(sources) * len(anchors))
        return [[self.value(source, anchor) for anchor in anchors] for source in sources]


@dataclass(frozen=True)
class FirstSentences:
    """Keeps the first sentence of each passage; notes the size of every call."""

    calls: list[int] = field(default_factory=list)

    def fuse(self, question: str, pairs: Sequence[tuple[Passage, Passage]]) -> list[Passage | None]:
        self.calls.append(len(pairs))
        return [passage_of_ranges((passage, sentences(passage.text)[:1]) for passage in pair) for pair in pairs]


@dataclass(frozen=True)
class Everything:
    """Keeps all of both: a merge that does not shrink."""

    def fuse(self, question: str, pairs: Sequence[tuple[Passage, Passage]]) -> list[Passage | None]:
        return [passage_of_ranges((passage, [(0, len(passage.text))]) for passage in pair) for pair in pairs]


@dataclass(frozen=True)
class Nothing:
    """Finds nothing relevant."""

    def fuse(self, question: str, pairs: Sequence[tuple[Passage, Passage]]) -> list[Passage | None]:
        return [None for _ in pairs]


@dataclass(frozen=True)
class Growing:
    """A plugin that writes more than it was given, as a rewrite."""

    def fuse(self, question: str, pairs: Sequence[tuple[Passage, Passage]]) -> list[Passage | None]:
        return [Passage(f"{a.text} {b.text} and more.", a.support + b.support, "rewrite") for a, b in pairs]


def passage(doc: str, text: str, score: float = 0.0, title: str = "", start: int = 0) -> Passage:
    return Passage(text, (Span(doc, start, start + len(text)),), "quote", score, title)


def many(n: int, sentences_each: int = 3, words: int = 5) -> list[Passage]:
    """`n` passages of distinct sentences, best first."""
    return [
        passage(
            f"d{i}",
            " ".join(
                f"Doc{i} says{s} " + " ".join(f"w{i}x{s}x{w}" for w in range(words - 3)) + " end."
                for s in range(sentences_each)
            ),
            score=float(n - i),
            title=f"Title {i}",
        )
        for i in range(n)
    ]
