"""Conflicts as pairs of documents: what a data set labels, and what a context reports; the sides of `metrics/conflict_detection`.

Labels come in two forms. `extra["conflicts"]` lists them, each with its `documents` (scidocs-conflicts, the generated worlds).
`extra["doc_labels"]` gives each document's label and answer: two documents conflict where their answers differ and one of them is planted
wrong ("misinfo") or both are said to conflict ("conflicting"). Two right answers of an ambiguous question do not conflict, and noise says
nothing.

A context reports its conflicts in a note (`context.conflicts`); every document of one side disagrees with every document of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from decoct.evaluate.dataset_types import Question

Pairs = frozenset[tuple[str, str]]
_AGAINST = ({"misinfo", "correct"}, {"misinfo"}, {"conflicting"})


def labelled_pairs(question: Question) -> Pairs | None:
    """The pairs that conflict; None where the set does not label conflicts."""
    listed, labels = question.extra.get("conflicts"), question.extra.get("doc_labels")
    if isinstance(listed, list):
        return _unordered(pair for one in listed for pair in combinations(one.get("documents", ()), 2))
    if isinstance(labels, list):
        return _unordered(
            (a["id"], b["id"])
            for a, b in combinations(labels, 2)
            if {a.get("label"), b.get("label")} in _AGAINST and a.get("answer") != b.get("answer")
        )
    return None


def reported_pairs(notes: Mapping[str, tuple[object, ...]]) -> Pairs | None:
    """The pairs that a context's notes say disagree; None where it was built without a look at conflicts."""
    if "conflicts" not in notes:
        return None
    found: list[tuple[str, str]] = []
    for conflict in notes["conflicts"]:
        sides = [{span.doc_id for span in side.support} for side in getattr(conflict, "sides", ())]
        found += [(a, b) for one, other in combinations(sides, 2) for a in one for b in other]
    return _unordered(found)


def _unordered(pairs: Iterable[tuple[str, str]]) -> Pairs:
    return frozenset((min(a, b), max(a, b)) for a, b in pairs if a != b)
