"""Frequent words in columns: the same rankings as every posting gives, and lists that are learned, kept and outgrown."""

import json
from pathlib import Path

import numpy as np
import pytest

from decoct import trace
from decoct.data import Ranking
from decoct.index.base import Where
from decoct.index.embedded import EmbeddedStore, frequent, pruning
from decoct.index.embedded.frequent import FrequentWords
from decoct.index.embedded.pruning import Candidates, Division, Pruning
from decoct.index.embedded.segments import FORMAT, WITH_COLUMNS
from decoct.testing.store_corpus import make_entry

VOCABULARY = np.array([f"w{n}" for n in range(3000)])
SHARES = 1 / np.arange(1, 3001) ** 1.05
SHARES /= SHARES.sum()


def texts(count: int, seed: int, longest: int = 120) -> list[str]:
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(VOCABULARY, random.integers(20, longest), p=SHARES)) for _ in range(count)]


def fill(store: EmbeddedStore, documents: int, seed: int = 0, longest: int = 120) -> None:
    store.put(
        [
            make_entry(f"d{seed}-{n}", texts(10, 1000 * seed + n, longest), metadata={"part": n % 3})
            for n in range(documents)
        ]
    )


def record(folder: Path) -> dict[str, object]:
    told: dict[str, object] = json.loads((folder / "lexical" / "decoct.json").read_text())
    return told


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frequent, "LEAST", 300)


