"""The collections of a library in Milvus.

Milvus has no transactions. A document's own row in `documents` is written last and says under which number its chunks and parts stand:
chunks of another number are passed over by every look-up, so a reader sees a document whole or not at all. What an interrupted writing
left is told by the journal in `state`, and removed by the next writer that finds it older than `sweeping.AGE`.

A number is the key of the document's first chunk: seconds since 2025, twelve bits of the writer, and a count within them.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import time
from base64 import b32encode
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pymilvus import MilvusClient

LONGEST = 65_535  # bytes of a VARCHAR
MANY = 4_096  # numbers in an ARRAY
PART = 10_000  # characters of a part of a text, at most 40,000 bytes
TABLES = ("state", "values", "parts", "documents", "chunks")
MOST_ROWS = 16_384  # rows that Milvus gives at once
_EPOCH = 1_735_689_600  # 2025-01-01
_COUNT_BITS, _WRITER_BITS = 20, 12


class Numbers:
    """Keys that no other writer gives: consecutive for one document, ascending in a process. Thread-safe."""

    def __init__(self) -> None:
        self._writer = secrets.randbits(_WRITER_BITS)
        self._guard = threading.Lock()
        self._second = 0
        self._count = 0

    def next(self, many: int) -> int:
        """The first of `many` keys."""
        with self._guard:
            now = max(int(time.time()) - _EPOCH, self._second)
            if now > self._second:
                self._second, self._count = now, 0
            if self._count + many > 1 << _COUNT_BITS:
                self._second, self._count = self._second + 1, 0
            first = (self._second << _WRITER_BITS | self._writer) << _COUNT_BITS | self._count
            self._count += many
            return first


def seconds_since(key: int) -> float:
    """How long ago a key was given."""
    return time.time() - _EPOCH - (key >> (_WRITER_BITS + _COUNT_BITS))


def word(stem: str) -> str:
    """A stem as one word of letters and digits for whatever analyser Milvus has: its digest of 40 bits."""
    return b32encode(hashlib.blake2b(stem.encode(), digest_size=5).digest()).decode().lower()


def term(*texts: str) -> int:
    """A number that stands for an id, a metadata key, or a key and its value: filters hold numbers alone, and nothing to be quoted."""
    digest = hashlib.blake2b(json.dumps(texts).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def make(client: MilvusClient, library: str) -> None:
    """The collections that do not depend on the vectors."""
    from pymilvus import DataType

    texts = {"max_length": LONGEST}
    many = {"element_type": DataType.INT64, "max_capacity": MANY}
    tables: dict[str, list[tuple[str, Any, dict[str, Any]]]] = {
        "state": [("key", DataType.INT64, {}), ("value", DataType.VARCHAR, texts)],
        "values": [
            ("key", DataType.INT64, {}),
            ("of", DataType.INT64, {}),
            ("name", DataType.VARCHAR, texts),
            ("value", DataType.VARCHAR, texts),
        ],
        "parts": [("key", DataType.INT64, {}), ("document", DataType.INT64, {}), ("text", DataType.VARCHAR, texts)],
        "documents": [
            ("key", DataType.INT64, {}),
            ("id", DataType.VARCHAR, texts),
            ("number", DataType.INT64, {}),
            ("chunks", DataType.INT64, {}),
            ("words", DataType.INT64, {}),
            ("characters", DataType.INT64, {}),
            ("language", DataType.VARCHAR, texts),
            ("digest", DataType.VARCHAR, texts),
            ("listed", DataType.VARCHAR, texts),
            ("sum", DataType.VARCHAR, texts),
            ("terms", DataType.ARRAY, many),
            ("names", DataType.ARRAY, many),
            ("strengths", DataType.ARRAY, {"element_type": DataType.DOUBLE, "max_capacity": MANY}),
        ],
    }
    for table, columns in tables.items():
        if client.has_collection(f"{library}_{table}"):  # an earlier making was broken off
            continue
        schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
        for at, (name, kind, more) in enumerate(columns):
            schema.add_field(name, kind, is_primary=at == 0, **more)
        schema.add_field("nothing", DataType.FLOAT_VECTOR, dim=2)  # every collection has a vector
        index = client.prepare_index_params()
        index.add_index("nothing", index_type="FLAT", metric_type="IP")
        client.create_collection(f"{library}_{table}", schema=schema, index_params=index, consistency_level="Strong")


def make_chunks(client: MilvusClient, library: str, dimension: int, vectors: str) -> None:
    """The collection of chunks, whose vectors have `dimension` numbers."""
    from pymilvus import DataType, Function, FunctionType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("key", DataType.INT64, is_primary=True)
    for name in ("document", "first", "past"):
        schema.add_field(name, DataType.INT64)
    for name in ("title", "traits", "signature"):
        schema.add_field(name, DataType.VARCHAR, max_length=LONGEST)
    for name in ("terms", "mentions"):
        schema.add_field(name, DataType.ARRAY, element_type=DataType.INT64, max_capacity=MANY)
    schema.add_field("words", DataType.VARCHAR, max_length=LONGEST, enable_analyzer=True, enable_match=True)
    schema.add_field("sparse", DataType.SPARSE_FLOAT_VECTOR)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimension)
    schema.add_function(
        Function(
            name="bm25", input_field_names=["words"], output_field_names=["sparse"], function_type=FunctionType.BM25
        )
    )
    index = client.prepare_index_params()
    index.add_index(
        "sparse", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25", params={"bm25_k1": 1.2, "bm25_b": 0.75}
    )
    if vectors == "hnsw":
        index.add_index("vector", index_type="HNSW", metric_type="IP", params={"M": 16, "efConstruction": 200})
    else:
        index.add_index("vector", index_type="FLAT", metric_type="IP")
    client.create_collection(f"{library}_chunks", schema=schema, index_params=index, consistency_level="Strong")
