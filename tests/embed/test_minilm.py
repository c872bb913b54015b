"""The bundled embedder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from decoct import Library
from decoct.data import Document
from decoct.embed.minilm import FIRST, MiniLM, weights
from decoct.errors import ConfigError
from decoct.rebuild import rebuild
from decoct_testing.embedder_contract import TEXTS, EmbedderContract


class TestMiniLM(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> MiniLM:
        return MiniLM(threads=2)


def test_fingerprint_names_the_weights() -> None:
    assert MiniLM().fingerprint == "minilm-2-int8:643dacf0"
    assert MiniLM(weights=FIRST).fingerprint == "minilm-l6-v2-int8:1c39c4ac"


def test_a_library_keeps_the_weights_that_it_was_built_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("decoct.embed.minilm.CURRENT", FIRST)
        with Library.open(tmp_path / "old", embedder="minilm") as built:
            built.add([Document("a", "The gate closes at noon.")])
    with Library.open(tmp_path / "old") as opened, Library.open(tmp_path / "new") as new:
        assert opened.embedder.fingerprint == FIRST.fingerprint
        assert opened.search("When does the gate close?")
        assert new.embedder.fingerprint == MiniLM().fingerprint
    rebuild(tmp_path / "old")
    with Library.open(tmp_path / "old") as opened:
        assert opened.embedder.fingerprint == MiniLM().fingerprint


def test_the_number_of_threads_does_not_change_a_bit() -> None:
    one, three = (MiniLM(threads=n).embed(TEXTS, "passage") for n in (1, 3))
    assert np.array_equal(one, three)


def test_meaning_counts_more_than_words() -> None:
    paris, capital, banana = MiniLM().embed(["Paris", "the capital of France", "a ripe banana"], "passage")
    assert paris @ capital > paris @ banana


def test_texts_are_cut_at_256_tokens() -> None:
    # 254 words and the two special tokens fill the window: what follows is not seen.
    full = " ".join(["city"] * 254)
    first, second = MiniLM().embed([full, full + " banana"], "passage")
    assert np.array_equal(first, second)


def test_agrees_with_the_float_model() -> None:
    """The float32 vectors of sentence-transformers for these texts, made with the weights of the hub page of the first bundled model."""
    reference = np.load(Path(__file__).parent / "minilm_float32.npz")
    ours = MiniLM(weights=FIRST).embed([str(text) for text in reference["texts"]], "passage")
    cosines = (ours * reference["vectors"]).sum(axis=1)
    assert cosines.min() > 0.985
    assert cosines.mean() > 0.99


def test_the_bundled_files_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights.verify()
    for file in ("model.onnx", "tokenizer.json"):
        (tmp_path / file).write_bytes((FIRST.folder / file).read_bytes()[:-1])
    monkeypatch.setattr(weights, "FIRST", replace(FIRST, folder=tmp_path))
    with pytest.raises(ConfigError, match=r"tokenizer\.json, .*model\.onnx"):
        weights.verify()
