"""LongBench v1 (Bai et al., 2024), the question-answering tasks: a question and a long context of its own.

Release: `data/<task>.jsonl` (unpacked from data.zip) with `input`, `context`, `answers`, `dataset`, `_id`. The multi-document tasks mark
their passages "Passage 1:" and so on: each becomes a document; other contexts are one document. Retrieval is within the row's own
context, as in the benchmark. There is no gold evidence. A file that mixes tasks is refused.
"""

from __future__ import annotations

import re
from pathlib import Path

from decoct.data import Document
from decoct.errors import EvaluationError
from decoct.evaluate.dataset_types import Dataset, Options, Question
from decoct_lab.datasets.catalogue import CatalogueEntry
from decoct_lab.datasets.json_files import release
from decoct_lab.datasets.records import jsonl
from decoct_lab.datasets.tally import Tally, checked_dataset

TASKS = ("2wikimqa", "hotpotqa", "musique", "triviaqa", "qasper", "narrativeqa", "multifieldqa_en")

FIELDS = ("input", "context", "answers", "length", "dataset", "language", "all_classes", "_id")
PASSAGE = re.compile(r"^Passage \d+:\n", re.MULTILINE)


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read `<task>.jsonl` of the folder or of its folder `data`."""
    task = options["task"]
    file = release(path, f"{task}.jsonl", f"data/{task}.jsonl")
    if file is None:
        packed = " (unpack data.zip first)" if (path / "data.zip").is_file() else ""
        raise EvaluationError(f"{path} holds no {task}.jsonl{packed}; --data takes the folder of LongBench's data")
    documents: dict[str, Document] = {}
    questions = []
    for record in jsonl(file):
        record.only(FIELDS)
        if (dataset := record.text("dataset")) != task:
            raise record.error(f"mixes data sets: {dataset!r} in a file of {task!r}")
        row = record.text("_id")
        own = _passages(row, record.text("context"))
        documents |= {document.id: document for document in own}
        questions.append(
            Question(
                id=row,
                question=record.text("input"),
                answers=tuple(dict.fromkeys(record.texts("answers"))),
                candidate_ids=tuple(document.id for document in own),
                where={"row": (row,)},
                origin=record.place,
            )
        )
    return checked_dataset(entry.spec, options, questions, documents, Tally())


def _passages(row: str, context: str) -> list[Document]:
    """The passages of a context; a passage's first line is its title where more lines follow."""
    parts = [part.strip() for part in PASSAGE.split(context) if part.strip()]
    if len(parts) == 1:
        return [Document(f"{row}-0", parts[0], metadata={"row": row})]
    documents = []
    for number, part in enumerate(parts, start=1):
        title, _, text = part.partition("\n")
        title, text = (title.strip(), text.strip()) if text.strip() else ("", part)
        documents.append(Document(f"{row}-{number}", text, title, metadata={"row": row}))
    return documents
