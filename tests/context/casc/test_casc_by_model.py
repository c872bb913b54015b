"""All three steps by a language model: three kinds of prompts, replies verified, rules where they cannot be used."""

from __future__ import annotations

import json
from typing import Any

import pytest
from worlds_by_hand import APART, QUESTION, said

from decoct.budget import Budget
from decoct.context.casc.check import check
from decoct.context.casc.extract_rules import ByRules
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.context.casc.step import By, Casc
from decoct.data import Draft, Passage, Query, Span
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.llm.base import Request
from decoct.trace import recording
from decoct_lab.casc.check_llm import check_by_model, verdicts_as_json, verified_verdicts
from decoct_lab.casc.extract_llm import ByTrainedModel, verified
from decoct_lab.casc.synthesise_llm import lines_as_json, synthesise_by_model, verified_lines
from decoct_testing.scripted import ScriptedLLM

DOCUMENTS = [said("500 K", more=APART[0]), said("900 K", "blog", "2021-01-01", more=APART[1])]
SOURCES = handed_over(DOCUMENTS)
PARTS = focuses(QUESTION)
CLAIMS = ByRules().extract(QUESTION, SOURCES, PARTS).claims
VERDICT = {"sides": [["C1"], ["C2"]], "status": "conflict", "chosen": 0, "rule": "authority"}
LINE = {
    "section": "CONFLICTS",
    "text": 'It melts at "500 K" (D1 paper 2020, preferred) or at "900 K" (D2 blog 2021)',
    "claims": ["C1", "C2"],
}


class Shelf:
    """The documents, as the part of a store that the step asks."""

    def document(self, doc_id: str) -> Any:
        return next(one for one in DOCUMENTS if one.id == doc_id)


def kind_of(request: Request) -> str:
    properties = (request.schema or {})["properties"]
    return {"claims": "extract", "clusters": "check", "lines": "synthesise"}[next(iter(properties))]


def reply(request: Request) -> str:
    match kind_of(request):
        case "check":
            return json.dumps({"clusters": [VERDICT]})
        case "synthesise":
            return json.dumps({"lines": [LINE]})
        case _:
            value = "500 K" if "is 500 K" in request.messages[-1].content else "900 K"
            quote = f"The melting temperature of Brandite is {value}."
            record = {"quote": quote, "value": value, "type": "number", "part": 0}
            return json.dumps({"claims": [record | {"hedge": "none", "status": "stated", "relevance": 1.0}]})


def made(llm: ScriptedLLM, **settings: Any) -> Draft:
    passages = tuple(Passage(d.text, (Span(d.id, 0, len(d.text)),), title=d.title) for d in DOCUMENTS)
    step = Casc(Shelf(), llm=llm, **settings)  # type: ignore[arg-type]
    return step.apply(Query(QUESTION), Draft(passages), Budget(405, WordPieceTokenizer()))


def test_one_model_is_sent_three_kinds_of_prompts() -> None:
    llm = ScriptedLLM(reply)
    draft = made(llm, extract=ByTrainedModel(llm), check="model", synthesis="model")
    assert [kind_of(request) for request in llm.requests] == ["extract", "extract", "check", "synthesise"]
    assert draft.passages[0].text == LINE["text"]
    (conflict,) = draft.notes["conflicts"]
    assert (conflict.chosen, conflict.rule) == ("500 K", "authority")  # type: ignore[attr-defined]


@pytest.mark.parametrize("check_by", ["rules", "model"])
@pytest.mark.parametrize("synthesis", ["rules", "model"])
def test_each_step_can_be_done_by_rules_or_by_the_model(check_by: By, synthesis: By) -> None:
    llm = ScriptedLLM(reply)
    draft = made(llm, extract=ByRules(), check=check_by, synthesis=synthesis)
    sent = {kind_of(request) for request in llm.requests}
    asked = {"check": check_by, "synthesise": synthesis}
    assert sent == {step for step, by in asked.items() if by == "model"}
    assert draft.notes["conflicts"]


