"""Find the sources' own words behind a text that a model wrote (lab/docs/methods.md, verified merging).

The text is split into sentences. Each is looked for in the sources, first as it is (after normalising both sides: NFKC, white space,
quotes, dashes), with or without list marks and closing punctuation; else as a near match: in the few sources that hold most
of its longest words, rapidfuzz's best window, taken to word and, where it stays as good, sentence borders. A near match counts from a
similarity of `NEAR` on and only if every number, negation and capitalised name is the same on both sides. Of a sentence that is
nowhere, the longest runs of clauses that stand somewhere are taken. What is found is snapped: its text is the source's characters and its
span theirs; the rest is dropped, and returned as dropped so that callers count it.

Sources are normalised once. A sentence costs a few string searches over them and at most `_CANDIDATES` fuzzy ones: linear in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from decoct.data import Span
from decoct.text.sentences import sentences
from decoct_lab.context.wording import same_facts
from decoct_lab.datasets.plain import Plain, is_plain, plain

NEAR = 0.92  # below it, paraphrases begin to pass; above it, an edited comma fails
_CANDIDATES = 3  # sources that get a fuzzy search: the right one shares nearly all words, so it is among the first
_ANCHORS = 6  # words by which they are chosen: an edit within `NEAR` spares most of them
_COMMON = 8  # a word in more sources than this says little about which one: the search for it stops
_CLAUSE_WORDS = 4  # a shorter clause ("however", "in 1990") occurs anywhere and proves nothing
_BORDER = "\x00"  # between sources in the one string that is searched; stands in no needle

_CLAUSE = re.compile(r"(?<=[,;:])\s+|\s+-\s+")
_MARK = re.compile(r"(?:[-*•]|\(?\d{1,2}[.)])\s+")
_EDGE = " .,;:!?\"'()[]*_-"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Fragment:
    """Characters `start` to `end` of the text are `text`, which stands at `span`, in source number `source`."""

    start: int
    end: int
    text: str
    span: Span
    source: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Alignment:
    """What was found, in the order of the text, and the sentences or clauses that stand in no source."""

    fragments: tuple[Fragment, ...]
    dropped: tuple[str, ...]


def align(text: str, sources: Sequence[tuple[Span, str]]) -> Alignment:
    """Align `text` with `sources`, each a span and the document's text at it; earlier sources win where several hold the words."""
    found: list[Fragment] = []
    dropped: list[str] = []
    searched = _Sources(sources)
    for start, end in sentences(text):
        whole = searched.find(text, start, end)
        if whole is not None:
            found.append(whole)
            continue
        for low, high, part in _runs(text, list(_clauses(text, start, end)), searched):
            if part is not None:
                found.append(part)
            else:
                dropped.append(text[low:high])
    return Alignment(tuple(found), tuple(dropped))


def _runs(
    text: str, clauses: Sequence[tuple[int, int]], searched: _Sources
) -> Iterator[tuple[int, int, Fragment | None]]:
    """The clauses of a sentence that is nowhere as a whole, as many neighbours together as stand in a source; None for the others."""
    at = 0
    while at < len(clauses):
        start, end = clauses[at]
        found, following = None, at + 1
        for upto in range(at + 1, len(clauses) + 1 if at else len(clauses)):
            longer = searched.exact(text, start, clauses[upto - 1][1])
            if longer is None:
                break
            found, end, following = longer, clauses[upto - 1][1], upto
        is_telling = _is_telling(text[start:end])
        if found is None and is_telling and len(clauses) > 1:
            found = searched.near(text, start, end)
        yield start, end, found if is_telling else None
        at = following


def _clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for gap in _CLAUSE.finditer(text, start, end):
        yield at, gap.start()
        at = gap.end()
    yield at, end


def _is_telling(clause: str) -> bool:
    return len(_WORD.findall(clause)) >= _CLAUSE_WORDS


