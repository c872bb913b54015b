"""Claims of the writers' own marks: right where they answer, wrong where they answer another question of the same passage."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from material import Asked, Material

LONGEST = 250  # characters of an answer
MOVED, SWAPPED, SWAPPED_UNANSWERED = 0.25, 0.6, 0.8
Place = tuple[int, int]


def place_of(text: str, words: str, sentence: str | None) -> Place | None:
    """Where `words` stand, in `sentence` if they stand there."""
    low = text.find(sentence) if sentence else 0
    at = text.find(words, max(low, 0))
    at = at if at >= 0 else text.lower().find(words.lower())
    return (at, at + len(words)) if at >= 0 else None


def gold_claims(found: Material, seed: int) -> Iterator[dict[str, Any]]:
    """Claims of every question whose passage is known."""
    chance, by_passage = random.Random(seed), defaultdict(list)
    for asked in found.asked:
        if asked.near is not None:
            by_passage[asked.near].append(asked)
    for number, several in by_passage.items():
        title, text = found.passages[number]
        told = {"src": found.name, "title": title, "text": text}
        yield from _of_passage(several, number, text, told, chance)


def _of_passage(
    several: list[Asked], number: int, text: str, told: dict[str, Any], chance: random.Random
) -> Iterator[dict[str, Any]]:
    answered = [(one, _place(one, number, text)) for one in several if not one.yes_no]
    known = [(one, place) for one, place in answered if place and place[1] - place[0] < LONGEST]
    for one in several:
        answers = one.gold.get(number, [])
        if one.yes_no and answers and one.sentence and (at := place_of(text, one.sentence, None)):
            for verdict in ("yes", "no"):
                yield {**told, **_claim(one, at, verdict), "right": int(verdict == answers[0])}
    for one, place in answered:
        if place and place[1] - place[0] < LONGEST:
            low, high = _moved(text, place, chance)
            yield {**told, **_claim(one, (low, high), text[low:high]), "right": 1}
        elif place is not None or one.gold.get(number):
            continue
        others = [at for other, at in known if other is not one and at is not None and _another(text, at, place)]
        if others and chance.random() < (SWAPPED if place else SWAPPED_UNANSWERED):
            at = chance.choice(others)
            yield {**told, **_claim(one, at, text[slice(*at)]), "right": 0}


def _place(asked: Asked, number: int, text: str) -> Place | None:
    answers = asked.gold.get(number, [])
    return place_of(text, answers[0], asked.sentence) if answers else None


def _claim(asked: Asked, place: Place, words: str) -> dict[str, Any]:
    return {"q": asked.question, "group": asked.group, "a": place[0], "b": place[1], "claim": words}


def _another(text: str, place: Place, own: Place | None) -> bool:
    if own is None:
        return True
    apart = place[0] >= own[1] or place[1] <= own[0]
    return apart and text[slice(*place)].lower() not in text[slice(*own)].lower()


def _moved(text: str, place: Place, chance: random.Random) -> Place:
    """Now and then a word more on either side: a reader's borders are not the writer's."""
    low, high = place
    if chance.random() < MOVED:
        after, before = re.match(r"\s*\S+", text[high:]), re.search(r"\S+\s*$", text[:low])
        high += after.end() if after and chance.random() < 0.5 else 0
        low = before.start() if before and chance.random() < 0.5 else low
    return low, high
