"""What a reader of passages promises, and what it gives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from decoct.data import Floats
from decoct.errors import ConfigError, ProvenanceError

T = TypeVar("T")
Verdict: TypeAlias = Literal["yes", "no", "neither"]


class Readable(Protocol):
    """A title and a text: a `Passage`, a `Chunk` and a `Document` are such."""

    @property
    def title(self) -> str:
        """What the text is called, "" where it has no title."""

    @property
    def text(self) -> str:
        """The characters that all offsets of a `Reading` count."""


@dataclass(frozen=True, slots=True)
class TitledText:
    """A text to read that is of no document's own: a part of one under what stands over it, or one that somebody hands over."""

    title: str
    text: str


@runtime_checkable
class ReadableInPlace(Protocol):
    """A readable that knows the headings above it."""

    @property
    def place(self) -> str:
        """Their words, outermost first, "" where there are none."""


def place_of(text: Readable) -> str:
    """The headings above a text, "" where it knows none."""
    return text.place if isinstance(text, ReadableInPlace) else ""


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """Characters `start` to `end` (exclusive) of the passage's text that answer, with a score from 0 to 1 (higher is surer).

    `answers` and `relevance` are those of the part that was read, where a passage was read part by part; None for those of the passage.
    """

    start: int
    end: int
    score: float
    answers: float | None = None
    relevance: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ProvenanceError(f"an answer needs 0 <= start < end, not {self.start}..{self.end}")


@dataclass(frozen=True, slots=True)
class SentenceRelevance:
    """A sentence at characters `start` to `end` of the passage's text, and the probability that it is evidence."""

    start: int
    end: int
    relevance: float


@dataclass(frozen=True, slots=True)
class AnswerPlaces:
    """How likely the answer begins and ends at each token of the passage: its characters, and log shares of all tokens.

    With it any stretch of the passage can be judged, not only the spans that the reader would choose itself.
    """

    begins: Floats
    stops: Floats
    starts: Floats
    ends: Floats

    def log_share(self, start: int, end: int) -> float:
        """The log probability that an answer begins inside characters `start` to `end` and ends inside them (-60 where no token is)."""
        inside = (self.begins < end) & (self.stops > start)
        if not inside.any():
            return -60.0
        return float(np.logaddexp.reduce(self.starts[inside]) + np.logaddexp.reduce(self.ends[inside]))

    def likeliest(self, start: int, end: int, longest: int = 48) -> tuple[int, int, float] | None:
        """The likeliest answer of at most `longest` tokens inside characters `start` to `end`, and its log share; None for no token."""
        inside = np.flatnonzero((self.begins >= start) & (self.stops <= end))
        if not len(inside):
            return None
        scores = self.starts[inside][:, None] + self.ends[inside][None, :]
        gap = inside[None, :] - inside[:, None]
        onwards = (
            self.stops[inside][None, :] > self.begins[inside][:, None]
        )  # of windows that overlap a later token may stand before
        scores = np.where((gap >= 0) & (gap < longest) & onwards, scores, -np.inf)
        low, high = divmod(int(np.argmax(scores)), len(inside))
        return int(self.begins[inside[low]]), int(self.stops[inside[high]]), float(scores[low, high])


@dataclass(frozen=True, slots=True)
class Reading:
    """What one passage says to one question.

    `spans` are the best answers in it, best first, none overlapping another; they stand there even where the passage most likely does
    not answer, so look at `answers`, the probability that it does, first. `relevance` is the probability that the passage is evidence at
    all (the first step of a question in several steps is, and does not answer). `sentences` are all its sentences in order. `verdict` is
    for questions that can be answered by yes or no, else "neither". `places` judges any other stretch, where the reader can.
    """

    spans: tuple[AnswerSpan, ...]
    answers: float
    relevance: float
    sentences: tuple[SentenceRelevance, ...]
    verdict: Verdict = "neither"
    places: AnswerPlaces | None = field(default=None, compare=False, repr=False)


NOTHING_READ = Reading((), 0.0, 0.0, ())
"""The reading of an empty text."""


def log_odds(probability: float) -> float:
    """log(p / (1 - p)), with p kept a millionth away from 0 and 1."""
    sure = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(sure / (1 - sure))


def logistic(weight: float) -> float:
    """1 / (1 + exp(-weight)), the way back from log-odds, of weights of any size."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, weight))))


@runtime_checkable
class ReadsLanguages(Protocol):
    """A reader that says which languages it was trained on; what is in another one is not put to it (`decoct.answer.short_answers`)."""

    @property
    def languages(self) -> frozenset[str] | None:
        """ISO 639-1 codes; None where a reader that it goes by does not say."""


@runtime_checkable
class ReadsParts(Protocol):
    """A reader that a text costs no more than its length, so that a passage may be put to it part by part (`decoct.reading.placed`)."""

    @property
    def reads_parts(self) -> bool:
        """True."""


def one_each(readings: list[T], asked: Sequence[object], reader: object) -> list[T]:
    """The readings, one for each of what was `asked`; `ConfigError` where a reader gave fewer or more."""
    if len(readings) != len(asked):
        raise ConfigError(
            f"the reader {type(reader).__name__} gave {len(readings)} readings of {len(asked)} texts; `read` owes one each, in their order"
        )
    return readings


def languages_read(reader: object) -> frozenset[str] | None:
    """The languages that a reader was trained on; None where it does not say."""
    return reader.languages if isinstance(reader, ReadsLanguages) else None


class PassageReader(Protocol):
    """Reads passages one by one: a reading depends on its question and its passage alone, not on the others. Thread-safe, deterministic.

    `fingerprint` names the model, so that figures of different readers are never mixed.
    """

    @property
    def fingerprint(self) -> str:
        """A stable name of the model."""

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        """One reading a passage, in their order."""


@dataclass(frozen=True, slots=True)
class StatementToRead:
    """What characters `start` to `end` of `text` say to a `question`; `title` is what stands over the text: title and headings."""

    question: str
    text: str
    start: int
    end: int
    title: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end <= len(self.text):
            raise ProvenanceError(
                f"a statement needs 0 <= start < end <= {len(self.text)}, not {self.start}..{self.end}"
            )


@dataclass(frozen=True, slots=True)
class SecondReading:
    """How likely the statement answers the question, says yes to it, says no to it; each from 0 to 1."""

    answers: float
    yes: float = 0.0
    no: float = 0.0

    def of(self, words: str) -> float:
        """How likely it says `words`: "yes", "no", or else an answer."""
        return {"yes": self.yes, "no": self.no}.get(words, self.answers)


class SecondReader(Protocol):
    """Judges statements one by one: a judgement depends on its statement alone. Thread-safe, deterministic."""

    @property
    def fingerprint(self) -> str:
        """A stable name of the model."""

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        """What each statement says to its question, in their order."""
