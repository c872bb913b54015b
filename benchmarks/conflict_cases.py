"""The cases of the conflict benchmark: a question, its own documents, which of them disagree, and what a good system does.

Sets: `scidocs-conflicts` (hand-written), generated worlds (`worlds-dev`, `worlds-test`), RAMDocs, WikiContradict, ConflictQA.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, cast

from decoct.context.casc.sources import relevant
from decoct.data import Document, Passage, Span
from decoct.errors import CorpusError
from decoct_lab.dataset import Question, load
from decoct_lab.worlds.generate import worlds
from decoct_lab.worlds.passages import planted_questions

SETS = ("scidocs-conflicts", "worlds-dev", "worlds-test", "ramdocs", "wikicontradict", "conflictqa-strategyqa")


@dataclass(frozen=True)
class Shelf:
    """The documents of one question, as the part of a store that a step asks."""

    held: dict[str, Document]

    def document(self, doc_id: str) -> Document:
        if doc_id not in self.held:
            raise CorpusError(f"no document {doc_id}")
        return self.held[doc_id]


@dataclass(frozen=True)
class Case:
    """A question, its documents, and the labels it is judged by."""

    question: Question
    documents: list[Document]
    behaviour: str
    conflicts: list[tuple[str, str]]
    signal: str = "agree"


def cases(name: str, data: Path, most: int, scratch: Path) -> list[Case]:
    made = name.startswith(("worlds-", "passages-"))
    if made:
        split = name.partition("-")[2]
        folder = scratch / name
        folder.mkdir(parents=True, exist_ok=True)
        records = (
            worlds(1, most, cast("Any", split)) if name[0] == "w" else planted_questions(1, most, load(split, data))
        )
        (folder / "questions.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
        dataset = load("scidocs-conflicts", folder, {"scope": "question"})
    else:
        dataset = load(name, data)
    documents = {document.id: document for document in dataset.documents()}
    questions = list(dataset.questions)
    if not made:
        random.Random(0).shuffle(questions)
    found = []
    for question in questions[:most]:
        ids = question.candidate_ids or question.supporting_ids
        found.append(_case(question, [documents[i] for i in ids if i in documents]))
    return found


def _case(question: Question, documents: list[Document]) -> Case:
    conflicts = [tuple(c["documents"]) for c in cast("list[dict[str, Any]]", question.extra.get("conflicts", []))]
    labels = cast("list[dict[str, Any]]", question.extra.get("doc_labels") or [])
    behaviour = question.type
    if not conflicts and labels:
        conflicts, behaviour = _labelled(labels)
    notes = question.extra.get("notes")
    signal = str(notes.get("signal", "agree")) if isinstance(notes, dict) else "agree"
    return Case(question, documents, behaviour, [(a, b) for a, b in conflicts], signal)


def _labelled(labels: list[dict[str, Any]]) -> tuple[list[Any], str]:
    """Pairs of documents that are labelled with different answers; which behaviour such a set wants."""
    said = [(label.get("id"), str(label.get("answer", label.get("label", "")))) for label in labels]
    found = [
        (a, b)
        for (a, x), (b, y) in combinations(said, 2)
        if "unknown" not in (x, y) and x and y and x.casefold() != y.casefold() and a != b
    ]
    return found, "flag" if found else "answer"


def passages(case: Case, most: int) -> tuple[Passage, ...]:
    chosen = relevant(case.question.question, case.documents, most) or case.documents[:most]
    order = {document.id: i for i, document in enumerate(_ranked(case.question.question, chosen))}
    chosen = sorted(chosen, key=lambda document: order[document.id])
    return tuple(Passage(d.text, (Span(d.id, 0, len(d.text)),), title=d.title) for d in chosen if d.text)


def _ranked(question: str, documents: list[Document]) -> list[Document]:
    left, ranked = list(documents), []
    while left:
        (best,) = relevant(question, left, 1) or left[:1]
        ranked.append(best)
        left.remove(best)
    return ranked
