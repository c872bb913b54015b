"""A claim under another condition than the question names is no rival of one under that very condition."""

from __future__ import annotations

import pytest
from findings_of import analyse

from decoct.context.casc.check import check, said_otherwise
from decoct.context.casc.claims import Cluster, Findings
from decoct.context.casc.extract_rules import ByRules
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.data import Document


def found(question: str, *texts: str) -> Findings:
    documents = [Document(f"d{i}", text, "A note") for i, text in enumerate(texts)]
    return analyse(question, handed_over(documents), ByRules())


def only(findings: Findings) -> Cluster:
    (cluster,) = findings.clusters
    return cluster


@pytest.mark.parametrize(
    ("question", "asked", "other"),
    [
        (
            "What is the clearance time of Belurin in adults aged 70 and over?",
            "In adults aged 70 and over the clearance time of Belurin is 31 hours.",
            "A clearance time of 22 hours was found for Belurin in adults aged 20 to 50.",
        ),
        (
            "What is the resistance of the Orm coil at 4 K?",
            "At 4 K the resistance of the Orm coil is 2 ohm.",
            "The resistance of the Orm coil was 9 ohm at 290 K.",
        ),
        (
            "What is the fee on the Hest bridge in winter?",
            "In winter the fee on the Hest bridge is 3 euros.",
            "In summer the fee on the Hest bridge is 5 euros.",
        ),
        (
            "What fee does the Hest bridge take on Sundays?",
            "The fee of the Hest bridge is 1 euro on Sundays.",
            "Monday to Friday the fee of the Hest bridge is 5 euros.",
        ),
    ],
)
def test_what_is_said_under_another_condition_is_told_beside(question: str, asked: str, other: str) -> None:
    findings = found(question, other, asked)
    assert only(findings).status == "single"
    assert [side.claims[0].source.doc_id for side in only(findings).sides] == ["d1"]
    assert [claim.source.doc_id for claim in findings.further] == ["d0"]


def test_a_claim_without_any_condition_still_contradicts() -> None:
    question = "What is the fee on the Hest bridge in winter?"
    findings = found(
        question, "The fee on the Hest bridge is 5 euros.", "In winter the fee on the Hest bridge is 3 euros."
    )
    assert only(findings).status == "conflict"


def test_the_only_thing_said_is_kept_though_under_another_condition() -> None:
    findings = found(
        "What is the resistance of the Orm coil at 4 K?", "The resistance of the Orm coil was 9 ohm at 290 K."
    )
    assert [side.value for side in only(findings).sides] == ["9 ohm"]


def test_a_document_that_names_the_condition_elsewhere_is_not_set_aside() -> None:
    question = "What is the fee on the Hest bridge in winter?"
    sources = handed_over(
        [
            Document("a", "In cash the fee on the Hest bridge is 5 euros. All year, winter too."),
            Document("b", "In winter the fee on the Hest bridge is 3 euros."),
        ]
    )
    (focus,) = focuses(question)
    claims = ByRules().extract(question, sources, [focus]).claims
    assert [said_otherwise(claim, claims, focus) for claim in claims] == [False, False]


def test_what_cannot_be_compared_with_any_rival_is_no_side() -> None:
    question = "What is the limit of the Orm lift?"
    sources = handed_over(
        [
            Document("a", "The limit of the Orm lift is 12 kg."),
            Document("b", "The limit of the Orm lift is 15 kg."),
            Document("c", "The limit of the Orm lift is 41 %."),
        ]
    )
    claims = ByRules().extract(question, sources, focuses(question)).claims
    assert [claim.value.raw for claim in claims] == ["12 kg", "15 kg", "41 %"]
    (cluster,) = check(question, sources, focuses(question), claims).clusters
    assert cluster.status == "conflict"
    assert sorted(side.value for side in cluster.sides) == ["12 kg", "15 kg"]
    assert [side.value for side in cluster.beside] == ["41 %"]
