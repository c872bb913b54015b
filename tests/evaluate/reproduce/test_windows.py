from __future__ import annotations

import numpy as np
from words import WordTokenizer

from decoct_lab.reproduce.windows import WINDOW, Windows
from decoct_testing.hash_embedder import HashEmbedder


def test_a_long_text_is_the_mean_of_its_equal_parts_and_a_short_one_is_itself() -> None:
    windows, inner = Windows(HashEmbedder(), WordTokenizer()), HashEmbedder()
    words = [f"w{i}" for i in range(WINDOW + 50)]
    parts = [" ".join(words[:150]), " ".join(words[150:])]
    mean = inner.embed(parts, "passage").mean(axis=0)
    found = windows.embed([" ".join(words), "short"], "passage")
    np.testing.assert_allclose(found[0], mean / np.linalg.norm(mean), rtol=1e-5)
    np.testing.assert_array_equal(found[1], inner.embed(["short"], "passage")[0])
    assert windows.fingerprint != inner.fingerprint
