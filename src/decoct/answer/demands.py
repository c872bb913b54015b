"""What a question demands of the words that answer it: that they are said of the very thing that it names.

An identifier ("E-1402"), a label ("tram 9"), a date or a quantity of the question stands in the sentence, in what is said before it,
above it (heading, item, head of the column) or in the title. Where another of the same kind stands there instead, the words are another
thing's. The nearest place where one of the kind stands decides. An identifier that no passage holds at all is nobody's.
What a question of yes or no states is compared, not looked for (`verdicts.py`): only numbers that a passage has as labels count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from decoct.answer.surroundings import Surroundings
from decoct.text.equality import comparable, same_value
from decoct.text.identifiers import Identifier, identifiers, labels, runs
from decoct.text.names import question_runs
from decoct.text.questions import asks_yes_or_no
from decoct.text.values import Value, parse_values
from decoct.text.words import content_stems


@dataclass(frozen=True, slots=True)
class QuestionDemands:
    """The question's `identifiers`, `labels`, `values` and `names` (the stems of each).

    `unknown`: an identifier, or the number of a label, stands in no passage.
    """

    identifiers: tuple[Identifier, ...]
    labels: tuple[Identifier, ...]
    values: tuple[Value, ...]
    names: tuple[frozenset[str], ...]
    unknown: bool

    def rivals(self, around: Surroundings) -> int:
        """The identifiers, labels, dates and quantities in whose stead another one stands around some words."""
        found = [_has_rival(one, around, identifiers) for one in self.identifiers]
        found += [_has_rival(one, around, labels) for one in self.labels]
        return sum(found) + sum(_has_rival_value(one, around) for one in self.values)

    def named(self, around: Surroundings) -> float:
        """The mean share of each name's words that stand around some words, 1 where the question has none."""
        held = [len(name & around.all_stems) / len(name) for name in self.names]
        return sum(held) / len(held) if held else 1.0


def demands_of(question: str, texts: Sequence[str]) -> QuestionDemands:
    """What `question` demands; `texts` (passages and titles) tell whether a word with a number is a label, and what is unknown."""
    codes = identifiers(question)
    known = [one for text in texts for one in identifiers(text)]
    told = [one for text in texts for one in labels(text)]
    said = parse_values(question)
    # "pays 12 euros" is no label
    counted: list[Identifier | Value] = [*codes, *(one for one in said if one.dimension and one.kind == "number")]
    free = [one for one in labels(question) if not any(c.start < one.end and one.start < c.end for c in counted)]
    judged = asks_yes_or_no(question)
    labelled = tuple(
        one for one in free if any(one.is_same(other) or (not judged and one.is_rival(other)) for other in told)
    )
    taken = [(one.start, one.end) for one in (*codes, *labelled)]
    asked = [] if judged else said
    values = tuple(
        value
        for value in asked
        if (value.kind == "date" or (value.kind == "number" and value.dimension))
        and not any(value.start < end and start < value.end for start, end in taken)
    )
    names = tuple(stems for name in question_runs(question) if (stems := content_stems(name)))
    unknown = any(not any(one.is_same(other) for other in known) for one in codes)
    if not judged and not unknown:
        numbers = {part for one in free for part in one.parts if part.isdigit()}
        unknown = bool(numbers) and not numbers <= {run for text in texts for run in runs(text)}
    return QuestionDemands(codes, labelled, values, names, unknown)


def _levels(around: Surroundings) -> Iterator[str]:
    """From the sentence outwards."""
    yield around.sentence
    yield from around.before
    yield from around.above
    yield around.title


def _has_rival(asked: Identifier, around: Surroundings, found_in: Callable[[str], Sequence[Identifier]]) -> bool:
    if any(asked.is_same(one) for one in found_in(f"{around.words} {around.sentence}")):
        return False
    if any(asked.is_rival(one) for one in found_in(around.sentence)):
        return True
    if around.above and any(asked.is_same(one) for one in found_in(around.above[0])):
        return False
    for level in _levels(around):
        found = found_in(level)
        if any(asked.is_same(one) for one in found):
            return False
        if any(asked.is_rival(one) for one in found):
            return True
    return False


def _has_rival_value(asked: Value, around: Surroundings) -> bool:
    """Of the sentence the values outside of the words that answer are rivals; what is said before it tells of other times and amounts."""
    for level in (f"{around.words} {around.sentence}", *around.above, around.title):
        found = [one for one in parse_values(level) if comparable(asked, one)]
        if any(same_value(asked, one) for one in found):
            return False
        if found and min(one.low for one in found) <= asked.low <= asked.high <= max(one.high for one in found):
            return False  # of a time that is told by its ends
        text = around.sentence if level.endswith(around.sentence) and around.sentence else level
        if any(comparable(asked, one) and same_value(asked, one) is False for one in parse_values(text)):
            return True
    return False
