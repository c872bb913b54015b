"""Equal arms: what two compared systems share, and whether they differ in anything that the claim about them does not name.

A comparison says something about one thing where all else is the same. An `Arm` is a system with everything that decides its scores; a
claim names the parts in which its two arms differ, and of arms that differ in more there is a figure each and no verdict.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from decoct.errors import EvaluationError
from decoct.evaluate.record import Header

Part = Literal["documents", "chunks", "ranking", "context", "budget", "tokenizer", "reader"]
PARTS: tuple[Part, ...] = get_args(Part)
RECIPE: tuple[Part, ...] = ("ranking", "context")
"""What differs between two recipes on the same chunks: what a claim that names nothing is about."""
_RANKING = ("retrieve", "depth", "oracle")
_CONTEXT = ("context", "layout")


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of a comparison; every part is a word or a setting as text, "" where the comparison has no such part.

    `documents` are those that it may choose from (or was handed), `reader` is who reads words in them, whatever form they come in.
    """

    name: str
    documents: str = ""
    chunks: str = ""
    ranking: str = ""
    context: str = ""
    budget: str = ""
    tokenizer: str = ""
    reader: str = ""

    def differing(self, other: Arm) -> tuple[Part, ...]:
        """The parts in which the two are not the same."""
        return tuple(part for part in PARTS if getattr(self, part) != getattr(other, part))


def unnamed(better: Arm, than: Arm, named: Iterable[Part]) -> tuple[Part, ...]:
    """The parts in which two arms differ beside those that a claim names: empty where they may be compared."""
    allowed = set(named)
    return tuple(part for part in better.differing(than) if part not in allowed)


def checked(parts: Iterable[str], path: str) -> tuple[Part, ...]:
    """Parts that a person wrote; `EvaluationError` for one that there is not."""
    found = tuple(parts)
    for part in found:
        if part not in PARTS:
            raise EvaluationError(f"{path}: arms have no part {part!r}; they have {', '.join(PARTS)}")
    return tuple(part for part in PARTS if part in found)


def arms_of_run(header: Header) -> dict[str, Arm]:
    """The systems of a run: documents, budgets, tokenizer and reader are the run's, the rest their recipes'."""
    shared = Arm(
        "",
        documents=f"{header.dataset.get('name', '')} {header.dataset.get('digest', '')}",
        budget=",".join(map(str, header.budgets)),
        tokenizer=header.tokenizer,
        reader=header.llm,
    )
    return {name: arm_of_system(name, table, shared) for name, table in header.systems.items()}


def arm_of_system(name: str, table: Mapping[str, object], shared: Arm) -> Arm:
    """The arm of a system whose table (`System.as_dict`) says how it cuts, ranks and makes contexts; the rest is that of `shared`."""
    return replace(
        shared,
        name=name,
        chunks=_written(table, ("chunk",)),
        ranking=_written(table, _RANKING),
        context=_written(table, _CONTEXT),
    )


def _written(table: Mapping[str, object], keys: Iterable[str]) -> str:
    return json.dumps({key: table[key] for key in keys if key in table}, sort_keys=True, default=str)
