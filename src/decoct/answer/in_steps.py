"""Answers to questions in several steps: each question of `decoct.answer.decomposition` read in the passages that are about its subject.

A step is put to at most `EACH` passages: those that carry its subject as their title, then those whose title holds it or stands in it,
then those whose text does. A comparison is decided by the two values, if both are of one kind and do not overlap; the answer is then the
alternative's name. A nested question's answer is that of its last step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from decoct.answer.decomposition import ComparisonQuestion, Measure, comparison, nested
from decoct.data import Passage
from decoct.reading.base import AnswerSpan, PassageReader, Reading
from decoct.reading.yes_no import asks_yes_or_no
from decoct.text.equality import comparable, same_value
from decoct.text.names import stands_in, title_without_brackets
from decoct.text.values import Value, quantities, value_of

EACH = 2  # passages that one step reads
_DEPTH = 3  # steps of a nested question


@dataclass(frozen=True, slots=True)
class Step:
    """A question and its answer: `words` at `place` of the text of passage number `passage`, with the weight of its reading (0 to 1)."""

    question: str
    passage: int
    place: tuple[int, int]
    words: str
    weight: float


@dataclass(frozen=True, slots=True)
class StepwiseAnswer:
    """`words` answer, as the `steps` say, in the order in which they were read; `deciding` is the one that gives the answer.

    `compared`: the words are one of the question's alternatives, not those at the place of the deciding step.
    """

    words: str
    steps: tuple[Step, ...]
    deciding: Step
    compared: bool

    @property
    def weight(self) -> float:
        """The geometric mean of the steps' weights, so that more steps are not less sure by their number alone."""
        return math.prod(step.weight for step in self.steps) ** (1 / len(self.steps))


@dataclass(slots=True)
class StepReader:
    """Reads the steps of one question in `passages`; `weigh` gives a span's weight, `most` readings are made, and `made` counted."""

    reader: PassageReader
    weigh: Callable[[Reading, AnswerSpan], float]
    passages: Sequence[Passage]
    most: int
    made: int = 0
    _titles: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self._titles = [title_without_brackets(passage.title) for passage in self.passages]

    def has_steps(self, question: str) -> bool:
        """Whether the question asks for several things, by its words."""
        if comparison(question) is not None:
            return True
        return not asks_yes_or_no(question) and nested(question, self._titles) is not None

    def answer(self, question: str) -> StepwiseAnswer | None:
        """The answer in steps; None where the question has none, or one of them was not answered."""
        choice = comparison(question)
        return self._chosen(choice) if choice is not None else self._followed(question)

    def _chosen(self, choice: ComparisonQuestion) -> StepwiseAnswer | None:
        steps: list[Step] = []
        values: list[tuple[Step, Value]] = []
        for alternative in choice.alternatives:
            subject, without = alternative, None
            if choice.relation:
                owner = self._best(choice.who(alternative), alternative)
                if owner is None:
                    return None
                steps.append(owner)
                subject, without = owner.words, owner.passage
            value = self._value(choice.value(subject), subject, choice.measure, without)
            if value is None:
                return None
            steps.append(value[0])
            values.append(value)
        (one, first), (other, second) = values
        if choice.measure == "same":
            same = same_value(first, second)
            # Two names may differ and still say the same (a city and its country), two quantities may not.
            if same is None or (not same and first.kind not in ("number", "date")):
                return None
            return StepwiseAnswer("yes" if same else "no", tuple(steps), other, compared=True)
        if not comparable(first, second) or first.codes != second.codes or first.low == second.low:
            return None
        chosen = 0 if (first.low < second.low) == choice.least else 1
        return StepwiseAnswer(choice.alternatives[chosen], tuple(steps), (one, other)[chosen], compared=True)

    def _followed(self, question: str) -> StepwiseAnswer | None:
        steps: list[Step] = []
        while len(steps) < _DEPTH - 1 and (parts := nested(question, [*self._titles, *(step.words for step in steps)])):
            step = self._best(parts.first, parts.first)
            if step is None:
                return None
            steps.append(step)
            question = parts.then(step.words)
        if not steps:
            return None
        last = self._best(question, steps[-1].words, without=steps[-1].passage)
        return StepwiseAnswer(last.words, (*steps, last), last, compared=False) if last is not None else None

    def _best(self, question: str, subject: str, without: int | None = None) -> Step | None:
        """The surest words for a question that do not stand in it."""
        spans = (
            step
            for step in self._read(question, subject, without)
            if not stands_in(_plain(step.words), _plain(question))
        )
        return max(spans, key=lambda step: step.weight, default=None)

    def _value(self, question: str, subject: str, measure: Measure, without: int | None) -> tuple[Step, Value] | None:
        """The surest words that state a value of this kind and do not stand in the question."""
        found = [
            (step, value)
            for step in self._read(question, subject, without)
            if (value := _stated(step.words, measure)) is not None
        ]
        return max(found, key=lambda pair: pair[0].weight, default=None)

    def _read(self, question: str, subject: str, without: int | None) -> Iterator[Step]:
        chosen = self._about(subject, without)[: min(EACH, self.most - self.made)]
        self.made += len(chosen)
        readings = self.reader.read(question, [self.passages[number] for number in chosen])
        for number, reading in zip(chosen, readings, strict=True):
            for span in reading.spans:
                words = self.passages[number].text[span.start : span.end]
                yield Step(question, number, (span.start, span.end), words, self.weigh(reading, span))

    def _about(self, subject: str, without: int | None) -> list[int]:
        """The passages about a subject, best first; not the one that only said who that is."""
        named = _plain(subject)
        ranks: list[tuple[int, int]] = []
        for number, passage in enumerate(self.passages):
            title = _plain(self._titles[number])
            if title and title == named:
                rank = 0
            elif title and (stands_in(title, named) or stands_in(named, title)):
                rank = 1
            elif stands_in(named, _plain(passage.text)):
                rank = 2
            else:
                continue
            if number != without or rank < 2:
                ranks.append((rank, number))
        return [number for _, number in sorted(ranks)]


def _stated(words: str, measure: Measure) -> Value | None:
    """The first date (with its year) or number that words state; whatever they state where it is only asked whether it is the same."""
    if measure == "same":
        return value_of(words)
    return next((value for value in quantities(words) if value.kind == measure and value.dimension != "yearless"), None)


def _plain(text: str) -> str:
    """Folded to words, without a leading article."""
    words = "".join(letter if letter.isalnum() else " " for letter in text.casefold()).split()
    return " ".join(words[1:] if words[:1] in (["the"], ["a"], ["an"]) else words)
