"""Statements that answer a question or do not, in groups of one question: what the second reading learns to judge statements from.

    python experiments/verifier/statement_claims.py NAME --data DATA --manuals FILE [--claims FOLDER] --out groups-NAME.jsonl

Of each question: the statement that the writers marked; of the same passage one that answers another question of it and the likeliest by
words; those that hold what the first reader claimed wrongly (`claims.py`); the likeliest by words of the nearest other passages. Statements
that hold the answer's words elsewhere are left out. A file that is there is gone on with.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from gold import place_of
from material import NAMES, Asked, Material, held_back, material
from numpy.typing import NDArray

from decoct.answer.statements import PlacedStatement, spoken_rarities, statements
from decoct.data import Passage, Span
from decoct.embed.minilm import MiniLM
from decoct.text.words import content_stems

NEAR, SAME, CLAIMED, ELSEWHERE = 4, 3, 2, 4
AROUND = 700  # characters kept on either side of a statement
Row = dict[str, Any]
Told = tuple[int, PlacedStatement]


def bare(text: str) -> str:
    """Words in lower case, a space between them."""
    return " " + " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split()) + " "


@dataclass
class Passages:
    """The passages of a set with their statements."""

    found: Material
    embedder: MiniLM = field(default_factory=MiniLM)
    told: dict[int, list[PlacedStatement]] = field(default_factory=dict)
    vectors: dict[int, NDArray[np.float32]] = field(default_factory=dict)

    def of(self, number: int) -> list[PlacedStatement]:
        """The statements of a passage."""
        if number not in self.told:
            title, text = self.found.passages[number]
            self.told[number] = statements(text, title)
        return self.told[number]

    def likeness(self, number: int, question: NDArray[np.float32]) -> list[float]:
        """The cosine of a question with each statement of a passage under what stands over it."""
        if number not in self.vectors:
            texts = [f"{one.over}\n{self.said((number, one))}" for one in self.of(number)]
            self.vectors[number] = self.embedder.embed(texts, "passage")
        return list((self.vectors[number] @ question).tolist())

    def said(self, told: Told) -> str:
        """The words of a statement."""
        return self.found.passages[told[0]][1][slice(*told[1].place)]

    def at(self, number: int, place: tuple[int, int] | None) -> Told | None:
        """The statement that holds the beginning of `place`."""
        held = (one for one in self.of(number) if place and one.place[0] <= place[0] < one.place[1])
        return next(((number, one) for one in held), None)

    def row(self, told: Told, right: int) -> Row:
        """A statement as it is trained on."""
        text, (start, end) = self.found.passages[told[0]][1], told[1].place
        low = max(0, start - AROUND)
        return {
            "title": told[1].over,
            "text": text[low : end + AROUND],
            "a": start - low,
            "b": end - low,
            "right": right,
        }


@dataclass
class Group:
    """The statements of one question; `near` are the nearest passages, `claimed` where the reader was wrong, `others` other questions."""

    asked: Asked
    passages: Passages
    near: list[int]
    claimed: list[tuple[int, int]]
    others: list[Asked]
    chance: random.Random

    @cached_property
    def _rare(self) -> dict[str, float]:
        numbers = [*self.near, *([self.asked.near] if self.asked.near is not None else [])]
        held = [self.passages.found.passages[number] for number in numbers]
        return dict(
            spoken_rarities(self.asked.question, [Passage(b, (Span("", 0, len(b)),), title=a) for a, b in held])
        )

    def _spoken(self, told: Told) -> float:
        said = content_stems(f"{told[1].over} {self.passages.said(told)}")
        return sum(weight for word, weight in self._rare.items() if word in said)

    def _likeliest(self, numbers: Iterable[int]) -> list[Told]:
        """By their words and by their cosine with the question."""
        asked = self.passages.embedder.embed([self.asked.question], "query")[0]
        told = [
            (near + self._spoken((number, one)), (number, one))
            for number in numbers
            for one, near in zip(self.passages.of(number), self.passages.likeness(number, asked), strict=True)
        ]
        return [one for _, one in sorted(told, key=lambda pair: -pair[0])]

    def right(self) -> list[Told]:
        """The statements that answer: the marked one, else of those that hold the answer the likeliest by words."""
        found = []
        for number, here in self.asked.gold.items():
            text = self.passages.found.passages[number][1]
            if self.asked.sentence or self.asked.yes_no:
                marked = (
                    [self.passages.at(number, place_of(text, self.asked.sentence, None))] if self.asked.sentence else []
                )
            else:
                holding = [
                    one
                    for one in self._likeliest([number])
                    if any(bare(a) in bare(self.passages.said(one)) for a in here)
                ]
                marked = list(holding[:1]) or [self.passages.at(number, place_of(text, here[0], None))]
            found += [one for one in marked if one]
        return found[:2]

    def _swapped(self, number: int) -> list[Told]:
        text = self.passages.found.passages[number][1]
        answered = [one for one in self.others if one is not self.asked and not one.yes_no and one.gold.get(number)]
        found = [self.passages.at(number, place_of(text, one.gold[number][0], one.sentence)) for one in answered]
        told = [one for one in found if one]
        self.chance.shuffle(told)
        return told

    def _undecided(self) -> list[Told]:
        """The marked statement of a question that it does not answer."""
        number = self.asked.near
        if self.asked.gold or number is None or not self.asked.sentence:
            return []
        place = place_of(self.passages.found.passages[number][1], self.asked.sentence, None)
        return [one] if (one := self.passages.at(number, place)) else []

    def _wrong(self, taken: list[Told]) -> Iterator[Told]:
        answers = [] if self.asked.yes_no else [bare(one) for several in self.asked.gold.values() for one in several]
        home = [*self.asked.gold, *([self.asked.near] if self.asked.near is not None else [])][:1]
        sources = (
            (1, self._undecided()),
            (1, [one for number in home for one in self._swapped(number)]),
            (SAME - 1, self._likeliest(home)),
            (CLAIMED, [one for number, at in self.claimed if (one := self.passages.at(number, (at, at + 1)))]),
            (ELSEWHERE, self._likeliest(number for number in self.near if number not in self.asked.gold)[:12]),
        )
        seen = list(taken)
        for most, told in sources:
            fitting = (
                one for one in told if one not in seen and not any(a in bare(self.passages.said(one)) for a in answers)
            )
            for one, _ in zip(fitting, range(most), strict=False):
                seen.append(one)
                yield one

    def rows(self) -> list[Row]:
        """The right ones first; none where the answer stands in no statement."""
        right = self.right()
        if self.asked.gold and not right:
            return []
        return [
            *(self.passages.row(one, 1) for one in right),
            *(self.passages.row(one, 0) for one in self._wrong(right)),
        ]


def claimed_wrongly(found: Material, file: Path | None) -> dict[str, list[tuple[int, int]]]:
    """Of each question the passages and places of wrong claims, surest first."""
    places: dict[str, int] = {}
    for number, (_, text) in enumerate(found.passages):
        places.setdefault(text, number)
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file else []
    claims: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: -row["score"]):
        if row["right"] == 0 and row["text"] in places:
            claims[row["q"]].append((places[row["text"]], row["a"]))
    return claims


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--manuals", type=Path, default=Path("manuals-held.json"))
    parser.add_argument("--claims", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    found = material(given.name, given.data, given.manuals)
    random.Random(3).shuffle(found.asked)
    passages, chance = Passages(found), random.Random(0)
    embedder = passages.embedder
    vectors = embedder.embed([f"{title}\n{text}" for title, text in found.passages], "passage")
    claimed = claimed_wrongly(found, given.claims / f"claims-{given.name}.jsonl" if given.claims else None)
    by_passage: dict[int | None, list[Asked]] = defaultdict(list)
    for one in found.asked:
        by_passage[one.near].append(one)
    done = (
        {json.loads(line)["q"] for line in given.out.read_text("utf-8").splitlines()} if given.out.exists() else set()
    )
    with given.out.open("a", encoding="utf-8") as out:
        for one in found.asked:
            if one.question in done:
                continue
            similar = vectors @ embedder.embed([one.question], "query")[0]
            near = [number for number in np.argsort(-similar, kind="stable")[:NEAR].tolist() if number != one.near]
            others = by_passage[one.near] if one.near is not None else []
            rows = Group(one, passages, near, claimed.get(one.question, []), others, chance).rows()
            if rows:
                verdict = next(iter(one.gold.values()), [None])[0] if one.yes_no else None
                told = {"src": given.name, "group": one.group, "held": held_back(given.name, one.group)}
                out.write(
                    json.dumps({**told, "q": one.question, "yes_no": one.yes_no, "verdict": verdict, "rows": rows})
                    + "\n"
                )


if __name__ == "__main__":
    main()
