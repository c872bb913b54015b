"""Questions and statements as arrays of tokens, so that an accelerator makes its batches by itself.

    python experiments/verifier/packed.py NAME OUT [--data DATA] [--manuals FILE]
    python experiments/verifier/packed.py exchanged OUT
    python experiments/verifier/packed.py words OUT --of NAME [--most 1500]

A question stands beside the statement that answers it, others of its passage and the nearest of the whole set (`WIDE` in all, nearest
first). `exchanged` are questions of the organisations in which a name or number is exchanged for another's, so that nothing answers, though
the words are as near as before. `words` puts
beside open questions of a set the words that answer and others of the statement, of a row its cells behind their heads, as what is marked.
A statement is kept once, with as many tokens before and behind it as an input may have.

Arrays: `questions` and `titles` and `bodies` are flat token ids, `*_at` where each begins (one more than there are); `bodies_from` and
`bodies_to` the first and the last token but one of the statement in its body; `rows` the statements of all questions one behind another,
`rows_at` where each question's begin, `right` which of them answer; `verdict` of a question -1 where none is asked for, else 0 undecided,
1 yes, 2 no; `held` which are kept back; `name` the set.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from material import NAMES, TRADES, Asked, Material, held_back, material
from network import LONG
from numpy.typing import NDArray

from decoct.embed.minilm import MiniLM
from decoct.reading.verifier import QUESTION, TITLE, TITLE_CHARACTERS, input_tokens
from decoct.text.cells import cells_as_text, cells_of_row
from decoct.text.quotable import PlacedStatement, is_row, statements
from decoct.text.values import parse_values
from decoct.text.words import content_stems

SAME, WIDE, SWAPPED = 6, 24, 2
EXCHANGED, BESIDE = 0.25, 5  # of the questions; statements beside the one that answered
NAMED = re.compile(r"\b(?:[A-Z][\w-]*\d[\w-]*|\d[\d.,:]*\d|\d|(?<=[a-z] )[A-Z][a-z]{2,})\b")
_NAME = re.compile(r"(?<=[\w,;:(] )[A-Z][\w'’.-]*(?: (?:of |the |de |and )?[A-Z][\w'’.-]*)*")
_PIECE = re.compile(r"[^,;:()|\n]+")
_AGAIN = 0.6  # of further wordings of a need that are left out
_VERDICTS = {"yes": 1, "no": 2}
Place = tuple[int, int]


def bare(text: str) -> str:
    """Words in lower case, a space between them."""
    return " " + " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split()) + " "


def place_of(text: str, words: str, sentence: str | None) -> Place | None:
    """Where `words` stand, in `sentence` if they stand there."""
    low = text.find(sentence) if sentence else 0
    at = text.find(words, max(low, 0))
    at = at if at >= 0 else text.lower().find(words.lower())
    return (at, at + len(words)) if at >= 0 else None


@dataclass
class Packed:
    """What was added so far; statements by what they are made of."""

    name: str
    flat: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    begins: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0]))
    places: list[Place] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    rows_at: list[int] = field(default_factory=lambda: [0])
    verdict: list[int] = field(default_factory=list)
    held: list[bool] = field(default_factory=list)
    known: dict[tuple[str, str, Place], int] = field(default_factory=dict)

    def _add(self, part: str, ids: list[int]) -> None:
        self.flat[part] += ids
        self.begins[part].append(len(self.flat[part]))

    def statement(self, title: str, text: str, place: Place) -> int:
        """The number of a statement, which is kept once."""
        key = (title, text, place)
        if key not in self.known:
            self.known[key] = len(self.known)
            tokens = input_tokens()
            body, first, last = tokens.around(text, *place)
            low = max(0, first - LONG)
            self._add("titles", tokens.ids(title[:TITLE_CHARACTERS])[:TITLE])
            self._add("bodies", body[low : last + LONG])
            self.places.append((first - low, min(last, first + LONG) - low))
        return self.known[key]

    def question(self, asked: str, verdict: int, held: bool, rows: list[tuple[int, int]]) -> None:
        """A question with its statements."""
        self._add("questions", input_tokens().ids(asked)[:QUESTION])
        self.verdict.append(verdict)
        self.held.append(held)
        self.rows += [number for number, _ in rows]
        self.right += [right for _, right in rows]
        self.rows_at.append(len(self.rows))

    def save(self, file: Path) -> None:
        """As one compressed file."""
        arrays: dict[str, Any] = {part: np.asarray(ids, np.uint16) for part, ids in self.flat.items()}
        arrays |= {f"{part}_at": np.asarray(at, np.int32) for part, at in self.begins.items()}
        arrays["bodies_from"], arrays["bodies_to"] = np.asarray(self.places, np.int16).T
        arrays |= {"rows": np.asarray(self.rows, np.int32), "right": np.asarray(self.right, np.uint8)}
        arrays |= {"rows_at": np.asarray(self.rows_at, np.int32), "held": np.asarray(self.held)}
        np.savez_compressed(file, name=self.name, verdict=np.asarray(self.verdict, np.int8), **arrays)


@dataclass
class Statements:
    """Every statement of a set, with its vector and its words."""

    found: Material
    embedder: MiniLM
    told: list[tuple[int, Place, str]] = field(default_factory=list)  # passage, place, over
    of: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for number, (title, text) in enumerate(self.found.passages):
            for one in statements(text, title):
                self.of[number].append(len(self.told))
                self.told.append((number, one.place, one.over))
        self.said = [self.found.passages[number][1][slice(*place)] for number, place, _ in self.told]
        self.bare = [bare(one) for one in self.said]
        over = [f"{over}\n{said}" for (_, _, over), said in zip(self.told, self.said, strict=True)]
        self.vectors: NDArray[np.float32] = self.embedder.embed(over, "passage")
        self.holding: dict[str, list[int]] = defaultdict(list)
        for at, text in enumerate(over):
            for stem in content_stems(text):
                self.holding[stem].append(at)

    def at(self, number: int, place: Place | None) -> int | None:
        """The statement of a passage that holds the beginning of `place`."""
        held = (at for at in self.of[number] if place and self.told[at][1][0] <= place[0] < self.told[at][1][1])
        return next(held, None)

    def likeness(self, question: str, vector: NDArray[np.float32]) -> NDArray[np.float64]:
        """The cosine with every statement, and the share of the question's words in it, each as it is rare in the set."""
        likely: NDArray[np.float64] = (self.vectors @ vector).astype(np.float64)
        rare = {
            stem: np.log(len(self.told) / (1 + len(self.holding[stem])))
            for stem in content_stems(question)
            if stem in self.holding
        }
        whole = sum(max(one, 0.1) for one in rare.values()) or 1.0
        for stem, weight in rare.items():
            likely[self.holding[stem]] += max(weight, 0.1) / whole
        return likely

    def right(self, one: Asked, likely: NDArray[np.float64]) -> list[int]:
        """The marked statement, else of those that hold the answer the likeliest."""
        for number, answers in one.gold.items():
            text = self.found.passages[number][1]
            place = place_of(text, one.sentence, None) if one.sentence else None
            if place is None and not one.yes_no:
                holding = [at for at in self.of[number] if any(bare(a) in self.bare[at] for a in answers)]
                if holding:
                    return [max(holding, key=lambda at: likely[at])]
                place = place_of(text, answers[0], None)
            if (at := self.at(number, place)) is not None:
                return [at]
        return []

    def wrong(self, one: Asked, likely: NDArray[np.float64], right: list[int], others: list[int]) -> list[int]:
        """The marked one that does not answer, those of other questions on the passage, and the nearest of the passage and of the set."""
        answers = [] if one.yes_no else [bare(a) for several in one.gold.values() for a in several]
        home = next(iter(one.gold), one.near)
        order = [int(at) for at in np.argsort(-likely, kind="stable")[: 4 * WIDE]]
        own = sorted(self.of[home], key=lambda at: -likely[at]) if home is not None else []
        marked: list[int] = []
        if not one.gold and one.near is not None and one.sentence:
            at = self.at(one.near, place_of(self.found.passages[one.near][1], one.sentence, None))
            marked = [at] if at is not None else []
        found: list[int] = []
        for most, told in ((1, marked), (SWAPPED, others), (SAME, own), (WIDE, order)):
            taken = 0
            for at in told:
                if taken == most or len(found) == WIDE:
                    break
                if at not in found and at not in right and not any(a in self.bare[at] for a in answers):
                    found.append(at)
                    taken += 1
        return marked + sorted((at for at in found if at not in marked), key=lambda at: -likely[at])


