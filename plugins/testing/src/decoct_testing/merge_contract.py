"""What every fuser, affinity and judge of sentences must do. Inherit, and give the fixture; pytest does the rest.

class TestMyFuser(FuserContract):
    @pytest.fixture
    def fuser(self) -> Fuser:
        return MyFuser(...)
"""

from __future__ import annotations

import math

import pytest

from decoct.context.base import Affinity, Fuser, SentenceJudge
from decoct.context.quotes import check_provenance
from decoct.data import Passage, Span

QUESTION = "Where does the river Aare rise, and into which river does it flow?"
_TEXTS = (
    "The Aare is a river in Switzerland. It rises in the Bernese Alps. Many people swim in it.",
    "The Rhine is a river in Europe. The Aare flows into the Rhine at Koblenz. Ships go up to Basel.",
    "Bread is baked of flour and water. Salt is added to it. It is eaten everywhere.",
    "The Bernese Alps are a range of mountains.\nTheir highest peak is the Finsteraarhorn, 4,274 metres high.",
)


def passages() -> list[Passage]:
    """Four quotes of four documents, best first; the last two have more than one span."""
    found = []
    for number, text in enumerate(_TEXTS):
        spans: tuple[Span, ...] = (Span(f"d{number}", 5, 5 + len(text)),)
        if "\n" in text:
            cut = text.index("\n")
            spans = (Span(f"d{number}", 0, cut), Span(f"d{number}", cut + 20, 19 + len(text)))
        found.append(Passage(text, spans, "quote", 1 - number / 10, f"Title {number}"))
    return found


class FuserContract:
    """The promises of `Fuser`."""

    @pytest.fixture
    def fuser(self) -> Fuser:
        """The fuser under test."""
        raise NotImplementedError("give the fixture `fuser`")

    def test_one_result_a_pair_in_their_order(self, fuser: Fuser) -> None:
        """Pairs do not change each other's result, and swapping them swaps the results."""
        one, two, three, four = passages()
        pairs = [(one, two), (three, four)]
        found = fuser.fuse(QUESTION, pairs)
        assert len(found) == 2
        assert fuser.fuse(QUESTION, pairs[::-1]) == found[::-1]
        assert fuser.fuse(QUESTION, []) == []

    def test_provenance_is_never_widened(self, fuser: Fuser) -> None:
        """A quote's spans lie in those of its inputs and have their words; a rewrite's support does too."""
        one, two, three, four = passages()
        for pair, found in zip(
            [(one, two), (three, four), (four, one)],
            fuser.fuse(QUESTION, [(one, two), (three, four), (four, one)]),
            strict=True,
        ):
            if found is None:
                continue
            if found.kind == "quote":
                check_provenance(found, pair)
            given = {span.doc_id for passage in pair for span in passage.support}
            assert {span.doc_id for span in found.support} <= given

    def test_what_was_fused_can_be_fused_again(self, fuser: Fuser) -> None:
        """The second layer is like the first."""
        one, two, three, four = passages()
        first = [passage for passage in fuser.fuse(QUESTION, [(one, two), (three, four)]) if passage is not None]
        if len(first) == 2:
            (found,) = fuser.fuse(QUESTION, [(first[0], first[1])])
            if found is not None and found.kind == "quote":
                check_provenance(found, first)


class AffinityContract:
    """The promises of `Affinity`."""

    @pytest.fixture
    def affinity(self) -> Affinity:
        """The affinity under test."""
        raise NotImplementedError("give the fixture `affinity`")

    def test_a_row_a_source_and_a_cell_an_anchor(self, affinity: Affinity) -> None:
        """The matrix has the shape of its arguments, and no cell is NaN."""
        found = affinity.affinity(_TEXTS[:3], _TEXTS[:2])
        assert [len(row) for row in found] == [2, 2, 2]
        assert not any(math.isnan(cell) for row in found for cell in row)
        assert affinity.affinity([], _TEXTS[:1]) == []
        assert affinity.affinity(_TEXTS[:1], []) == [[]]

    def test_a_copy_is_predicted_best(self, affinity: Affinity) -> None:
        """Lower is better predicted: nothing predicts a text as its own copy does."""
        for at, row in enumerate(affinity.affinity(_TEXTS, _TEXTS)):
            assert min(range(len(row)), key=lambda anchor, row=row: row[anchor]) == at  # type: ignore[misc]


class SentenceJudgeContract:
    """The promises of `SentenceJudge`."""

    @pytest.fixture
    def judge(self) -> SentenceJudge:
        """The judge under test."""
        raise NotImplementedError("give the fixture `judge`")

    def test_every_sentence_has_a_chance(self, judge: SentenceJudge) -> None:
        """Sentences are characters of the passage in order, none inside another, each with a chance from 0 to 1."""
        given = passages()
        places, chances = judge.judged(QUESTION, given)
        assert len(places) == len(chances) == len(given)
        for passage, found, worth in zip(given, places, chances, strict=True):
            assert worth.shape == (len(found),)
            assert ((worth >= 0) & (worth <= 1)).all()
            ends = [0, *(end for _, end in found)]
            assert all(before <= start < end for before, (start, end) in zip(ends, found, strict=False))
            assert ends[-1] <= len(passage.text)

    def test_what_answers_is_worth_more_than_bread(self, judge: SentenceJudge) -> None:
        """The best sentence of the two passages about the river is worth more than every one about bread."""
        _, chances = judge.judged(QUESTION, passages())
        assert max(chances[0].max(), chances[1].max()) > chances[2].max()

    def test_the_same_is_judged_the_same(self, judge: SentenceJudge) -> None:
        """Twice the same question, twice the same chances."""
        (_, one), (_, two) = (judge.judged(QUESTION, passages()) for _ in range(2))
        assert [part.tolist() for part in one] == [part.tolist() for part in two]

    def test_nothing_is_judged_nothing(self, judge: SentenceJudge) -> None:
        """No passages, no sentences."""
        assert judge.judged(QUESTION, []) == ([], [])
