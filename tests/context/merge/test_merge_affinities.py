from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from decoct import trace
from decoct.context.base import Affinity
from decoct.errors import ConfigError, PromptTooLongError
from decoct.llm.base import Losses
from decoct_lab.context.merge.affinity_cache_lm import CacheLM
from decoct_lab.context.merge.affinity_compression import Compression
from decoct_lab.context.merge.affinity_cosine import Cosine
from decoct_lab.context.merge.affinity_llm import LLMAffinity
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import MU, VOCABULARY, ScriptedLLM

SOURCE = "The Aare is a river in Switzerland that rises in the Bernese Alps and flows into the Rhine."
OTHERS = [
    "Painting with oil is an old craft of many workshops in Flanders.",
    "Bread is baked of flour, water and salt.",
]


@pytest.mark.parametrize(
    "affinity",
    [LLMAffinity(ScriptedLLM([])), CacheLM(), Compression(), Cosine(HashEmbedder())],
    ids=lambda a: type(a).__name__,
)
def test_a_copy_is_predicted_better_than_anything_else(affinity: Affinity) -> None:
    (row,) = affinity.affinity([SOURCE], [*OTHERS, SOURCE])
    assert min(range(3), key=lambda at: row[at]) == 2
    assert affinity.affinity([], [SOURCE]) == []
    assert affinity.affinity([SOURCE], []) == [[]]


def test_the_models_affinity_is_its_mean_loss_anchor_by_anchor() -> None:
    llm = ScriptedLLM([])
    found = LLMAffinity(llm).affinity(["x", "y"], ["x x", "z"])
    # P(x | "x x") = (2 + MU/V) / (2 + MU); P(y | "x x") = (MU/V) / (2 + MU)
    assert found[0][0] == pytest.approx(-math.log((2 + MU / VOCABULARY) / (2 + MU)))
    assert found[1][0] == pytest.approx(-math.log((MU / VOCABULARY) / (2 + MU)))
    assert llm.pairs == [("x x\n\n", "x"), ("x x\n\n", "y"), ("z\n\n", "x"), ("z\n\n", "y")]


def test_anchors_that_do_not_fit_the_window_lose_their_beginnings() -> None:
    class Small(ScriptedLLM):
        window = 400

        def losses(self, pairs: Sequence[tuple[str, str]]) -> list[Losses]:
            if max(len(anchor) + len(source) for anchor, source in pairs) > self.window:
                raise PromptTooLongError("too long")
            return super().losses(pairs)

    llm, long = Small([]), "bread " * 200 + "x x"
    with trace.recording() as record:
        ((cut, whole),) = LLMAffinity(llm).affinity(["x"], [long, "x x"])
    assert record.fallbacks == {"merge.affinity.anchor_cut": 2}  # 1203 characters, 601, 300
    assert llm.pairs[0][0] == long[-300:] + "\n\n"
    assert whole < cut < math.inf
    llm.window = 10  # not even the source fits
    with trace.recording() as record:
        LLMAffinity(llm).affinity(["x" * 20], ["x x"])
    assert record.fallbacks == {"merge.affinity.prompt-too-long": 1}


def test_a_shortlist_asks_only_about_the_nearest() -> None:
    llm = ScriptedLLM([])
    (row,) = LLMAffinity(llm, shortlist=1, embedder=HashEmbedder()).affinity([SOURCE], [*OTHERS, SOURCE])
    assert [math.isinf(value) for value in row] == [True, True, False]
    assert len(llm.pairs) == 1
    with pytest.raises(ConfigError, match="embedder"):
        LLMAffinity(llm, shortlist=3)


def test_the_cache_models_probabilities_by_hand() -> None:
    # Words: a (anchor "a a b", source "a b"). Background: a 1+3, b 1+2 of 7. Smoothed: (2 + 200 * 4/7) / 203, (1 + 200 * 3/7) / 203.
    (row,) = CacheLM().affinity(["a b"], ["a a b"])
    first = 0.45 * (2 + 200 * 4 / 7) / 203 + 0.20 * 4 / 7
    second = 0.35 * (1 / 2) + 0.45 * (1 + 200 * 3 / 7) / 203 + 0.20 * 3 / 7
    assert row[0] == pytest.approx(-(math.log(first) + math.log(second)) / 2)


def test_texts_without_words_have_no_affinity() -> None:
    assert CacheLM().affinity(["...", "a"], ["a", "!"]) == [[math.inf, math.inf], [pytest.approx(0.0, abs=5), math.inf]]
    assert Compression().affinity([""], ["a"]) == [[math.inf]]


def test_an_anchor_that_holds_the_source_makes_it_cheap_to_write() -> None:
    # Without dictionary: a frame and block header of 5 bytes, then the bytes as they are (too short to repeat themselves).
    rows = Compression().affinity(["abcdefgh", SOURCE], ["short", SOURCE, OTHERS[0]])
    assert rows[0] == [(5 + 8) / 8] * 3
    assert rows[1][1] < 0.25 < rows[1][2] <= rows[1][0]
    # Bytes count, not characters.
    assert Compression().affinity(["ü"], [""]) == [[(5 + 2) / 2]]


def test_a_long_anchor_is_known_to_its_beginning() -> None:
    long = SOURCE + "".join(f" Filler number {n} says nothing." for n in range(4000))
    ((near, far),) = Compression().affinity([SOURCE], [long, long[len(SOURCE) :]])
    assert near < 0.5 * far
