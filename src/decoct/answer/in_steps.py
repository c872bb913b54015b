"""Answers to questions in several steps: each question of `decoct.answer.decomposition` read in the passages that are about its subject.

A step is put to at most `EACH` passages: those that carry its subject as their title, then those whose title holds it or stands in it,
then those whose text does. A comparison is decided by the two values, if both are of one kind and do not begin alike; the answer is then
the alternative's name. A nested question's answer is that of its last step.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from decoct.answer.decomposition import ComparisonQuestion, Measure, NestedQuestion, comparison, nested
from decoct.answer.quoted import FoundWords, ReadPassage
from decoct.data import Passage
from decoct.reading.base import NOTHING_READ, AnswerSpan, PassageReader, Reading, log_odds, logistic
from decoct.reading.yes_no import asks_yes_or_no
from decoct.text.equality import comparable, same_value
from decoct.text.names import stands_in, title_without_brackets
from decoct.text.quotable import quotable_words
from decoct.text.values import Value, quantities, value_of
from decoct.text.words import words

EACH = 2  # passages that one step reads
_DEPTH = 3  # steps of a nested question
# Of the log-odds that an answer in steps is right: slope and offset of comparisons by their weight, and the offset of what is followed.
_SLOPE, _COMPARED, _FOLLOWED = 0.416, 2.044, 0.658


@dataclass(frozen=True, slots=True)
class Step:
    """What answers one question: `words` at `place` of the text of passage number `passage`, with the weight of its reading (0 to 1)."""

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

    @property
    def probability(self) -> float:
        """How likely the answer is right, from 0 to 1, fitted (`experiments/reader/fit_steps.py`): of a comparison by its `weight`.

        Of what is followed from step to step the weights tell nothing, so that it is as likely right as such answers are.
        """
        return logistic(_SLOPE * log_odds(self.weight) + _COMPARED) if self.compared else logistic(_FOLLOWED)


@dataclass(slots=True)
class StepReader:
    """Reads the steps of one question in `passages`; `weigh` gives a span's weight, `most` readings are made, and `made` counted.

    `parts` is what the question asks for, one thing after the other; None where its words ask for one thing alone.
    """

    question: str
    reader: PassageReader
    weigh: Callable[[Reading, AnswerSpan], float]
    passages: Sequence[Passage]
    most: int
    made: int = field(default=0, init=False)
    parts: ComparisonQuestion | NestedQuestion | None = field(init=False)
    _titles: list[str] = field(init=False)
    _folded: list[tuple[str, str]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._titles = [title_without_brackets(passage.title) for passage in self.passages]
        self.parts = comparison(self.question)
        if self.parts is None and not asks_yes_or_no(self.question):
            self.parts = nested(self.question, self._titles)

    def answer(self) -> StepwiseAnswer | None:
        """The answer in steps; None where the question has none, or one of them was not answered."""
        match self.parts:
            case ComparisonQuestion():
                return self._chosen(self.parts)
            case NestedQuestion():
                return self._followed(self.parts)
            case None:
                return None

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

    def _followed(self, parts: NestedQuestion | None) -> StepwiseAnswer | None:
        steps: list[Step] = []
        question = self.question
        while parts is not None and len(steps) < _DEPTH - 1:
            step = self._best(parts.first, parts.first)
            if step is None:
                return None
            steps.append(step)
            question = parts.then(step.words)
            parts = nested(question, [*self._titles, *(step.words for step in steps)])
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
        """The surest words that state a value of this kind."""
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
                found = self.passages[number].text[span.start : span.end]
                yield Step(number, (span.start, span.end), found, self.weigh(reading, span))

    def _about(self, subject: str, without: int | None) -> list[int]:
        """The passages about a subject, best first; not the one that only said who that is."""
        named = _plain(subject)
        ranks: list[tuple[int, int]] = []
        if not self._folded:
            texts = (passage.text for passage in self.passages)
            self._folded = [(_plain(title), _plain(text)) for title, text in zip(self._titles, texts, strict=True)]
        for number, (title, text) in enumerate(self._folded):
            if title and title == named:
                rank = 0
            elif title and (stands_in(title, named) or stands_in(named, title)):
                rank = 1
            elif stands_in(named, text):
                rank = 2
            else:
                continue
            if number != without or rank < 2:
                ranks.append((rank, number))
        return [number for _, number in sorted(ranks)]


def _stated(said: str, measure: Measure) -> Value | None:
    """The first date (with its year) or number that is said; whatever is said where it is only asked whether it is the same."""
    if measure == "same":
        return value_of(said)
    return next((value for value in quantities(said) if value.kind == measure and value.dimension != "yearless"), None)


def _plain(text: str) -> str:
    """Folded to words, without a leading article."""
    folded = words(text)
    return " ".join(folded[1:] if folded[:1] in (["the"], ["a"], ["an"]) else folded)


# The sentences of such an answer, as they are quoted.


def step_sentences(answer: StepwiseAnswer, passages: Sequence[Passage]) -> list[FoundWords]:
    """The sentence of each step, the deciding one last and with the answer; none where a step stands in no sentence."""
    found = []
    for step in sorted(answer.steps, key=lambda step: step is answer.deciding):
        passage = passages[step.passage]
        held = quotable_words(passage.text, step.place)
        if held is None:
            return []
        read = ReadPassage(passage, NOTHING_READ, step.passage)
        found.append(FoundWords(read, held[0], step.place, step.words, step.weight))
    deciding = replace(found[-1], words=answer.words, weight=answer.probability, judged=answer.compared)
    if answer.compared and (named := _name_in(deciding.read.passage.text, answer.words)) is not None:
        deciding = replace(deciding, place=named)
    return [*found[:-1], deciding]


def _name_in(text: str, name: str) -> tuple[int, int] | None:
    """Where a passage names an alternative, in any case: the place of the answer, rather than that of the value."""
    match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    return match.span() if match is not None else None