def of_material(found: Material, seed: int = 3) -> Packed:
    """Every question of a set."""
    embedder, packed, chance = MiniLM(), Packed(found.name), random.Random(seed)
    told = Statements(found, embedder)

    def number(at: int) -> int:
        passage, place, over = told.told[at]
        return packed.statement(over, found.passages[passage][1], place)

    by_passage: dict[int | None, list[Asked]] = defaultdict(list)
    for one in found.asked:
        by_passage[one.near].append(one)
    vectors = embedder.embed([one.question for one in found.asked], "query")
    for one, vector in zip(found.asked, vectors, strict=True):
        likely = told.likeness(one.question, vector)
        right = told.right(one, likely)
        if one.gold and not right:
            continue
        siblings = [
            other
            for other in by_passage[one.near]
            if other.group != one.group and other.sentence and one.near is not None
        ]
        others = []
        for other in chance.sample(siblings, min(4, len(siblings))):
            at = told.at(one.near or 0, place_of(found.passages[one.near or 0][1], other.sentence or "", None))
            others += [at] if at is not None else []
        rows = [(number(at), 1) for at in right] + [(number(at), 0) for at in told.wrong(one, likely, right, others)]
        word = next(iter(one.gold.values()), [""])[0]
        verdict = _VERDICTS.get(word, 0) if one.yes_no else -1
        packed.question(one.question, verdict, held_back(found.name, one.group), rows)
    return packed


