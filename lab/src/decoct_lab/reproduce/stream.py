"""The corpus as one stream of text, as the recall-oriented paper must have cut it (lab/docs/methods.md).

Its chunks of 600 and 1,200 tokens are longer than most passages (110 to 224 tokens), and its recall and precision fit windows that run
over the borders of passages. So passages are joined in corpus order, title first, a blank line between, and cut as if they were one text.
For the store's sake the stream is broken after every `SHARD` passages; a window cut short there is one in hundreds.

Gold becomes the characters that each gold passage has in the stream. Documents are now shards, so measures of passages and documents say
nothing here; chunk and evidence measures do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from decoct.data import Document, Span
from decoct.evaluate.dataset_types import Dataset, Question

SHARD = 100


def stream(dataset: Dataset) -> Dataset:
    """The set with its passages joined; questions keep their ids and answers, their gold spans are the gold passages' places."""
    shards: list[Document] = []
    places: dict[str, Span] = {}
    parts: list[str] = []
    at = 0

    def close() -> None:
        nonlocal at
        if parts:
            shards.append(Document(f"stream-{len(shards):04}", "".join(parts)))
        parts.clear()
        at = 0

    for number, document in enumerate(dataset.documents()):
        if number % SHARD == 0:
            close()
        head = ("\n\n" if parts else "") + (f"{document.title}\n" if document.title else "")
        start = at + len(head)
        parts.append(head + document.text)
        at = start + len(document.text)
        places[document.id] = Span(f"stream-{len(shards):04}", start, at)
    close()

    def read() -> Iterator[Document]:
        return iter(shards)

    return replace(
        dataset,
        spec=replace(
            dataset.spec,
            name=f"{dataset.spec.name}-stream",
            title=f"{dataset.spec.title}, as one stream",
            gold="sentence",
        ),
        questions=tuple(_moved(question, places) for question in dataset.questions),
        read=read,
        lengths={shard.id: len(shard.text) for shard in shards},
    )


def _moved(question: Question, places: dict[str, Span]) -> Question:
    spans = tuple(sorted(places[doc_id] for doc_id in question.supporting_ids if doc_id in places))
    ids = tuple(dict.fromkeys(span.doc_id for span in spans))
    return replace(question, supporting=spans, supporting_ids=ids, candidate_ids=(), where={})
