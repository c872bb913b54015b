"""The data of Decoct: one type for each stage of the way from a document to a cited answer.

All are frozen; each checks its own invariant where it is made, and holds no other logic. Every piece of text that a
reader may see carries `Span`s: half-open character ranges of a document's canonical text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from decoct.budget import Budget
from decoct.errors import BudgetError, CorpusError, ProvenanceError, QueryError
from decoct.trace import Trace

Floats: TypeAlias = NDArray[np.float32]
Keys: TypeAlias = NDArray[np.int64]
Scalar: TypeAlias = str | int | float | bool
MetadataValue: TypeAlias = Scalar | list[str]
Metadata: TypeAlias = Mapping[str, MetadataValue]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters `start` to `end` (exclusive) of the canonical text of document `doc_id`."""

    doc_id: str
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ProvenanceError(f"a span needs 0 <= start < end, not {self.start}..{self.end} of {self.doc_id!r}")

    def overlaps(self, other: Span) -> bool:
        """Whether both hold a character of one document."""
        return self.doc_id == other.doc_id and self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Link:
    """A reference from a document's text at `start`..`end` to a `target` (a URL, path or name as written)."""

    start: int
    end: int
    target: str


def _are_texts(values: Iterable[object]) -> bool:
    return all(isinstance(one, str) for one in values)


