"""QASPER (Dasigi et al., 2021): questions on NLP papers, answered by several annotators with the evidence they used.

Release: `qasper-dev-v0.3.json` (or test), an object from paper id to paper. A paper becomes one document: abstract, then each section's
name and paragraphs. An annotator's answer is its extractive spans joined by ", ", its free text, Yes or No, or "Unanswerable", as in the
official evaluation; gold spans are the evidence paragraphs (figures and tables are not in the text and are counted). A question is about
one paper: `scope=paper` (the default) retrieves within it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from decoct.data import Document, Span
from decoct.errors import EvaluationError
from decoct.evaluate.dataset_types import Dataset, Options, Question
from decoct_lab.datasets.catalogue import CatalogueEntry
from decoct_lab.datasets.json_files import json_value, release
from decoct_lab.datasets.locate import locate
from decoct_lab.datasets.records import Record, jsonl
from decoct_lab.datasets.tally import Tally, checked_dataset

UNANSWERABLE = "Unanswerable"


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read the folder of the release (its *-dev-* file, else *-test-* or *-train-*), or the rows fetched from the hub."""
    documents: dict[str, Document] = {}
    tally = Tally()
    questions: list[Question] = []
    for paper_id, paper in _papers(path):
        text = _text(paper)
        documents[paper_id] = Document(paper_id, text, paper.text("title"), metadata={"paper": paper_id})
        where = {"paper": (paper_id,)} if options["scope"] == "paper" else {}
        for qa in paper.records("qas"):
            answers, spans = _answers(qa, Document(paper_id, text), tally)
            unanswerable = answers == (UNANSWERABLE,)
            questions.append(
                Question(
                    id=qa.text("question_id"),
                    question=qa.text("question"),
                    answers=answers,
                    supporting_ids=() if unanswerable else (paper_id,),
                    supporting=() if unanswerable else spans,
                    type="unanswerable" if unanswerable else "answerable",
                    where=where,
                    origin=qa.place,
                )
            )
    return checked_dataset(entry.spec, options, questions, documents, tally)


def _papers(path: Path) -> Iterator[tuple[str, Record]]:
    if (path / "rows.jsonl").is_file():
        for record in jsonl(path / "rows.jsonl"):
            yield record.text("id"), record
        return
    file = release(path, "*-dev-*.json", "*-test-*.json", "*-train-*.json")
    if file is None:
        raise EvaluationError(f"{path} holds no qasper-dev-*.json; --data takes the folder of the release")
    data = json_value(file)
    if not isinstance(data, dict) or not all(isinstance(paper, dict) for paper in data.values()):
        raise EvaluationError(f"{file}: must be an object from paper id to paper")
    for paper_id, paper in data.items():
        yield paper_id, Record(f"{file} {paper_id}", paper)


def _text(paper: Record) -> str:
    parts = [paper.text("abstract", default="")]
    for section in paper.records("full_text"):
        name = section.data.get("section_name")
        parts.append(name if isinstance(name, str) else "")
        paragraphs = section.data.get("paragraphs", [])
        if not isinstance(paragraphs, list):
            raise section.error("'paragraphs' must be a list of strings")
        parts += [p for p in paragraphs if isinstance(p, str)]
    return "\n\n".join(part for part in parts if part.strip())


def _answers(qa: Record, paper: Document, tally: Tally) -> tuple[tuple[str, ...], tuple[Span, ...]]:
    texts: dict[str, None] = {}
    spans: set[Span] = set()
    for outer in qa.records("answers"):
        if not isinstance(inner := outer.data.get("answer"), dict):
            raise outer.error("'answer' must be an object")
        answer = Record(outer.place, inner)
        texts[_one(answer)] = None
        for paragraph in answer.texts("evidence", default=()):
            if found := locate(paragraph, paper.text):
                spans.add(Span(paper.id, *found))
            else:
                kind = "figure or table" if paragraph.startswith("FLOAT SELECTED") else "paragraph"
                tally.add(f"gold {kind} not in the paper's text", f"{answer.place}: not found: {paragraph[:80]!r}")
    given = tuple(text for text in texts if text != UNANSWERABLE)
    return given or tuple(texts), tuple(sorted(spans))


def _one(answer: Record) -> str:
    if answer.data.get("unanswerable"):
        return UNANSWERABLE
    if spans := answer.texts("extractive_spans", default=()):
        return ", ".join(spans)
    if free := answer.text("free_form_answer", default="").strip():
        return free
    if (yes := answer.data.get("yes_no")) is not None:
        return "Yes" if yes else "No"
    raise answer.error("has no answer: unanswerable, extractive_spans, free_form_answer and yes_no are all empty")
