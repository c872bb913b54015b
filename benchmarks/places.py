"""What the headings above a chunk bring: over one library with them and one without, and in what the small reader rereads.

    python benchmarks/places.py QUESTIONS --with DIR --without DIR [--questions 300] [--out FILE]

A line of QUESTIONS (JSON) has `question`, `document` (the end of its id) and `quote`: `experiments/reader/manual-questions.jsonl` beside
the documents of its packages. Both libraries hold the same chunks; `--without` has no headings in what is embedded and searched. A hit is
right if it holds half of the quote, letters and digits alone compared. `best` rereads; only questions on documents that the reader was
not trained on are asked of it (`held back`). First, among five, among twenty, with 95 % intervals, and differences by a paired bootstrap.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from fit_fusion import holds
from setting import command_line, gained, setting, share, write

from decoct import Library
from decoct.data import Query
from decoct_lab.train.reader.example import part_of

READER: dict[str, Any] = {"use": "reader", "answering": 0.0}
PLAIN = ("dense", "bm25", "hybrid", "default")


def best(depth: int, weight: float = 0.6, head: int | None = 1) -> dict[str, Any]:
    """`best` with other numbers."""
    named = {} if head is None else {"head": head}
    return {
        "retrieve": {"use": "rerank", "depth": depth, "weight": weight, "scorer": READER, "retriever": "links", **named}
    }


REREAD = {
    "best-20": best(20),
    "best-25": best(25),
    "best-25-mixed": best(25, head=None),
    "best-25-head-5": best(25, head=5),
}


def asked(
    library: Library, recipe: str | dict[str, Any], questions: Sequence[dict[str, Any]]
) -> tuple[list[int], float]:
    """The place of the first right hit among twenty, from 0 (20: none), and the 95th percentile of milliseconds."""
    pipeline, places, taken = library.pipeline(recipe), [], []
    for one in questions:
        start = perf_counter()
        hits = pipeline.search(Query(one["question"]), 20)
        taken.append(1000 * (perf_counter() - start))
        right = [at for at, hit in enumerate(hits) if holds(hit.chunk.text, one["quote"])]
        places.append(right[0] if right else 20)
    return places, round(float(np.percentile(taken, 95)), 1)


def shares(places: Sequence[int]) -> dict[str, Any]:
    return {name: share([place < k for place in places]) for name, k in (("first", 1), ("five", 5), ("twenty", 20))}


def gains(one: Sequence[int], other: Sequence[int]) -> dict[str, list[float]]:
    return {
        name: gained([float(a < k) for a in one], [float(b < k) for b in other])
        for name, k in (("first", 1), ("five", 5), ("twenty", 20))
    }


def main() -> None:
    parser = command_line(__doc__, questions=300, out="places.json")
    parser.add_argument("file", type=Path, metavar="QUESTIONS")
    parser.add_argument("--with", dest="placed", type=Path, required=True)
    parser.add_argument("--without", type=Path, required=True)
    parser.add_argument("--reread", type=int, default=100, help="held-back questions that are reread")
    given = parser.parse_args()
    every = [json.loads(line) for line in given.file.read_text("utf-8").splitlines()]
    random.Random(11).shuffle(every)
    result: dict[str, Any] = setting()
    with Library.open(given.placed) as placed:
        ids = {info.id for info in placed.documents()}
        here = [one for one in every if any(one["document"].endswith(end) for end in (f"/{id_}" for id_ in ids))]
        questions = here[: given.questions]
        held_back = [one for one in here if part_of(one["document"]) == "dev"][: given.reread]
        found = {recipe: asked(placed, recipe, questions) for recipe in PLAIN}
        result["all"] = {name: {**shares(places), "p95_ms": ms} for name, (places, ms) in found.items()}
        print(json.dumps(result["all"]), flush=True)
        with Library.open(given.without) as without:
            before = {recipe: asked(without, recipe, questions) for recipe in PLAIN}
        result["without headings"] = {name: {**shares(places), "p95_ms": ms} for name, (places, ms) in before.items()}
        result["with - without"] = {recipe: gains(found[recipe][0], before[recipe][0]) for recipe in PLAIN}
        print(json.dumps(result["with - without"]), flush=True)
        write(given.out, result, show=False)
        reread = {"default": asked(placed, "default", held_back)}
        reread |= {name: asked(placed, recipe, held_back) for name, recipe in REREAD.items()}
        result["held back"] = {name: {**shares(places), "p95_ms": ms} for name, (places, ms) in reread.items()}
        result["held back"] |= {f"{name} - default": gains(reread[name][0], reread["default"][0]) for name in REREAD}
        print(json.dumps(result["held back"]), flush=True)
        write(given.out, result, show=False)


if __name__ == "__main__":
    main()
