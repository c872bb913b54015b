"""What the conflict benchmark measures: one record an answer, sums over a system's records, conflict detection over pairs.

Labels and rates are those of lab/docs/methods.md (CASC: Worlds); the labels of sources in a CASC context ("(D1, D3)") are no values of an
answer and are left out. Error types (Table VI) are counted by rule for every answer that is not right, by the first that fits:

    unsupported     the answer holds a value of no document
    not-retrieved   no document given to the system holds a wanted value
    lost            the documents hold it, the context does not
    wrong-side      the context prefers a rival
    not-detected    the documents conflict, the context (of a CASC system) shows no conflict
    over-cautious   the context holds the answer, the reader abstained
    misread         everything else: the context holds the answer, the reader gave another
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any, TypeAlias

from conflict_cases import Case

from decoct.answer.base import Reader
from decoct.context.casc.check import check
from decoct.context.casc.claims import Claim, Cluster
from decoct.context.casc.extract_reader import ByReader
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.data import Answer, Context
from decoct.evaluate.metrics.answers import token_f1
from decoct.evaluate.significance import mcnemar
from decoct_lab.measures.conflict_detection import Detection, conflict_detection
from decoct_lab.measures.group_coverage import group_coverage
from decoct_lab.measures.hallucination import Label, behaved_as_expected, hallucination
from decoct_lab.measures.values import mentioned
from decoct_lab.reproduce.casc_conditions import error_kind, without_citations

_SOURCES = re.compile(r" ?\(D\d[^()]*\)")
Row: TypeAlias = dict[str, Any]
WRONG = ("misled", "unsupported")
CAUTION = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)


def row(case: Case, context: Context, reader: Reader, spent: float) -> Row:
    """The record of one answer: what was said, its label, and what it cost. JSON-ready, so that runs can be resumed."""
    question = case.question
    answer, sure = _answered(reader, context)
    plain = _SOURCES.sub("", without_citations(answer))
    texts = [document.text for document in case.documents]
    label: Label = hallucination(
        plain, question.question, question.groups, question.wrong_answers, texts, found=answer.found
    )
    return {
        "id": question.id,
        "label": label,
        "exact": _all_right(plain, case),
        "groups": len(question.groups),
        "named": sum(bool(mentioned(group, plain)) for group in question.groups),
        "shown": behaved_as_expected(label, group_coverage(plain, question.groups), case.behaviour),
        "f1": token_f1(plain, question.answers),
        "behaviour": case.behaviour,
        "conflict": bool(case.conflicts),
        "tokens": answer.context.tokens,
        "sure": round(sure, 4),
        "claimed": answer.found,
        "ms": 1000 * spent,
        "error": ""
        if label in ("correct", "both")
        else error_kind(label, question, case.documents, context, conflict=bool(case.conflicts)),
        "answer": plain,
        "context": context.text,
    }


def _answered(reader: Reader, context: Context) -> tuple[Answer, float]:
    """The answer, and how sure the reader is of it (0 where it does not say)."""
    answer = reader.answer(context)
    return answer, answer.answers[0].score if answer.answers else 0.0


def _all_right(plain: str, case: Case) -> bool:
    """RAMDocs' exact match: every right answer is named and no wrong one (Wang et al. 2025)."""
    right = all(mentioned(group, plain) for group in case.question.groups)
    return right and not mentioned(set(case.question.wrong_answers), plain)


