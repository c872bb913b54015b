"""Decoct inside other frameworks: their hits in, a budgeted context with spans out; and a library as their retriever.

`ContextBuilder` needs no framework. The modules `langchain`, `llama_index` and `haystack` need the extra of that name.
"""

from __future__ import annotations

from decoct.integrations.builder import ContextBuilder
from decoct.integrations.hit_store import HandedOver
from decoct.integrations.hits import HandedHit

__all__ = ["ContextBuilder", "HandedHit", "HandedOver"]
