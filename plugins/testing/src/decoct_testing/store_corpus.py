"""Small documents ready for a store: deterministic entries for the store contract and for tests of what stands on a store."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from decoct.data import Chunk, Document, Floats, Metadata, Span
from decoct.index.base import Entry
from decoct.structure.traits import name_number

DIMENSION = 12
WORDS = [
    "river", "stone", "bridge", "garden", "winter", "light", "engine", "paper", "market", "island", "copper", "valley", "signal",
    "harbour", "meadow", "lantern", "violin", "compass", "orchard", "marble",
]  # fmt: skip


def unit_rows(count: int, seed: int = 0, dimension: int = DIMENSION) -> Floats:
    """Random unit vectors, shape (count, dimension), that half precision holds exactly enough to keep their order."""
    rows = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float16).astype(np.float32)


def make_entry(
    doc_id: str,
    texts: Sequence[str],
    *,
    seed: int = 0,
    title: str = "",
    metadata: Metadata | None = None,
    names: tuple[str, ...] = (),
    mentions: tuple[tuple[str, ...], ...] = (),
    digest: str = "",
) -> Entry:
    """A document of `texts`, one a line, each a chunk. The first of `names` means it for sure, the next half as surely, and so on."""
    chunks, start = [], 0
    for text in texts:
        chunks.append(Chunk(Span(doc_id, start, start + len(text)), text, title))
        start += len(text) + 1
    document = Document(doc_id, "\n".join(texts), title, f"/corpus.jsonl#{doc_id}", metadata or {}, names)
    return Entry(
        document,
        tuple(chunks),
        unit_rows(len(texts), seed),
        digest or f"digest of {doc_id}",
        names=tuple((number(name), 1 / (1 + place)) for place, name in enumerate(dict.fromkeys(names))),
        mentions=tuple(tuple(map(number, mentioned)) for mentioned in mentions),
        traits=tuple(f"traits of {text}".encode("utf-8", "replace") for text in texts),
        signatures=np.random.default_rng(seed).integers(0, 256, (len(texts), 8), dtype=np.uint8),
    )


def number(name: str) -> int:
    """The number that stands for a name."""
    return name_number(name)


def corpus(documents: int = 30, seed: int = 0) -> list[Entry]:
    """Documents of one to four chunks of 10 to 40 words (lengths that tantivy keeps exactly), with metadata, names and mentions."""
    random = np.random.default_rng(seed)
    entries = []
    for n in range(documents):
        texts = [" ".join(random.choice(WORDS, random.integers(10, 39))) for _ in range(random.integers(1, 5))]
        mentions = tuple(tuple(sorted(set(random.choice(WORDS, 3)))) for _ in texts)
        metadata = {"year": 2000 + n % 4, "kind": ("letter", "report")[n % 2], "part": f"p{n}"}
        entries.append(
            make_entry(
                f"doc-{n:03}", texts, seed=1000 + n, title=WORDS[n % 20].title(), metadata=metadata,
                names=(WORDS[n % 7],), mentions=mentions,
            )
        )  # fmt: skip
    return entries
