"""The statements of some texts that are nearest to a question, read again: which of them answers it.

A text is relevant to a question because one of its statements answers it, so statements are read, not texts: MaxP (Dai and Callan, SIGIR
2019) over a reader that sees the statement with what stands over it (`decoct.reading.base`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log

import numpy as np

from decoct import trace
from decoct.data import Floats
from decoct.embed.minilm import MiniLM
from decoct.reading.base import Readable, SecondReader, StatementToRead, place_of
from decoct.reading.verifier import Verifier
from decoct.text.quotable import statements
from decoct.text.wholes import Place
from decoct.text.words import content_stems


@dataclass(frozen=True, slots=True)
class NearestStatements:
    """Reads the `most` statements of all texts whose vectors, with what stands over them, are nearest to the question's.

    Vectors cost time, so that only the `compared` statements with most of the question's words have one, each word as it is rare in them.
    """

    reader: SecondReader = field(default_factory=Verifier)
    embedder: MiniLM = field(default_factory=MiniLM)
    most: int = 24
    compared: int = 80

    def __post_init__(self) -> None:
        if self.most < 1 or self.compared < 1:
            raise ValueError("most and compared must be at least 1")

    def read(self, question: str, texts: Sequence[Readable]) -> list[Mapping[Place, float]]:
        """How likely each statement that was read answers, from 0 to 1, by its place in its text; one mapping a text, in their order.

        Copies of a text are read once.
        """
        holders: dict[StatementToRead, list[int]] = defaultdict(list)
        for at, text in enumerate(texts):
            for told in statements(text.text, text.title, place_of(text)):
                holders[StatementToRead(question, text.text, *told.place, told.over)].append(at)
        found: list[dict[Place, float]] = [{} for _ in texts]
        first = self._nearest(question, [*holders]) if holders else []
        trace.count(statements=len(holders), read=len(first))
        for one, reading in zip(first, self.reader.read(first), strict=True):
            for at in holders[one]:
                found[at][one.start, one.end] = reading.answers
        return list(found)

    def _nearest(self, question: str, said: Sequence[StatementToRead]) -> list[StatementToRead]:
        words = [f"{one.title}\n{one.text[one.start : one.end]}" for one in said]
        some = _with_most_words(question, words)[: max(self.compared, self.most)]
        near = self.embedder.embed([words[at] for at in some], "passage") @ _vector(self.embedder, question)
        return [said[some[at]] for at in np.argsort(-near, kind="stable")[: self.most].tolist()]


@lru_cache(maxsize=8)
def _vector(embedder: MiniLM, question: str) -> Floats:
    """The question's vector, made once for all the texts that are read for it."""
    found: Floats = embedder.embed([question], "query")[0]
    return found


def _with_most_words(question: str, texts: Sequence[str]) -> list[int]:
    """Places of `texts`, those with most of the question's words first, each word as it is rare in them."""
    asked = content_stems(question)
    held = [asked & content_stems(text) for text in texts]
    counts = Counter(word for words in held for word in words)
    shares = [sum(log(1 + len(texts) / (1 + counts[word])) for word in sorted(words)) for words in held]
    return sorted(range(len(texts)), key=lambda at: -shares[at])
