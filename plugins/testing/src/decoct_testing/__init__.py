"""Doubles, and contracts to inherit: tests of parts that work with Decoct."""

from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.memory_store import MemoryStore
from decoct_testing.scripted import ScriptedLLM

__all__ = ["HashEmbedder", "MemoryStore", "ScriptedLLM"]
