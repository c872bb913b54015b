"""The views whose vectors are pooled for a document."""

from __future__ import annotations

import numpy as np

from decoct.data import Document
from decoct.retrieve.cards.contributions import CardMaterial
from decoct.retrieve.cards.index import pooled, views
from decoct_testing.hash_embedder import HashEmbedder

NOTHING = CardMaterial((), "", ())


def test_the_closing_stands_before_the_references() -> None:
    body = " ".join(f"word{n}" for n in range(600))
    text = f"Abstract\n{body}\n\n5 Conclusions\nWe end with taggers.\n\nReferences\nA. Author. 1999. A title."
    closing = views(Document("a", text, "T"), NOTHING).closing
    assert closing.rstrip().endswith("We end with taggers.")
    assert len(closing) == 1500
    assert "A. Author" not in closing


def test_a_text_that_its_opening_holds_has_no_closing() -> None:
    seen = views(Document("a", "We propose a tagger. It is small.", "T"), NOTHING)
    assert seen.closing == ""
    assert seen.opening == "T\nWe propose a tagger. It is small."


def test_the_closing_weighs_as_much_as_the_opening() -> None:
    embedder = HashEmbedder()
    text = "\n".join(f"line{n} has its own words{n}." for n in range(200))
    document = Document("a", text, "T")
    seen = views(document, NOTHING)
    (card,) = pooled([document], [NOTHING], embedder)[0]
    sentences = embedder.embed(seen.sentences, "passage").mean(axis=0)
    whole = embedder.embed([seen.opening, seen.closing], "passage").sum(axis=0) + sentences / np.linalg.norm(sentences)
    np.testing.assert_allclose(card, whole / np.linalg.norm(whole), atol=1e-5)
