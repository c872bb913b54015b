"""The batches of contrastive training, and what is pulled together. Needs the extra `train`."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoct_lab.train.embedder.pairs import QuestionPair

torch: Any = pytest.importorskip("torch")
pytest.importorskip("transformers")

from decoct_lab.train.embedder.fit import EmbedderFit, _batches, _embedded, _loss  # noqa: E402 - after the check for torch


def pair(key: int, number: int = 0) -> QuestionPair:
    return QuestionPair(f"q{key}.{number}", f"d{key}", key, f"p{key}", (f"n{key}",))


def batches(pairs: list[QuestionPair], batch: int, steps: int) -> list[list[QuestionPair]]:
    return list(_batches(pairs, EmbedderFit("base", Path("out"), batch=batch), steps))


@settings(max_examples=30)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=20), st.integers(1, 8), st.integers(1, 12))
def test_a_chunk_stands_in_a_batch_once_and_every_batch_is_full(keys: list[int], size: int, steps: int) -> None:
    found = batches([pair(key, number) for number, key in enumerate(keys)], size, steps)
    assert len(found) == steps
    for one in found:
        assert len({two.key for two in one}) == len(one) == min(size, len(set(keys)))


def test_every_question_is_seen_before_one_is_seen_again() -> None:
    pairs = [pair(key) for key in range(12)]
    seen = [one.question for batch in batches(pairs, 4, 6) for one in batch]
    assert sorted(seen[:12]) == sorted(seen[12:]) == sorted(one.question for one in pairs)
    assert seen == [one.question for batch in batches(pairs, 4, 6) for one in batch]


def words(texts: list[str], **_: Any) -> dict[str, Any]:
    """Two tokens a text, the second one padding where the text is of one letter."""
    ids = [[ord(text[0]), ord(text[-1])] for text in texts]
    return {"input_ids": torch.tensor(ids), "attention_mask": torch.tensor([[1, int(len(text) > 1)] for text in texts])}


def encoder(input_ids: Any, attention_mask: Any) -> Any:
    """States of two numbers: whether the token is an `a`, and whether it is none."""
    first = (input_ids == ord("a")).float()
    return SimpleNamespace(last_hidden_state=torch.stack([first, 1 - first], dim=-1))


def test_a_text_is_the_mean_of_its_tokens_without_padding_at_length_one() -> None:
    made = _embedded(encoder, words, ["a", "b", "ab"], 8)
    assert made[:2].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert made[2].tolist() == pytest.approx([0.5**0.5] * 2)


def test_a_question_is_told_from_the_other_chunks_and_from_the_negatives() -> None:
    right = [QuestionPair("a", "d1", 1, "a", ("b",)), QuestionPair("b", "d2", 2, "b", ("a",))]
    wrong = [QuestionPair("a", "d1", 1, "b", ("a",)), QuestionPair("b", "d2", 2, "a", ("b",))]
    # Of four passages two are as near as the right one (cosine 1) and two are at cosine 0, e to the -20 less.
    assert _loss(encoder, words, right, 8).item() == pytest.approx(0.6931, abs=1e-3)
    assert _loss(encoder, words, wrong, 8).item() == pytest.approx(20.6931, abs=1e-3)
