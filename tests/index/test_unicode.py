"""Random ids and metadata over all of Unicode: the embedded store tells apart whatever the store in memory does."""

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from decoct.data import Metadata
from decoct.errors import CorpusError
from decoct.index.abilities import SupportsNames
from decoct.index.base import Entry, Store, Where
from decoct.index.embedded import EmbeddedStore
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import make_entry, unit_rows

_SHARED = Path("/dev/shm")
# What text handling goes wrong at: ends of texts, of planes and of lines, patterns, quotes, composed and decomposed forms, cases.
AWKWARD = "\0\x01\x1f\x7f\n\r\u2028\ufeff\ufffd\uffff\U0010ffff%_*?[]'\"\\{}\u0000é\u0301eEßſİıａ"
characters = st.sampled_from(AWKWARD) | st.characters(exclude_categories=["Cs"])
texts = st.text(characters, max_size=6)
# Near one another: what differs by an end, a form or a case is what gets mistaken.
near = st.sampled_from(["v", "v\0", "v\0x", "V", "v ", "", "\0", "é", "e\u0301", "\ufffd", "1", "1.0", "true"]) | texts
metadata = st.dictionaries(near, near | st.integers() | st.booleans() | st.floats(allow_nan=False), max_size=3)


def holds_nul(document_id: str, values: Metadata) -> bool:
    return any("\0" in part for part in [document_id, *values, *(v for v in values.values() if isinstance(v, str))])


def put(stores: Sequence[Store], entry: Entry) -> None:
    """Into all of them, or refused by all of them."""
    if holds_nul(entry.document.id, entry.document.metadata):
        for store in stores:
            with pytest.raises(CorpusError, match="NUL"):
                store.put([entry])
    else:
        for store in stores:
            store.put([entry])


def found(store: SupportsNames, where: Where) -> list[set[str]]:
    """The documents that pass by every way there is."""
    vector = unit_rows(1)[0]
    by_key = {int(key): info.id for info in store.documents() for key in store.chunk_keys(info.id)}
    passing = store.passing(list(by_key), where)
    return [
        {info.id for info in store.documents(where)},
        {by_key[int(key)] for key in store.lexical("river", 100, where).keys},
        {by_key[int(key)] for key in store.nearest(vector, 100, where).keys},
        {id_ for id_, passes in zip(by_key.values(), passing, strict=True) if passes},
    ]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    documents=st.lists(st.tuples(near.filter(bool), metadata), min_size=1, max_size=6),
    asked=st.lists(near.filter(bool), max_size=6),
    wheres=st.lists(st.dictionaries(near, st.lists(near, max_size=3).map(tuple), min_size=1, max_size=2), max_size=3),
)
def test_ids_and_values_are_told_apart(
    documents: list[tuple[str, Metadata]], asked: list[str], wheres: list[dict[str, tuple[str, ...]]]
) -> None:
    folder = Path(tempfile.mkdtemp(dir=_SHARED if _SHARED.is_dir() else None))
    try:
        with EmbeddedStore.open(folder, settings={}) as store:
            model = MemoryStore()
            for number, (document_id, values) in enumerate(documents):
                put([store, model], make_entry(document_id, ["river"], metadata=values, digest=str(number)))
            ids = [document_id for document_id, _ in documents] + asked
            assert store.digests(ids) == model.digests(ids)
            assert [info.id for info in store.documents()] == [info.id for info in model.documents()]
            assert store.metadata_keys() == model.metadata_keys()
            own: list[dict[str, tuple[str, ...]]] = [
                {k: (str(v),)} for _, values in documents for k, v in values.items()
            ]
            for where in [*wheres, *own]:
                assert found(store, where) == found(model, where)
            assert [store.delete([one]) for one in asked] == [model.delete([one]) for one in asked]
            assert store.delete(ids) == model.delete(ids)
            assert list(store.documents()) == []
    finally:
        shutil.rmtree(folder)