def _lie_within(text: str, ranges: Iterable[tuple[int, int]]) -> bool:
    try:
        return all(0 <= start < end <= len(text) for start, end in ranges)
    except (TypeError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class Document:
    """One source text. `text` is canonical: every offset later is a range of it.

    `names` are further names by which other documents may mention this one (aliases); `headings` and `links` are what the
    parser found, `levels` how deep each heading stands, from 1 (0: not known; empty: of none); `metadata` holds values and lists of texts
    for filters (`--filter key=value` keeps what has the value, or a list that holds it); None counts as left out, a date as its text.
    """

    id: str
    text: str
    title: str = ""
    source: str = ""
    metadata: Metadata = field(default_factory=dict)
    names: tuple[str, ...] = ()
    headings: tuple[tuple[int, int], ...] = ()
    links: tuple[Link, ...] = ()
    levels: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not (isinstance(self.id, str) and self.id and isinstance(self.text, str)):
            raise CorpusError(
                f"a document needs an id and a text, each a str, not {self.id!r:.80} and {self.text!r:.80}"
            )
        for name, wanted, holds in (
            ("title", "a str", isinstance(self.title, str)),
            ("source", "a str", isinstance(self.source, str)),
            ("metadata", "a mapping of str keys", isinstance(self.metadata, Mapping) and _are_texts(self.metadata)),
            ("names", "a tuple of str", isinstance(self.names, tuple | list) and _are_texts(self.names)),
            ("headings", "ranges of its text", _lie_within(self.text, self.headings)),
        ):
            if not holds:
                raise CorpusError(
                    f"the document {self.id!r:.80} needs as {name} {wanted}, not {getattr(self, name)!r:.80}"
                )
        if self.levels and len(self.levels) != len(self.headings):
            raise ProvenanceError(
                f"{len(self.headings)} headings of {self.id!r} have {len(self.levels)} levels; give one each"
            )


@dataclass(frozen=True, slots=True)
class Chunk:
    """The piece of a document that is found: `text` equals the document's text at `span`.

    `key` is the store's number for it (-1 before it is stored). `place` names the headings above it, outermost first
    (`structure.place`): it is found by them, and they are neither quoted nor counted.
    """

    span: Span
    text: str
    title: str = ""
    key: int = -1
    place: str = ""

    def __post_init__(self) -> None:
        if len(self.text) != self.span.end - self.span.start:
            raise ProvenanceError(f"a chunk's text must have the length of its span {self.span}")


@dataclass(frozen=True, slots=True)
class Range:
    """Values that keep every bound: pairs of an operator (`>=`, `>`, `<=`, `<`) and what a value is compared with."""

    bounds: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        unknown = [operator for operator, _ in self.bounds if operator not in {">=", ">", "<=", "<"}]
        if unknown or not self.bounds:
            told = f"no bound is called {unknown[0]!r}" if unknown else "it has no bound"
            raise QueryError(f'a filter cannot be read: {told}; write bounds as {{">=": 2020, "<": 2024}}')


def holds_words(text: str) -> bool:
    """Whether it has a letter or a digit: without one nothing is asked."""
    return any(map(str.isalnum, text))


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked, and which documents may answer: `where` maps a metadata key to the values, or ranges, that it may have."""

    text: str
    where: Mapping[str, tuple[str | Range, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise QueryError("the question is empty")


@dataclass(frozen=True, slots=True)
class Ranking:
    """Chunks by key, best first, none twice; `found_by` tells for each retriever the scores it gave, by key."""

    keys: Keys
    scores: Floats
    found_by: Mapping[str, Mapping[int, float]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found, its score in the final ranking, and the scores of those who found it, by retriever."""

    chunk: Chunk
    score: float
    found_by: Mapping[str, float] = field(default_factory=dict)


PassageKind: TypeAlias = Literal["quote", "rewrite"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A text for the reader and the spans that support it (never empty).

    `quote`: the text is the documents' text at the spans, joined by a line break where they do not touch; `rewrite`: a model wrote it.
    `place` names the headings above it, as a chunk's does; it is no part of what is shown.
    """

    text: str
    support: tuple[Span, ...]
    kind: PassageKind = "quote"
    score: float = 0.0
    title: str = ""
    place: str = ""

    def __post_init__(self) -> None:
        if not self.support:
            raise ProvenanceError("a passage needs at least one supporting span")
        if self.kind == "quote" and len(self.support) == 1:
            (span,) = self.support
            if len(self.text) != span.end - span.start:
                raise ProvenanceError(f"a quote must have the length of its span {span}")


@dataclass(frozen=True, slots=True)
class Draft:
    """A context in the making: passages in reading order, and what the steps learned on the way, by name of the note."""

    passages: tuple[Passage, ...]
    notes: Mapping[str, tuple[object, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Context:
    """What the reader sees. `text` is the rendered string; it never holds more tokens than the budget: else it cannot be made."""

    question: str
    text: str
    passages: tuple[Passage, ...]
    budget: Budget
    trace: Trace
    notes: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    tokens: int = field(init=False)

    def __post_init__(self) -> None:
        tokens = self.budget.count(self.text)
        if tokens > self.budget.limit:
            raise BudgetError(f"the context has {tokens} tokens, over its limit of {self.budget.limit}")
        object.__setattr__(self, "tokens", tokens)

    @property
    def limit(self) -> int:
        """The budget's limit in tokens."""
        return self.budget.limit

    @property
    def merges(self) -> tuple[object, ...]:
        """What merging did, a record a pair (`decoct.context.merge`); empty without such a step."""
        return self.notes.get("merges", ())

    @property
    def facts(self) -> tuple[object, ...]:
        """The facts that sources agree on (`decoct.context.casc`); empty without such a step."""
        return self.notes.get("facts", ())

    @property
    def conflicts(self) -> tuple[object, ...]:
        """Where sources disagree, with every side (`decoct.context.casc`); empty without such a step."""
        return self.notes.get("conflicts", ())


@dataclass(frozen=True, slots=True)
class SourceQuote:
    """What a citation points at: `quote` is the text of document `doc_id` from `start` to `end`.

    `quote` is empty only where a model rewrote the passage and the reader had no documents at hand; a pipeline fills it.
    """

    doc_id: str
    start: int
    end: int
    quote: str

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ProvenanceError(f"a cited quote needs 0 <= start < end, not {self.start}..{self.end}")
        if self.quote and len(self.quote) != self.end - self.start:
            raise ProvenanceError(f"a cited quote must have the length of {self.start}..{self.end} of {self.doc_id!r}")


@dataclass(frozen=True, slots=True)
class Citation:
    """The mark `[number]` at characters `start`..`end` of the answer; numbers count passages in the order of their first use in it.

    `passage` is the passage of the context that is cited, `source` the sentence of a document behind what the mark stands after.
    """

    number: int
    start: int
    end: int
    passage: Passage
    source: SourceQuote


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """The words that answer: `text`, which stands in document `doc_id` from `start` to `end`, and how sure it is, from 0 to 1.

    To a question of yes or no `text` is that word and the range the sentence that decides it; to a comparison of two it is
    the name of one, and the range where the deciding passage says it, else that of the value that decides.
    """

    text: str
    doc_id: str
    start: int
    end: int
    score: float

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ProvenanceError(f"a short answer needs 0 <= start < end, not {self.start}..{self.end}")


Outcome: TypeAlias = Literal["answer", "passages", "not-found"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The words, each citation checked to name a passage of `context`.

    `outcome` is "answer"; or "passages" where the reader is not sure and shows what fits best instead of claiming; or "not-found".
    `found` is True for "answer" alone. `answers` are the short answers, best first (empty from readers that only write).
    """

    text: str
    citations: tuple[Citation, ...]
    context: Context
    found: bool = True
    outcome: Outcome = ""  # type: ignore[assignment] # what `found` says, where it is not given
    answers: tuple[ShortAnswer, ...] = ()

    def __post_init__(self) -> None:
        if not self.outcome:
            object.__setattr__(self, "outcome", "answer" if self.found else "not-found")
        if self.found != (self.outcome == "answer"):
            raise ProvenanceError(f"an answer with the outcome {self.outcome!r} cannot have found={self.found}")

    @property
    def score(self) -> float | None:
        """How likely the first of `answers` is right, from 0 to 1; None where nothing is claimed, or a model wrote the answer."""
        return self.answers[0].score if self.found and self.answers else None

    @property
    def trace(self) -> Trace:
        """The trace of the whole run, from retrieval to the answer."""
        return self.context.trace
