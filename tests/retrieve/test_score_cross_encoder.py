"""The cross-encoder scorer, over a stand-in for sentence-transformers (which needs torch) with the same interface."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from decoct.errors import ConfigError, MissingExtraError
from decoct_lab.retrieve import score_cross_encoder
from decoct_lab.retrieve.score_cross_encoder import CrossEncoderScorer


class WordTokenizer:
    """One token a word and three special tokens a pair."""

    def __call__(self, text: str, **kwargs: Any) -> dict[str, Any]:
        found = list(re.finditer(r"\S+", text))
        return {"input_ids": found, "offset_mapping": [match.span() for match in found]}

    def num_special_tokens_to_add(self, pair: bool) -> int:
        return 3 if pair else 2


class CrossEncoder:
    """Scores a text by its largest number; `made` records the constructions and `pairs` what was scored."""

    made: list[dict[str, Any]] = []  # noqa: RUF012
    pairs: list[tuple[str, str]] = []  # noqa: RUF012

    def __init__(self, name: str, **settings: Any) -> None:
        if name == "missing":
            raise OSError("no such folder\nsee the manual")
        self.made.append({"name": name, **settings})
        self.num_labels = 3 if name == "nli" else 1
        self.max_seq_length = settings["max_length"] or 99
        self.tokenizer = WordTokenizer()

    def predict(self, pairs: list[tuple[str, str]], **settings: Any) -> Any:
        self.pairs.extend(pairs)
        return np.array([max(map(int, re.findall(r"\d+", text)), default=0) for _, text in pairs], np.float64)


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    stand_in, torch = ModuleType("sentence_transformers"), ModuleType("torch")
    stand_in.CrossEncoder = CrossEncoder  # type: ignore[attr-defined]
    torch.nn = ModuleType("nn")  # type: ignore[attr-defined]
    torch.nn.Identity = lambda: "identity"
    monkeypatch.setitem(sys.modules, "sentence_transformers", stand_in)
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(CrossEncoder, "made", [])
    monkeypatch.setattr(CrossEncoder, "pairs", [])
    score_cross_encoder._load.cache_clear()
    yield
    score_cross_encoder._load.cache_clear()


def test_scores_in_order_and_loads_once() -> None:
    scorer = CrossEncoderScorer("some/model")
    assert scorer.score("q", ["a 3", "b", "c 7"]).tolist() == [3, 0, 7]
    assert scorer.score("q", ["d 1"]).tolist() == [1]
    assert CrossEncoder.made == [{"name": "some/model", "max_length": 512, "activation_fn": "identity"}]
    assert CrossEncoder.pairs[0] == ("q", "a 3")
    assert len(CrossEncoderScorer("never loaded").score("q", [])) == 0


def test_a_long_text_counts_by_its_best_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_cross_encoder, "WINDOW", 44)
    # 44 tokens for both, 3 special, 1 of the question: windows of 40 words, one every 30
    text = " ".join(["w"] * 95 + ["9"] + ["w"] * 4)
    scorer = CrossEncoderScorer("some/model")
    assert scorer.score("q", [text, "5"]).tolist() == [9, 5]
    windows = [window.split() for _, window in CrossEncoder.pairs[:-1]]
    assert [len(words) for words in windows] == [40, 40, 40]
    assert CrossEncoder.pairs[-1] == ("q", "5")


def test_a_question_that_fills_the_window_leaves_the_text_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_cross_encoder, "WINDOW", 44)
    text = " ".join(["w"] * 100)
    CrossEncoderScorer("some/model").score("q " * 20, [text])
    assert [window for _, window in CrossEncoder.pairs] == [text]


def test_what_cannot_be_loaded() -> None:
    with pytest.raises(ConfigError, match=r"'missing' cannot be loaded \(no such folder\); give"):
        CrossEncoderScorer("missing").score("q", ["a"])
    with pytest.raises(ConfigError, match="gives 3 scores"):
        CrossEncoderScorer("nli").score("q", ["a"])


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"decoct\[torch\]"):
        CrossEncoderScorer("some/model").score("q", ["a"])
