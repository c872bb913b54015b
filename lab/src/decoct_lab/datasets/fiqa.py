"""FiQA-2018, task 2 (Maia et al., 2018), in BEIR's layout: opinionated questions on finance over 57,638 posts.

The relevant posts are themselves the answers people gave, so `answers` are their texts (about 160 tokens each; the recall-oriented paper
judges long answers against such gold with a language model). `answers=none` makes it retrieval only.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from decoct.evaluate.dataset_types import Dataset, Options
from decoct_lab.datasets.beir import load_beir
from decoct_lab.datasets.catalogue import CatalogueEntry, Hub
from decoct_lab.datasets.hub import fetch
from decoct_lab.datasets.layout import find

JUDGEMENTS = Hub("BeIR/fiqa-qrels", ("*.tsv",))
"""On the hub the judgements are a repository of their own; in the release they are the folder `qrels`."""


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read the folder of the BEIR release."""
    find(path, "corpus.jsonl")  # the judgements are worth fetching only beside a corpus
    qrels = path / "qrels"
    whole = load_beir(path, qrels if qrels.is_dir() else fetch(entry.spec.name, JUDGEMENTS), entry, options)
    if options["answers"] == "none":
        return replace(whole, spec=replace(entry.spec, retrieval_only=True))
    gold = {doc_id for question in whole.questions for doc_id in question.supporting_ids}
    texts = {document.id: document.text for document in whole.documents() if document.id in gold}
    questions = tuple(replace(q, answers=tuple(texts[i] for i in q.supporting_ids)) for q in whole.questions)
    return replace(whole, questions=questions)
