"""Where words stand: their sentence, what is said before it, the row and head of their cell, the headings and items above, the title."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from decoct.data import Passage
from decoct.text.cells import head_of_column
from decoct.text.outline import above
from decoct.text.quotable import is_item, is_row
from decoct.text.sentences import sentences
from decoct.text.wholes import Place
from decoct.text.words import content_stems

_BEFORE = 4  # sentences before one that may say what it is about


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`sentence` is the sentence, item or row without the words that answer, `words` these.

    `before` are the sentences of running text before it in its part, nearest first; `above` the head of its column, the items and headings
    over it, nearest first, and those above the passage.
    """

    sentence: str
    words: str
    before: tuple[str, ...]
    above: tuple[str, ...]
    title: str
    stems: frozenset[str] = field(compare=False, default=frozenset())
    near: frozenset[str] = field(compare=False, default=frozenset())
    over: frozenset[str] = field(compare=False, default=frozenset())

    @property
    def heading(self) -> str:
        """Title and what is above, outermost first: what a statement is read under."""
        return ": ".join(dict.fromkeys(one for one in (self.title, *reversed(self.above)) if one))

    @property
    def all_stems(self) -> frozenset[str]:
        """The content words of all of it, as stems."""
        return self.stems | self.near | self.over


def surroundings(passage: Passage, sentence: Place, place: Place, *, judged: bool = False) -> Surroundings:
    """What stands around `place`, in `sentence`, of a passage's text; `judged` words do not stand there."""
    text = passage.text
    quote = text[slice(*sentence)]
    words = "" if judged else text[slice(*place)]
    rest = quote if judged else f"{text[sentence[0] : place[0]]} {text[place[1] : sentence[1]]}"
    names = above(text, sentence[0])
    listed = is_item(quote) or is_row(quote)
    said = [] if listed else _said_before(text, sentence, names)
    head = head_of_column(text, place) if is_row(quote) else ""
    over = tuple(one for one in (head, *reversed(names), passage.place) if one)
    return Surroundings(
        rest, words, tuple(said), over, passage.title,
        content_stems(rest), content_stems(" ".join(said)), content_stems(" ".join((*over, passage.title))),
    )  # fmt: skip


def names_over(passage: Passage, at: int) -> tuple[str, ...]:
    """What stands over character `at` of a passage's text, outermost first: title, the passage's place, headings and items; some are ""."""
    return (passage.title, passage.place, *above(passage.text, at))


def _said_before(text: str, sentence: Place, names: Sequence[str]) -> list[str]:
    """The sentences of running text before one, nearest first, that stand under the same headings and items."""
    found: list[str] = []
    for start, end in reversed([one for one in sentences(text) if one[1] <= sentence[0]]):
        quote = text[start:end]
        if len(found) == _BEFORE or above(text, start) != tuple(names) or is_item(quote) or is_row(quote):
            break
        found.append(quote)
    return found
