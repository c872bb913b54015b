"""What is to be done about conflicts in a body of documents, one line for all questions on which the same documents disagree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from decoct.context.casc.notes import Conflict, Option
from decoct.context.casc.sources import EvidenceSource, is_older_edition


@dataclass(frozen=True, slots=True)
class Advice:
    """`do` in words, the documents that it is about, and the questions that showed it."""

    do: str
    documents: tuple[str, ...]
    questions: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The advice as JSON-ready data."""
        return {"do": self.do, "documents": list(self.documents), "questions": list(self.questions)}


def advised(found: Sequence[tuple[str, Sequence[Conflict]]]) -> list[Advice]:
    """What to do about the conflicts of each question, those first that most questions show."""
    grouped: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for question, conflicts in found:
        for conflict in conflicts:
            grouped.setdefault(_advice(conflict), []).append(question)
    made = [Advice(do, documents, tuple(dict.fromkeys(asked))) for (do, documents), asked in grouped.items()]
    return sorted(made, key=lambda one: -len(one.questions))


def superseded(sources: Sequence[EvidenceSource]) -> list[tuple[str, str]]:
    """The documents that are older editions, each with the oldest newer one."""
    pairs = ((a.doc_id, b.doc_id) for a, b in permutations(sources, 2) if is_older_edition(a, b))
    return sorted(dict(sorted(pairs, reverse=True)).items())


def _advice(conflict: Conflict) -> tuple[str, tuple[str, ...]]:
    if conflict.chosen is None:
        every = _documents(conflict.sides)
        return f"Ask who knows which value holds, and put the others right: {', '.join(every)}", every
    losing = _documents([side for side in conflict.sides if side.value != conflict.chosen])
    return f"Put right or withdraw {', '.join(losing)}: {conflict.reason}", losing


def _documents(sides: Iterable[Option]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(span.doc_id for side in sides for span in side.support))
