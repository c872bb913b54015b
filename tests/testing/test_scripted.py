"""The scripted model."""

import math

import pytest

from decoct.errors import ConfigError, ModelTimeoutError
from decoct.llm.base import LLM, Reply, Request
from decoct_testing.llm_contract import LLMContract, ask
from decoct_testing.scripted import ScriptedLLM


def _answer(request: Request) -> str:
    return '{"colour": "red"}' if request.schema else "one two three four five six"


class TestContract(LLMContract):
    @pytest.fixture
    def llm(self) -> LLM:
        return ScriptedLLM(_answer)


def test_replies_come_in_order_and_requests_are_kept() -> None:
    error = ModelTimeoutError("late")
    llm = ScriptedLLM(["a", error, Reply("c")], failures={0: error})
    assert llm.complete([ask("x"), ask("y"), ask("z")]) == [error, error, Reply("c")]
    assert [request.messages[0].content for request in llm.requests] == ["x", "y", "z"]
    with pytest.raises(ConfigError, match="write more"):
        llm.complete([ask("one too many")])


def test_losses_by_hand() -> None:
    llm = ScriptedLLM([])
    copy, other, bare = llm.losses([("red fish", "Red cow"), ("blue bird", "red cow"), ("", "red cow")])
    # "red" was seen once in two words; "cow" never in three.
    assert copy.values == pytest.approx([-math.log(1.001 / 12), -math.log(0.001 / 13)])
    assert copy.offsets == ((0, 3), (4, 7))
    assert other.values[0] == pytest.approx(-math.log(0.001 / 12))
    assert bare.values == pytest.approx([-math.log(0.001 / 11)])
    assert bare.offsets == ((4, 7),)
    assert copy.mean < other.mean
