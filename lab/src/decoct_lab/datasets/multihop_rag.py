"""MultiHop-RAG (Tang and Yang, 2024): questions over 609 news articles, with the facts that support them.

Files of the release: `corpus.json` (title, url, body, …) and `MultiHopRAG.json` (query, answer, question_type, evidence_list). An
article's id is its URL. Each fact is looked up in its article's body and becomes a gold span; facts that are not there word for word are
counted.
`null_query` questions have no evidence: the right answer says that the information is insufficient.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from decoct.data import Document, Span
from decoct.evaluate.dataset_types import Dataset, Options, Question
from decoct_lab.datasets.catalogue import CatalogueEntry
from decoct_lab.datasets.json_files import json_list
from decoct_lab.datasets.locate import locate
from decoct_lab.datasets.records import Record
from decoct_lab.datasets.tally import Tally, checked_dataset

METADATA = ("author", "source", "published_at", "category", "url")


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read the folder of the release (its files may lie in a folder `dataset`)."""
    folder = path / "dataset" if (path / "dataset").is_dir() else path
    documents: dict[str, Document] = {}
    for record in json_list(folder / "corpus.json"):
        record.only(("title", "body", *METADATA))
        doc_id = record.text("url")
        if doc_id in documents:
            raise record.error(f"the article {doc_id!r} was given before")
        metadata = {name: record.text(name) for name in METADATA if isinstance(record.data.get(name), str)}
        documents[doc_id] = Document(
            doc_id, record.text("body"), record.text("title"), source=doc_id, metadata=metadata
        )
    tally = Tally()
    # The release has no ids: the place in the file is the id.
    records = enumerate(json_list(folder / "MultiHopRAG.json"))
    questions = [_question(f"mh-{number}", record, documents, tally) for number, record in records]
    return checked_dataset(entry.spec, options, questions, documents, tally)


def _question(question_id: str, record: Record, documents: Mapping[str, Document], tally: Tally) -> Question:
    record.only(("query", "answer", "question_type", "evidence_list"))
    spans: set[Span] = set()
    gold: dict[str, None] = {}
    for fact in record.records("evidence_list"):
        url, words = fact.text("url"), fact.text("fact")
        if url not in documents:
            raise fact.error(f"names the article {url!r}, which is not in corpus.json")
        gold[url] = None
        if found := locate(words, documents[url].text):
            spans.add(Span(url, *found))
        else:
            tally.add("gold fact not found in its article", f"{fact.place}: not found: {words[:80]!r}")
    return Question(
        id=question_id,
        question=record.text("query"),
        answers=(record.text("answer"),),
        supporting_ids=tuple(gold),
        supporting=tuple(sorted(spans)),
        type=record.text("question_type"),
        origin=record.place,
    )
