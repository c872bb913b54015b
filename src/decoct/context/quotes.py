"""The only place where quotes are made and narrowed, so that a quote always equals its documents at its spans.

A quote's text is its spans' texts in order, each joined to the one before by nothing where they touch and by a line break where they do
not. So the place of every span in the text follows from the spans alone, and any range of the text maps back to exact spans.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from decoct.data import Passage, Span
from decoct.errors import ProvenanceError
from decoct.text.sentences import sentences
from decoct.text.wholes import Place

JOINT = "\n"  # between two spans of one quote that do not touch (the rule is part of `Passage`)


def touches(left: Span, right: Span) -> bool:
    """Whether `right` begins in the document where `left` ends."""
    return left.doc_id == right.doc_id and left.end == right.start


def quote_of(parts: Sequence[tuple[Span, str]]) -> tuple[str, tuple[Span, ...]]:
    """The text and support of a quote made of (span, text of the span), in that order; spans that touch become one."""
    text: list[str] = []
    support: list[Span] = []
    for span, words in parts:
        if support and touches(support[-1], span):
            support[-1] = Span(span.doc_id, support[-1].start, span.end)
        else:
            if support:
                text.append(JOINT)
            support.append(span)
        text.append(words)
    return "".join(text), tuple(support)


def pieces(passage: Passage) -> list[tuple[int, Span]]:
    """Where in a quote's text each of its spans begins; `ProvenanceError` if the spans do not make up the text."""
    found: list[tuple[int, Span]] = []
    at = 0
    for span in passage.support:
        if found and not touches(found[-1][1], span):
            at += len(JOINT)
        found.append((at, span))
        at += span.end - span.start
    if at != len(passage.text):
        raise ProvenanceError(f"a quote of {len(passage.text)} characters cannot be its spans' {at}: {passage.support}")
    return found


def narrowed(passage: Passage, start: int, end: int) -> Passage:
    """The passage cut to characters `start` to `end` of its text: a quote's support shrinks with it, a rewrite keeps its own.

    `ProvenanceError` if nothing of a span is left.
    """
    if passage.kind == "rewrite":
        return replace(passage, text=passage.text[start:end])
    kept = support_of(passage, start, end)
    if not kept:
        raise ProvenanceError(f"characters {start}..{end} of a quote hold nothing of its spans {passage.support}")
    first, last = kept[0][0], kept[-1]
    text = passage.text[first : last[0] + last[1].end - last[1].start]
    return replace(passage, text=text, support=tuple(span for _, span in kept))


def support_of(passage: Passage, start: int, end: int) -> list[tuple[int, Span]]:
    """The spans behind characters `start` to `end` of a quote's text, each with where it begins in that text."""
    kept = []
    for at, span in pieces(passage):
        length = span.end - span.start
        low, high = max(start, at), min(end, at + length)
        if low < high:
            kept.append((low, Span(span.doc_id, span.start + low - at, span.start + high - at)))
    return kept


_start, _end = itemgetter(0), itemgetter(1)


@dataclass(slots=True)
class Spread:
    """A set of characters. No two runs of one document touch, so looking up and adding cost O(log runs) and what they touch."""

    runs: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def touched(self, span: Span) -> list[tuple[int, int]]:
        """The runs that overlap `span` or touch it, in order."""
        runs = self.runs.get(span.doc_id, [])
        low, high = self._window(runs, span)
        return runs[low:high]

    def missing(self, span: Span) -> list[Span]:
        """The parts of `span` that are not in the set, in order."""
        parts, at = [], span.start
        for start, end in self.touched(span):
            if at < start:
                parts.append(Span(span.doc_id, at, start))
            at = max(at, end)
        if at < span.end:
            parts.append(Span(span.doc_id, at, span.end))
        return parts

    def gaps(self, span: Span, reach: int) -> list[Span]:
        """What lies between `span`, a part of the set, and the runs beside its own, where that is at most `reach` characters."""
        runs = self.runs[span.doc_id]
        at = bisect_right(runs, span.start, key=_start) - 1
        start, end = runs[at]
        found = []
        if start == span.start and at > 0 and start - runs[at - 1][1] <= reach:
            found.append(Span(span.doc_id, runs[at - 1][1], start))
        if end == span.end and at + 1 < len(runs) and runs[at + 1][0] - end <= reach:
            found.append(Span(span.doc_id, end, runs[at + 1][0]))
        return found

    def add(self, span: Span) -> None:
        """Put the characters of `span` into the set."""
        runs = self.runs.setdefault(span.doc_id, [])
        low, high = self._window(runs, span)
        start = min(span.start, runs[low][0]) if low < high else span.start
        end = max(span.end, runs[high - 1][1]) if low < high else span.end
        runs[low:high] = [(start, end)]

    def _window(self, runs: list[tuple[int, int]], span: Span) -> tuple[int, int]:
        return bisect_left(runs, span.start, key=_end), bisect_right(runs, span.end, key=_start)


