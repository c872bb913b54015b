"""Which stretches of a passage may answer: its values, its names, and what the reader points at, each as likely as the reader says.

The reader tells where an answer stands but not where it ends, and knows little of kinds: of "petrol 6.8 l including a reserve of 1.2 l" it
gives "6.8". So values are parsed (`decoct.text.values`), and each is as likely as an answer that begins and ends in it. Which kind of
value the question wants is told by all documents together: the kind in which most of them have something likely to say. In a table what
counts is the cell that the question names by row and column (`decoct.text.cells`).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from decoct.context.casc.cues import status_of
from decoct.context.casc.focus import Focus
from decoct.context.casc.independent import SAME_SENTENCE
from decoct.context.casc.sources import EvidenceSource
from decoct.data import Span
from decoct.reading.base import Reading, SentenceRelevance
from decoct.text.cells import cell_meant
from decoct.text.equality import known_equal
from decoct.text.names import is_common, normal, runs
from decoct.text.numbers import whole
from decoct.text.overlap import jaccard, shingles
from decoct.text.values import Kind, Value, parse_values
from decoct.text.wholes import Place

_UNLIKELY = -8.0  # a log probability: what lies below says nothing of what a document is about
_LONGEST = 60  # characters of an answer in words: longer spans are cut at commas and the like
_BORDER = re.compile(r"[.,;:!?()\n]+(?:\s|$)|\s[–—-]\s")
_OUTER = re.compile(
    r"^(?:[^\w$€£¥₹]|\b(?:the|a|an|by|in|at|of|from|to|with|and|or|for|on|was|is|were|are|here|made)\b\s)+",
    re.IGNORECASE,
)
_TO = re.compile(r"\sto\s|\s?[–-]\s?")
_SIGN = re.compile(r"(?:[$€£¥₹]|\b(?:[A-Z]{3}|Rs\.?|kr\.?))\s?$")
_MOST = 64  # candidates of a piece: a workbook has thousands of cells
_FLOOR = -60.0
_NEAR_BEST = 3.0  # in log probability
_IN_WORDS = 0.8  # the reader's own spans are in words wherever they are no values: that alone is no sign that words are asked for


@dataclass(frozen=True, slots=True)
class Read:
    """A piece of a source at `span`, its text, and what the reader found in it."""

    source: EvidenceSource
    span: Span
    text: str
    reading: Reading


@dataclass(frozen=True, slots=True)
class Candidate:
    """`value` (its offsets count the piece's characters) with the log probability that the reader gives it."""

    read: Read
    value: Value
    likely: float
    exact: float = _FLOOR
    shared: float = 1.0

    @property
    def kind(self) -> str:
        """What may be compared with it, as in "number:mass", "date", "words"."""
        return kind_of(self.value)


def kind_of(value: Value) -> str:
    """The kind of a value, of a number with its dimension."""
    if value.kind == "number":
        return f"number:{value.dimension}"
    return "words" if in_words(value) else value.kind


def in_words(value: Value) -> bool:
    """Whether a value is a name or other words, and no quantity, date or result."""
    return value.kind in ("entity", "text")


def candidates_of_pieces(reads: Sequence[Read], focus: Focus) -> list[list[Candidate]]:
    """For each piece its candidates, most likely first, each with how well its kind fits those of all documents."""
    found = [_all(read, focus) for read in reads]
    shared = _shared(found)
    return [
        sorted((replace(c, shared=shared.get(c.kind, 0.0)) for c in mine), key=lambda c: -c.likely) for mine in found
    ]


def _all(read: Read, focus: Focus) -> list[Candidate]:
    values = [value for value in parse_values(read.text) if value.kind not in ("bool", "ordinal")]
    values = _with_compound_ranges(read.text, [_with_currency(read.text, value) for value in values])
    values = [replace(v, dimension="percent") if v.dimension == "percent/time" else v for v in values]
    full = [in_full(read.text, value) for value in values]
    told = [_candidate(read, told_whole, bare) for told_whole, bare in zip(full, values, strict=True)]
    found = sorted((*told, *_words(read, focus, full)), key=lambda c: -c.likely)
    return _in_cells_meant(focus.text, read, found[:_MOST])


def _in_cells_meant(question: str, read: Read, found: Sequence[Candidate]) -> list[Candidate]:
    """The candidates outside of tables and those in cells that the question means, each as likely as what led to its cell."""
    kept: list[Candidate] = []
    moved: defaultdict[Place, list[Candidate]] = defaultdict(list)
    for one in found:
        place = one.value.start, one.value.end
        meant = cell_meant(question, read.text, place)
        if meant is not None and meant != place:
            # What names a row leads to its column, and from there to the row that is meant.
            meant = cell_meant(question, read.text, meant)
        if meant == place:
            kept.append(one)
        elif meant is not None:
            moved[meant].append(one)
    for (start, end), others in moved.items():
        within = [one for one in kept if start <= one.value.start < end]
        raw = read.text[start:end]
        within = within or [Candidate(read, Value(raw, "entity" if raw[:1].isupper() else "text", start, end), _FLOOR)]
        kept = [one for one in kept if one not in within]
        most = max(one.likely for one in others), max(one.exact for one in others)
        kept += [replace(one, likely=max(one.likely, most[0]), exact=max(one.exact, most[1])) for one in within]
    return kept


def _candidate(read: Read, value: Value, bare: Value | None = None) -> Candidate:
    """The candidate `value`; a reader may point at it without the words around its `bare` figure."""
    exact = max(span_log_prob(read.reading, one.start, one.end) for one in (value, bare or value))
    return Candidate(read, value, likely(read.reading, value.start, value.end), exact)


def in_full(text: str, value: Value) -> Value:
    """The value with the words that belong to it: "40 %" of "at least 40 %" says something else."""
    start, end = whole(text, value.start, value.end, dated=value.kind == "date" or in_words(value))
    return replace(value, raw=text[start:end], start=start, end=end)


def _with_compound_ranges(text: str, values: Sequence[Value]) -> list[Value]:
    """With "3 h 10 min to 3 h 25 min" as the one range that it is; a change "from £3 to £4" is none."""
    found: list[Value] = []
    for value in values:
        last = found[-1] if found else None
        between = text[last.end : value.start] if last else ""
        measured = last is not None and last.kind == value.kind == "number" and last.dimension == value.dimension != ""
        changes = last is not None and status_of(text, last.start, last.end) == "withdrawn"
        if last and measured and last.high < value.low and _TO.fullmatch(between) and not changes:
            found[-1] = replace(value, raw=text[last.start : value.end], start=last.start, low=last.low)
        else:
            found.append(value)
    return found


def _with_currency(text: str, value: Value) -> Value:
    """With the sign before a sum of money as a part of it, as a reader would quote it."""
    sign = _SIGN.search(text[: value.start]) if value.dimension == "money" else None
    return replace(value, raw=text[sign.start() : value.end], start=sign.start()) if sign else value


def _words(read: Read, focus: Focus, values: Sequence[Value]) -> Iterator[Candidate]:
    """What the reader points at, without what is a value, and the names in the text; not what the question itself names."""
    asked = set(normal(focus.text).split())
    places = [piece for span in read.reading.spans for piece in _pieces(read.text, span.start, span.end)]
    if focus.target not in ("number", "date"):
        places += [(start, end) for name, start, end in runs(read.text) if not is_common(name)]
    told = sorted((value.start, value.end) for value in values)
    reach = [0, *accumulate((end for _, end in told), max)]
    for start, end in dict.fromkeys(places):
        raw = read.text[start:end]
        if end <= reach[bisect_right(told, (start, len(read.text)))] or set(normal(raw).split()) <= asked:
            continue
        named: Kind = "entity" if raw[:1].isupper() else "text"
        bare = Value(raw, named, start, end)
        yield _candidate(read, bare)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A span without borders inside it and function words before it."""
    at = start
    cuts = [*((m.start(), m.end()) for m in _BORDER.finditer(text, start, end)), (end, end)]
    for low, high in cuts:
        lead = _OUTER.match(text[at:low])
        first = at + (lead.end() if lead else 0)
        last = low
        while last > first and not text[last - 1].isalnum() and text[last - 1] not in "%)+#":
            last -= 1
        if last - first > 1 and last - first <= _LONGEST:
            yield first, last
        at = high


def likely(reading: Reading, start: int, end: int) -> float:
    """The log probability that the answer stands at `start` to `end`; of a reader without places, by the spans that it gives."""
    if reading.places is not None:
        return reading.places.log_share(start, end)
    inside = [span.score for span in reading.spans if span.start < end and start < span.end]
    return math.log(max(inside)) if inside and max(inside) > 0 else -60.0


def span_log_prob(reading: Reading, start: int, end: int) -> float:
    """The log probability that the answer begins with the first token of `start` to `end` and ends with the last."""
    places = reading.places
    if places is None:
        return likely(reading, start, end)
    inside = np.flatnonzero((places.begins < end) & (places.stops > start))
    return float(places.starts[inside[0]] + places.ends[inside[-1]]) if len(inside) else -60.0


def _shared(found: Sequence[Sequence[Candidate]]) -> dict[str, float]:
    """Of each kind how much all documents together have to say, as a share of the kind that has most."""
    weight: defaultdict[str, float] = defaultdict(float)
    for mine in found:
        best: dict[str, float] = {}
        for c in mine:
            best[c.kind] = max(best.get(c.kind, _UNLIKELY), c.likely)
        for kind, most in best.items():
            share = _IN_WORDS if kind == "words" else 1.0
            weight[kind] += share * (most - _UNLIKELY) * (0.25 + mine[0].read.reading.answers)
    top = max(weight.values(), default=0.0) or 1.0
    return {kind: mass / top for kind, mass in weight.items()}


def support_elsewhere(found: Sequence[Sequence[Candidate]], at: int, candidate: Candidate) -> float:
    """How much another source's saying the same speaks for a candidate of `found[at]`: 1 for a value with three figures or a date.

    Small counts are alike by chance, and so are values that the other source itself takes for unlikely; a sentence that is nearly the same
    has it from this one or from a third, and says nothing of what else in it may be wrong. A copy is no other source.
    """
    if in_words(candidate.value):
        return 0.0
    figures = len(re.sub(r"\D", "", candidate.value.raw).strip("0")) or len(candidate.value.raw.split())
    worth = 1.0 if candidate.value.kind == "date" else min(1.0, figures / 3)
    mine = candidate.read.source.doc_id
    for number, others in enumerate(found):
        if (
            number == at
            or not others
            or others[0].read.source.doc_id == mine
            or others[0].read.text == candidate.read.text
        ):
            continue
        best = others[0].likely
        alike = [o for o in others if o.likely >= best - _NEAR_BEST and known_equal(o.value, candidate.value)]
        if alike and any(jaccard(_sentence(candidate), _sentence(o)) < SAME_SENTENCE for o in alike):
            return worth
    return 0.0


def _sentence(candidate: Candidate) -> frozenset[int]:
    """The word 3-grams of the sentence of a candidate."""
    sentence = sentence_at(candidate.read, candidate.value.start)
    return shingles(candidate.read.text[sentence.start : sentence.end])


def sentence_at(read: Read, at: int) -> SentenceRelevance:
    """The sentence of a piece that holds character `at`; the whole piece where none does."""
    for sentence in read.reading.sentences:
        if sentence.start <= at < sentence.end:
            return sentence
    return SentenceRelevance(0, len(read.text), read.reading.relevance)