def summary(rows: Sequence[Row], base: Sequence[Row]) -> dict[str, Any]:
    """The sums of a system's records; with `base` (top-5 read by the same reader) differences on the same questions with McNemar's test."""
    n = len(rows)
    conflict = [r for r in rows if r["conflict"]]
    by = Counter(r["behaviour"] for r in rows)
    made: dict[str, Any] = {
        "n": n,
        "labels": dict(Counter(r["label"] for r in rows)),
        "accuracy": _share([r["label"] in ("correct", "both") for r in rows]),
        "behaviour_shown": _share([r["shown"] for r in rows]),
        "all_right_none_wrong": _share([r["exact"] for r in rows]),
        "two_answers_named": _share([r["named"] > 1 for r in rows if r["groups"] > 1]),
        "by_behaviour": {
            key: f"{sum(r['shown'] for r in rows if r['behaviour'] == key)}/{k}" for key, k in sorted(by.items())
        },
        "wrong": _share([r["label"] in WRONG for r in rows]),
        "wrong_on_conflicts": _share([r["label"] in WRONG for r in conflict]),
        "unsupported_on_conflicts": _share([r["label"] == "unsupported" for r in conflict]),
        "both_on_conflicts": _share([r["label"] == "both" for r in conflict]),
        "errors": dict(Counter(r["error"] for r in rows if r["error"]).most_common()),
        "token_f1": round(statistics.mean(r["f1"] for r in rows), 3),
        "tokens": round(statistics.mean(r["tokens"] for r in rows), 1),
        "ms_median": round(statistics.median(r["ms"] for r in rows), 1),
    }
    if all("sure" in r for r in rows):
        made["by_caution"] = {str(limit): _at_caution(rows, limit) for limit in CAUTION}
    other = {r["id"]: r for r in base}
    both = [(r, other[r["id"]]) for r in rows if r["id"] in other and other[r["id"]] is not r]
    if both:
        made["tokens_saved"] = round(1 - sum(r["tokens"] for r, _ in both) / sum(o["tokens"] for _, o in both), 3)
        made["accuracy_p"] = _p(
            [(r["label"] in ("correct", "both"), o["label"] in ("correct", "both")) for r, o in both]
        )
        made["wrong_p"] = _p([(r["label"] in WRONG, o["label"] in WRONG) for r, o in both])
        made["shown_p"] = _p([(r["shown"], o["shown"]) for r, o in both])
    return made


def _at_caution(rows: Sequence[Row], limit: float) -> dict[str, float | None]:
    """What is claimed, right and wrong, of all questions, where answers less sure than `limit` are not claimed."""
    kept = [r["claimed"] and r["sure"] >= limit for r in rows]
    right = [k and r["label"] in ("correct", "both") for k, r in zip(kept, rows, strict=True)]
    wrong = [k and r["label"] in WRONG for k, r in zip(kept, rows, strict=True)]
    return {"claimed": _share(kept), "right": _share(right), "wrong": _share(wrong)}


def _share(found: Sequence[bool]) -> float | None:
    return round(sum(found) / len(found), 3) if found else None


def _p(found: Sequence[tuple[bool, bool]]) -> float:
    return round(float(mcnemar([float(x) for x, _ in found], [float(y) for _, y in found]).p), 4)


def detection(found: Sequence[Case]) -> dict[str, Any]:
    """Conflict detection by rules: over the pairs named, and over all pairs across the sides of a conflict."""
    named, crossed = Detection(), Detection()
    for case in found:
        question, sources = case.question.question, handed_over(case.documents[:5])
        parts = focuses(question)
        findings = check(question, sources, parts, ByReader().extract(question, sources, parts).claims)
        conflicts = [c for c in findings.clusters if c.status == "conflict"]
        across = [
            (x.source.doc_id, y.source.doc_id)
            for c in conflicts
            for one, other in combinations(c.sides, 2)
            for x in one.claims
            for y in other.claims
        ]
        held = {d.id for d in case.documents[:5]}
        gold = [pair for pair in case.conflicts if set(pair) <= held]
        named = named.add(conflict_detection([p for c in conflicts for p in pairs(c)], gold))
        crossed = crossed.add(conflict_detection(across, gold))
    return {
        key: {
            "precision": round(d.precision, 3),
            "recall": round(d.recall, 3),
            "f1": round(d.f1, 3),
            "pairs": d.hits + d.misses,
        }
        for key, d in (("pairs_named", named), ("pairs_across_sides", crossed))
    }


def pairs(cluster: Cluster) -> list[tuple[str, str]]:
    """The documents that contradict each other, none twice: each with the one of another side that is nearest in time.

    Once a side is chosen the others are set against it alone. All pairs across sides follow from the sides themselves; these are the
    fewest that name every document's disagreement.
    """
    if cluster.status != "conflict":
        return []
    chosen = cluster.verdict.chosen if cluster.verdict else None
    found: dict[frozenset[str], tuple[str, str]] = {}
    for i, side in enumerate(cluster.sides):
        rivals = [
            claim
            for j, other in enumerate(cluster.sides)
            if j != i and (chosen is None or chosen in (i, j))
            for claim in other.claims
        ]
        for claim in side.claims:
            rival = min(rivals, key=lambda other: (_days_apart(claim, other), -other.relevance))
            pair = (claim.source.doc_id, rival.source.doc_id)
            found.setdefault(frozenset(pair), pair)
    return list(found.values())


def _days_apart(one: Claim, other: Claim) -> int:
    return 0 if one.day is None or other.day is None else abs(one.day - other.day)
