"""How the forms by a model are charged, and that a larger corpus begins with the smaller one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

from decoct.data import Document
from decoct.errors import ReplyError
from decoct.llm.base import Message, Reply, Request
from decoct_lab.dataset import Question
from decoct_testing.scripted import ScriptedLLM

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
forms = __import__("structured_llm")


def asked(text: str) -> Request:
    return Request((Message("user", text),))


def test_each_request_of_a_work_is_counted_once_by_its_last_outcome(tmp_path: Path) -> None:
    llm = forms.Counted(
        ScriptedLLM([ReplyError("cut off"), Reply("a b", 7, 2), Reply("c", 5, 1), Reply("c", 5, 1, cached=True)]),
        tmp_path / "calls",
    )
    llm.work = "set:index:one"
    llm.complete([asked("x")])  # fails, and is asked again by the next build
    llm.complete([asked("x"), asked("y")])
    llm.work = "set:index:two"
    llm.complete([asked("y")])  # what the first work asked too
    one, two = forms.spent(tmp_path / "calls", "set:index:one"), forms.spent(tmp_path / "calls", "set:index:two")
    assert (one["calls"], one["failed"], one["prompt_tokens"], one["completion_tokens"]) == (2, 0, 12, 3)
    assert (two["calls"], two["prompt_tokens"], two["completion_tokens"]) == (1, 5, 1)
    assert forms.spent(tmp_path / "calls", "none")["calls"] == 0


def test_a_request_that_failed_last_is_counted_with_its_error(tmp_path: Path) -> None:
    llm = forms.Counted(ScriptedLLM([ReplyError("cut off")]), tmp_path / "calls", "work")
    llm.complete([asked("x")])
    told = forms.spent(tmp_path / "calls", "work")
    assert (told["calls"], told["failed"], told["errors"], told["prompt_tokens"]) == (1, 1, {"ReplyError": 1}, 0)
    assert not hasattr(llm, "counts")  # budgets are counted by one tokenizer in both forms
    assert json.loads((tmp_path / "calls").read_text())["work"] == "work"


def test_the_corpus_of_fewer_questions_is_the_beginning_of_that_of_more() -> None:
    ids = [f"d{n:02}" for n in range(40)]
    questions = tuple(
        Question(f"q{n}", "?", ("a",), (ids[4 * n], ids[4 * n + 1]), candidate_ids=tuple(ids[4 * n : 4 * n + 4]))
        for n in range(10)
    )
    dataset = SimpleNamespace(questions=questions, documents=lambda: [Document(one, one) for one in ids])
    few, some = forms.corpus(dataset, 3, 1)
    more, all_ = forms.corpus(dataset, 6, 1)
    assert more[:3] == few
    assert [one.id for one in all_][: len(some)] == [one.id for one in some]
    assert len(some) == 9
    for question in few:
        near = {*question.candidate_ids} - {*question.supporting_ids}
        assert {*question.supporting_ids} <= {one.id for one in some}
        assert len(near & {one.id for one in some}) == 1
