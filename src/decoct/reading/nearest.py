"""The statements of some texts that are nearest to a question, read again: which of them answers it.

A text is relevant to a question because one of its statements answers it, so statements are read, not texts: MaxP (Dai and Callan, SIGIR
2019) over a reader that sees the statement with what stands over it (`decoct.reading.second`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from decoct import trace
from decoct.embed.base import cosines
from decoct.embed.minilm import MiniLM
from decoct.reading.base import Readable, place_of
from decoct.reading.second import SecondReader, StatementToRead
from decoct.reading.verifier import Verifier
from decoct.text.quotable import statements
from decoct.text.wholes import Place


@dataclass(frozen=True, slots=True)
class NearestStatements:
    """Reads the `most` statements of all texts whose vectors, with what stands over them, are nearest to the question's."""

    reader: SecondReader = field(default_factory=Verifier)
    embedder: MiniLM = field(default_factory=MiniLM)
    most: int = 24

    def __post_init__(self) -> None:
        if self.most < 1:
            raise ValueError("most must be at least 1")

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
        near = cosines(self.embedder, question, words)
        return [said[at] for at in np.argsort(-near, kind="stable")[: self.most].tolist()]
