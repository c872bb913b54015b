"""Remember vectors by text: the retrievers of a pipeline embed the same question, and many questions meet the same passages."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from decoct.data import Floats
from decoct.embed.base import Embedder, SpeaksLanguages, TextKind, tell_unknown


@dataclass(frozen=True, slots=True)
class Memory:
    """Vectors of the last `size` different texts of one kind; thread-safe. An embedder gives a text the same vector in any company."""

    size: int
    _kept: OrderedDict[str, Floats] = field(default_factory=OrderedDict, init=False, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    def of(self, texts: Sequence[str], embedder: Embedder, kind: TextKind) -> Floats:
        """One row a text (at least one), in order; those not yet known are embedded in one call, outside the lock."""
        with self._lock:
            found = {text: self._kept[text] for text in texts if text in self._kept}
        if missing := [text for text in dict.fromkeys(texts) if text not in found]:
            # Copies: a row of a larger array would keep the whole of it alive.
            found.update((t, row.copy()) for t, row in zip(missing, embedder.embed(missing, kind), strict=True))
        with self._lock:
            for text in texts:
                self._kept[text] = found[text]
                self._kept.move_to_end(text)
            while len(self._kept) > self.size:
                self._kept.popitem(last=False)
        return np.stack([found[text] for text in texts])


@dataclass(frozen=True, slots=True)
class Remembering:
    """`embedder`, with the vectors of the last `size` different queries kept. Passages pass through: each is embedded once anyway."""

    embedder: Embedder
    size: int = 256
    _memory: Memory = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_memory", Memory(self.size))

    @property
    def fingerprint(self) -> str:
        """The embedder's own."""
        return self.embedder.fingerprint

    @property
    def dimension(self) -> int:
        """The embedder's own."""
        return self.embedder.dimension

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        """As the embedder does it, or what is known of queries."""
        if kind != "query" or not texts:
            return self.embedder.embed(texts, kind)
        if isinstance(self.embedder, SpeaksLanguages):
            tell_unknown(texts, self.embedder.languages)
        return self._memory.of(texts, self.embedder, kind)