class _Sources:
    """The sources, normalised and joined in one string."""

    def __init__(self, sources: Sequence[tuple[Span, str]]) -> None:
        self._sources = sources
        texts = [text if _BORDER not in text else text.replace(_BORDER, " ") for _, text in sources]
        self._plains: list[Plain] = [plain(text) for text in texts]
        self._offsets: list[int] = []
        at = len(_BORDER)
        for source in self._plains:
            self._offsets.append(at)
            at += len(source.text) + len(_BORDER)
        self._all = _BORDER.join(("", *(source.text for source in self._plains), ""))
        # Where the last exact match ended, and where its source ends: a text that quotes goes on from there.
        self._last = self._limit = 0

    def find(self, text: str, start: int, end: int) -> Fragment | None:
        """The source of the characters `start` to `end` of `text`, exact or near."""
        return self.exact(text, start, end) or self.near(text, start, end)

    def exact(self, text: str, start: int, end: int) -> Fragment | None:
        """The source that has these characters, with or without list mark and closing punctuation."""
        needle = _needle(text[start:end])
        at = self._place(needle) if needle else -1
        if at < 0:
            bare, core = _bare(needle)
            if not core or core not in self._all:
                return None
            for needle in dict.fromkeys((bare, core)):
                at = self._place(needle)
                if at >= 0:
                    break
            else:
                return None
        self._last = at + len(needle)
        self._limit = self._all.index(_BORDER, self._last)
        return self._fragment(start, end, at, self._last, 1.0)

    def _place(self, needle: str) -> int:
        """Where `needle` stands as whole words: further on in the source of the last match, else in the first source that has it."""
        whole, length = self._all, len(needle)
        for begin, limit in ((self._last, self._limit), (0, len(whole))):
            at = whole.find(needle, begin, limit)
            while at >= 0 and (_inside_word(whole, at) or _inside_word(whole, at + length)):
                at = whole.find(needle, at + 1, limit)
            if at >= 0:
                return at
        return -1

    def near(self, text: str, start: int, end: int) -> Fragment | None:
        """The source's words that differ from these characters in nothing that matters."""
        _, core = _bare(_needle(text[start:end]))
        return self._near(core, start, end) if core else None

    def _near(self, needle: str, start: int, end: int) -> Fragment | None:
        from rapidfuzz import fuzz

        best: tuple[float, int, int] | None = None
        for source in self._candidates(needle):
            haystack, offset = self._plains[source].text, self._offsets[source]
            window = fuzz.partial_ratio_alignment(needle, haystack, score_cutoff=100 * NEAR)
            if window is None:
                continue
            for low, high in _borders(haystack, window.dest_start, window.dest_end):
                score = fuzz.ratio(needle, haystack[low:high].strip(_EDGE)) / 100
                is_better = best is None or score > best[0]
                if score >= NEAR and is_better and same_facts(needle, haystack[low:high]):
                    best = (score, offset + low, offset + high)
        return self._fragment(start, end, best[1], best[2], best[0]) if best else None

    def _candidates(self, needle: str) -> list[int]:
        """The sources that hold most of the needle's longest words, which are its rarest as a rule."""
        anchors = sorted(set(_WORD.findall(needle)), key=lambda word: (-len(word), word))[:_ANCHORS]
        holders = Counter(source for word in anchors for source in islice(self._holding(word), _COMMON))
        enough = [source for source, shared in holders.items() if 2 * shared >= len(anchors)]
        return sorted(enough, key=lambda source: (-holders[source], source))[:_CANDIDATES]

    def _holding(self, word: str) -> Iterator[int]:
        at = self._all.find(word)
        while at >= 0:
            source = bisect_right(self._offsets, at) - 1
            yield source
            following = source + 1
            at = self._all.find(word, self._offsets[following]) if following < len(self._offsets) else -1

    def _fragment(self, start: int, end: int, low: int, high: int, similarity: float) -> Fragment:
        number = bisect_right(self._offsets, low) - 1
        offset, source = self._offsets[number], self._plains[number]
        span, text = self._sources[number]
        first, last = source.origin(low - offset, high - offset)
        place = Span(span.doc_id, span.start + first, span.start + last)
        return Fragment(start, end, text[first:last], place, number, similarity)


def _inside_word(text: str, at: int) -> bool:
    """Whether a word runs across position `at`, which is no end of the text (scripts without spaces have no such place)."""
    before = text[at - 1]
    if not before.isalnum():
        return False
    after = text[at]
    return after.isalnum() and before < "\u2e80" and after < "\u2e80"


def _needle(words: str) -> str:
    return words if is_plain(words) else plain(words.replace(_BORDER, " ")).text.strip()


def _bare(needle: str) -> tuple[str, str]:
    """`needle` without its list mark, and that without punctuation at its ends."""
    mark = _MARK.match(needle)
    bare = needle[mark.end() if mark else 0 :]
    return bare, bare.strip(_EDGE)


def _borders(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    """The window taken to sentence borders, then to word borders."""
    touched = [(start, end) for start, end in sentences(text) if start < high and low < end]
    if touched:
        yield touched[0][0], touched[-1][1]
    while low > 0 and text[low - 1].isalnum() and text[low : low + 1].isalnum():
        low -= 1
    while high < len(text) and text[high].isalnum() and text[high - 1].isalnum():
        high += 1
    if low < high:
        yield low, high
