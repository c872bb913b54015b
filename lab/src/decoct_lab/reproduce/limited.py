"""A smaller corpus for fewer questions: what comes with the questions that are drawn, so that six of them need no index of a whole set.

Fewer documents beside the right ones make finding easier: figures are to be set beside others of the same corpus, and each table says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from decoct.data import Document
from decoct.evaluate.dataset_types import Dataset
from decoct.evaluate.run import sample


def limited(dataset: Dataset, questions: int | None, seed: int) -> tuple[Dataset, str]:
    """The set with the candidates and supporting passages of `questions` drawn with `seed`, and a line that says so.

    The set itself, and no line, where all questions are asked, or where one of them comes without candidates.
    """
    drawn = sample(dataset.questions, questions, seed)
    if len(drawn) == len(dataset.questions) or not all(question.candidate_ids for question in drawn):
        return dataset, ""
    wanted = {one for question in drawn for one in (*question.candidate_ids, *question.supporting_ids)}
    lengths = {one: length for one, length in dataset.lengths.items() if one in wanted}

    def read() -> Iterator[Document]:
        return (document for document in dataset.read() if document.id in wanted)

    told = (
        f"what is measured is finding among the {len(lengths):,} passages that come with these {len(drawn)} questions, not among all "
        f"{len(dataset.lengths):,} of the set (--whole-corpus): that is easier, and no figure for the set"
    )
    return replace(dataset, read=read, lengths=lengths), told
