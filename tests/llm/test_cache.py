"""The cache: what is kept, what is not, and that it never breaks a run."""

import dataclasses
import multiprocessing
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from decoct import trace
from decoct.errors import ModelTimeoutError
from decoct.llm.base import LLM, Losses, Message, Reply, Request
from decoct.llm.cache import Cached
from decoct_testing.llm_contract import COLOUR, LLMContract, ask
from decoct_testing.scripted import ScriptedLLM


def _answer(request: Request) -> str:
    return '{"colour": "red"}' if request.schema else "one two three four five six " + request.messages[0].content


class TestContract(LLMContract):
    @pytest.fixture
    def llm(self, tmp_path: Path) -> LLM:
        return Cached(ScriptedLLM(_answer), tmp_path)

    def test_usage_is_told_and_traced(self, llm: LLM) -> None:
        super().test_usage_is_told_and_traced(llm)
        with trace.recording(), trace.stage("again") as stage:
            (reply,) = llm.complete([ask("Name a colour.")])
        assert isinstance(reply, Reply)
        assert reply.cached
        assert reply.prompt_tokens > 0
        assert stage.counts == {
            "cache_hits": 1,
            "cached_prompt_tokens": reply.prompt_tokens,
            "cached_completion_tokens": reply.completion_tokens,
        }


def test_a_second_run_calls_no_model(tmp_path: Path) -> None:
    requests = [ask(f"q{n}") for n in range(1200)]
    first = Cached(ScriptedLLM(_answer), tmp_path).complete(requests)
    inner = ScriptedLLM(_answer)
    second = Cached(inner, tmp_path).complete(requests[::-1])
    assert inner.requests == []
    assert [r.text for r in second[::-1] if isinstance(r, Reply)] == [r.text for r in first if isinstance(r, Reply)]


def test_equal_requests_in_a_batch_are_sent_once(tmp_path: Path) -> None:
    inner = ScriptedLLM(_answer)
    outcomes = Cached(inner, tmp_path).complete([ask("a"), ask("b"), ask("a")])
    assert len(inner.requests) == 2
    assert [one.cached for one in outcomes if isinstance(one, Reply)] == [False, False, True]


@pytest.mark.parametrize(
    "change",
    [
        {"messages": (Message("system", "q"),)},
        {"max_tokens": 9},
        {"temperature": 0.1},
        {"seed": 1},
        {"stop": ("x",)},
        {"schema": COLOUR},
        {"prompt": "other:1"},
    ],
)
def test_whatever_decides_the_reply_is_in_the_key(tmp_path: Path, change: dict[str, Any]) -> None:
    inner = ScriptedLLM(_answer)
    llm = Cached(inner, tmp_path)
    llm.complete([ask("q")])
    llm.complete([dataclasses.replace(ask("q"), **change)])
    assert len(inner.requests) == 2


def test_models_do_not_share(tmp_path: Path) -> None:
    Cached(ScriptedLLM(["one"], name="a"), tmp_path).complete([ask("q")])
    (reply,) = Cached(ScriptedLLM(["two"], name="b"), tmp_path).complete([ask("q")])
    assert reply == Reply("two", 1, 1)


def test_errors_are_asked_again(tmp_path: Path) -> None:
    error = ModelTimeoutError("late")
    llm = Cached(ScriptedLLM([error, "now"]), tmp_path)
    assert llm.complete([ask("q")]) == [error]
    assert llm.complete([ask("q")]) == [Reply("now", 1, 1)]


def test_losses_are_kept(tmp_path: Path) -> None:
    inner = ScriptedLLM([])
    llm = Cached(inner, tmp_path)
    pairs = [("a b", "b c"), ("a b", "ü 🎈"), ("a b", "b c")]
    first = llm.losses(pairs)
    with trace.recording(), trace.stage("again") as stage:
        assert llm.losses(pairs) == first
    assert inner.pairs == pairs[:2]
    assert stage.counts == {"cache_hits": 3}
    assert isinstance(first[0], Losses)


def test_abilities_are_the_models_own(tmp_path: Path) -> None:
    class Plain:
        fingerprint = "plain"

        def complete(self, requests: Any) -> list[Any]:
            return []

    plain = Cached(Plain(), tmp_path)
    assert not hasattr(plain, "losses")
    assert not hasattr(plain, "stream")
    assert not hasattr(plain, "counts")
    assert hasattr(Cached(ScriptedLLM([]), tmp_path), "stream")


def test_a_damaged_file_is_put_aside(tmp_path: Path) -> None:
    (tmp_path / "llm.sqlite3").write_bytes(b"not a database at all " * 100)
    llm = Cached(ScriptedLLM(_answer), tmp_path)
    with trace.recording() as recorded:
        assert isinstance(llm.complete([ask("q")])[0], Reply)
    assert recorded.fallbacks == {"llm.cache_unusable": 1}
    assert (tmp_path / "llm.damaged").exists()
    with trace.recording() as recorded:
        (reply,) = llm.complete([ask("q")])
    assert isinstance(reply, Reply)
    assert reply.cached
    assert recorded.fallbacks == {}


def test_a_damaged_entry_is_asked_again(tmp_path: Path) -> None:
    llm = Cached(ScriptedLLM(_answer), tmp_path)
    llm.complete([ask("q")])
    with sqlite3.connect(tmp_path / "llm.sqlite3") as connection:
        connection.execute("UPDATE entries SET value = '{\"tex'")
    connection.close()
    with trace.recording() as recorded:
        assert isinstance(llm.complete([ask("q")])[0], Reply)
    assert recorded.fallbacks["llm.cache_unusable"] >= 1


def test_a_folder_that_cannot_be_made_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    llm = Cached(ScriptedLLM(_answer), tmp_path / "file" / "cache")
    with trace.recording() as recorded:
        assert isinstance(llm.complete([ask("q")])[0], Reply)
    assert recorded.fallbacks["llm.cache_unusable"] >= 1


def _fill(folder: str, start: int) -> None:
    llm = Cached(ScriptedLLM(_answer), Path(folder))
    for n in range(start, start + 20):
        llm.complete([ask(f"q{n}")])


def test_processes_write_side_by_side(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_fill, args=(str(tmp_path), 20 * n)) for n in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(400)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    inner = ScriptedLLM(_answer)
    Cached(inner, tmp_path).complete([ask(f"q{n}") for n in range(60)])
    assert inner.requests == []
