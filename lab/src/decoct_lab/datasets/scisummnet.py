"""ScisummNet (Yasunaga et al., 2019): find the paper of the ACL Anthology that is meant.

There are no answers. The default queries are hand-written (150 in the field's terms, 150 in plain words; `type` tells them apart);
`queries=citing` takes sentences of papers that cite the wanted one. `text=abstract` indexes abstracts instead of full texts (papers
without one keep their text). The human-written summaries quote what citing papers say: they never reach the engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from decoct.data import Document
from decoct.evaluate.dataset_types import Dataset, Options
from decoct.evaluate.datasets.own import check
from decoct_lab.datasets.catalogue import CatalogueEntry
from decoct_lab.datasets.layout import find, load_layout
from decoct_lab.datasets.records import jsonl

FILES = {
    "hand-written": ("queries_technical.jsonl", "queries_conceptual.jsonl"),
    "technical": ("queries_technical.jsonl",),
    "conceptual": ("queries_conceptual.jsonl",),
    "citing": ("questions.jsonl",),
}


def load(path: Path, entry: CatalogueEntry, options: Options) -> Dataset:
    """Read the folder in Decoct's layout."""
    layouts = [replace(entry.layout, questions=name) for name in FILES[options["queries"]]]
    parts = [load_layout(path, entry.spec, options, layout) for layout in layouts]
    questions = tuple(question for part in parts for question in part.questions)
    excluded = Counter[str]()
    for part in parts:
        excluded.update(part.excluded)
    remarks = tuple(remark for part in parts for remark in part.remarks)
    whole, full = parts[0], parts[0].read
    if options["text"] == "abstract":
        abstracts = {r.text("id"): r.text("abstract", default="") for r in jsonl(find(path, "corpus.jsonl"))}
        abstracts = {doc_id: text for doc_id, text in abstracts.items() if text.strip()}

        def read() -> Iterator[Document]:
            for document in full():
                yield replace(document, text=abstracts.get(document.id, document.text))

        lengths = {i: len(abstracts.get(i, "")) or length for i, length in whole.lengths.items()}
        if without := len(lengths) - len(abstracts):
            excluded["paper without an abstract (its text is used)"] = without
        whole = replace(whole, read=read, lengths=lengths)
    check(questions, entry.spec, whole.lengths)
    return replace(whole, questions=questions, excluded=dict(excluded), remarks=remarks)
