"""Merge without a model: the sentences of both passages that are most likely evidence, the source's only where they are new.

Ours (lab/docs/methods.md). A sentence is worth the chance that it is evidence, as the `judge` tells it: `features` (`sentence_judge`: the
question's words, the passage's prior, its place, names that link passages) or `reading` (`ByReading`: these and the small reader).
One of the source whose words the anchor says too (Jaccard over .7) is a repeat and left out, and any overlap lowers its worth: relevance
x novelty. The best are taken until the room is used, and stand in the order of their passages, the anchor's first.

Told of the room that a whole layer has (`fuse_within`), all pairs draw on it together, so a pair that matters gets more. Alone
(`fuse`), a pair keeps `share` of its characters. Linear in the text but for the links: titles are looked for in each sentence.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from decoct.context.base import Fused, JudgedSentences, SentenceJudge
from decoct.context.quotes import passage_of_ranges
from decoct.context.sentence_judge import ByFeatures
from decoct.data import Passage
from decoct.errors import ConfigError
from decoct.text.wholes import Place

_WORD = re.compile(r"\w+")
# Sentences tried after the first that does not fit: shorter ones fill what it left, and each is worth less than the one before.
_FILLERS = 3
# UTF-8 bytes a token: what has fewer for each token of the room is taken to fit without counting (prose has four and more).
_SURE = 2
# A sentence that shares more of its words (Jaccard) with one of the anchor says the same.
_NEAR = 0.7
# Characters a token in prose, and how often the number that fits is guessed by it before the rest is bisected.
_USUAL = 4.2
_GUESSES = 4


@dataclass(frozen=True, slots=True)
class Extract:
    """Fuses by sentences without a language model. `share` is what a pair keeps of its text when no room is given."""

    share: float = 0.5
    judge: SentenceJudge = field(default_factory=ByFeatures)

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ConfigError("extract: share must be above 0 and at most 1")

    def fuse(self, question: str, pairs: Sequence[tuple[Passage, Passage]]) -> list[Passage | None]:
        """One quote a pair, of at most `share` of its characters, but at least its best sentence; None for two empty passages."""
        results = []
        for pair in pairs:
            room = int(self.share * sum(len(passage.text) for passage in pair))
            units = list(_units([pair], self.judge.judged(question, pair)))
            results.append(_quote_of_units(pair, _shared(units, room)))
        return results

    def fuse_within(self, question: str, groups: Sequence[Sequence[Passage]], left: Callable[[Fused], int]) -> Fused:
        """One quote a group, of the sentences of most worth in all groups that fit together; None for a group that has none of them.

        `left` is asked a few times to find how many of the best fit, and then for the next sentences, of which one may fill the rest.
        """

        def made(chosen: Sequence[_Unit]) -> Fused:
            mine: dict[int, list[_Unit]] = {}
            for unit in chosen:
                mine.setdefault(unit.group, []).append(unit)
            return [_quote_of_units(group, mine[n]) if n in mine else None for n, group in enumerate(groups)]

        sure = _SURE * left(made([]))

        def fits_alone(unit: _Unit) -> bool:
            passage = groups[unit.group][unit.passage]
            shown = passage.title + passage.text[slice(*unit.place)]
            return len(shown.encode()) <= sure or left(made([unit])) >= 0

        judged = self.judge.judged(question, [passage for group in groups for passage in group])
        units = list(_units(groups, judged, fits_alone))
        if not units:  # nothing fits: the shortest is left, so that the caller can say how much room it takes
            units = sorted(_units(groups, judged), key=lambda unit: -left(made([unit])))[:1]
        fitting = _longest(units, lambda count: left(made(units[:count])))
        chosen = units[:fitting]
        for unit in units[fitting + 1 : fitting + 1 + _FILLERS]:
            if left(made([*chosen, unit])) >= 0:
                chosen.append(unit)
        return made(chosen)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence that may be kept: which group, which passage of it, where, and what it is worth."""

    group: int
    passage: int
    place: Place
    worth: float


def _units(
    groups: Sequence[Sequence[Passage]], judged: JudgedSentences, able: Callable[[_Unit], bool] = lambda unit: True
) -> Iterator[_Unit]:
    """The sentences of all groups, `judged` side by side, the most worth first; repeats of the anchor are left out.

    A sentence that is not `able` to be shown is neither taken nor the reason to leave another out that says the same.
    """
    each = zip(*judged, strict=True)
    found: list[_Unit] = []
    for number, group in enumerate(groups):
        hosts: list[set[str]] = []
        for member, passage in enumerate(group):
            said: list[set[str]] = []
            places, chances = next(each)
            for place, chance in zip(places, chances.tolist(), strict=True):
                if not able(unit := _Unit(number, member, place, chance)):
                    continue
                words = _words(passage.text[slice(*place)])
                repeat = max((len(words & host) / len(words | host) for host in hosts if words | host), default=0.0)
                if repeat <= _NEAR:
                    found.append(replace(unit, worth=chance * (1 - repeat)))
                said.append(words)
            hosts += said
    yield from sorted(found, key=lambda unit: -unit.worth)


def _longest(units: Sequence[_Unit], left: Callable[[int], int]) -> int:
    """How many of the first units leave `left(count)` >= 0; at least 1. Guessed by their characters, then bisected."""
    ends = list(accumulate(unit.place[1] - unit.place[0] for unit in units))
    low, high, probes = 1, len(units) + 1, 0
    free = left(1) if units else -1
    if free < 0:
        return 1
    while high - low > 1:
        guess = (low + high) // 2
        if probes < _GUESSES:
            guess = min(max(bisect_right(ends, ends[low - 1] + free * _USUAL), low + 1), high - 1)
        probes += 1
        found = left(guess)
        if found >= 0:
            low, free = guess, found
        else:
            high = guess
    return low


def _shared(units: Sequence[_Unit], room: int) -> list[_Unit]:
    """The units of most worth that have at most `room` characters together; at least one."""
    taken: list[_Unit] = []
    for unit in units:
        length = unit.place[1] - unit.place[0]
        if length <= room or not taken:
            taken.append(unit)
            room -= length
    return taken


def _quote_of_units(group: Sequence[Passage], taken: Sequence[_Unit]) -> Passage | None:
    return passage_of_ranges(
        (passage, sorted(unit.place for unit in taken if unit.passage == n)) for n, passage in enumerate(group)
    )


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
