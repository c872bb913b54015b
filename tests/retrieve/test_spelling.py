"""A question's words as the library spells them."""

from __future__ import annotations

from pathlib import Path

import pytest

from decoct import Document, Library
from decoct.data import Query
from decoct.retrieve.spelling import respelt
from decoct.trace import recording
from decoct_testing.hash_embedder import HashEmbedder

TEXTS = {
    "espresso": "The warranty period of the espresso machine is three years. The operating temperature is 20 degrees.",
    "staff": "Elif Aydin works in Leith. The colonies were counted by Mr Kowalczyk.",
    "plans": "The standard plan has two mailboxes. The standard fee is low. A refrigerator is included in the accommodation.",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    made = Library.open(tmp_path_factory.mktemp("words") / "library", embedder=HashEmbedder())
    made.add([Document(name, text) for name, text in TEXTS.items()])
    return made


def read_as(library: Library, question: str) -> str:
    return respelt(Query(question), library.store).text


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("How long is the waranty perod for the standrad plan?", "How long is the warranty period for the standard plan?"),
        ("What is the operatng temprature?", "What is the operating temperature?"),
        ("Where is the ESPRESO machine?", "Where is the Espresso machine?"),
        ("Is an acomodation included?", "Is an accommodation included?"),
        ("Where does Elif Aydn work?", "Where does Elif Aydin work?"),
    ],
)  # fmt: skip
def test_slips_are_read_as_the_words_of_the_library(library: Library, asked: str, meant: str) -> None:
    assert read_as(library, asked) == meant


@pytest.mark.parametrize(
    "question",
    [
        "How long is the warranty of the espresso machine?",
        "What is the salary of the staff?",  # known words of which no document speaks
        "How many calories are in it?",
        "Who is Kowalewski?",  # a name two letters away is another name
        "Is the Aydn in it?",  # a name that nothing known stands beside
        "What is R420 or wrrnty7?",
        "Where is E-STANDRAD?",  # the part of a code
        "Whn?",
        "xqzwvk",
        "保証期間は?",
    ],
)
def test_everything_else_is_left_as_it_is(library: Library, question: str) -> None:
    query = Query(question)
    assert respelt(query, library.store) is query


def test_it_is_said_in_the_trace_and_read_by_all(library: Library) -> None:
    with recording() as record:
        respelt(Query("waranty"), library.store)
    assert record.facts == {"spelling": {"waranty": "warranty"}}
    context = library.context("How long is the waranty?", 200)
    assert context.question == "How long is the warranty?"
    assert context.trace.facts["spelling"] == {"waranty": "warranty"}
    assert [hit.chunk.span.doc_id for hit in library.search("waranty", 1, recipe="bm25")] == ["espresso"]


def test_where_all_words_are_known_no_near_ones_are_looked_for(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def near_words(self: object, stem: str, edits: int, k: int) -> list[int]:
        asked.append(stem)
        return []

    monkeypatch.setattr(type(library.store), "near_words", near_words)
    read_as(library, "How long is the warranty of the espresso machine, and its price?")
    assert asked == []


def test_an_empty_library_knows_no_words(tmp_path: Path) -> None:
    with Library.open(tmp_path / "empty", embedder=HashEmbedder()) as empty:
        assert read_as(empty, "waranty") == "waranty"
