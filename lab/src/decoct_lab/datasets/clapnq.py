"""CLAPNQ dev (Rosenthal et al., 2025): long answers for Natural Questions, each from one passage; half are unanswerable.

The gold sentences are those the annotators chose. An unanswerable question has neither answer nor gold: a good system abstains. Retrieval
measures are taken over the answerable ones (`questions=answerable`); the default asks all, as the recall-oriented paper does (600 passages,
600 queries).
"""

from __future__ import annotations

from pathlib import Path

from decoct.data import Span
from decoct.evaluate.dataset_types import Dataset, Options, Question
from decoct_lab.datasets.catalogue import CatalogueEntry
from decoct_lab.datasets.layout import load_layout
from decoct_lab.datasets.locate import locate
from decoct_lab.datasets.pool import Pool
from decoct_lab.datasets.records import Record, jsonl
from decoct_lab.datasets.tally import Tally, checked_dataset


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read the folder in Decoct's layout, or with the release's dev files (found by *dev*answerable*.jsonl)."""
    release = [path] if path.is_file() else sorted(path.rglob("*dev*answerable*.jsonl"))
    if release:
        return _release(release, entry, options)
    return load_layout(path, entry.spec, options, entry.layout)


def _release(files: list[Path], entry: CatalogueEntry, options: Options) -> Dataset:
    pool = Pool("cn")
    tally = Tally()
    questions = []
    for record in (record for file in files for record in jsonl(file)):
        question = _question(record, pool, tally)
        if options["questions"] == "answerable" and question.type == "unanswerable":
            tally.add("question outside the setting")
        else:
            questions.append(question)
    return checked_dataset(entry.spec, options, questions, pool.documents, tally)


def _question(record: Record, pool: Pool, tally: Tally) -> Question:
    record.only(("id", "input", "passages", "output"))
    ids = []
    for passage in record.records("passages"):
        doc_id, _ = pool.add(passage.text("title", default=""), [passage.text("text")])
        ids.append(doc_id)
    if not ids:
        raise record.error("'passages' is empty: a question has the passage that it was asked of")
    answers: dict[str, None] = {}
    spans: set[Span] = set()
    for output in record.records("output"):
        if answer := output.text("answer", default="").strip():
            answers[answer] = None
        for sentence in output.texts("selected_sentences", default=()):
            if found := locate(sentence, pool.documents[ids[0]].text):
                spans.add(Span(ids[0], *found))
            else:
                tally.add(
                    "gold sentence not found in its passage",
                    f"{output.place}: not found in {ids[0]}: {sentence[:80]!r}",
                )
    return Question(
        id=record.text("id"),
        question=record.text("input"),
        answers=tuple(answers),
        supporting_ids=(ids[0],) if answers else (),
        supporting=tuple(sorted(spans)) if answers else (),
        type="answerable" if answers else "unanswerable",
        candidate_ids=tuple(dict.fromkeys(ids)),
        origin=record.place,
    )
