"""Blank cells, items, fields and headings, and what is struck out: nothing of a page makes an answer fail, nothing blank is an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest
from contexts import context_of
from hypothesis import given, settings
from hypothesis import strategies as st
from reader_certainty import ReaderCertainty

from decoct.answer.quoted import FoundWords, ReadPassage, claimed_answer
from decoct.answer.short_answers import ShortAnswers
from decoct.answer.sources import quoted_at
from decoct.data import Passage, Span
from decoct.errors import ProvenanceError
from decoct.reading.base import NOTHING_READ, AnswerPlaces, AnswerSpan, Readable, Reading, SentenceRelevance, Verdict
from decoct.text.cells import cells_of_row
from decoct.text.sentences import sentences
from decoct.text.struck import STRUCK, without_struck
from decoct_testing.hash_embedder import HashEmbedder

_WORDS = st.sampled_from("pump valve cost open is the yes 12 E-1402 Monday Anna ~~9~~ ~~no~~".split())
_SAID = st.lists(_WORDS, min_size=1, max_size=5).map(" ".join)
_CELL = st.sampled_from(["", "", " ", "*", "`", "—", "\u00a0"]) | _SAID
_ROW = st.lists(_CELL, min_size=1, max_size=4).map(lambda cells: f"| {' | '.join(cells)} |")
_ITEM = st.tuples(st.sampled_from(["- ", "1. ", "a) ", "-"]), st.sampled_from(["", ".", "; ."]) | _SAID).map("".join)
_FIELD = st.tuples(_WORDS, st.sampled_from([":", ": ", ":  .", ": -"]), _CELL).map("".join)
_HEADING = st.tuples(st.just("# "), st.just("") | _WORDS).map("".join)
_LINE = st.one_of(
    _ROW, _ITEM, _FIELD, _HEADING, _SAID.map("{}.".format), st.sampled_from(["", "|---|---|", "```", "---", "|"])
)
_TEXT = st.lists(_LINE, min_size=1, max_size=9).map("\n".join).filter(bool)
_QUESTION = st.sampled_from([
    "What is the cost of the pump?", "Is the valve open?", "How do I open the valve?", "Which valves are open?",
    "What does E-1402 mean?", "What is it?", "Is the pump older than the valve?", "Who is Anna?",
])  # fmt: skip


@dataclass(frozen=True)
class AnyReader:
    """Finds words anywhere, as `seed` has it."""

    seed: int
    fingerprint: str = "any"

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        chance = Random(f"{self.seed}{question}")
        return [self._reading(passage.text, chance) for passage in passages]

    def _reading(self, text: str, chance: Random) -> Reading:
        spans, at = [], 0
        while at < len(text) and chance.random() < 0.7:
            start = chance.randrange(at, len(text))
            at = chance.randint(start + 1, min(len(text), start + 20))
            spans.append(AnswerSpan(start, at, chance.random()))
        tokens = [found.span() for found in re.finditer(r"\w+|\W", text)]
        begins, stops, starts, ends = (
            np.asarray(one, dtype=np.float32)
            for one in (
                [start for start, _ in tokens],
                [end for _, end in tokens],
                *([chance.gauss(-3, 2) for _ in tokens] for _ in range(2)),
            )
        )
        marked = tuple(SentenceRelevance(*place, chance.random()) for place in sentences(text))
        verdict: Verdict = chance.choice(("yes", "no", "neither"))
        places = AnswerPlaces(begins, stops, starts, ends)
        return Reading(tuple(spans), chance.random(), chance.random(), marked, verdict, places)


@settings(max_examples=30)
@given(_QUESTION, st.lists(_TEXT, min_size=1, max_size=2), st.integers(0, 99))
def test_no_page_makes_an_answer_fail_and_no_answer_is_blank(question: str, texts: list[str], seed: int) -> None:
    near: Any = HashEmbedder()
    reader = ShortAnswers(AnyReader(seed), sure=0.0, related=0.0, certainty=ReaderCertainty(), second=None, near=near)
    answer = reader.answer(context_of(question, *texts))
    assert all(one.text.strip() and "~~" not in one.text for one in answer.answers)
    assert all(without_struck(one.source.quote).strip() for one in answer.citations)
    assert STRUCK not in answer.text


def test_a_row_has_its_cells_that_say_something_also_beyond_the_heads() -> None:
    text = "| name |\n|  | open | ` |\n| pump | | no |"
    rows = [(start, end) for start, end in sentences(text) if "|" in text[start:end]]
    assert [cells_of_row(text, row) for row in rows[1:]] == [[("", "open")], [("name", "pump"), ("", "no")]]


def test_blank_places_are_left_out_and_have_no_source() -> None:
    passage = Passage("One.\nTwo.", (Span("d", 0, 4), Span("d", 9, 13)))
    read = ReadPassage(passage, NOTHING_READ, 0)
    blank, said = FoundWords(read, (4, 5), (4, 5), "", 0.9), FoundWords(read, (5, 9), (5, 8), "Two", 0.8)
    answer = claimed_answer([blank, said], context_of("Which?", passage.text), beside=[blank], leading=[blank])
    assert (answer.text, [one.text for one in answer.answers]) == ("Two. [1]", ["Two"])
    with pytest.raises(ProvenanceError, match=r"4\.\.5 of a quote hold nothing"):
        quoted_at(passage, 4, 5)
