"""MuSiQue (Trivedi et al., 2022): questions composed of two to four steps, each step with its gold paragraph.

The unit of gold is the paragraph. `extra["decomposition"]` has the steps. Of the full release only answerable questions are asked; the
paragraphs of the others stay in the corpus.
"""

from __future__ import annotations

from pathlib import Path

from decoct.evaluate.dataset import Dataset, Hub, Options, Question, Spec
from decoct.evaluate.datasets.checks import Tally, check
from decoct.evaluate.datasets.layout import SCOPE, Layout, load_layout
from decoct.evaluate.datasets.pool import Pool
from decoct.evaluate.datasets.records import listed, release

SPEC = Spec(
    name="musique",
    title="MuSiQue (Trivedi et al., 2022)",
    source="https://github.com/StonyBrookNLP/musique",
    licence="CC BY 4.0",
    notes="the hardest of the multi-hop sets; `type` tells the number of hops",
    gold="passage",
    metrics=(
        "token_f1",
        "exact_match",
        "recall@5",
        "all_gold",
        "passage_recall",
        "evidence_recall",
        "evidence_precision",
    ),
    options={"scope": SCOPE},
    hub=Hub("osunlp/HippoRAG_2", ("musique.json",)),
)
RELEASES = (
    "musique_ans_v*_dev.jsonl",
    "musique_full_v*_dev.jsonl",
    "musique.json",
    "musique_*_train.jsonl",
    "rows.jsonl",
)
FIELDS = ("id", "paragraphs", "question", "question_decomposition", "answer", "answer_aliases", "answerable")


def load(path: Path, options: Options) -> Dataset:
    """Read the folder in Decoct's layout, or with a file of the release."""
    if file := release(path, *RELEASES):
        return _release(file, options)
    return load_layout(path, SPEC, options, Layout(extra=("decomposition", "source_split")))


def _release(file: Path, options: Options) -> Dataset:
    pool = Pool("mq")
    tally = Tally()
    questions = []
    for record in listed(file):
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
    check(questions, SPEC, pool.lengths)
    return Dataset(SPEC, options, tuple(questions), pool.read, pool.lengths, dict(tally.counts))
