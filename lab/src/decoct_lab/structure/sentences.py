"""Vectors of sentences beside those of chunks: what one sentence says is not drowned in the rest of its chunk.

Of each chunk the sentences of at least `words` words, as they stand; one that stands in several chunks (they overlap, and documents repeat
themselves) is embedded and kept once. About as many short embeddings as there are sentences, no language model.

Files in the structure's folder: `sentences.npy` with `sentences.scales.npy` (a row a different sentence; `byte_vectors`), their digests,
and `chunks.npz`: the chunks' `keys`, rising, and for chunk n its sentences `rows[first[n] : first[n + 1]]`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from decoct.data import Chunk, Floats, Keys
from decoct.errors import StaleIndexError
from decoct.text.sentences import sentences
from decoct_lab.structure.base import Chunked, Part, Spending, Workshop
from decoct_lab.structure.byte_vectors import ByteVectors, load_bytes

FORMAT = 1
VECTORS, CHUNKS = "sentences", "chunks.npz"


@dataclass(frozen=True, slots=True)
class SentenceVectors:
    """Embeds the sentences of at least `words` words; shorter ones say nothing by themselves."""

    words: int = 3

    def __post_init__(self) -> None:
        if self.words < 1:
            raise ValueError("words must be at least 1")

    @property
    def fingerprint(self) -> str:
        """Format and setting."""
        return f"sentences-{FORMAT}:{self.words}"

    @property
    def model(self) -> str:
        """No language model has a part in it."""
        return ""

    def estimate(self, documents: Iterable[Chunked]) -> Spending:
        """Nothing but time."""
        return Spending()

    def read(self, documents: Sequence[Chunked]) -> list[Part]:
        """Each chunk's key and sentences."""
        return [
            Part(json.dumps([[chunk.key, self._told(chunk)] for chunk in one.chunks]).encode()) for one in documents
        ]

    def put_together(self, workshop: Workshop) -> None:
        """Number the different sentences, and embed them."""
        numbers: dict[str, int] = {}
        first: list[int] = [0]
        rows: list[int] = []
        chunks = sorted((key, told) for _, body in workshop.parts() for key, told in json.loads(body))
        for _, told in chunks:
            rows.extend(numbers.setdefault(sentence, len(numbers)) for sentence in told)
            first.append(len(rows))
        workshop.byte_vectors(VECTORS, list(numbers))
        np.savez(
            workshop.folder / CHUNKS,
            keys=np.array([key for key, _ in chunks], np.int64),
            first=np.array(first, np.int64),
            rows=np.array(rows, np.int32),
        )

    def _told(self, chunk: Chunk) -> list[str]:
        found = (chunk.text[start:end].strip() for start, end in sentences(chunk.text))
        return list(dict.fromkeys(one for one in found if len(one.split()) >= self.words))


@dataclass(frozen=True, slots=True, eq=False)
class ChunkedSentences:
    """The sentences' `vectors`, and which are whose: see the module's text."""

    keys: Keys
    first: NDArray[np.int64]
    rows: NDArray[np.int32]
    vectors: ByteVectors

    def best(self, vector: Floats) -> Floats:
        """For each chunk the largest dot product of its sentences with `vector`; minus infinity for one that has none."""
        found = np.full(len(self.keys), -np.inf, np.float32)
        has = np.flatnonzero(np.diff(self.first))
        if len(has):
            products = self.vectors.products(vector)[self.rows]
            found[has] = np.maximum.reduceat(products, self.first[has])
        return found


def read_sentences(folder: Path) -> ChunkedSentences:
    """The sentences in the folder of a finished structure; `StaleIndexError` where they cannot be read."""
    try:
        with np.load(folder / CHUNKS) as arrays:
            keys, first, rows = arrays["keys"], arrays["first"], arrays["rows"]
        vectors = load_bytes(folder, VECTORS)
    except (OSError, ValueError, KeyError) as error:
        raise StaleIndexError(
            f"the vectors of sentences cannot be read ({error}): drop the structure and build it again"
        ) from error
    if len(first) != len(keys) + 1 or first[-1] != len(rows) or rows.max(initial=-1) >= len(vectors.rows):
        raise StaleIndexError("the vectors of sentences are damaged: drop the structure and build it again")
    return ChunkedSentences(keys, first, rows, vectors)
