"""The failing doubles fail as they say, and the same way each time."""

from decoct.errors import ModelError
from decoct.llm.base import Reply
from decoct_lab.llm.faults import LLM_FAULTS, FaultyLLM
from decoct_testing.llm_contract import COLOUR, ask
from decoct_testing.scripted import ScriptedLLM


def test_a_share_of_the_outcomes_is_spoilt_in_every_way() -> None:
    requests = [ask(f"q{n}") for n in range(600)]
    llm = FaultyLLM(ScriptedLLM(lambda r: "fine " + r.messages[0].content), rate=0.2, seed=1)
    outcomes = llm.complete(requests)
    assert set(llm.thrown) == {*LLM_FAULTS, "ok"}
    assert 0.15 < 1 - llm.thrown["ok"] / 600 < 0.25
    assert all(isinstance(outcome, Reply | ModelError) for outcome in outcomes)
    fine = [
        o
        for o, r in zip(outcomes, requests, strict=True)
        if isinstance(o, Reply) and o.text == "fine " + r.messages[0].content
    ]
    assert len(fine) == llm.thrown["ok"]
    again = FaultyLLM(ScriptedLLM(lambda r: "fine " + r.messages[0].content), rate=0.2, seed=1)
    assert list(map(str, again.complete(requests[::-1])))[::-1] == list(map(str, outcomes))


def test_a_spoilt_reply_under_a_schema_is_an_error() -> None:
    llm = FaultyLLM(ScriptedLLM(lambda _: '{"colour": "red"}'), rate=1.0, kinds=("nonsense", "cut"))
    outcomes = llm.complete([ask(f"q{n}", schema=COLOUR) for n in range(10)])
    assert all(isinstance(outcome, ModelError) for outcome in outcomes)


def test_a_second_try_has_a_chance_of_its_own() -> None:
    llm = FaultyLLM(ScriptedLLM(lambda _: "fine"), rate=0.5, seed=3, kinds=("timeout",))
    seen = {str(llm.complete([ask("q")])[0]) for _ in range(20)}
    assert len(seen) == 2
