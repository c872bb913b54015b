"""FlashRAG's layout (Jin et al., 2024): one JSON object a line with `id`, `question`, `golden_answers`, `metadata`.

Where the metadata brings a `context` (titles and sentences side by side) and `supporting_facts`, these become the corpus and the gold, as
in the multi-hop sets. Without them a `corpus.jsonl` beside the file (`id`, `contents`: title, line break, text) gives the documents, and
there is no gold. A folder is read as its test.jsonl, else its dev.jsonl, else its train.jsonl.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from decoct.data import Document, Span
from decoct.evaluate.dataset_types import Dataset, Options, Question
from decoct.evaluate.datasets.own import check
from decoct_lab.datasets.catalogue import CatalogueEntry
from decoct_lab.datasets.pool import Pool
from decoct_lab.datasets.records import Record, jsonl
from decoct_lab.datasets.tally import Tally

SPLITS = ("test.jsonl", "dev.jsonl", "train.jsonl")
FIELDS = ("id", "question", "golden_answers", "metadata", "choices")


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read the file, or the folder's first split."""
    if path.is_dir():
        path = next(path / name for name in SPLITS if (path / name).is_file())
    pool = Pool("fr")
    tally = Tally()
    questions = [_question(record, pool, tally) for record in jsonl(path)]
    corpus = path.parent / "corpus.jsonl"
    if pool.documents or not corpus.is_file():
        lengths = dict(pool.lengths)
        spec = entry.spec if pool.documents else replace(entry.spec, gold="none")
        check(questions, spec, lengths or None)
        return Dataset(spec, options, tuple(questions), pool.read, lengths, dict(tally.counts))
    lengths = {document.id: len(document.text) for document in _documents(corpus)}
    spec = replace(entry.spec, gold="none")
    check(questions, spec, lengths)
    return Dataset(spec, options, tuple(questions), lambda: _documents(corpus), lengths, dict(tally.counts))


def _documents(file: Path) -> Iterator[Document]:
    for record in jsonl(file):
        title, _, text = record.text("contents").partition("\n")
        title, text = (title.strip('" '), text) if text.strip() else ("", title)
        yield Document(record.text("id"), text, title)


def _question(record: Record, pool: Pool, tally: Tally) -> Question:
    record.only(FIELDS)
    metadata = record.data.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise record.error("'metadata' must be an object")
    gold, spans, candidates = _gold(record, metadata, pool, tally)
    return Question(
        id=record.text("id"),
        question=record.text("question"),
        answers=tuple(dict.fromkeys(record.texts("golden_answers"))),
        supporting_ids=gold,
        supporting=spans,
        type=str(metadata.get("type", "")),
        candidate_ids=candidates,
        extra={"choices": record.data["choices"]} if "choices" in record.data else {},
        origin=record.place,
    )


def _gold(
    record: Record, metadata: dict[str, Any], pool: Pool, tally: Tally
) -> tuple[tuple[str, ...], tuple[Span, ...], tuple[str, ...]]:
    context, facts = metadata.get("context"), metadata.get("supporting_facts")
    if not isinstance(context, dict) or not isinstance(facts, dict):
        return (), (), ()
    sentences: list[list[str]] = context.get("sentences") or context.get("content") or []
    titles, numbers, heads = facts.get("title", []), facts.get("sent_id", []), context.get("title", [])
    if not _fits(heads, sentences, _lines) or not _fits(titles, numbers, lambda number: isinstance(number, int)):
        raise record.error("the metadata's context and supporting_facts must have a title for each entry")
    found: dict[str, tuple[str, list[Span | None]]] = {}
    candidates: dict[str, None] = {}
    for title, lines in zip(heads, sentences, strict=True):
        if "".join(lines).strip():
            added = pool.add(title, lines)
            found.setdefault(title, added)
            candidates[added[0]] = None
    gold: dict[str, None] = {}
    spans: set[Span] = set()
    for title, number in zip(titles, numbers, strict=True):
        doc_id, ranges = found.get(title, ("", []))
        span = ranges[number] if 0 <= number < len(ranges) else None
        if doc_id:
            gold[doc_id] = None
        if span is None:
            tally.add("supporting fact not in the context")
        else:
            spans.add(span)
    return tuple(gold), tuple(sorted(spans)), tuple(candidates)


def _fits(titles: object, entries: object, is_entry: Callable[[object], bool]) -> bool:
    """Whether there is a title for each entry, and each is what it should be."""
    if not isinstance(titles, list) or not isinstance(entries, list) or len(titles) != len(entries):
        return False
    return all(isinstance(title, str) for title in titles) and all(map(is_entry, entries))


def _lines(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(line, str) for line in value)
