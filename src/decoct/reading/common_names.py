"""Reading under common names: the question's names give way to a few that every model knows, so that which they are decides nothing.

A small encoder splits a name that it does not know into many pieces, and what it makes of the pieces differs from name to name: it reads
the same documents otherwise under other names. So each capitalised word of the question's names is replaced, in the question, the title and
the text alike, by one of `COMMON`, in the order in which the question has them; what is read is told at its place in the text as it stands.

That an answer must not change with its subject's name is the invariance of Ribeiro et al. 2020, "Beyond accuracy", section 2; names as
plain marks are those of Hermann et al. 2015, "Teaching machines to read and comprehend", section 2.2.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from decoct.data import Floats
from decoct.reading.base import PassageReader, Readable, Reading, TitledText, languages_read
from decoct.reading.small import SmallReader
from decoct.text.names import question_runs

COMMON = (
    "Johnson", "Williams", "Jones", "Davis", "Wilson", "Anderson", "Thomas", "Jackson",
    "Martin", "Thompson", "Harris", "Robinson", "Lewis", "Scott", "Adams", "Nelson",
)  # fmt: skip
"""Frequent surnames (census of the United States, 2010), each one piece in BERT's vocabulary. A question's further names stay."""

_WORD = re.compile(r"\b[^\W\d_]{4,}\b")


@dataclass(frozen=True, slots=True)
class CommonNamesReader:
    """Reads what `reader` reads, with the question's names under common ones; offsets are those of the passage as it stands."""

    reader: PassageReader = field(default_factory=SmallReader)

    @property
    def fingerprint(self) -> str:
        """The reader's, and that names are replaced."""
        return f"{self.reader.fingerprint}:common-names"

    @property
    def languages(self) -> frozenset[str] | None:
        """The reader's."""
        return languages_read(self.reader)

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        """One reading a passage, in their order."""
        named = name_words(question)
        if not named:
            return self.reader.read(question, passages)
        by_names: dict[tuple[str, ...], list[int]] = {}
        for number, passage in enumerate(passages):
            said = f"{question}\n{passage.title}\n{passage.text}"  # no two names may become one
            by_names.setdefault(tuple(name for name in COMMON if name not in said), []).append(number)
        readings: dict[int, Reading] = {}
        for unused, numbers in by_names.items():
            other = dict(zip(named, unused, strict=False))
            texts = [_renamed(passages[number].text, other) for number in numbers]
            titles = [_renamed(passages[number].title, other).text for number in numbers]
            renamed = [TitledText(title, one.text) for title, one in zip(titles, texts, strict=True)]
            found = self.reader.read(_renamed(question, other).text, renamed)
            readings |= {
                number: one.placed(reading) for number, one, reading in zip(numbers, texts, found, strict=True)
            }
        return [readings[number] for number in range(len(passages))]


def name_words(question: str) -> list[str]:
    """The capitalised words of at least four letters in the question's names, each once, in their order."""
    words = (word for run in question_runs(question) for word in _WORD.findall(run))
    return list(dict.fromkeys(word for word in words if word[0].isupper()))


@dataclass(frozen=True, slots=True)
class _Renamed:
    """A text under other names; each replaced word lay at `before` and lies at `now`."""

    text: str
    before: tuple[tuple[int, int], ...]
    now: tuple[tuple[int, int], ...]

    def start(self, place: int) -> int:
        """Where what begins at `place` began: inside a replaced word, where that did."""
        return self._moved(place, bisect_right(self.now, (place, len(self.text))), 0)

    def end(self, place: int) -> int:
        """Where what ends at `place` ended: inside a replaced word, where that did."""
        return self._moved(place, bisect_right(self.now, (place, -1)), 1)

    def _moved(self, place: int, words: int, edge: int) -> int:
        """`place` in the text before, behind the first `words` replaced words; `edge` of the last one where it lies inside."""
        if not words:
            return place
        stood, stands = self.before[words - 1], self.now[words - 1]
        return stood[edge] if place < stands[1] else place - stands[1] + stood[1]

    def placed(self, reading: Reading) -> Reading:
        """The reading of the text as it stood."""
        places = reading.places
        return replace(
            reading,
            spans=tuple(replace(one, start=self.start(one.start), end=self.end(one.end)) for one in reading.spans),
            sentences=tuple(
                replace(one, start=self.start(one.start), end=self.end(one.end)) for one in reading.sentences
            ),
            places=None
            if places is None
            else replace(places, begins=_each(self.start, places.begins), stops=_each(self.end, places.stops)),
        )


def _each(move: Callable[[int], int], places: Floats) -> Floats:
    return np.asarray([move(int(place)) for place in places], dtype=np.float32)


def _renamed(text: str, other: Mapping[str, str]) -> _Renamed:
    """The text with each whole word of `other` replaced."""
    parts: list[str] = []
    before: list[tuple[int, int]] = []
    now: list[tuple[int, int]] = []
    last, length = 0, 0
    for match in _WORD.finditer(text):
        if (name := other.get(match.group())) is not None:
            parts += [text[last : match.start()], name]
            length += match.start() - last
            before.append(match.span())
            now.append((length, length + len(name)))
            last, length = match.end(), length + len(name)
    return _Renamed("".join([*parts, text[last:]]), tuple(before), tuple(now))
