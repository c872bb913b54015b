"""The lexical index: golden values against bm25s, unusual words, terms and filters."""

from pathlib import Path

import bm25s
import numpy as np
import pytest

from decoct.index.embedded import EmbeddedStore
from decoct.text.analysis import stems
from decoct_testing.store_corpus import WORDS, make_entry, unit_rows


def texts(count: int, longest: int = 40) -> list[str]:
    random = np.random.default_rng(3)
    shares = 1 / np.arange(1, 21)
    return [" ".join(random.choice(WORDS, random.integers(5, longest), p=shares / shares.sum())) for _ in range(count)]


def opened(folder: Path) -> EmbeddedStore:
    return EmbeddedStore.open(folder, settings={})


@pytest.mark.parametrize("question", ["river", "stone bridges", "garden winter light marble", "river river compass"])
def test_scores_are_those_of_bm25s(tmp_path: Path, question: str) -> None:
    pieces = texts(200)
    with opened(tmp_path) as store:
        store.put([make_entry("a", pieces)])
        found = store.lexical(question, 500)
        first = store.chunk_keys("a")[0]
    peer = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    peer.index([stems(text) for text in pieces], show_progress=False)
    expected = peer.get_scores(stems(question)) * 2.2  # bm25s leaves out the factor k1 + 1
    assert len(found) == np.count_nonzero(expected)
    assert found.scores == pytest.approx(expected[found.keys - first], abs=1e-3)


def test_long_texts_keep_the_order_but_for_near_ties(tmp_path: Path) -> None:
    # Above 40 words tantivy rounds a length down by up to a sixteenth, which moves a score by less than that.
    pieces = texts(200, longest=300)
    with opened(tmp_path) as store:
        store.put([make_entry("a", pieces)])
        found = store.lexical("river marble", 10)
        first = store.chunk_keys("a")[0]
    peer = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    peer.index([stems(text) for text in pieces], show_progress=False)
    expected = peer.get_scores(stems("river marble")) * 2.2
    assert found.scores == pytest.approx(expected[found.keys - first], rel=1 / 16)


def test_titles_are_searched_with_the_text(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.put([make_entry("a", ["nothing here"], title="Larry Alcala"), make_entry("b", ["other"])])
        assert store.lexical("alcala", 5).keys.tolist() == store.chunk_keys("a").tolist()


@pytest.mark.parametrize(
    "question", ['"', "a AND", "field:x", "(((", "-river", "*", "\x00", "x" * 50_000, "ri\u0301ver 東京"]
)
def test_a_question_is_words_not_a_query_language(tmp_path: Path, question: str) -> None:
    with opened(tmp_path) as store:
        store.put([make_entry("a", ["the river and a field"])])
        assert len(store.lexical(question, 5)) <= 1


def test_a_question_of_a_thousand_words(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.put([make_entry("a", texts(50))])
        assert len(store.lexical(" ".join(f"{word} w{n}" for n in range(50) for word in WORDS), 5)) == 5


def test_filters_hold_any_text(tmp_path: Path) -> None:
    values = ["", "a=b", "x\x1fy", "ü 東京", "long " * 1000, "long " * 1000 + "!", "true"]
    with opened(tmp_path) as store:
        store.put([make_entry(f"d{n}", ["river"], metadata={"key": value}) for n, value in enumerate(values)])
        store.put([make_entry("flag", ["river"], metadata={"key": True, "key\x1fx": "y"})])
        for n, value in enumerate(values[:-1]):
            where = {"key": (value,)}
            assert store.lexical("river", 9, where).keys.tolist() == store.chunk_keys(f"d{n}").tolist()
            assert store.nearest(unit_rows(1)[0], 9, where).keys.tolist() == store.chunk_keys(f"d{n}").tolist()
        assert len(store.lexical("river", 9, {"key": ("true",)})) == 2
