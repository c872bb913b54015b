from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from decoct.data import Span
from decoct_lab.context.align import Alignment, align

A = "Larry Alcala was born in Daraga in 1926. He studied at the University of the Philippines, and he later taught  “fine arts” there."
B = "The University of the Philippines began military instruction in 1912. It isn’t old."
SOURCES = [(Span("a", 100, 100 + len(A)), A), (Span("b", 0, len(B)), B)]


def spans(found: Alignment) -> list[tuple[str, str]]:
    for fragment in found.fragments:
        span, text = SOURCES[fragment.source]
        assert fragment.span.doc_id == span.doc_id
        assert fragment.text == text[fragment.span.start - span.start : fragment.span.end - span.start]
    return [(fragment.span.doc_id, fragment.text) for fragment in found.fragments]


def test_verbatim_sentences_are_found_where_they_stand() -> None:
    found = align("It isn't old. Larry Alcala was born in Daraga in 1926.", SOURCES)
    assert spans(found) == [("b", "It isn’t old."), ("a", "Larry Alcala was born in Daraga in 1926.")]
    assert [(fragment.start, fragment.end, fragment.similarity) for fragment in found.fragments] == [
        (0, 13, 1.0),
        (14, 54, 1.0),
    ]
    assert found.dropped == ()


def test_normalised_text_snaps_to_the_source_characters() -> None:
    found = align('He studied at the University of the Philippines, and he later taught "fine arts" there.', SOURCES)
    assert spans(found) == [("a", A[41:])]


def test_list_marks_and_closing_punctuation_do_not_matter() -> None:
    found = align("- Larry Alcala was born in Daraga in 1926\n2. It isn't old!", SOURCES)
    assert spans(found) == [("a", "Larry Alcala was born in Daraga in 1926"), ("b", "It isn’t old")]


def test_near_matches_become_the_source_sentence() -> None:
    found = align("The University of the Philippines began a military instruction in 1912.", SOURCES)
    assert spans(found) == [("b", "The University of the Philippines began military instruction in 1912.")]
    assert 0.92 <= found.fragments[0].similarity < 1


def test_changed_numbers_negations_and_names_are_dropped() -> None:
    for lie in (
        "The University of the Philippines began military instruction in 1922.",
        "The University of the Philippines never began military instruction in 1912.",
        "The University of the Philistines began military instruction in 1912.",
    ):
        assert align(lie, SOURCES) == Alignment((), (lie,))


def test_a_sentence_that_stands_nowhere_is_tried_by_clauses() -> None:
    found = align("He studied at the University of the Philippines, which was founded by aliens, of course.", SOURCES)
    assert spans(found) == [("a", "He studied at the University of the Philippines,")]
    assert found.dropped == ("which was founded by aliens,", "of course.")


def test_words_are_not_found_inside_words() -> None:
    assert align("dying at the University", SOURCES).fragments == ()


def test_repeated_text_is_found_after_what_was_found_before() -> None:
    text = "Yes. One came. Yes. Two came."
    found = align("One came. Yes. Two came.", [(Span("d", 0, len(text)), text)])
    assert [fragment.span.start for fragment in found.fragments] == [5, 15, 20]


def test_no_sources_or_no_text() -> None:
    assert align("Words of nobody.", []) == Alignment((), ("Words of nobody.",))
    assert align("", SOURCES) == Alignment((), ())


@given(
    st.lists(st.text(st.sampled_from("abC 1.,\n“ﬁ日\x00"), min_size=1, max_size=60), min_size=1, max_size=4), st.data()
)
def test_fragments_are_always_source_text(texts: list[str], data: st.DataObject) -> None:
    sources = [(Span(f"d{i}", 7, 7 + len(text)), text) for i, text in enumerate(texts)]
    start = data.draw(st.integers(0, len(texts[0])))
    found = align(texts[0][start:] + data.draw(st.text(st.sampled_from("ab. "), max_size=9)), sources)
    for fragment in found.fragments:
        text = texts[fragment.source]
        assert fragment.span.doc_id == f"d{fragment.source}"
        assert fragment.text == text[fragment.span.start - 7 : fragment.span.end - 7]


def test_whole_sources_align_with_themselves() -> None:
    found = align(f"{A} {B}", SOURCES)
    assert found.dropped == ()
    assert "".join(fragment.text.replace(" ", "") for fragment in found.fragments) == (A + B).replace(" ", "")


def test_clauses_that_stand_together_stay_together() -> None:
    # The first source has no stop, so the model's text runs on: what follows is one sentence that is nowhere as a whole.
    source = "Wood and a friend, John A. Wilson, were captured close to Union lines in Stevenson, Alabama, in 1862."
    given = [(Span("h", 0, 14), "A heading, 1862"[:14]), (Span("w", 0, len(source)), source)]
    found = align(f"A heading, of no source, {source}", given)
    assert [fragment.text for fragment in found.fragments] == [source]
    assert found.dropped == ("A heading,", "of no source,")
    # A clause in the middle that no source has parts what stands before it from what stands after it.
    told = source.replace("in Stevenson, ", "in Stevenson, which is quite far, ")
    found = align(told, given)
    assert [fragment.text for fragment in found.fragments] == [
        "Wood and a friend, John A. Wilson, were captured close to Union lines in Stevenson,"
    ]
    assert found.dropped == ("which is quite far,", "Alabama, in 1862.")  # too short to prove anything


def test_a_text_that_quotes_stays_in_its_source_and_else_the_first_wins() -> None:
    same = "The school opened in 1912. It closed in 1950."
    given = [(Span("a", 0, len(same)), same), (Span("b", 0, len(same) + 11), "Only here. " + same)]
    found = align("It closed in 1950. Only here. The school opened in 1912.", given)
    assert [fragment.span.doc_id for fragment in found.fragments] == ["a", "b", "b"]


def test_the_mark_between_sources_is_never_matched() -> None:
    given = [(Span("a", 0, 3), "one"), (Span("b", 0, 3), "two")]
    assert align("one\x00two", given).fragments == ()
    assert [fragment.span.doc_id for fragment in align("two", given).fragments] == ["b"]
