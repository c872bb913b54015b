"""Questions that tell most: where two systems differ most, with both contexts side by side and the gold evidence marked.

Chosen by a fixed rule: at the smallest budget of at least `SEEN` tokens (else the largest), for the first headline measure on which they
differ at all, the questions with the largest differences between the baseline and the system whose mean differs most from its own, `EACH`
either way; ties by id.
Their texts are rebuilt from the spans of the record and the run's libraries; where a library is gone, the titles are shown alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from decoct.data import Span
from decoct.errors import DecoctError
from decoct.evaluate.amounts import Amount, in_order
from decoct.evaluate.dataset_types import default_cache
from decoct.evaluate.record import RecordedQuestion, Row, spans_of
from decoct.evaluate.report.tables import Loaded, headlines, read_all
from decoct.library import Library

SEEN, EACH = 900, 3
Piece = tuple[str, bool]
"""A run of text and whether it is gold evidence."""


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """One passage of a context: title and pieces of text (none where the library is gone)."""

    title: str
    pieces: tuple[Piece, ...]
    rewritten: bool = False
    has_gold: bool = False


@dataclass(frozen=True, slots=True)
class ShownContext:
    """One system's context and score."""

    system: str
    value: float
    tokens: int
    answer: str | None
    passages: tuple[ShownPassage, ...]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One question under two systems."""

    run: str
    question: RecordedQuestion
    metric: str
    budget: Amount
    sides: tuple[ShownContext, ShownContext]


def excerpts(
    folders: Iterable[str | Path], *, baseline: str | None = None, library: str | None = None, cache: Path | None = None
) -> list[Excerpt]:
    """The excerpts of all runs."""
    return [one for run in read_all(folders) for one in _of(run, baseline, library, cache or default_cache())]


def _of(run: Loaded, baseline: str | None, library: str | None, cache: Path) -> list[Excerpt]:
    pairs = ((metric, _pair(run, metric, baseline)) for metric in headlines(run))
    # A measure that two systems share on every question (a judge who is content with all, say) tells nothing: the next one may.
    metric, chosen = next(((metric, pair) for metric, pair in pairs if pair is not None and pair[3]), ("", None))
    if chosen is None:
        return []
    budget, base, other, ids = chosen
    cells = {row.key: row for row in run.rows}
    found = []
    with ExitStack() as stack:
        opened = {name: _library(stack, run, name, library, cache) for name in (base, other)}
        for question in ids:
            asked = run.questions[question]
            sides = [_side(cells[name, budget, question], metric, asked, opened[name]) for name in (base, other)]
            found.append(Excerpt(run.name, asked, metric, budget, (sides[0], sides[1])))
    return found


def _pair(run: Loaded, metric: str, baseline: str | None) -> tuple[Amount, str, str, list[str]] | None:
    budgets = sorted(run.header.budgets, key=in_order)
    budget = next((b for b in budgets if isinstance(b, int) and b >= SEEN), budgets[-1])
    scores: dict[str, dict[str, float]] = {}
    for row in run.rows:
        value = row.metrics.get(metric)
        if row.budget == budget and row.error is None and value is not None and row.question in run.questions:
            scores.setdefault(row.system, {})[row.question] = float(value)
    names = [name for name in run.header.systems if name in scores]
    if len(names) < 2:
        return None
    base = baseline if baseline in names else names[0]
    mean = {name: fmean(scores[name].values()) for name in names}
    other = max((name for name in names if name != base), key=lambda name: abs(mean[name] - mean[base]))
    both = scores[base].keys() & scores[other].keys()
    order = sorted(both, key=lambda q: (scores[other][q] - scores[base][q], q))
    worse = [q for q in order if scores[other][q] < scores[base][q]][:EACH]
    better = [q for q in reversed(order) if scores[other][q] > scores[base][q]][:EACH]
    return budget, base, other, better + worse


def _library(stack: ExitStack, run: Loaded, system: str, library: str | None, cache: Path) -> Library | None:
    chunker = json.dumps(run.header.systems[system].get("chunk", {}), sort_keys=True)
    place = library or run.header.libraries.get(chunker, {}).get("folder")
    if not place:
        return None
    path = Path(place) if library else cache / place
    try:
        return stack.enter_context(Library.open(path, create=False)) if path.exists() else None
    except DecoctError:  # an older library, or one of an embedder that is an object: the titles are shown alone
        return None


def _side(row: Row, metric: str, asked: RecordedQuestion, library: Library | None) -> ShownContext:
    gold = [Span(*place) for place in asked.gold]
    passages = tuple(_shown(passage, gold, library) for passage in row.passages)
    return ShownContext(row.system, float(row.metrics[metric] or 0.0), int(row.cost["tokens"]), row.answer, passages)


def _shown(passage: Mapping[str, Any], gold: Sequence[Span], library: Library | None) -> ShownPassage:
    spans = spans_of(passage)
    has_gold = any(span.overlaps(g) for g in gold for span in spans)
    if "text" in passage:
        return ShownPassage(passage["title"], ((passage["text"], False),), True, has_gold)
    pieces = (
        [piece for span in spans for piece in marked(library.store.text(span), span, gold)]
        if library is not None
        else []
    )
    return ShownPassage(passage["title"], tuple(pieces), False, has_gold)


def marked(text: str, span: Span, gold: Sequence[Span]) -> list[Piece]:
    """`text`, which stands at `span`, cut where gold spans begin and end."""
    inside = [(max(g.start, span.start), min(g.end, span.end)) for g in gold if g.doc_id == span.doc_id]
    inside = [(start, end) for start, end in inside if start < end]
    cuts = sorted({span.start, span.end, *(at for pair in inside for at in pair)})
    return [
        (text[a - span.start : b - span.start], any(start <= a < end for start, end in inside))
        for a, b in pairwise(cuts)
    ]
