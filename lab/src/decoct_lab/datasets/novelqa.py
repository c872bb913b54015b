"""NovelQA (Wang et al., 2024): questions on whole novels, up to 2.5 million tokens long.

Release (NovelQA.zip, unpacked): `Books/PublicDomain/<BID>.txt`, `Data/PublicDomain/<BID>.json` (question id to `Question`, `Options`,
`Aspect`, `Complexity`), and a demonstration with `Answer`, `Gold` and `Evidences`. The answers of the rest are withheld by the authors: a
question without one cannot be scored here and is left out and counted. Retrieval is within the question's novel.
"""

from __future__ import annotations

from pathlib import Path

from decoct.data import Document, Span
from decoct.errors import EvaluationError
from decoct.evaluate.dataset_types import Dataset, Options, Question
from decoct_lab.datasets.catalogue import CatalogueEntry
from decoct_lab.datasets.json_files import json_value, whole_text
from decoct_lab.datasets.locate import locate
from decoct_lab.datasets.records import Record
from decoct_lab.datasets.tally import Tally, checked_dataset


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read the unpacked release."""
    books = {
        file.stem: file for folder in ("Books", "Demonstration") for file in sorted((path / folder).rglob("*.txt"))
    }
    files = [file for folder in ("Data", "Demonstration") for file in sorted((path / folder).rglob("*.json"))]
    if not books or not files:
        raise EvaluationError(f"{path} lacks Books/…/*.txt or Data/…/*.json; --data takes the unpacked NovelQA.zip")
    tally = Tally()
    documents: dict[str, Document] = {}
    questions = []
    for file in files:
        if file.stem not in books:
            tally.add("novel whose text is not at hand")
            continue
        book = Document(file.stem, whole_text(books[file.stem]), file.stem, metadata={"book": file.stem})
        documents[book.id] = book
        data = json_value(file)
        items = dict(enumerate(data)) if isinstance(data, list) else data
        if not isinstance(items, dict) or not all(isinstance(item, dict) for item in items.values()):
            raise EvaluationError(f"{file}: must be an object from question id to question, or a list of questions")
        for key, item in items.items():
            question = _question(f"{book.id}-{key}", Record(f"{file} {key}", item), book, tally)
            if question is not None:
                questions.append(question)
    return checked_dataset(entry.spec, options, questions, documents, tally)


def _question(question_id: str, record: Record, book: Document, tally: Tally) -> Question | None:
    answer = record.text("Answer", default="").strip()
    if not answer:
        tally.add("question whose answer is withheld")
        return None
    spans: set[Span] = set()
    for evidence in record.texts("Evidences", default=()):
        if found := locate(evidence, book.text):
            spans.add(Span(book.id, *found))
        else:
            tally.add("gold evidence not found in its novel", f"{record.place}: not found: {evidence[:80]!r}")
    return Question(
        id=question_id,
        question=record.text("Question"),
        answers=(answer,),
        supporting_ids=(book.id,),
        supporting=tuple(sorted(spans)),
        type=record.text("Complexity", default=""),
        where={"book": (book.id,)},
        extra={name: record.data[name] for name in ("Aspect", "Options", "Gold") if name in record.data},
        origin=record.place,
    )
