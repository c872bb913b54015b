"""The retry policy, with its waits recorded instead of slept."""

import threading

import pytest

from decoct import trace
from decoct.errors import (
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    PromptTooLongError,
    RateLimitError,
    ReplyError,
)
from decoct.llm.attempt import Retry, Usage, run_all


def _run(errors: list[ModelError], retries: int = 2, jitter: float = 0.0) -> tuple[object, list[float]]:
    waits: list[float] = []
    pending = list(errors)

    def work() -> str:
        if pending:
            raise pending.pop(0)
        return "done"

    try:
        return Retry(retries, waits.append, lambda: jitter).call(work, Usage()), waits
    except ModelError as error:
        return error, waits


def test_waits_double_up_to_eight_seconds() -> None:
    assert _run([ModelUnavailableError("x")] * 6, retries=6) == ("done", [0.5, 1.0, 2.0, 4.0, 8.0, 8.0])


def test_jitter_takes_off_up_to_a_quarter() -> None:
    assert _run([ModelTimeoutError("x")], jitter=1.0) == ("done", [0.5 * 0.75])


def test_the_server_says_how_long() -> None:
    assert _run([RateLimitError("x", 3.5), RateLimitError("x")]) == ("done", [3.5, 1.0])


def test_a_server_that_asks_for_too_long_is_not_retried() -> None:
    error = RateLimitError("x", 121.0)
    assert _run([error]) == (error, [])


def test_an_empty_reply_is_asked_again_at_once() -> None:
    assert _run([ReplyError("empty"), ReplyError("broken")]) == ("done", [0.0, 0.0])


def test_what_cannot_mend_is_raised_at_once() -> None:
    error = PromptTooLongError("x")
    assert _run([error]) == (error, [])


def test_the_last_error_is_raised_and_tells_the_attempts() -> None:
    last = ModelUnavailableError("third")
    error, waits = _run([ModelUnavailableError("first"), ModelUnavailableError("second"), last])
    assert error is last
    assert last.__notes__ == ["after 3 attempts"]
    assert waits == [0.5, 1.0]


def test_a_batch_keeps_its_order_and_its_failures() -> None:
    gate = threading.Barrier(4, timeout=300)

    def work(item: int, usage: Usage) -> int:
        gate.wait()  # four run at once, or this breaks
        usage.counts["model_calls"] += 1
        if item % 3 == 0:
            usage.fallbacks["llm.odd"] += 1
            raise PromptTooLongError(str(item))
        return item * 10

    with trace.recording() as recorded, trace.stage("batch") as stage:
        outcomes = run_all(work, range(8), 4)
    assert [str(o) for o in outcomes] == ["0", "10", "20", "3", "40", "50", "6", "70"]
    assert stage.counts == {"model_calls": 8}
    assert recorded.fallbacks == {"llm.odd": 3}


def test_a_fault_of_ours_is_not_hidden() -> None:
    def work(item: int, usage: Usage) -> int:
        raise KeyError(item)

    with pytest.raises(KeyError):
        run_all(work, [1, 2], 2)
