"""Whole sentences, cut where the document's own structure is broken: before headings, between paragraphs.

1. Split at the document's headings, and each section into sentences; a sentence over `tokens` is cut between words.
2. Of all ways to pack consecutive sentences into chunks of at most `tokens`, take the one with the least sum of
   - for every chunk, `CHUNK` and the square of the share of `tokens` that it leaves free: few chunks, of even size;
   - for every cut, what it tears (`CUTS`): a paragraph, a line, a sentence, or a heading from its text;
   - for every heading inside a chunk, `HEADING`: only small sections share one.
   Found by dynamic programming over the sentences: linear in the text, since a chunk holds at most `tokens` of them.
3. With `overlap`, a chunk repeats so many sentences of the one before where both are of one section and they fit.
4. With `titles="section"` a chunk that does not begin with a heading has the last one before it behind its title, so that it is found
   by the heading's words too.

Weights were set by hand, so that sections of a third of a chunk are joined and those of a half are not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Literal

from decoct.budget import SupportsOffsets
from decoct.chunking.cut import Ruler, bounded, cut
from decoct.data import Chunk, Document
from decoct.errors import ConfigError
from decoct.text.sentences import sentences
from decoct.text.wholes import Place

CHUNK = 0.3
HEADING = 1.0
LONGEST_HEADING = 100  # characters of a heading in a title: it is embedded with every chunk
# `## ` before a heading; ` ##` behind it, and a line of one mark under it (reStructuredText, Markdown).
_MARKS = re.compile(r"[^\w\s]{1,12}")
_CLOSING = re.compile(r"[ \t]*[#=*]*[ \t]*(?:\n[ \t]*([=\-~^\"'`*+#:.<>_])\1{2,}[ \t]*(?=\n|\Z))?")
PARAGRAPH_CUT, LINE_CUT, SENTENCE_CUT, WORD_CUT, HEADING_CUT = 0.0, 0.05, 0.15, 0.5, 1.0


@dataclass(frozen=True, slots=True)
class Structure:
    """Chunks of whole sentences, at most `tokens` tokens each, along sections and paragraphs; neighbours share `overlap` sentences."""

    tokenizer: SupportsOffsets
    tokens: int = 150
    overlap: int = 0
    titles: Literal["document", "section"] = "document"

    def __post_init__(self) -> None:
        if self.tokens < 1 or self.overlap < 0:
            raise ConfigError(
                f"structure chunks: tokens must be at least 1 and overlap a number of sentences from 0, not {self.tokens}, {self.overlap}"
            )

    def chunk(self, document: Document) -> list[Chunk]:
        """Cut `document` along its structure; none for a blank text."""
        text = document.text
        ruler = Ruler(text, self.tokenizer)
        headings = _headings(document)
        whole = list(_sentences(text, headings))
        pieces = bounded(ruler, whole, self.tokens)
        starts = {start for start, _ in headings}
        opens = [start in starts for start, _ in pieces]
        costs = _costs(text, pieces, {end for _, end in whole}, opens)
        cuts = _cuts(ruler, pieces, opens, costs, self.tokens)
        chunks = cut(document, self._ranges(ruler, pieces, opens, cuts))
        return chunks if self.titles == "document" else _titled(document, headings, chunks)

    def _ranges(
        self, ruler: Ruler, pieces: Sequence[Place], opens: Sequence[bool], cuts: Sequence[int]
    ) -> Iterator[Place]:
        """From cuts (numbers of the pieces before which they are made, with 0 and their count) to ranges that overlap as they may."""
        previous = 0
        for first, after in pairwise(cuts):
            at = first
            while (
                at > max(previous + 1, first - self.overlap)
                and not opens[at]
                and ruler.tokens(pieces[at - 1][0], pieces[after - 1][1]) <= self.tokens
            ):
                at -= 1
            yield pieces[at][0], pieces[after - 1][1]
            previous = at


def _headings(document: Document) -> list[Place]:
    """The headings that lie within the text, in order, each with the marks of its markup; of overlapping ones the first."""
    found: list[Place] = []
    reached = 0
    for first, past in sorted(document.headings):
        words = document.text[max(first, reached) : past]
        if words.strip() and first >= reached:
            begin = first + len(words) - len(words.lstrip())
            found.append(_marked(document.text, reached, begin, begin + len(words.strip())))
            reached = found[-1][1]
    return found


def _marked(text: str, reached: int, first: int, past: int) -> Place:
    """The heading's words with the marks before them on their line, not before `reached`, and those behind and under them."""
    line = max(reached, text.rfind("\n", 0, first) + 1)
    marks = text[line:first].strip()
    closing = _CLOSING.match(text, past)
    return first if not _MARKS.fullmatch(marks) else text.index(marks, line), closing.end() if closing else past


def _titled(document: Document, headings: Sequence[Place], chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks, with the heading that each stands under, unless it begins with it or the document's title says it."""
    starts = [start for start, _ in headings]
    found = []
    for chunk in chunks:
        number = bisect_right(starts, chunk.span.start) - 1
        title = document.title
        if number >= 0 and starts[number] < chunk.span.start:
            words = " ".join(re.sub(r"[#=*]+", " ", document.text[slice(*headings[number])].splitlines()[0]).split())
            if words and words.casefold() != title.casefold():
                title = f"{title} › {words[:LONGEST_HEADING]}" if title else words[:LONGEST_HEADING]
        found.append(replace(chunk, title=title))
    return found


def _sentences(text: str, headings: Sequence[Place]) -> Iterator[Place]:
    """The sentences in order; none goes from a heading into its text."""
    at = 0
    for start, end in headings:
        yield from ((at + a, at + b) for a, b in sentences(text[at:start]))
        yield start, end
        at = end
    yield from ((at + a, at + b) for a, b in sentences(text[at:]))


def _costs(text: str, pieces: Sequence[Place], ends: set[int], opens: Sequence[bool]) -> list[float]:
    """What a cut before each piece costs; `ends` are where whole sentences end, `opens` tells which pieces are headings."""
    costs = [0.0] * len(pieces)
    for i in range(1, len(pieces)):
        between = text[pieces[i - 1][1] : pieces[i][0]]
        if opens[i - 1]:
            costs[i] = HEADING_CUT
        elif opens[i] or between.count("\n") > 1:
            costs[i] = PARAGRAPH_CUT
        elif pieces[i - 1][1] not in ends:
            costs[i] = WORD_CUT
        else:
            costs[i] = LINE_CUT if "\n" in between else SENTENCE_CUT
    return costs


def _cuts(ruler: Ruler, pieces: Sequence[Place], opens: Sequence[bool], costs: Sequence[float], size: int) -> list[int]:
    """The cheapest cuts: numbers of pieces, from 0 to how many there are."""
    begins = [ruler.tokens(0, start) for start, _ in pieces]
    stops = [ruler.tokens(0, end) for _, end in pieces]
    least, came = [0.0], [0]
    for after in range(1, len(pieces) + 1):
        best, origin, crossed = inf, after - 1, 0.0
        for first in range(after - 1, -1, -1):
            held = stops[after - 1] - begins[first]
            if held > size and first < after - 1:
                break
            free = max(0.0, 1 - held / size)
            cost = least[first] + costs[first] + CHUNK + free * free + crossed
            if cost < best:
                best, origin = cost, first
            crossed += HEADING * opens[first]
        least.append(best)
        came.append(origin)
    cuts = [len(pieces)]
    while cuts[-1]:
        cuts.append(came[cuts[-1]])
    return cuts[::-1]
