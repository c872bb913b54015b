"""The trie, constrained and skip decoding worked out by hand, and both forms end to end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from decoct import Document, Library
from decoct.errors import ModelUnavailableError
from decoct.llm.base import Losses
from decoct_lab.retrieve.cfic.search import CLOSING, _apart
from decoct_lab.retrieve.cfic.trie import Prefix, decoded, prefixes
from decoct_testing.scripted import ScriptedLLM

SENTENCES = ["The bridge was opened in 1906.", "The bridge was closed.", "Anna built it.", "Anna built it.", "!"]


def test_a_sentence_is_named_by_the_fewest_words_that_no_other_begins_with() -> None:
    assert prefixes(SENTENCES) == [
        Prefix(0, ("The", "bridge", "was", "opened"), (3, 10, 14, 21)),
        Prefix(1, ("The", "bridge", "was", "closed."), (3, 10, 14, 22)),
        Prefix(2, ("Anna", "built", "it."), (4, 10, 14)),  # said twice: named by all of its words, and once
        Prefix(4, ("!",), (1,)),
    ]
    assert prefixes([]) == []


def at(prefix: Prefix, *values: float) -> Losses:
    starts = (0, *(end + 1 for end in prefix.ends[:-1]))
    return Losses(values, tuple((start, start + 1) for start in starts))


def test_beams_go_where_sentences_go() -> None:
    the_opened, the_closed, anna, mark = prefixes(SENTENCES)
    scores = [
        at(the_opened, 1.0, 0.5, 0.5, 2.0),  # mean 1.0
        at(the_closed, 1.0, 0.5, 0.5, 0.4),  # mean 0.6
        at(anna, 0.9, 0.9, 0.9),  # mean 0.9
        at(mark, 5.0),
    ]
    found = decoded([the_opened, the_closed, anna, mark], scores, beams=2)
    assert [(one.sentence, round(score, 6)) for one, score in found] == [(1, -0.6), (2, -0.9)]
    # One beam is greedy: it begins as "Anna" does (0.9 against 1.0) and cannot come back.
    assert [one.sentence for one, _ in decoded([the_opened, the_closed, anna, mark], scores, beams=1)] == [2]


def test_tokens_belong_to_the_word_in_which_they_begin() -> None:
    (one,) = prefixes(["Ab cd"])[:1]
    # "Ab" is named by one word; three tokens of it, of which the mean counts
    assert decoded([one], [Losses((1.0, 2.0, 3.0), ((0, 1), (1, 2), (1, 2)))], 1) == [(one, -2.0)]


def test_spans_that_overlap_are_one() -> None:
    assert _apart([(10, 20), (0, 5), (15, 30), (40, 50)]) == [(10, 30), (0, 5), (40, 50)]
    assert _apart([(0, 5), (8, 9), (4, 9)]) == [(0, 9)]


TEXT = "Tolls ended in 1931. The bridge was opened in 1906. It has two arches. Farmers sell apples."


class Copying:
    """Gives sentence beginnings and closings the losses that the test wants."""

    fingerprint = "copying"

    def __init__(self, begins: dict[str, float], closes: dict[str, float], fails: bool = False) -> None:
        self.begins, self.closes, self.fails = begins, closes, fails
        self.calls: list[int] = []

    def complete(self, requests: Sequence[object]) -> list[object]:
        raise AssertionError("nothing is written")

    def losses(self, pairs: Sequence[tuple[str, str]]) -> list[Losses]:
        if self.fails:
            raise ModelUnavailableError("gone")
        self.calls.append(len(pairs))
        found = []
        for prefix, text in pairs:
            table, said = (self.closes, prefix.rpartition('Evidence: "')[2]) if text == CLOSING else (self.begins, text)
            found.append(Losses((next((v for k, v in table.items() if said.endswith(k)), 9.0),), ((0, 1),)))
        return found


@pytest.fixture
def library(tmp_path: Path) -> Library:
    opened = Library.open(tmp_path / "lib")
    opened.add([Document("bridge", TEXT, "Bridge"), Document("salt", "Salt is a mineral. It is mined.", "Salt")])
    return opened


def recipe(**settings: object) -> dict[str, object]:
    return {"retrieve": {"use": "cfic", "retriever": "dense", **settings}}


def test_the_model_chooses_beginning_and_end(library: Library) -> None:
    model = Copying(
        begins={"The": 0.1, "Tolls": 2.0}, closes={"1906.": 3.0, "arches.": 0.5, "apples.": 1.0, "1931.": 0.2}
    )
    library.llm = model  # type: ignore[assignment]
    asked = recipe(documents=1, spans=1)
    (passage,) = library.context("When was the bridge opened?", 300, asked).passages
    assert passage.text == "The bridge was opened in 1906. It has two arches."
    assert library.store.text(passage.support[0]) == passage.text
    assert model.calls == [4, 3]  # four sentences begin; three ends follow the second
    (short,) = library.context("When was the bridge opened?", 300, recipe(documents=1, spans=1, longest=10)).passages
    assert short.text == "The bridge was opened in 1906."


def test_without_a_model_vectors_choose(library: Library) -> None:
    first = library.context("When was the bridge opened?", 300, recipe(documents=1, spans=1)).passages[0]
    assert "opened in 1906" in first.text
    assert (first.kind, first.title) == ("quote", "Bridge")
    everything = library.context("When was the bridge opened?", 300, "cfic").passages
    assert {one.support[0].doc_id for one in everything} == {"bridge", "salt"}


def test_what_a_model_cannot_do_is_counted(library: Library) -> None:
    library.llm = Copying({}, {}, fails=True)  # type: ignore[assignment]
    context = library.context("When was the bridge opened?", 300, "cfic")
    assert context.trace.fallbacks["cfic.failed"] == 2
    assert context.passages

    class Mute:
        fingerprint = "mute"

    library.llm = Mute()  # type: ignore[assignment]
    assert library.context("When was the bridge opened?", 300, "cfic").trace.fallbacks["cfic.no_logprobs"] == 1


def test_of_a_long_document_the_part_around_its_best_chunk_is_read(library: Library) -> None:
    filler = " ".join(f"Line number {n} says nothing at all about it." for n in range(200))
    library.add(Document("long", f"{filler} The zebra crossed the river. {filler}", "Long"))
    context = library.context("zebra", 300, recipe(documents=1, window=256))
    assert context.trace.fallbacks["cfic.document_cut"] == 1
    assert any("zebra" in passage.text for passage in context.passages)


def test_the_double_copies_what_it_has_read(library: Library) -> None:
    """With the shipped double, whose model predicts a text best by its own copy, spans are whole sentences of the document."""
    library.llm = ScriptedLLM([])
    for passage in library.context("When was the bridge opened?", 300, "cfic").passages:
        assert library.store.text(passage.support[0]) == passage.text
    assert math.isfinite(sum(passage.score for passage in library.context("salt", 300, "cfic").passages))
