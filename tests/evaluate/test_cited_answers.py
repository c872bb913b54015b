from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import tiny

from decoct.budget import Budget
from decoct.data import Context
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import EvaluationError
from decoct.evaluate.answers import ReadAnswer, citing_reader
from decoct.evaluate.record import read_header, read_rows
from decoct.llm.base import Request
from decoct.trace import Trace
from decoct_testing.scripted import ScriptedLLM


def _cites_the_first(request: Request) -> str:
    return "Ada Stone [1]." if "designed" in request.messages[-1].content else "Nothing is said."


def test_citations_are_measured_and_their_marks_do_not_count_as_words(tmp_path: Path) -> None:
    llm = ScriptedLLM(_cites_the_first)
    metrics = ("citation_precision", "citation_recall", "exact_match")
    folder = tiny.run(tmp_path, "gold-passages", (200,), llm=llm, cite=True, metrics=metrics)
    rows = {row.question: row for row in read_rows(folder)}
    assert rows["q2"].metrics == {"citation_precision": 1.0, "citation_recall": 1.0, "exact_match": 1.0}
    # q3 has two gold documents; one of them is cited. q1's reply cites nothing: no precision, no recall.
    assert rows["q3"].metrics["citation_recall"] == 0.5
    assert (rows["q1"].metrics["citation_precision"], rows["q1"].metrics["citation_recall"]) == (None, 0.0)
    assert rows["q1"].fallbacks["cited.uncited"] == 1
    assert rows["q2"].cost["calls"] == 1
    assert read_header(folder).prompts["answers"]


def test_an_empty_context_asks_no_model(tmp_path: Path) -> None:
    llm = ScriptedLLM(_cites_the_first)
    (told,) = citing_reader(llm).answer(
        [Context("Why?", "", (), Budget(10, default_tokenizer()), Trace([], Counter(), {}))]
    )
    assert isinstance(told, ReadAnswer)
    assert (told.calls, told.citations, llm.requests) == (0, (), [])
    with pytest.raises(EvaluationError, match="leave out no-retrieval"):
        tiny.run(tmp_path / "none", "no-retrieval", llm=llm, cite=True)


def test_the_extractive_reader_cites_and_the_short_one_does_not(tmp_path: Path) -> None:
    folder = tiny.run(tmp_path, "gold-passages", (200,), reader="extractive")
    rows = {row.question: row.metrics for row in read_rows(folder)}
    assert rows["q1"]["citation_recall"] == 1.0
    with pytest.raises(EvaluationError, match="'citation_recall' needs a reader that cites"):
        tiny.run(tmp_path / "short", "naive", llm=ScriptedLLM(_cites_the_first), metrics=("citation_recall",))
