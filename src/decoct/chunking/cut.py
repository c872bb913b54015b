"""From ranges of a document's text to chunks, its matter apart, and lengths in tokens without tokenizing twice."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from decoct.budget import SupportsOffsets
from decoct.chunking.base import Chunker
from decoct.data import Chunk, Document, Span
from decoct.documents.matter import blanked, matter
from decoct.text.borders import border
from decoct.text.wholes import Place
from decoct.text.words import words


def cut(document: Document, ranges: Iterable[tuple[int, int]]) -> list[Chunk]:
    """A chunk for each (start, end) of the document's text, without white space at its ends; blank ranges give none."""
    chunks = []
    for start, end in ranges:
        raw = document.text[start:end]
        text = raw.strip()
        if text:
            first = start + len(raw) - len(raw.lstrip())
            chunks.append(Chunk(Span(document.id, first, first + len(text)), text, document.title))
    return chunks


LONGEST = 24
"""Characters of the longest token that is one: WordPiece reads up to 100 letters of a script that it does not know as one token, so that
a chunk of 150 tokens would hold 15,000 letters of Thai."""
LETTERS = 4  # of such a run that count as a token: what one holds in scripts that are known


class Ruler:
    """The token borders of one text. A token counts where it begins; what the tokenizer passes over belongs to the token before it.

    A token of more than `longest` characters counts as one for every `LETTERS` of them (0: as one, whatever it holds).
    """

    def __init__(self, text: str, tokenizer: SupportsOffsets, longest: int = LONGEST) -> None:
        self.text = text
        self.end = len(text)
        found = [
            at
            for start, end in tokenizer.offsets(text)
            for at in (range(start, end, LETTERS) if 0 < longest < end - start else (start,))
        ]
        # Characters that give no token (a text of control characters) still need one to belong to.
        self.starts = found or [0]

    def __len__(self) -> int:
        return len(self.starts)

    def border(self, token: int) -> int:
        """The character where token number `token` begins; the text's beginning for the first and its end past the last."""
        if token <= 0:
            return 0
        return self.starts[token] if token < len(self.starts) else self.end

    def tokens(self, start: int, end: int) -> int:
        """How many tokens begin in the characters from `start` to `end`."""
        return bisect_left(self.starts, end) - bisect_left(self.starts, start)

    def split(self, start: int, end: int, size: int) -> list[tuple[int, int]]:
        """The range as parts of at most `size` tokens, cut between words where one fits (`words.border`); never empty ones."""
        parts: list[tuple[int, int]] = []
        last = bisect_left(self.starts, end)
        while (limit := bisect_left(self.starts, start) + size) < last:
            while limit < last and self.starts[limit] <= start:
                limit += 1  # several tokens may begin at one character (a Hangul syllable): a part holds it whole
            at = border(self.text, start, self.starts[limit] if limit < last else end)
            parts.append((start, at))
            start = at
        return [*parts, (start, end)] if start < end else parts


def pack(
    pieces: Sequence[Place], length: Callable[[int, int], int], size: int, repeat: Callable[[int, int], bool]
) -> list[Place]:
    """Pack greedily: ranges that each hold whole pieces, in order, of at most `size` by `length(start, end)` (a longer piece stands alone).

    A new chunk, which begins for piece `i`, also repeats pieces `j` to `i - 1` of the one before, for the smallest `j` where
    `repeat(j, i)` allows it and the size still holds. `j` only grows: linear in the pieces if `length` takes constant time.
    """
    packed: list[Place] = []
    first = 0
    for i, (_, end) in enumerate(pieces):
        if i > first and length(pieces[first][0], end) > size:
            packed.append((pieces[first][0], pieces[i - 1][1]))
            first += 1
            while first < i and not (repeat(first, i) and length(pieces[first][0], end) <= size):
                first += 1
    if pieces:
        packed.append((pieces[first][0], pieces[-1][1]))
    return packed


def bounded(ruler: Ruler, pieces: Sequence[Place], size: int) -> list[Place]:
    """The same pieces, with those of more than `size` tokens cut between words."""
    return [
        part
        for start, end in pieces
        for part in ([(start, end)] if ruler.tokens(start, end) <= size else ruler.split(start, end, size))
    ]


def chunks_of(chunker: Chunker, document: Document) -> list[Chunk]:
    """The chunks of a document in text order, each range of its matter (front matter, a table of contents) one of its own.

    A chunk that begins with twenty lines of fields would be embedded as what they say.
    """
    ranges = _with_titles(document, matter(document.text))
    if not ranges:
        return chunker.chunk(document)
    prose = chunker.chunk(replace(document, text=blanked(document.text, ranges)))
    chunks = [*cut(document, ranges), *(part for chunk in prose for part in _parted(document, chunk, ranges))]
    return sorted(chunks, key=lambda chunk: chunk.span.start)


def _with_titles(document: Document, ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges, each from the document's title on where nothing else stands before it: a chunk of its own would say nothing."""
    title = set(words(document.title))
    found: list[tuple[int, int]] = []
    for start, end in ranges:
        before = found[-1][1] if found else 0
        said = words(document.text[before:start])
        if said and title.issuperset(said):
            first = found.pop()[0] if found else 0
            found.append((first, end))
        else:
            found.append((start, end))
    return found


def _parted(document: Document, chunk: Chunk, ranges: Sequence[tuple[int, int]]) -> Iterator[Chunk]:
    """A chunk of the prose, cut where matter lies in it, with the document's own characters."""
    at = chunk.span.start
    pieces: list[tuple[int, int]] = []
    for start, end in ranges:
        if at < end and start < chunk.span.end:
            pieces.append((at, max(at, start)))
            at = end
    pieces.append((at, max(at, chunk.span.end)))
    for piece in cut(document, pieces):
        yield replace(piece, title=chunk.title)
