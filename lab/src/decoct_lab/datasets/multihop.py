"""The release format that HotpotQA and 2WikiMultiHopQA share.

One JSON list; each question brings `context`, a list of [title, [sentence, …]], and `supporting_facts`, a list of [title, sentence
number] (rows of the hub hold both as an object of two lists). All contexts together are the corpus. A fact past its passage's end is left
out and counted (both sets have a few); a question whose gold passage is not in its context (the fullwiki setting) is left out and counted,
its passages are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from decoct.data import Span
from decoct.evaluate.dataset_types import Dataset, Options, Question
from decoct_lab.datasets.catalogue import CatalogueEntry
from decoct_lab.datasets.json_files import json_objects, release
from decoct_lab.datasets.layout import load_layout
from decoct_lab.datasets.pool import Pool
from decoct_lab.datasets.records import Record, jsonl
from decoct_lab.datasets.tally import Tally, checked_dataset

FIELDS = (
    "_id",
    "id",
    "question",
    "answer",
    "answer_aliases",
    "answer_id",
    "type",
    "level",
    "supporting_facts",
    "context",
)


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read the folder in Decoct's layout, or a file of the release (with `id_aliases.json`, where it is there), or rows of the hub."""
    setting = next(iter(options.values()))
    file = release(path, *entry.release.files.get("any", entry.release.files.get(setting, ())))
    if file is None:
        return load_layout(path, entry.spec, options, entry.layout)
    aliases, extra = _aliases(file.parent / "id_aliases.json"), entry.release.fields
    pool = Pool(entry.release.prefix)
    tally = Tally()
    questions = []
    for record in json_objects(file):
        record.only((*FIELDS, *extra))
        context = _context(record, pool)
        titles = [title for title, _ in _pairs(record, "supporting_facts")]
        if absent := [title for title in titles if title not in context]:
            tally.add("question whose gold passage is not in its context", f"{record.place}: no passage {absent[0]!r}")
            continue
        spans: set[Span] = set()
        for title, number in _pairs(record, "supporting_facts"):
            sentences = context[title][1]
            if isinstance(number, int) and 0 <= number < len(sentences) and (span := sentences[number]) is not None:
                spans.add(span)
            else:
                tally.add("gold sentence past its passage's end", f"{record.place}: sentence {number} of {title!r}")
        answers = (record.text("answer"), *record.texts("answer_aliases", default=()))
        answers += aliases.get(record.text("answer_id", default=""), ())
        questions.append(
            Question(
                id=record.text("_id" if "_id" in record.data else "id"),
                question=record.text("question"),
                answers=tuple(dict.fromkeys(answers)),
                supporting_ids=tuple(dict.fromkeys(context[title][0] for title in titles)),
                supporting=tuple(sorted(spans)),
                type=record.text("type", default=""),
                candidate_ids=tuple(dict.fromkeys(doc_id for doc_id, _ in context.values())),
                extra={name: record.data[name] for name in ("level", *extra) if name in record.data},
                origin=record.place,
            )
        )
    return checked_dataset(entry.spec, options, questions, pool.documents, tally)


def _aliases(file: Path) -> Mapping[str, tuple[str, ...]]:
    """Further answers by `answer_id`."""
    if not file.is_file():
        return {}
    return {
        record.text("Q_id"): (*record.texts("aliases", default=()), *record.texts("demonyms", default=()))
        for record in jsonl(file)
    }


def _context(record: Record, pool: Pool) -> dict[str, tuple[str, list[Span | None]]]:
    context: dict[str, tuple[str, list[Span | None]]] = {}
    for title, sentences in _pairs(record, "context"):
        if not isinstance(sentences, list) or not all(isinstance(s, str) for s in sentences):
            raise record.error("'context' must be a list of [title, [sentence, …]]")
        if "".join(sentences).strip():  # a few paragraphs of the releases are empty
            context.setdefault(title, pool.add(title, sentences))
    return context


def _pairs(record: Record, name: str) -> list[tuple[str, object]]:
    value = record.rows(name)
    if isinstance(value, list):
        value = [list(row.values()) if isinstance(row, dict) else row for row in value]
    if not isinstance(value, list) or not all(
        isinstance(v, list) and len(v) == 2 and isinstance(v[0], str) for v in value
    ):
        raise record.error(f"{name!r} must be a list of pairs that begin with a title")
    return [(title, second) for title, second in value]