@pytest.fixture
def proved(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Of each search, whether it was answered from columns."""
    found: list[bool] = []
    whole = Pruning.candidates

    def candidates(self: Pruning, words: list[str], k: int, query: object) -> Candidates | None:
        answer = whole(self, words, k, query)  # type: ignore[arg-type]
        found.append(answer is not None)
        return answer

    monkeypatch.setattr(Pruning, "candidates", candidates)
    return found


def by_postings(store: EmbeddedStore, question: str, k: int, where: Where | None = None) -> Ranking:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pruning, "candidates", lambda *_: None)
        return store.lexical(question, k, where)


@pytest.mark.parametrize("where", [None, {"part": ("1", "2")}])
@pytest.mark.parametrize("longest", [40, 400])
def test_rankings_are_those_of_every_posting(
    tmp_path: Path, proved: list[bool], longest: int, where: Where | None
) -> None:
    with EmbeddedStore.open(tmp_path, settings={}) as store:
        fill(store, 60, longest=longest)
        fill(store, 5, seed=1, longest=longest)
        store.delete(["d0-3", "d0-17"])
        assert record(tmp_path)["format"] == WITH_COLUMNS
        for seed in range(40):
            words = texts(1, 77_000 + seed)[0].split()
            question = " ".join((*words[:8], words[0]))  # a word asked twice counts twice
            found, whole = store.lexical(question, 10, where), by_postings(store, question, 10, where)
            assert found.keys.tolist() == whole.keys.tolist()
            assert found.scores == pytest.approx(whole.scores, abs=2e-5)
    assert sum(proved) > 15


@pytest.fixture
def divisions(monkeypatch: pytest.MonkeyPatch) -> list[Division]:
    """How the rarer words of each search were divided, where words are optional as soon as the floor allows it."""
    for name, value in {"FLOOR": 0, "RANKED": 10**6}.items():
        monkeypatch.setattr(pruning, name, value)
    found: list[Division] = []
    whole = Pruning._division

    def division(self: Pruning, *told: object) -> Division:
        found.append(whole(self, *told))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(Pruning, "_division", division)
    return found


@pytest.mark.parametrize("where", [None, {"part": ("1", "2")}])
def test_rankings_with_words_sought_in_the_chunks_of_rarer_ones_are_those_of_every_posting(
    tmp_path: Path, proved: list[bool], divisions: list[Division], where: Where | None
) -> None:
    with EmbeddedStore.open(tmp_path, settings={}) as store:
        fill(store, 60)
        fill(store, 5, seed=1)
        store.delete(["d0-3", "d0-17"])
        for seed in range(60):
            words = texts(1, 99_000 + seed)[0].split()
            question = " ".join((*words[:8], words[0], words[1]))
            found, whole = store.lexical(question, 10, where), by_postings(store, question, 10, where)
            assert found.keys.tolist() == whole.keys.tolist()
            assert found.scores == pytest.approx(whole.scores, abs=2e-5)
    sought = [division for division, shown in zip(divisions, proved, strict=True) if shown and division.optional]
    assert len(sought) > 15
    assert all(division.needed and division.without > 0 for division in sought)


def test_a_floor_too_high_costs_time_and_no_result(
    tmp_path: Path, proved: list[bool], divisions: list[Division], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pruning, "_floor", lambda *_: 1e9)
    with EmbeddedStore.open(tmp_path, settings={}) as store:
        fill(store, 60)
        for seed in range(30):
            question = " ".join(texts(1, 88_000 + seed)[0].split()[:8])
            found, whole = store.lexical(question, 10), by_postings(store, question, 10)
            assert found.keys.tolist() == whole.keys.tolist()
    assert sum(bool(division.optional) for division in divisions) > 20
    assert proved.count(False) > 20


def test_ties_at_the_end_are_by_key(tmp_path: Path, proved: list[bool]) -> None:
    with EmbeddedStore.open(tmp_path, settings={}) as store:
        fill(store, 60)
        store.put([make_entry(f"same-{n}", ["w0 w1 w2 unheard of"]) for n in range(100)])
        found = store.lexical("w0 w1 unheard", 30)
        assert found.keys.tolist() == by_postings(store, "w0 w1 unheard", 30).keys.tolist()
        assert found.keys.tolist() == sorted(found.keys.tolist())
        assert len(found) == 30


def test_a_count_too_large_for_its_column_is_read_from_the_postings(tmp_path: Path, proved: list[bool]) -> None:
    with EmbeddedStore.open(tmp_path, settings={}) as store:
        fill(store, 60)
        store.put([make_entry("many", ["unheard " * 3 + "w0 " * 600], seed=5)])
        assert store.lexical("unheard w0", 1).keys.tolist() == store.chunk_keys("many").tolist()
        found = store.lexical("unheard w0", 10)
        assert found.scores == pytest.approx(by_postings(store, "unheard w0", 10).scores, abs=2e-5)
    assert not any(proved)


def test_a_question_of_frequent_words_alone(tmp_path: Path) -> None:
    with EmbeddedStore.open(tmp_path, settings={}) as store:
        fill(store, 60)
        found, whole = store.lexical("w0 w1 w2", 20), by_postings(store, "w0 w1 w2", 20)
        assert found.keys.tolist() == whole.keys.tolist()
        assert len(store.lexical("neverseen", 5)) == 0


def test_a_small_library_keeps_no_columns_and_a_growing_one_learns_them_without_alarm(tmp_path: Path) -> None:
    with EmbeddedStore.open(tmp_path, settings={}) as store, trace.recording() as run:
        fill(store, 20)
        store.refresh()
        assert record(tmp_path)["format"] == FORMAT
        fill(store, 20, seed=1)
        store.refresh()
        told = record(tmp_path)
        assert told["format"] == WITH_COLUMNS
        assert store.status().derived["lexical"] == store.status().sequence
        assert len(store.lexical("w0 w5", 500)) > 200
    assert not run.fallbacks


def test_an_index_of_before_is_searched_as_it_is_and_gets_columns_with_the_next_ingest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proved: list[bool]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(frequent, "LEAST", 10**9)
        with EmbeddedStore.open(tmp_path, settings={}) as store:
            fill(store, 100)
    assert record(tmp_path)["format"] == FORMAT
    with EmbeddedStore.open(tmp_path, settings={}, read_only=True) as store:
        before = store.lexical("w3 w100 w500", 20)
    with EmbeddedStore.open(tmp_path, settings={}) as store:
        assert store.lexical("w3 w100 w500", 20).keys.tolist() == before.keys.tolist()
        assert record(tmp_path)["format"] == FORMAT  # searching does not build a large index anew
        store.put([make_entry("other", ["nothing of it"])])
        store.refresh()
        assert record(tmp_path)["format"] == WITH_COLUMNS
        assert store.lexical("w3 w100 w500", 20).keys.tolist() == before.keys.tolist()
    assert any(proved)


def test_a_library_of_another_language_later_learns_its_words(tmp_path: Path) -> None:
    with EmbeddedStore.open(tmp_path, settings={}) as store:
        fill(store, 31)
        store.refresh()
        first = FrequentWords.of_record(record(tmp_path)).words
        for n in range(30):
            store.put(
                [
                    make_entry(f"other-{n}-{m}", ["und der die das " + text for text in texts(10, 5000 + m)])
                    for m in range(10)
                ]
            )
        store.refresh()
        known = FrequentWords.of_record(record(tmp_path))
    assert "und" not in first
    assert {"und", "der", "die", "das"} <= set(known.words)
    assert known.chunks >= frequent.GROWN * 310


def test_another_process_that_builds_the_index_anew_is_noticed(tmp_path: Path) -> None:
    with EmbeddedStore.open(tmp_path, settings={}) as store:
        fill(store, 40)
        store.refresh()
    with EmbeddedStore.open(tmp_path, settings={}) as reader, pytest.MonkeyPatch.context() as patch:
        before = reader.lexical("w3 w100", 20)
        patch.setattr(frequent, "LEAST", 10**9)
        for file in (tmp_path / "lexical").iterdir():
            file.unlink()
        with EmbeddedStore.open(tmp_path, settings={}) as other:
            other.lexical("w3", 5)
        assert record(tmp_path)["format"] == FORMAT
        reader.put([make_entry("late", ["w3 w100 late"])])
        assert reader.lexical("late", 3).keys.tolist() == reader.chunk_keys("late").tolist()
        assert set(before.keys.tolist()) - set(reader.lexical("w3 w100", 21).keys.tolist()) == set()


def test_packed_counts_are_read_again() -> None:
    words = FrequentWords.learned([f"a {'b ' * 90} {f'x{n} '} c c".split() for n in range(20)], 20)
    assert words == FrequentWords.of_record(json.loads(json.dumps(words.record())))
    assert set(words.words) == {"a", "b", "c"}
    packed = [words.packed(text.split()) for text in ("a b b c", "c c c", "q", "b " * 200)]
    for word, expected in {"a": [1, 0, 0, 0], "b": [2, 0, 0, 200], "c": [1, 3, 0, 0]}.items():
        column = np.array([one[words.columns[words.places[word][0]]] for one in packed], dtype=np.int64)
        counts, exact = words.counts(word, column)
        assert counts.tolist() == expected
        assert exact
    _, exact = words.counts("b", np.array([words.packed(["b"] * 999)[words.columns[words.places["b"][0]]]]))
    assert not exact


def test_columns_hold_63_bits() -> None:
    words = FrequentWords.learned([[f"w{n}" for n in range(100)] * 90] * 3, 3)
    assert len(words.words) == 100
    assert len(words.columns) == 15  # seven counts of 8 bits each
    assert max(words.packed([f"w{n}" for n in range(100)] * 300).values()) < 1 << 63


@pytest.mark.parametrize("change", [{"words": ["a", "q"]}, {"words": ["a"]}, {"bits": [3, 4]}, {"chunks": 31_000}])
def test_a_damaged_list_is_refused(change: dict[str, object]) -> None:
    told = FrequentWords(("a", "b"), (4, 3), 30_000).record()["frequent"]
    assert isinstance(told, dict)
    with pytest.raises(ValueError, match="damaged"):
        FrequentWords.of_record({"frequent": {**told, **change}})


def test_an_index_whose_list_was_changed_is_built_again(tmp_path: Path) -> None:
    with EmbeddedStore.open(tmp_path, settings={}) as store:
        fill(store, 40)
        store.refresh()
        whole = store.lexical("w3 w100 w500", 20)
    told = record(tmp_path)
    assert isinstance(told["frequent"], dict)
    told["frequent"]["words"][:2] = reversed(told["frequent"]["words"][:2])
    (tmp_path / "lexical" / "decoct.json").write_text(json.dumps(told))
    with EmbeddedStore.open(tmp_path, settings={}) as store, trace.recording() as run:
        assert store.lexical("w3 w100 w500", 20).keys.tolist() == whole.keys.tolist()
    assert run.fallbacks["store.lexical_rebuilt"] == 1