def test_a_step_by_a_model_without_one_is_refused() -> None:
    with pytest.raises(ValueError, match="--llm"):
        Casc(Shelf(), check="model")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        {"sides": [["C1"], ["C9"]]},  # a claim that there is not
        {"sides": [["C1"], ["C1"]]},  # one in two places
        {"sides": [["C1", "C2"]]},  # a conflict with one side
        {"status": "agree"},  # agreement of two sides
        {"chosen": 2},  # a side that there is not
        {"status": "conditional"},  # a choice where nothing conflicts
    ],
)
def test_a_verdict_that_contradicts_itself_is_checked_by_rules(wrong: dict[str, Any]) -> None:
    told = {"clusters": [VERDICT | wrong]}
    assert verified_verdicts(QUESTION, SOURCES, PARTS, CLAIMS, told) is None
    with recording() as record:
        found = check_by_model(QUESTION, SOURCES, PARTS, CLAIMS, llm=ScriptedLLM(lambda _: json.dumps(told)))
    assert record.fallbacks["casc.check-by-rules"] == 1
    assert found == check(QUESTION, SOURCES, PARTS, CLAIMS)


def test_a_conflict_of_equal_values_is_none() -> None:
    copies = handed_over([said("500 K", more=APART[0]), said("500 K", "blog", more=APART[1])])
    claims = ByRules().extract(QUESTION, copies, PARTS).claims
    assert verified_verdicts(QUESTION, copies, PARTS, claims, {"clusters": [VERDICT]}) is None


def test_claims_that_the_model_leaves_out_are_told_beside() -> None:
    told = {"clusters": [{"sides": [["C1"]], "status": "single", "chosen": None, "rule": "none"}]}
    found = verified_verdicts(QUESTION, SOURCES, PARTS, CLAIMS, told)
    assert found is not None
    assert [claim.value.raw for claim in found.further] == ["900 K"]


def test_the_rules_findings_in_the_form_of_replies_are_borne_out() -> None:
    findings = check(QUESTION, SOURCES, PARTS, CLAIMS)
    again = verified_verdicts(QUESTION, SOURCES, PARTS, CLAIMS, verdicts_as_json(findings, CLAIMS))
    assert again is not None
    assert [c.status for c in again.clusters] == [c.status for c in findings.clusters]
    lines = lines_as_json(findings)
    assert len(verified_lines(findings, lines)) == len(lines["lines"]) > 1


@pytest.mark.parametrize(
    "change",
    [
        {"text": 'It melts at "700 K" or "900 K"'},  # in no document
        {"text": "It melts at 500 K"},  # quotes nothing
        {"text": 'It melts at "500 K" (D1), as 12 others say, or at "900 K"'},  # a number of its own
        {"text": 'It melts at "500 K"'},  # one side of a conflict
        {"claims": ["C1", "C7"]},  # a claim that there is not
    ],
)
def test_a_line_that_its_claims_do_not_bear_out_is_told_by_rules(change: dict[str, Any]) -> None:
    findings = check(QUESTION, SOURCES, PARTS, CLAIMS)
    told = json.dumps({"lines": [LINE | change]})
    with recording() as record:
        text = "\n".join(line.text for line in synthesise_by_model(findings, (), ScriptedLLM(lambda _: told)).lines)
    assert record.fallbacks["casc.line-not-verified"] == 1
    assert record.fallbacks["casc.line-by-rules"] >= 1
    assert '"500 K"' in text
    assert '"900 K"' in text


def test_no_json_twice_leaves_the_synthesis_to_the_rules() -> None:
    findings = check(QUESTION, SOURCES, PARTS, CLAIMS)
    with recording() as record:
        found = synthesise_by_model(findings, (), ScriptedLLM(lambda _: "well"))
    assert record.fallbacks["casc.synthesise-by-rules"] == 1
    assert any("vs" in line.text for line in found.lines)


def test_the_claims_of_a_document_are_a_set() -> None:
    (source,) = handed_over([said("500 K", more="Its density is 3 g. At 900 K it boils.")])

    def record(quote: str, value: str, relevance: float) -> dict[str, Any]:
        kind = {"type": "number", "part": 0, "hedge": "none", "status": "stated"}
        return {"quote": quote, "value": value, "relevance": relevance, **kind}

    first = record("The melting temperature of Brandite is 500 K.", "500 K", 0.9)
    second = record("At 900 K it boils.", "900 K", 0.4)
    found = verified(source, {"claims": [second, first, first]}, 1)
    assert [claim.value.raw for claim in found] == ["500 K", "900 K"]
