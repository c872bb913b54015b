"""MuSiQue (Trivedi et al., 2022): questions composed of two to four steps, each step with its gold paragraph.

The unit of gold is the paragraph. `extra["decomposition"]` has the steps. Of the full release only answerable questions are asked; the
paragraphs of the others stay in the corpus.
"""

from __future__ import annotations

from pathlib import Path

from decoct.evaluate.dataset_types import Dataset, Options, Question
from decoct_lab.datasets.catalogue import CatalogueEntry
from decoct_lab.datasets.json_files import json_objects, release
from decoct_lab.datasets.layout import load_layout
from decoct_lab.datasets.pool import Pool
from decoct_lab.datasets.tally import Tally, checked_dataset

RELEASES = (
    "musique_ans_v*_dev.jsonl",
    "musique_full_v*_dev.jsonl",
    "musique.json",
    "musique_*_train.jsonl",
    "rows.jsonl",
)
FIELDS = ("id", "paragraphs", "question", "question_decomposition", "answer", "answer_aliases", "answerable")


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read the folder in Decoct's layout, or with a file of the release."""
    if file := release(path, *RELEASES):
        return _release(file, entry, options)
    return load_layout(path, entry.spec, options, entry.layout)


def _release(file: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    pool = Pool("mq")
    tally = Tally()
    questions = []
    for record in json_objects(file):
        record.only(FIELDS)
        ids, gold = [], []
        for paragraph in record.records("paragraphs"):
            doc_id, _ = pool.add(paragraph.text("title", default=""), [paragraph.text("paragraph_text")])
            ids.append(doc_id)
            if paragraph.data.get("is_supporting") is True:
                gold.append(doc_id)
        if record.data.get("answerable") is False:
            tally.add("unanswerable variant (its passages kept)")
            continue
        answers = (record.text("answer"), *record.texts("answer_aliases", default=()))
        question_id = record.text("id")
        questions.append(
            Question(
                id=question_id,
                question=record.text("question"),
                answers=tuple(dict.fromkeys(answers)),
                supporting_ids=tuple(dict.fromkeys(gold)),
                type=question_id.split("__")[0],
                candidate_ids=tuple(dict.fromkeys(ids)),
                extra={"decomposition": record.data.get("question_decomposition", [])},
                origin=record.place,
            )
        )
    return checked_dataset(entry.spec, options, questions, pool.documents, tally)
