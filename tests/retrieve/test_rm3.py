"""RM3, with the relevance model and the final sum worked by hand."""

from typing import Any

import pytest

from decoct.data import Query
from decoct.retrieve.ranking import by_key
from decoct.trace import recording
from decoct_lab.retrieve.rm3 import RM3


@pytest.fixture
def store(make_store: Any) -> Any:
    texts = ["painter alcala bauan", "alcala museum", "bauan school", "zebra"]
    return make_store(*((text, [(0, len(text))], [[1, 0]]) for text in texts))


def test_model_and_sum_by_hand(store: Any) -> None:
    with recording() as trace:
        found = RM3(store, k_docs=2, m=2, weight=0.25).retrieve(Query("the alcala"), 9)
    first = by_key(store.lexical("the alcala", 9))
    one, two = first[1] / (first[1] + first[2]), first[2] / (first[1] + first[2])
    # P(w|R): alcala one/3 + two/2, museum two/2, bauan and painter one/3 each; the best two scaled to sum to 1
    alcala, museum = one / 3 + two / 2, two / 2
    model = {"alcala": alcala / (alcala + museum), "museum": museum / (alcala + museum)}
    assert trace.facts["rm3.terms"] == {word: round(share, 4) for word, share in model.items()}
    addends = {word: by_key(store.lexical(word, 9)) for word in model}
    expected = {
        key: 0.75 * first.get(key, 0) + 0.25 * sum(model[w] * addends[w].get(key, 0) for w in model) for key in (1, 2)
    }
    assert by_key(found) == {key: pytest.approx(score, rel=1e-5) for key, score in expected.items()}
    assert found.keys.tolist() == [2, 1]
    assert set(found.found_by) == {"bm25", "rm3"}


def test_finds_what_shares_words_with_the_feedback_only(store: Any) -> None:
    found = RM3(store).retrieve(Query("painter"), 9)
    assert found.keys.tolist() == [1, 2, 3]  # "alcala" leads to the museum, "bauan" to the school; both weigh the same


def test_weight_0_is_bm25(store: Any) -> None:
    found = RM3(store, weight=0.0).retrieve(Query("alcala"), 9)
    assert [key for key, score in by_key(found).items() if score > 0] == store.lexical("alcala", 9).keys.tolist()


def test_nothing_found(store: Any) -> None:
    assert len(RM3(store).retrieve(Query("quagga"), 9)) == 0
    assert len(RM3(store).retrieve(Query("alcala", {"lang": ("en",)}), 9)) == 0


@pytest.mark.parametrize("settings", [{"weight": 1.5}, {"m": 0}])
def test_wrong_settings(store: Any, settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"weight|at least"):
        RM3(store, **settings)
