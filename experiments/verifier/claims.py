"""What the first reader claims over whole libraries, right or wrong by the writers' gold.

    python experiments/verifier/claims.py NAME QUESTIONS --data DATA --manuals FILE --out claims-NAME.jsonl

Each question is asked over all passages of its set (vectors and BM25, fused by ranks); what the reader finds in the first five is a claim
each. A quarter of the questions loses the passages that answer it. `right` is 1, 0, or -1 where it cannot be told. Goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
from material import NAMES, Asked, Material, material

from decoct.embed.minilm import MiniLM
from decoct.reading.base import Reading
from decoct.reading.small import SmallReader
from decoct.reading.yes_no import asks_yes_or_no

READ, AMONG, REMOVED = 5, 40, 0.25
LONG, PIECE = 1400, 1000  # characters: a longer text is read in pieces


@dataclass(frozen=True)
class Piece:
    """Part of the passage number `of`, as the reader reads it."""

    of: int
    title: str
    text: str


def pieces(found: Material) -> list[Piece]:
    """The passages, long ones cut at sentences or lines."""
    cut: list[Piece] = []
    for number, (title, text) in enumerate(found.passages):
        at = 0
        while at < len(text):
            end = len(text) if at == 0 and len(text) <= LONG else min(len(text), at + PIECE)
            if end < len(text):
                border = max(text.rfind(". ", at + PIECE // 2, end) + 1, text.rfind("\n", at + PIECE // 2, end))
                end = border if border > at else end
            cut.append(Piece(number, title, text[at:end]))
            at = end
    return cut


def folded(text: str) -> list[str]:
    """Words without articles and punctuation."""
    return re.sub(r"\b(a|an|the)\b", " ", re.sub(r"[^\w\s]", " ", text.lower())).split()


def overlap(words: str, gold: str) -> float:
    """Token F1."""
    a, b = folded(words), folded(gold)
    common = sum((Counter(a) & Counter(b)).values())
    return 2 * common / (len(a) + len(b)) if common else 0.0


def rightness(words: str, here: list[str], elsewhere: list[str]) -> int:
    """1, 0 or -1 for words claimed of a passage whose answers are `here`; `elsewhere` are those of the question's other passages."""
    if not here:
        return -1 if any(overlap(words, gold) >= 0.75 for gold in elsewhere) else 0
    said = " ".join(folded(words))
    holds = any(folded(gold) and " ".join(folded(gold)) in said for gold in here)
    if max(overlap(words, gold) for gold in here) >= 0.5 or (holds and len(words) < 6 * max(map(len, here))):
        return 1
    part = said and any(said in " ".join(folded(gold)) for gold in here)
    return -1 if part else 0


class Ranking:
    """The pieces for a question, best first."""

    def __init__(self, held: list[Piece]) -> None:
        self.embedder = MiniLM()
        self.vectors = self.embedder.embed([f"{one.title}\n{one.text}" for one in held], "passage")
        self.words = bm25s.BM25()
        texts = [f"{one.title} {one.text}" for one in held]
        self.words.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)

    def first(self, question: str) -> list[int]:
        """Fused by ranks, words at .7 of the vectors' weight."""
        near = self.vectors @ self.embedder.embed([question], "query")[0]
        asked = bm25s.tokenize([question], stopwords="en", show_progress=False, return_ids=False)[0]
        said = self.words.get_scores(asked)
        fused: dict[int, float] = defaultdict(float)
        for scores, weight in ((near, 1.0), (said, 0.7)):
            for rank, place in enumerate(np.argsort(-scores, kind="stable")[:AMONG].tolist()):
                fused[place] += weight / (30 + rank) if scores[place] > 0 else 0.0
        return sorted(fused, key=lambda place: -fused[place])


def claims(asked: Asked, piece: Piece, reading: Reading, rank: int) -> Iterator[dict[str, Any]]:
    """What the reader claims of one piece."""
    here = asked.gold.get(piece.of, [])
    elsewhere = [answer for answers in asked.gold.values() for answer in answers]
    told = {"q": asked.question, "title": piece.title, "text": piece.text, "group": asked.group, "rank": rank}
    if asks_yes_or_no(asked.question):
        if reading.verdict != "neither" and reading.sentences and asked.yes_no:
            best = max(reading.sentences, key=lambda one: one.relevance)
            right = int(reading.verdict in here)
            yield {
                **told,
                "a": best.start,
                "b": best.end,
                "claim": reading.verdict,
                "score": reading.answers,
                "right": right,
            }
        return
    for span in reading.spans[: 2 if rank < 2 else 1]:
        words = piece.text[span.start : span.end]
        right = rightness(words, here, elsewhere)
        yield {**told, "a": span.start, "b": span.end, "claim": words, "score": span.score, "right": right}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("questions", type=int)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--manuals", type=Path, default=Path("manuals-held.json"))
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    found = material(given.name, given.data, given.manuals)
    random.Random(3).shuffle(found.asked)
    held, reader = pieces(found), SmallReader(threads=1)
    ranking = Ranking(held)
    done = {json.loads(line)["n"] for line in given.out.read_text().splitlines()} if given.out.exists() else {-1}
    with given.out.open("a", encoding="utf-8") as out:
        for number, asked in enumerate(found.asked[: given.questions]):
            if number <= max(done):
                continue
            removed = bool(asked.gold) and random.Random(number).random() < REMOVED
            order = [at for at in ranking.first(asked.question) if not (removed and held[at].of in asked.gold)][:READ]
            readings = reader.read(asked.question, [held[at] for at in order])
            for rank, (at, reading) in enumerate(zip(order, readings, strict=True)):
                for claim in claims(asked, held[at], reading, rank):
                    out.write(json.dumps({"n": number, "src": given.name, "removed": removed, **claim}) + "\n")


if __name__ == "__main__":
    main()