def exchanged(question: str, others: list[str], chance: random.Random) -> str | None:
    """The question with one of its names or numbers exchanged for one of the same form in another question."""
    own = NAMED.findall(question)
    if not own:
        return None
    taken = chance.choice(own)

    def form(text: str) -> str:
        return re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "0", text))

    for _ in range(40):
        found = [one for one in NAMED.findall(chance.choice(others)) if form(one) == form(taken) and one not in own]
        if found:
            return re.sub(rf"(?<!\w){re.escape(taken)}(?!\w)", found[0], question, count=1)
    return None


def of_exchanged(sets: list[Material], seed: int = 11) -> Packed:
    """Questions that nothing answers, since what they name stands nowhere in the document."""
    packed, chance = Packed("exchanged"), random.Random(seed)
    for found in sets:
        questions, told = [one.question for one in found.asked], dict[int, list[Any]]()
        for one in found.asked:
            asked = exchanged(one.question, questions, chance) if chance.random() < EXCHANGED else None
            if asked is None or one.yes_no or not one.gold or not one.sentence or held_back(found.name, one.group):
                continue
            number = next(iter(one.gold))
            title, text = found.passages[number]
            words = set(bare(asked).split()) - set(bare(one.question).split())
            place = place_of(text, one.sentence, None)
            if not words or place is None or any(f" {word} " in bare(f"{title} {text}") for word in words):
                continue
            here = told.setdefault(number, statements(text, title))
            right = [own for own in here if own.place[0] <= place[0] < own.place[1]]
            rest = [own for own in here if own not in right]
            beside = [*right, *chance.sample(rest, min(BESIDE, len(rest)))]
            packed.question(asked, -1, False, [(packed.statement(own.over, text, own.place), 0) for own in beside])
    return packed


def other_words(text: str, start: int, end: int) -> list[Place]:
    """Values, names, and what stands between commas and the like."""
    found = [(start + one.start, start + one.end) for one in parse_values(text[start:end])]
    found += [(start + one.start(), start + one.end()) for one in _NAME.finditer(text[start:end])]
    for one in _PIECE.finditer(text[start:end]):
        said = one[0].strip()
        if 0 < len(said.split()) <= 7:
            at = start + one.start() + one[0].index(said)
            found.append((at, at + len(said)))
    return list(dict.fromkeys(found))


def of_words(found: Material, most: int, seed: int = 5) -> Packed:
    """Open questions beside words of the statement that answers: those that do, others of it, and of two other statements."""
    packed, chance = Packed(f"words-{found.name}"), random.Random(seed)
    cut: dict[int, list[PlacedStatement]] = {}
    groups: set[str] = set()
    for one in chance.sample(found.asked, len(found.asked)):
        near = next(iter(one.gold), one.near)
        if one.yes_no or near is None or not one.sentence or (one.group in groups and chance.random() < _AGAIN):
            continue
        title, text = found.passages[near]
        at = place_of(text, one.sentence, None)
        here = cut.setdefault(near, statements(text, title))
        own = next((each for each in here if at and each.place[0] <= at[0] < each.place[1]), None)
        if own is None or len(packed.verdict) == most:
            continue
        answers = [bare(answer) for told in one.gold.values() for answer in told]
        cells = cells_of_row(text, own.place) if is_row(text[slice(*own.place)]) else []
        said, places = cells_as_text(cells) if len(cells) > 1 else (text, other_words(text, *own.place))
        if len(cells) > 1:
            right = [place for place in places if any(answer in bare(said[slice(*place)]) for answer in answers)]
        else:
            told = next(
                (place for given in one.gold.values() for a in given if (place := place_of(text, a, one.sentence))),
                None,
            )
            right = [told] if told else []
        if bool(answers) != (len(right) == 1):
            continue
        wrong = [place for place in places if not any(place[0] < b and a < place[1] for a, b in right)]
        rows = [(packed.statement(own.over, said, place), 1) for place in right]
        rows += [(packed.statement(own.over, said, place), 0) for place in chance.sample(wrong, min(6, len(wrong)))]
        others = [each for each in here if each is not own]
        for each in chance.sample(others, min(2, len(others))):
            spans = [s for s in other_words(text, *each.place) if not any(a in bare(text[slice(*s)]) for a in answers)]
            rows += [(packed.statement(each.over, text, chance.choice(spans)), 0)] if spans else []
        if len(rows) > 1:
            groups.add(one.group)
            packed.question(one.question, -1, held_back(found.name, one.group), rows)
    return packed


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=(*NAMES, "exchanged", "words"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--manuals", type=Path, default=Path("manuals-held.json"))
    parser.add_argument("--of", choices=NAMES, help="the set that words are of")
    parser.add_argument("--most", type=int, default=1500)
    given = parser.parse_args()
    if given.name == "words":
        packed = of_words(material(given.of, given.data, given.manuals), given.most)
    elif given.name == "exchanged":
        packed = of_exchanged([material(name, given.data, given.manuals) for name in TRADES])
    else:
        packed = of_material(material(given.name, given.data, given.manuals))
    packed.save(given.out)


if __name__ == "__main__":
    main()
