"""What retrieval needs to know of a chunk beside its vector, worked out once at ingest: its names, and a signature of its stems.

`Traits` are the names in a chunk as a packed array, one row a name at its first place:

- `name`: its number (`names.name_number`);
- `at`, `past`: the characters where it stands in the chunk (both 0 for a name of the document that the text may not hold);
- `start`, `end`: the characters of the sentence around it (the first sentence for names of the document);
- `kind`: `LINKED` (a mention or own name, which links chunks) or a mere candidate; `OPENING` where the sentence is the chunk's first,
  `TITLED` where the name stands in the document's title;
- `stems`: 16 bits of each of the name's first four stems that are no question words, 0 for none.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from decoct.data import Chunk, Document, Floats
from decoct.structure.names import PART, SHORT_TITLE, name_number, own_names
from decoct.text.analysis import stems
from decoct.text.languages import AUTO, stemmed_as
from decoct.text.names import possible_names, runs
from decoct.text.sentences import sentences
from decoct.text.words import is_stop

# Signatures: which of a question's stems (`decoct.text.analysis`) a chunk holds, told without its text.
#
# A signature is a Bloom filter of `BITS` bits with two bits a stem (Bloom 1970). A chunk of 150 tokens has about 80 different stems, so a
# stem that is not there is seen by mistake once in fifty times; in return a thousand chunks are compared with a question in one array
# operation, for 128 bytes a chunk.

BITS = 1024
Signatures = NDArray[np.uint8]
Coverage = NDArray[np.bool_]


@lru_cache(maxsize=1 << 16)
def hashed(stem: str) -> int:
    """32 bits that stand for a stem; the upper half serves where 16 are enough."""
    return zlib.crc32(stem.encode())


def signature(words: Iterable[str]) -> Signatures:
    """The signature of a set of stems, shape (BITS / 8,)."""
    bits = np.zeros(BITS, dtype=np.uint8)
    numbers = np.fromiter((hashed(word) for word in set(words)), dtype=np.int64)
    bits[numbers % BITS] = 1
    bits[(numbers >> 10) % BITS] = 1
    return np.packbits(bits, bitorder="little")


def coverage(signatures: Signatures, words: Sequence[str]) -> Coverage:
    """Which of `words` (stems) each signature holds; shape (chunks, words)."""
    numbers = np.fromiter((hashed(word) for word in words), dtype=np.int64, count=len(words))
    found: Coverage = np.ones((len(signatures), len(words)), dtype=bool)
    for bit in (numbers % BITS, (numbers >> 10) % BITS):
        found &= (signatures[:, bit >> 3] >> (bit & 7).astype(np.uint8) & 1).astype(bool)
    return found


def covered_share(covered: Coverage, weights: Floats) -> Floats:
    """The weights of the stems that each row covers, added up; shape (rows,).

    Not as a matrix product: there a row's last bits hang on the other rows and the kind of CPU, and in busy processes flags that it left
    behind were warned of as invalid values that no result had.
    """
    shares: Floats = np.where(covered, weights, np.float32(0)).sum(axis=1, dtype=np.float32)
    return shares


VERSION = "1"  # raised when names, traits or signatures change: libraries built before are told to be built again
LINKED, OPENING, TITLED = 1, 2, 4
ROW = np.dtype(
    [
        ("name", "<i8"),
        ("at", "<u2"),
        ("past", "<u2"),
        ("start", "<u2"),
        ("end", "<u2"),
        ("kind", "u1"),
        ("stems", "<u2", (4,)),
    ]
)
Traits = NDArray[np.void]
_MOST = 0xFFFF
_REMEMBERED = 40  # characters of a word whose stems are kept: names are made of few words


@dataclass(frozen=True, slots=True)
class DocumentTraits:
    """All that ingest hands to the store for one document's names: see `index.base.Entry`."""

    names: tuple[tuple[int, float], ...]
    mentions: tuple[tuple[int, ...], ...]
    traits: tuple[bytes, ...]
    signatures: Signatures


def traits_of(document: Document, chunks: Sequence[Chunk], language: str = AUTO) -> DocumentTraits:
    """The names of `document` and the traits of its chunks, their stems by `language` (else the document's own)."""
    own, stemmed = own_names(document), (stemmed_as(document.text, language),)
    packed = [_packed(chunk.text, own) for chunk in chunks]
    return DocumentTraits(
        names=tuple((name_number(name), strength) for name, strength in own.items()),
        mentions=tuple(tuple(sorted(set(row["name"][row["kind"] & LINKED > 0].tolist()))) for row in packed),
        traits=tuple(row.tobytes() for row in packed),
        signatures=np.array(
            [signature(stems(f"{chunk.title} {chunk.place} {chunk.text}", stemmed)) for chunk in chunks], dtype=np.uint8
        ),
    )


def unpack(blobs: Iterable[bytes]) -> tuple[Traits, NDArray[np.int64]]:
    """The rows of several chunks one after another, and for each row which chunk it is of."""
    parts = list(blobs)
    counts = [len(part) // ROW.itemsize for part in parts]
    return np.frombuffer(b"".join(parts), dtype=ROW), np.repeat(np.arange(len(parts)), counts)


def _packed(text: str, own: Mapping[str, float]) -> Traits:
    ranges = sentences(text) or [(0, len(text))]
    starts = [start for start, _ in ranges]
    first: dict[str, tuple[int, int, int]] = {
        name: (0, 0, LINKED | (TITLED if strength == PART or strength >= SHORT_TITLE else 0))
        for name, strength in own.items()
    }
    for name, at, past in runs(text):
        first.setdefault(name, (at, past, LINKED))
    for name, at, past in possible_names(text):
        first.setdefault(name, (at, past, 0))
    rows = []
    for name, (at, past, kind) in first.items():
        sentence = max(bisect_right(starts, at) - 1, 0)
        start, end = ranges[sentence]
        if end > _MOST or past > _MOST:
            at, past, start, end = (min(place, _MOST) for place in (at, past, start, end))  # noqa: PLW2901
        rows.append((name_number(name), at, past, start, end, kind if sentence else kind | OPENING, _stems(name)))
    return np.array(rows, dtype=ROW)


def _stems(name: str) -> tuple[int, int, int, int]:
    numbers: list[int] = []
    if name.isascii():
        for word in name.split():
            numbers += _half_hashes(word) if len(word) <= _REMEMBERED else _half_hashes.__wrapped__(word)
    else:  # how a word is cut may depend on the script of the others
        content = " ".join(word for word in name.split() if not is_stop(word))
        numbers += map(half_hash, stems(content))
    one, two, three, four, *_ = (*numbers, 0, 0, 0, 0)
    return one, two, three, four


@lru_cache(maxsize=1 << 16)
def _half_hashes(word: str) -> tuple[int, ...]:
    return () if is_stop(word) else tuple(map(half_hash, stems(word)))


def half_hash(stem: str) -> int:
    """The 16 bits by which a name's stem is compared with a question's; never 0."""
    return (hashed(stem) >> 16) or 1
