"""What a store refuses to put, and that the contract of filters finds a store that breaks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from decoct.data import Chunk, Ranking, Span
from decoct.errors import CorpusError, DecoctError, ProvenanceError, StoreError
from decoct.index.base import Entry, Store
from decoct_testing.entry_checks import check_entry
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import make_entry
from decoct_testing.store_filter_contract import StoreFilterContract
from decoct_testing.store_fixtures import StoreFixtures

ENTRY = make_entry("a", ["The river runs.", "The stone stays."], mentions=((), ()))


def test_an_entry_that_fits_passes_with_or_without_what_is_optional() -> None:
    check_entry(ENTRY)
    check_entry(replace(ENTRY, mentions=(), traits=(), signatures=None))
    check_entry(
        replace(ENTRY, chunks=(), vectors=np.zeros((0, 12), np.float32), mentions=(), traits=(), signatures=None)
    )


def chunk(doc_id: str, start: int, end: int, text: str) -> Chunk:
    return Chunk(Span(doc_id, start, end), text)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"vectors": ENTRY.vectors[:1]}, StoreError, "'a' has 2 chunks and 1 vectors; give one a chunk"),
        ({"mentions": ((1,),)}, StoreError, "2 chunks and 1 lists of mentions"),
        ({"traits": (b"",)}, StoreError, "2 chunks and 1 traits"),
        ({"signatures": np.zeros((3, 8), np.uint8)}, StoreError, "2 chunks and 3 signatures"),
        ({"chunks": (ENTRY.chunks[0], chunk("b", 16, 32, "The stone stays."))}, ProvenanceError, "does not equal the text of document 'a'"),
        ({"chunks": (ENTRY.chunks[0], chunk("a", 15, 31, "The stone stays."))}, ProvenanceError, "does not equal"),
        ({"document": replace(ENTRY.document, metadata={"k": "v\0"})}, CorpusError, "NUL"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_name(changed: dict[str, Any], error: type[DecoctError], message: str) -> None:
    with pytest.raises(error, match=message):
        check_entry(replace(ENTRY, **changed))


@dataclass
class FiltersAfterwards:
    """A store that ranks first and filters then, so that fewer than `k` come back."""

    inner: MemoryStore

    def lexical(self, text: str, k: int, where: Any) -> Ranking:
        found = self.inner.lexical(text, k, {})
        kept = [row for row, chunk in enumerate(self.inner.chunks(list(found.keys))) if self._passes(chunk, where)]
        return Ranking(found.keys[kept], found.scores[kept], {})

    def _passes(self, chunk: Chunk, where: Any) -> bool:
        metadata = self.inner.document(chunk.span.doc_id).metadata
        return all(str(metadata.get(key)) in values for key, values in where.items())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class CutsAtNul(MemoryStore):
    """A store whose ids end at a NUL, as those of a C library do."""

    def digests(self, ids: Any) -> Any:
        return super().digests([one.split("\0")[0] for one in ids])


def promises(name: str, store: Store) -> Callable[[], None]:
    contract = StoreFilterContract()
    if name == "inside":
        return lambda: contract.test_filters_are_inside_the_search(store, MemoryStore())
    return lambda: contract.test_a_nul_is_refused_and_cuts_nothing(store)


@pytest.mark.parametrize("name", ["inside", "nul"])
def test_the_reference_keeps_the_promises(name: str) -> None:
    promises(name, MemoryStore())()


@pytest.mark.parametrize(("name", "store"), [("inside", FiltersAfterwards(MemoryStore())), ("nul", CutsAtNul())])
def test_a_store_that_breaks_a_promise_does_not_pass(name: str, store: Any) -> None:
    with pytest.raises(AssertionError):
        promises(name, store)()


def test_the_fixtures_ask_for_the_store_and_give_the_reference() -> None:
    fixtures: Any = StoreFixtures
    with pytest.raises(NotImplementedError, match="give the fixture 'store'"):
        fixtures.store.__wrapped__(fixtures())
    model = fixtures.model.__wrapped__(fixtures())
    assert isinstance(model, MemoryStore)
    assert list(model.documents()) == []
    entry: Entry = ENTRY
    model.put([entry])
    assert [info.id for info in model.documents()] == ["a"]
