"""The Milvus store: a library in four collections of a Milvus server or cluster, or in one file by milvus-lite."""

from decoct_milvus.store import MilvusStore

__all__ = ["MilvusStore"]
