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

import re
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from decoct.data import Chunk, Document, Floats
from decoct.text.analysis import stems
from decoct.text.languages import AUTO, stemmed_as
from decoct.text.names import is_common, normal, possible_names, runs, title_without_brackets
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


# The names by which a document may be mentioned, and the number that stands for a name in the store.
#
# Everything here looks at one document alone, so it is done once, at ingest, and never again when other documents come or go: two chunks
# are linked when the same name stands in both (`decoct.text.names.runs`), and a mention leads to a document when it equals one of the
# document's own names: its title (also without what stands in brackets, and before a comma), the subject of its first sentence where that
# shares a word with the title, what it says it is "known as", its aliases, and (weakly) the runs inside its title.
_SUBJECT = re.compile(r"^(.{2,100}?)(?:\s*\(|,|\s+(?:is|was|are|were|refers|has|had|may)\b)")
_KNOWN_AS = re.compile(
    r"\b(?:known|called|referred to|stylized|titled|named|abbreviated)\s+"
    r"(?:(?:simply|professionally|commonly|collectively|internationally|also|as|by|to|the|in \w+|his|her|stage|ring|name)\s+)*[\"“'‘]?"
    r"((?:[A-Z0-9][\w.'’&-]*)(?:[ -](?:(?:of|the|and|de|la|von|van|in|for|on|&)\s)*[A-Z0-9][\w.'’&-]*){0,5})"
)

TITLE, SHORT_TITLE, SUBJECT, ALIAS, PART = 1.0, 0.9, 0.8, 0.7, 0.5  # how surely a name means its document
_OPENING = 300  # characters in which a document says what it is called
_LONGEST = 8  # words of a subject


@lru_cache(maxsize=1 << 16)
def name_number(name: str) -> int:
    """The number that stands for a normalised name in the store: 63 bits of its digest."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little") >> 1


def own_names(document: Document) -> dict[str, float]:
    """The normalised names of a document, each with how surely it means the document (0 to 1)."""
    found: dict[str, float] = {}

    def add(name: str, strength: float) -> None:
        key = normal(name)
        if len(key) > 1 and not is_common(key):
            found[key] = max(strength, found.get(key, 0.0))

    for alias in document.names:
        add(alias, ALIAS)
    if document.title:
        base = title_without_brackets(document.title)
        add(base, TITLE)
        add(document.title, TITLE)
        add(base.partition(",")[0], SHORT_TITLE)
        opening = document.text[:_OPENING]
        if (subject := _subject(opening, base)) is not None:
            add(subject, SUBJECT)
        for match in _KNOWN_AS.finditer(opening):
            add(match.group(1), ALIAS)
        for name, _, _ in runs(base):
            add(name, PART)
    return found


def _subject(opening: str, title: str) -> str | None:
    match = _SUBJECT.match(opening[:160])
    if match is None:
        return None
    subject = match.group(1).strip(" \"“”'")
    shared = set(normal(subject).split()) & set(normal(title).split())
    return subject if subject[:1].isupper() and len(subject.split()) <= _LONGEST and shared else None
