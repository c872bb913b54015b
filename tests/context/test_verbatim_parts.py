"""Cutting after sentences, choosing them by number, judging them, and taking from a model only what stands in its sources."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.context import sentence_judge
from decoct.context.quotes import whole_sentences
from decoct.context.sentence_judge import NAMES
from decoct.data import Passage, Span
from decoct.errors import ReplyError
from decoct.llm.base import Reply
from decoct.text.sentences import sentences
from decoct.trace import recording, stage
from decoct_lab.context.numbered import listing
from decoct_lab.context.verbatim import found_in


def passage(text: str, title: str = "") -> Passage:
    return Passage(text, (Span("d", 0, len(text)),), "quote", 1.0, title)


# -- cutting -----------------------------------------------------------------------------------------------------
TEXT = "The river rose. A stone fell down. It was seen."  # sentences end at 15, 34 and 47


@pytest.mark.parametrize(
    ("room", "end"), [(100, 47), (47, 47), (46, 34), (34, 34), (33, 15), (15, 15), (14, 0), (0, 0)]
)
def test_the_longest_whole_sentences_that_fit(room: int, end: int) -> None:
    assert whole_sentences(TEXT, lambda at: at <= room) == end


def test_a_text_without_sentences_is_cut_to_nothing() -> None:
    assert whole_sentences("", lambda _: True) == 0
    assert whole_sentences("  \n ", lambda _: True) == 0


@given(st.integers(0, 30), st.integers(0, 400))
def test_few_questions_find_the_end(count: int, room: int) -> None:
    text = " ".join(f"Number {n} was called." for n in range(count))
    asked: list[int] = []

    def fits(end: int) -> bool:
        asked.append(end)
        return end <= room

    found = whole_sentences(text, fits)
    assert found == max((end for _, end in sentences(text) if end <= room), default=0)
    assert len(asked) <= count.bit_length()


# -- by number ---------------------------------------------------------------------------------------------------
LISTED = listing([passage(TEXT), passage("One more  was\nheard.")])


def test_sentences_are_numbered_through_on_a_line_each() -> None:
    assert LISTED.lines == (
        "[1] The river rose.",
        "[2] A stone fell down.",
        "[3] It was seen.",
        "[4] One more was heard.",
    )
    assert LISTED.places == ((0, (0, 15)), (0, (16, 34)), (0, (35, 47)), (1, (0, 20)))
    assert LISTED.shown(0) == "[1] The river rose.\n[2] A stone fell down.\n[3] It was seen."
    assert LISTED.shown(1) == "[4] One more was heard."
    assert listing([]).lines == ()


def test_a_reply_has_room_for_every_number_and_its_schema_knows_how_many() -> None:
    assert LISTED.schema["properties"]["keep"]["maxItems"] == 4
    assert LISTED.schema["properties"]["keep"]["items"]["maximum"] == 4
    longest = '{"keep": [' + ", ".join(str(n) for n in range(1, 5)) + "]}"
    assert LISTED.reply_tokens >= len(longest.split())


def test_what_a_reply_names_comes_in_the_order_of_the_listing_once() -> None:
    assert LISTED.chosen(Reply('{"keep": [4, 1, 4]}')) == [(0, (0, 15)), (1, (0, 20))]
    assert LISTED.chosen(Reply('{"keep": []}')) == []


def test_numbers_of_no_sentence_are_left_out_and_counted() -> None:
    with recording() as record:
        assert LISTED.chosen(Reply('{"keep": [0, 2, 5, -1]}')) == [(0, (16, 34))]
    assert record.fallbacks == {"select.number": 3}


@pytest.mark.parametrize(
    "reply",
    ["", "no", "[1]", "{}", '{"keep": 1}', '{"keep": null}', '{"keep": ["one"]}', '{"keep": [[1]]}', '{"keep": [9]}',
     '{"keep": [NaN]}', '{"keep": [1e999]}', '{"keep": "12"}', '{"keep": {"1": 2}}'],
)  # fmt: skip
def test_a_reply_that_names_nothing_in_a_readable_way_is_told(reply: str) -> None:
    with pytest.raises(ReplyError):
        LISTED.chosen(Reply(reply))


# -- judging -----------------------------------------------------------------------------------------------------
def test_the_chance_of_a_sentence_is_the_logistic_of_its_weighed_features(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of rank alone: 1 / (1 + e^(3.432 + 1.329)) = .0085; of new and titled words: 1 / (1 + e^(3.432 - 2.503 - 2.274)) = .7933."""
    rows = np.zeros((3, len(NAMES)), np.float32)
    rows[1, NAMES.index("rank")] = 1
    rows[2, [NAMES.index("new_words"), NAMES.index("titled_words")]] = 1
    places = [[(0, 3)], [(0, 3), (4, 9)]]
    monkeypatch.setattr(sentence_judge, "features", lambda _, __: (places, rows))
    found, chances = sentence_judge.judged("q", [passage("abc"), passage("abc defgh")])
    assert found == places
    assert [part.tolist() for part in chances] == [
        [pytest.approx(0.0313, abs=1e-4)],
        [pytest.approx(0.0085, abs=1e-4), pytest.approx(0.7933, abs=1e-4)],
    ]


def test_every_feature_has_its_weight() -> None:
    assert set(sentence_judge.WEIGHTS) == set(NAMES)


def test_the_sentence_with_the_words_of_the_question_is_likeliest() -> None:
    text = "The weather was fine. The bridge over the Elbe opened in 1893. People came."
    places, (chances,) = sentence_judge.judged("When did the bridge over the Elbe open?", [passage(text)])
    assert places == [sentences(text)]
    assert int(np.argmax(chances)) == 1
    assert sentence_judge.judged("When?", []) == ([], [])


# -- verbatim ----------------------------------------------------------------------------------------------------
SOURCES = [
    passage("The river rose by three metres. A stone bridge fell down."),
    passage("Nobody was hurt in the town."),
]


def taken(text: str) -> tuple[list[str], dict[str, int]]:
    """What of `text` stands in the sources, and the counts of it."""
    with recording() as record, stage("test"):
        found = found_in(text, SOURCES)
    (told,) = record.stages
    return [SOURCES[number].text[start:end] for number, (start, end) in found], dict(told.counts)


def test_sentences_of_the_sources_are_taken_in_the_order_of_the_text() -> None:
    words, counts = taken("Nobody was hurt in the town. The river rose by three metres.")
    assert words == ["Nobody was hurt in the town.", "The river rose by three metres."]
    assert counts == {"aligned_fragments": 2, "invented_fragments": 0}


def test_what_no_source_says_is_dropped_and_counted() -> None:
    words, counts = taken("The river rose by three metres. The mayor resigned on the next day.")
    assert words == ["The river rose by three metres."]
    assert counts == {"aligned_fragments": 1, "invented_fragments": 1}
    assert taken("")[0] == []


def test_a_changed_number_is_no_quote() -> None:
    assert taken("The river rose by seven metres.")[0] == []


def test_the_earlier_of_two_sources_wins() -> None:
    twice = [passage("Nobody was hurt in the town."), passage("Nobody was hurt in the town.")]
    assert found_in("Nobody was hurt in the town.", twice) == [(0, (0, 28))]
