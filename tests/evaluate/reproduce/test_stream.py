from __future__ import annotations

from dataclasses import replace

import tiny

from decoct.data import Document
from decoct.evaluate.metrics.ranking import chunks_with_gold
from decoct_lab.reproduce.stream import SHARD, stream


def test_gold_spans_of_the_stream_are_the_gold_passages_texts() -> None:
    joined = stream(tiny.dataset())
    texts = {document.id: document.text for document in joined.documents()}
    for question, old in zip(joined.questions, tiny.QUESTIONS, strict=True):
        found = {texts[span.doc_id][span.start : span.end] for span in question.supporting}
        assert found == {tiny.TEXTS[doc_id] for doc_id in old.supporting_ids}
    assert sum(len(text) for text in texts.values()) == sum(joined.lengths.values())


def test_the_stream_is_broken_after_every_hundred_passages() -> None:
    documents = [Document(f"d{i:03}", f"Passage {i}.") for i in range(SHARD + 1)]
    joined = stream(replace(tiny.dataset(()), read=lambda: iter(documents)))
    assert [document.text.count("Passage") for document in joined.documents()] == [SHARD, 1]
    assert list(joined.lengths) == ["stream-0000", "stream-0001"]


def test_windows_over_the_stream_meet_a_passage_as_often_as_the_papers_closed_form_says() -> None:
    # Windows of s at stride s/2 that overlap a passage of g: about (g + s) / (s/2).
    from decoct.data import Span

    g, s = 1000, 200
    windows = [Span("d", at, at + s) for at in range(0, 10_000, s // 2)]
    counts = [len(chunks_with_gold(windows, [Span("d", start, start + g)])) for start in range(3000, 3100)]
    assert abs(sum(counts) / len(counts) - (g + s) / (s / 2)) <= 1