# One quote of what several quotes keep: how merging and every verbatim extraction write their result.
#
# A kept range is characters of a passage's text. Ranges that only white space parts are closed up, so sentences that stood side by side
# stay on one line; each range becomes the spans behind it, no character of a document twice. Titles are those of the passages that
# gave something, each once, in that order.
BETWEEN_TITLES = "; "


def unshown(passage: Passage, at: int, span: Span, shown: Spread) -> Iterator[tuple[Span, str]]:
    """The parts of `span`, which begins at `at` in the passage's text, that are not in `shown`, with their words; then they are."""
    for fresh in shown.missing(span):
        low = at + fresh.start - span.start
        yield fresh, passage.text[low : low + fresh.end - fresh.start]
    shown.add(span)


def passage_of_ranges(parts: Iterable[tuple[Passage, Sequence[Place]]]) -> Passage | None:
    """The quote of the ranges of `parts`, in their order; None if they hold nothing. It has the best score of those that gave something."""
    shown = Spread()
    pieces, givers = [], []
    for passage, ranges in parts:
        for start, end in closed_ranges(passage.text, ranges):
            for at, span in support_of(passage, start, end):
                for fresh, words in unshown(passage, at, span, shown):
                    if words.strip():
                        pieces.append((fresh, words))
                        givers.append(passage)
    if not pieces:
        return None
    text, support = quote_of(pieces)
    titles = dict.fromkeys(giver.title for giver in givers if giver.title)
    return Passage(text, support, "quote", max(giver.score for giver in givers), BETWEEN_TITLES.join(titles))


def closed_ranges(text: str, ranges: Sequence[Place]) -> list[Place]:
    """The ranges in their order, neighbours joined where `text` has nothing but white space between them."""
    found: list[Place] = []
    for start, end in ranges:
        if found and found[-1][1] <= start and not text[found[-1][1] : start].strip():
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def whole_sentences(text: str, fits: Callable[[int], bool]) -> int:
    """Where the longest prefix of whole sentences ends for which `fits(end)` holds; 0 if none does.

    Found by bisection: `fits` is asked O(log sentences) times and taken to be true up to some sentence and false beyond. Where it is
    not so, the prefix found still fits, but may not be the longest.
    """
    ends = [0, *(end for _, end in sentences(text))]
    return ends[bisect_left(ends, True, lo=1, key=lambda end: not fits(end)) - 1]


def check_provenance(quote: Passage, inputs: Sequence[Passage]) -> None:
    """`ProvenanceError` unless every span of `quote` lies in spans of the quotes `inputs` and has their words."""
    sources = [
        (span, passage.text[at : at + span.end - span.start]) for passage in inputs for at, span in pieces(passage)
    ]
    for at, span in pieces(quote):
        covered = Spread()
        for source, words in sources:
            low, high = max(source.start, span.start), min(source.end, span.end)
            if source.doc_id != span.doc_id or low >= high:
                continue
            covered.add(Span(span.doc_id, low, high))
            said = quote.text[at + low - span.start : at + high - span.start]
            if said != words[low - source.start : high - source.start]:
                raise ProvenanceError(f"the fuser's quote differs from its source at {span}")
        if covered.missing(span):
            raise ProvenanceError(f"the fuser's passage claims {span}, which neither input holds")
