"""What a search over many cards costs, in processor time, beside the embedding of its question.

    python benchmarks/cards_speed.py --cards 100000

Cards are made of words drawn from ScisummNet's papers by frequency; their vectors are random directions, since what is measured is
search, not meaning (a document has one chunk). A search embeds its question; the questions are the hand-written ones. The target is
1.5 times a query embedding, which was 6 ms on the machine that the target was written on. The library is kept in --folder.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from setting import command_line, setting, write

from decoct.data import Chunk, Document, Query, Span
from decoct.embed.resolve import open_embedder
from decoct.evaluate.dataset_types import default_cache
from decoct.index.base import Entry
from decoct.index.embedded import EmbeddedStore
from decoct.retrieve.cards.of_library import LibraryCards
from decoct.retrieve.cards.search import Cards
from decoct.retrieve.lexical import BM25
from decoct_lab.dataset import load

WORDS_A_CARD = 420  # a card of 3 KB
BATCH = 2000


def main() -> None:
    """Build what is missing, measure, print."""
    parser = command_line(__doc__, data=True, out="cards_speed.json")
    parser.add_argument("--cards", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, default=default_cache() / "cards-speed")
    arguments = parser.parse_args()
    embedder = open_embedder("minilm")
    place = arguments.folder / str(arguments.cards)
    with EmbeddedStore.open(place, settings={"embedder": embedder.fingerprint}) as library:
        cards = LibraryCards(library, embedder).writable().cards
        if cards.status().documents < arguments.cards:
            fill(library, cards, arguments.cards, arguments.data)
        cards.close()
    asked = [
        q.question
        for kind in ("technical", "conceptual")
        for q in load("scisummnet", arguments.data, {"queries": kind}).questions
    ]
    with EmbeddedStore.open(place, settings={}, create=False) as library:
        kept = LibraryCards(library, embedder)
        embed = timed(lambda text: embedder.embed([text], "query"), asked)
        told: dict[str, Any] = {
            "cards": arguments.cards,
            **setting(),
            "embedding_cpu_ms": embed,
            "searches": {},
        }
        for name, search in {
            "cards": Cards(library, embedder, kept),
            "cards, both parts": Cards(library, embedder, kept, part="both"),
            "cards-bm25": Cards(library, embedder, kept, search="bm25"),
            "cards, vectors": Cards(library, embedder, kept, search="dense"),
            "cards with full text": Cards(library, embedder, kept, passages=BM25(library)),
        }.items():
            whole = timed(partial(found_by, search), asked)
            told["searches"][name] = {
                "whole_cpu_ms": whole,
                "without_embedding_cpu_ms": round(whole - embed, 2),
                "times_the_embedding": round(whole / embed, 2),
                "times_6_ms": round((whole - embed + 6) / 6, 2),
            }
    write(arguments.out, told)


def fill(library: EmbeddedStore, cards: Any, n: int, data: Path) -> None:  # noqa: ANN401 - any store
    """`n` documents of a sentence with a card each."""
    counts: Counter[str] = Counter()
    for document in load("scisummnet", data, {}).documents():
        counts.update(re.findall(r"[A-Za-z]+", document.text))
    words, amounts = zip(*counts.most_common(50_000), strict=True)
    weights = list(accumulate(amounts))
    draw = random.Random(0)
    directions = np.random.default_rng(0)
    for start in range(cards.status().documents, n, BATCH):
        documents, made = [], []
        for number in range(start, min(start + BATCH, n)):
            doc_id = f"d{number:06}"
            text = " ".join(draw.choices(words, cum_weights=weights, k=WORDS_A_CARD))
            rows = directions.standard_normal((2, 384), dtype=np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            body = text[:200]
            documents.append(Entry(Document(doc_id, body), (Chunk(Span(doc_id, 0, len(body)), body),), rows[:1], "1"))
            middle = len(text) // 3
            spans = ((0, len(text)), (10, middle))
            chunks = tuple(Chunk(Span(doc_id, a, b), text[a:b]) for a, b in spans)
            made.append(Entry(Document(doc_id, text), chunks, rows, "shape.1"))
        library.put(documents)
        cards.put(made)
        print(f"\r{start + len(made):,} of {n:,}", end="", flush=True)
    library.refresh()
    cards.refresh()


def found_by(search: Cards, text: str) -> object:
    """One search."""
    return search.retrieve(Query(text), 20)


def timed(run: Callable[[str], object], texts: Sequence[str]) -> float:
    """The median of processor milliseconds over the questions, after a warm-up."""
    for text in texts[:20]:
        run(text)
    spent = []
    for text in texts:
        start = time.process_time()
        run(text)
        spent.append(time.process_time() - start)
    return round(1000 * median(spent), 2)


if __name__ == "__main__":
    main()
