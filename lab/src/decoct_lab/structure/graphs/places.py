"""Where in a chunk stands what a model wrote of it: names by their letters, statements by the sentence that shares most with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from decoct.data import Chunk
from decoct.text.names import normal
from decoct.text.sentences import sentences
from decoct.text.words import terms
from decoct_lab.structure.graphs.notes import Noted

# Names that a model gives: longer ones are sentences, which are no names.
LONGEST = 120


def names_in_chunk(
    chunk: Chunk, shown: Iterable[str], about: dict[str, tuple[str, str]] | None = None
) -> dict[str, Noted]:
    """The names by their normal form, each with its first place in the chunk and how often it stands there.

    A name that does not stand there as written has the whole chunk as its place: the model put it in other words. `about` gives for a
    normal form what kind of thing it is, and what is said of it.
    """
    found: dict[str, Noted] = {}
    for name in shown:
        key = normal(name)
        if not key or len(name) > LONGEST or key in found:
            continue
        places = [match.span() for match in _pattern(name).finditer(chunk.text)]
        start, end = places[0] if places else (0, len(chunk.text))
        kind, told = (about or {}).get(key, ("", ""))
        base = chunk.span.start
        found[key] = Noted(key, name.strip(), base + start, base + end, max(len(places), 1), kind, told)
    return found


class ChunkSentences:
    """The sentences of a chunk, to find those on which a statement rests."""

    def __init__(self, chunk: Chunk) -> None:
        self._chunk = chunk
        self.ranges: Sequence[tuple[int, int]] = sentences(chunk.text) or [(0, len(chunk.text))]
        self._words = [set(terms(chunk.text[start:end])) for start, end in self.ranges]

    def of(self, statement: str) -> tuple[int, int]:
        """The characters, in the document, of the sentence that shares most telling words with `statement` (the first such one)."""
        wanted = set(terms(statement))
        best = max(range(len(self.ranges)), key=lambda n: len(self._words[n] & wanted))
        start, end = self.ranges[best]
        return self._chunk.span.start + start, self._chunk.span.start + end


def _pattern(name: str) -> re.Pattern[str]:
    words = r"\s+".join(re.escape(word) for word in name.split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
