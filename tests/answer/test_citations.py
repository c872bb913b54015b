from __future__ import annotations

import time
from dataclasses import replace

import pytest
from contexts import context_of
from hypothesis import example, given
from hypothesis import strategies as st

from decoct.answer.citations import CitedText, cited
from decoct.context.layouts import Numbered, shielded
from decoct.data import Draft
from decoct.trace import recording

CONTEXT = context_of("q", "One.", "Two.", "Three.")


@pytest.mark.parametrize(
    ("reply", "text", "cites"),
    [
        ("It is so [1].", "It is so [1].", [1]),
        ("So [1, 3].", "So [1][2].", [1, 3]),
        ("So [1][2].", "So [1][2].", [1, 2]),
        ("So[1-3]!", "So[1][2][3]!", [1, 2, 3]),
        ("So [1–2; 2 and 3].", "So [1][2][3].", [1, 2, 3]),
        ("So 【2】.", "So [1].", [2]),
        ("So [Passage 2].", "So [1].", [2]),
        ("So [3], and [1]; so [3].", "So [1], and [2]; so [1].", [3, 1, 3]),
        ("  So [2] \n", "So [1]", [2]),
        ("So [２].", "So [1].", [2]),
        ("In [2019] it was [sic].", "In [2019] it was [sic].", []),
        ("No citation", "No citation", []),
        ("Open [1", "Open [1", []),
        ("[ [1] ]", "[ [1] ]", [1]),
    ],
)
def test_every_form_becomes_one_mark_a_passage_numbered_by_first_use(reply: str, text: str, cites: list[int]) -> None:
    found, citations = cited(reply, CONTEXT)
    assert found == text
    assert [CONTEXT.passages.index(citation.passage) + 1 for citation in citations] == cites
    for citation in citations:
        assert found[citation.start : citation.end] == f"[{citation.number}]"
        assert citation.source.quote == citation.passage.text
    numbers = [citation.number for citation in citations]
    assert sorted(set(numbers)) == list(range(1, len(set(cites)) + 1))
    assert numbers == [list(dict.fromkeys(cites)).index(one) + 1 for one in cites]


@pytest.mark.parametrize(
    ("reply", "text", "invalid"),
    [
        ("So [9].", "So.", 1),
        ("So [1, 9].", "So [1].", 1),
        ("So [0] and [3-5].", "So and [1].", 3),
        ("[7] So", "So", 1),
        ("So [999-1]", "So [1]", 1),
    ],
)
def test_a_citation_of_nothing_is_removed_and_counted(reply: str, text: str, invalid: int) -> None:
    with recording() as trace:
        assert cited(reply, CONTEXT)[0] == text
    assert trace.fallbacks == {"citation.invalid": invalid}


DOCUMENT = context_of(
    "q", "Use argv[1] for the name. It opened in 1906.[2][3] The official record [2] says so.", "Two.", "Three."
)


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("Take argv[1] [1].", "Take argv[1] [1]."),
        ("It opened in 1906.[2][3] [1]", "It opened in 1906.[2][3] [1]"),
        ("The official record [2] says so [1].", "The official record [2] says so [1]."),
        ("A record [2].", "A record [1]."),
        ("In 1906 [2][1]", "In 1906 [1][2]"),
    ],
)
def test_a_mark_that_was_copied_with_its_words_is_a_quotation(reply: str, text: str) -> None:
    told, citations = cited(reply, DOCUMENT)
    assert told == text
    assert {citation.passage for citation in citations} <= set(DOCUMENT.passages[:2])


def test_a_mark_copied_from_a_context_has_the_documents_own_brackets() -> None:
    context = context_of("q", "The cards:\n[0] first\n[1] second")
    shown = replace(context, text=Numbered().render(Draft(context.passages)))
    assert "［0］ first" in shown.text
    assert cited("They are:\n［0］ first\n［1］ second [1]", shown)[0] == "They are:\n[0] first\n[1] second [1]"
    assert cited("They are ［7］ [1].", shown)[0] == "They are ［7］ [1]."


PIECES = st.lists(
    st.sampled_from(
        [
            "[1]",
            "[2,",
            "3]",
            "[4",
            "-",
            "[12]",
            "]",
            " ",
            "word",
            "[1-3]",
            "[",
            "【",
            "】",
            "［",
            "］",
            "［2］",
            "\n",
            "x" * 70,
            "argv",
            ".",
        ]
    ),
    max_size=20,
)


@given(PIECES)
def test_places_are_exact_and_only_passages_are_cited(pieces: list[str]) -> None:
    text, citations = cited("".join(pieces), DOCUMENT)
    assert [text[citation.start : citation.end] for citation in citations] == [f"[{c.number}]" for c in citations]
    assert all(citation.passage in DOCUMENT.passages for citation in citations)


@given(PIECES, st.lists(st.integers(1, 9), min_size=1))
def test_a_reply_in_pieces_gives_the_same_text_and_citations(pieces: list[str], lengths: list[int]) -> None:
    reply, told, at, step = "".join(pieces), CitedText(DOCUMENT), 0, 0
    shown = ""
    while at < len(reply):
        length = lengths[step % len(lengths)]
        shown += told.feed(reply[at : at + length])
        at, step = at + length, step + 1
    shown += told.close()
    assert (shown, told.citations()) == cited(reply, DOCUMENT)


@given(st.text(alphabet=st.sampled_from("[]【】 12０３-–,;&and pasge\n\u200b²x"), max_size=40))
@example("[passages 1 and\n2]")
@example("【 Ref 1–3】")
def test_no_quotation_is_taken_for_a_citation(words: str) -> None:
    many = context_of("q", *map(str, range(1, 1000)))
    text, citations = cited(f"Said: {shielded(words)} [1] and {shielded(words)}", many)
    (citation,) = citations
    assert text[: citation.start] == f"Said: {words} "


@pytest.mark.parametrize("piece", ["[", " ", "[1", "[1]", "[1] a ", "【", "\t[", "[1,", "a [1] ", "]"])
def test_a_hostile_reply_takes_linear_time(piece: str) -> None:
    times = []
    for length in (20_000, 160_000):
        start = time.process_time()
        cited(piece * (length // len(piece)), CONTEXT)
        times.append(time.process_time() - start)
    assert times[1] < 32 * times[0] + 0.2  # eight times the text; quadratic would be 64
