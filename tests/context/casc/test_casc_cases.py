"""Short natural documents of many domains: conflicts are found with their type and sides, equal values and other subjects are none."""

from __future__ import annotations

import pytest
from cases_of_conflict import Case, cases

from decoct.context.casc.notes import Conflict, Fact
from decoct.context.casc.sources import handed_over
from decoct.context.casc.step import analyse
from decoct.context.casc.synthesise import synthesise

# What rules cannot do yet, each with its reason. A case that begins to pass must leave the list.
BEYOND: dict[str, str] = {}


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_case(case: Case, request: pytest.FixtureRequest) -> None:
    if case.name in BEYOND:
        request.applymarker(pytest.mark.xfail(reason=BEYOND[case.name], strict=True))
    made = synthesise(analyse(case.question, handed_over(case.documents)))
    if case.type:
        (conflict,) = made.conflicts
        _hold(case, conflict)
    else:
        assert made.conflicts == ()
        assert made.gaps or not case.gap
        assert not case.value or _has(made.facts, case.value)
    _spans(case, made.facts, made.conflicts)


def _hold(case: Case, conflict: Conflict) -> None:
    assert conflict.type == case.type
    assert len(conflict.sides) == len(case.sides)
    for wanted in case.sides:
        assert any(_in(wanted, side.value) for side in conflict.sides), wanted
    if case.chosen == "":
        assert conflict.chosen is None
    elif case.chosen is not None:
        assert conflict.chosen is not None
        assert case.chosen in conflict.chosen
    assert not case.rule or conflict.rule == case.rule


def _spans(case: Case, facts: tuple[Fact, ...], conflicts: tuple[Conflict, ...]) -> None:
    texts = {document.id: document.text for document in case.documents}
    for conflict in conflicts:
        for side in conflict.sides:
            said = [texts[span.doc_id][span.start : span.end] for span in side.support]
            assert any(side.value in text for text in said)
    for fact in facts:
        assert {span.doc_id for span in fact.support} == set(fact.sources)


def _has(facts: tuple[Fact, ...], value: str) -> bool:
    return any(_in(value, fact.value) for fact in facts)


def _in(wanted: str, value: str) -> bool:
    return any(way.casefold() in value.casefold() for way in wanted.split("|"))


def test_a_reason_names_the_document_and_the_line_its_label() -> None:
    (case,) = (case for case in cases() if case.name == "sample-size")
    made = synthesise(analyse(case.question, handed_over(case.documents)))
    assert made.conflicts[0].reason == "sample-size-2 corrects or replaces what others say"
    assert any("(D2 corrects or replaces what others say)" in line.text for line in made.lines)
