"""A question that a write came between is asked again, and not for ever."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from decoct.data import Chunk
from decoct.errors import CorpusError
from decoct.index import one_state
from decoct.index.base import Entry
from decoct.index.one_state import in_one_state, noted
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import make_entry


def entry(mark: int) -> Entry:
    return make_entry("a", [f"river {mark}"], seed=mark)


@pytest.fixture
def store() -> MemoryStore:
    made = MemoryStore()
    made.put([entry(0)])
    return made


def asking(store: MemoryStore, beside: Callable[[int], object]) -> tuple[Callable[[], list[Chunk]], list[int]]:
    """A question for chunks whose keys are looked up first; `beside` is what happens in between, each time."""
    times: list[int] = []

    def ask() -> list[Chunk]:
        keys = store.chunk_keys("a")
        times.append(len(times))
        beside(times[-1])
        return store.chunks(keys)

    return ask, times


def keys_of(found: list[Chunk]) -> list[int]:
    return [chunk.key for chunk in found]


def test_where_nothing_is_written_a_question_is_asked_once(store: MemoryStore) -> None:
    ask, times = asking(store, lambda _: None)
    assert [chunk.text for chunk in in_one_state(store, ask, keys_of)[0]] == ["river 0"]
    assert times == [0]


def test_what_was_looked_for_in_vain_is_looked_for_again(store: MemoryStore) -> None:
    ask, times = asking(store, lambda n: store.put([entry(n + 1)]) if n < 3 else None)
    found, one = in_one_state(store, ask, keys_of)
    assert ([chunk.text for chunk in found], one, len(times)) == (["river 3"], True, 4)


def test_what_is_gone_at_the_end_is_asked_again(store: MemoryStore) -> None:
    def late() -> list[Chunk]:
        found = store.chunks(store.chunk_keys("a"))
        if len(found[0].text) == len("river 0") and found[0].text != "river 5":
            store.put([entry(5)])  # after it was read
        return found

    assert [chunk.text for chunk in in_one_state(store, late, keys_of)[0]] == ["river 5"]


def test_a_write_elsewhere_takes_nothing_away(store: MemoryStore) -> None:
    ask, times = asking(store, lambda n: store.put([make_entry(f"b{n}", ["stone"])]))
    assert in_one_state(store, ask, keys_of)[1]
    assert times == [0]


def test_a_writer_that_is_faster_each_time_is_told(store: MemoryStore) -> None:
    ask, times = asking(store, lambda n: store.put([entry(n + 1)]))
    assert in_one_state(store, ask, keys_of) == ([], False)
    assert len(times) == one_state.ATTEMPTS


def test_after_a_while_it_is_not_asked_again(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_state, "LONGEST", -1.0)
    ask, times = asking(store, lambda n: store.put([entry(n + 1)]))
    assert in_one_state(store, ask, keys_of) == ([], False)
    assert len(times) == 1


def test_a_document_that_was_removed_meanwhile_is_no_error(store: MemoryStore) -> None:
    gone = [True]

    def ask() -> list[Chunk]:
        if gone:
            store.delete(["a"])
            store.put([make_entry("b", ["stone"])])
            gone.clear()
            store.document("a")
        return store.chunks(store.chunk_keys("b"))

    assert [chunk.text for chunk in in_one_state(store, ask, keys_of)[0]] == ["stone"]


def test_an_error_of_a_store_that_stands_still_is_the_callers(store: MemoryStore) -> None:
    times = []

    def ask() -> list[Chunk]:
        times.append(1)
        store.document("nowhere")
        return []

    with pytest.raises(CorpusError, match="nowhere"):
        in_one_state(store, ask, keys_of)
    assert len(times) == 1


class Stateless:
    """A store that does not tell its state, some of whose chunks are gone for good."""

    def __init__(self, *, error: bool = False) -> None:
        self.times, self.error = 0, error

    def ask(self) -> list[Chunk]:
        self.times += 1
        if self.error:
            raise CorpusError("it has no such document")
        return noted([1, 2], [])


def test_of_a_store_without_a_state_what_stays_away_is_asked_for_twice() -> None:
    store = Stateless()
    assert in_one_state(store, store.ask, keys_of) == ([], True)  # type: ignore[arg-type]
    assert store.times == 2
    broken = Stateless(error=True)
    with pytest.raises(CorpusError):
        in_one_state(broken, broken.ask, keys_of)  # type: ignore[arg-type]
    assert broken.times == 2
