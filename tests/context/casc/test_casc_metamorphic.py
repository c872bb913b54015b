"""What must not change the outcome: the order of the documents, copies, other names, other units, other words for the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import cast

import pytest
from findings_of import analyse

from decoct.answer.casc import CascReader
from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.context.casc.claims import Cluster
from decoct.context.casc.notes import Sections
from decoct.context.casc.sources import handed_over
from decoct.context.casc.step import Casc
from decoct.data import Document, Draft, Passage, Query, Span
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.index.base import Store
from decoct.reading.small import BUNDLED
from decoct.text.equality import known_equal
from decoct.text.values import value_of

pytestmark = pytest.mark.skipif(
    not (BUNDLED / "model.onnx").exists(), reason="the bundled reader's weights are not here"
)


@dataclass(frozen=True)
class Case:
    """A question on two documents that contradict each other and one that says nothing of it, with what may be exchanged."""

    question: str
    texts: tuple[str, str, str]
    values: tuple[str, str]
    name: tuple[str, str]
    unit: tuple[str, str]
    asked: str


CASES = [
    Case(
        "How long is the Marrin tunnel?",
        (
            "The Marrin tunnel was opened in spring. It is 2,300 m long and has two lanes.",
            "Drivers should know that the Marrin tunnel, 1,900 m long, has no emergency lane.",
            "The choir of Ostby sang in the church; the evening ended with soup.",
        ),
        ("2,300 m", "1,900 m"),
        ("Marrin", "Holvik"),
        ("2,300 m", "2.3 km"),
        "What is the length of the Marrin tunnel?",
    ),
    Case(
        "How much does the Pelmo crane weigh?",
        (
            "In working order the Pelmo crane weighs 48 tonnes; it is moved by road.",
            "The Pelmo crane weighs 52 tonnes and is painted yellow, says the yard.",
            "A new roof was put on the fish market last year.",
        ),
        ("48 tonnes", "52 tonnes"),
        ("Pelmo", "Karst"),
        ("48 tonnes", "48,000 kg"),
        "What is the weight of the Pelmo crane?",
    ),
    Case(
        "When was the Alderly mill built?",
        (
            "The Alderly mill was built in 1764 by the parish.",
            "According to the survey the Alderly mill was built in 1791, of brick.",
            "Trains to the coast leave every hour from platform four.",
        ),
        ("1764", "1791"),
        ("Alderly", "Brenford"),
        ("1764", "the year 1764"),
        "In what year was the Alderly mill built?",
    ),
]


def documents(texts: Sequence[str]) -> list[Document]:
    return [Document(f"d{i}", text, f"Document {i}") for i, text in enumerate(texts)]


def found_in(question: str, given: Sequence[Document]) -> Cluster:
    (cluster,) = analyse(question, handed_over(given)).clusters
    return cluster


@dataclass(frozen=True)
class Shelf:
    held: dict[str, Document]

    def document(self, doc_id: str) -> Document:
        return self.held[doc_id]


def answered(question: str, given: Sequence[Document]) -> str:
    """The answer of the recipe's own reader."""
    query, budget = Query(question), Budget(405, WordPieceTokenizer())
    passages = tuple(Passage(d.text, (Span(d.id, 0, len(d.text)),), title=d.title) for d in given)
    store = cast("Store", Shelf({d.id: d for d in given}))
    draft = Casc(store).apply(query, Draft(passages), budget)
    return CascReader().answer(assemble(query, draft, budget, Sections())).text


def says(cluster: Cluster, values: Sequence[str]) -> bool:
    """Whether the sides of a conflict are these values, each once."""
    sides = [value_of(side.value) for side in cluster.sides]
    wanted = [value_of(value) for value in values]
    return (
        cluster.status == "conflict"
        and len(sides) == len(wanted)
        and all(sum(known_equal(side, value) for side in sides) == 1 for value in wanted)
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name[0])
class TestNothingChanges:
    def test_in_any_order(self, case: Case) -> None:
        outcomes = [found_in(case.question, order) for order in permutations(documents(case.texts))]
        assert all(says(found, case.values) for found in outcomes)
        assert len({found.verdict.chosen is None for found in outcomes if found.verdict}) == 1

    def test_with_copies(self, case: Case) -> None:
        given = documents(case.texts)
        copies = [replace(given[0], id=f"copy{i}", text=f"{given[0].text} Reprinted.") for i in range(2)]
        alone, copied = found_in(case.question, given), found_in(case.question, [*given, *copies])
        assert says(copied, case.values)
        assert {side.support for side in copied.sides} == {1}
        assert alone.verdict is not None
        assert copied.verdict is not None
        assert (alone.verdict.action, alone.verdict.rule) == (copied.verdict.action, copied.verdict.rule)

    def test_under_another_name(self, case: Case) -> None:
        old, new = case.name
        found = found_in(case.question.replace(old, new), documents([text.replace(old, new) for text in case.texts]))
        assert says(found, case.values)

    def test_in_another_unit(self, case: Case) -> None:
        old, new = case.unit
        found = found_in(case.question, documents([text.replace(old, new) for text in case.texts]))
        assert says(found, case.values)

    def test_asked_in_other_words(self, case: Case) -> None:
        assert says(found_in(case.asked, documents(case.texts)), case.values)

    def test_the_same_value_in_another_unit_is_no_conflict(self, case: Case) -> None:
        old, new = case.unit
        texts = (case.texts[0], case.texts[1].replace(case.values[1], new), case.texts[2])
        found = found_in(case.question, documents(texts))
        assert found.status == "agree"
        assert [known_equal(value_of(side.value), value_of(old)) for side in found.sides] == [True]

    def test_the_answer_names_both_sides_in_any_order_and_with_copies(self, case: Case) -> None:
        given = documents(case.texts)
        copied = [*given, replace(given[1], id="copy", text=f"{given[1].text} Reprinted.")]
        for order in (given, given[::-1], copied):
            told = answered(case.question, order)
            assert [value for value in case.values if value not in told] == []
            assert told.count("the sources disagree") == 1


def test_a_copy_does_not_decide_in_whose_words_a_side_is_told() -> None:
    said = [
        "The Pelmo crane weighs 48 tonnes.",
        "According to the yard the Pelmo crane weighs 48,000 kg when it stands empty.",
    ]
    given = documents(said)
    (side,) = found_in("How much does the Pelmo crane weigh?", given).sides
    copied = [*given, *(replace(one, id=f"copy-of-{one.id}") for one in given if side.value not in one.text)]
    (beside_copies,) = found_in("How much does the Pelmo crane weigh?", copied).sides
    assert beside_copies.value == side.value
    assert len(beside_copies.claims) == len(side.claims) + 1
