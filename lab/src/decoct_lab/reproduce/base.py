"""What a paper is to `decoct reproduce`: tables by id, each of which runs itself and writes its comparison.

Papers are known by name; each is loaded by a function "module:function" that is called with that name. Most tables are recipes over data
sets, written in a TOML file (`paper`) and run by `recipes`. A paper whose tables are something else (an index of questions, a cost) brings
tables of its own; only this contract holds for all:

- `run` gives a JSON-ready comparison with at least `table` (the id) and `title`; it writes what it likes below `request.out`;
- `claims`, where its paper has some, are what the run says of them (`claims.claim_difference`);
- it raises `EvaluationError` where it cannot be run with what was given (no data, no model), saying what is missing;
- `unable` says beforehand, cheaply, why a run would say nothing ("" where it would): asked only when all tables are run;
- `markdown` writes a result of `run` for people, from a heading of the second level down.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from decoct.errors import DecoctError, EvaluationError, MissingExtraError
from decoct.evaluate.amounts import Amount
from decoct.evaluate.reader_names import EXTRACTIVE
from decoct.evaluate.session import Setup
from decoct.llm.base import LLM
from decoct.registry import nearest
from decoct_lab.reproduce.claims import PaperClaim, markdown, verdicts
from decoct_lab.reproduce.tellable import can_test


@dataclass(frozen=True, slots=True)
class ReproductionRequest:
    """What was given: `sets`, `conditions` narrow what is run, `budgets` stand in place of a table's own (all and none where empty).

    Fewer questions than a set has are asked among the documents that come with them, but for `whole_corpus`.
    """

    setup: Setup
    out: Path
    data: str | Path | None = None
    sets: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    budgets: tuple[Amount, ...] = ()
    whole_corpus: bool = False
    progress: Callable[[str], None] = lambda _: None

    @property
    def sentences_or_model(self) -> LLM | None:
        """The model that reads a table which the extractive reader reads without one; `EvaluationError` for any other reader."""
        if self.setup.reader not in ("", EXTRACTIVE):
            raise EvaluationError(
                f"this table is read by a language model or --reader extractive, not by --reader {self.setup.reader}"
            )
        return None if self.setup.reader else self.setup.llm


class Table(Protocol):
    """One published table that can be run again."""

    @property
    def id(self) -> str:
        """Its number, as the paper writes it, or figure-N."""

    @property
    def title(self) -> str:
        """What it shows."""

    def unable(self, request: ReproductionRequest) -> str:
        """Why a run would say nothing about the paper with what was given; "" where it would."""

    def run(self, request: ReproductionRequest) -> dict[str, Any]:
        """Run it: the comparison, JSON-ready; `EvaluationError` where it cannot be."""

    def markdown(self, result: Mapping[str, Any]) -> str:
        """A result of `run` as Markdown."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A paper's tables by id, in the paper's order."""

    name: str
    title: str
    setting: str
    tables: Mapping[str, Table]
    claims: tuple[PaperClaim, ...] = ()

    def told(self, tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The verdicts on the claims that these results of tables tell of; what is missing where nothing can be tested here."""
        found = [one for table in tables for one in table.get("claims", ())]
        if found and not can_test():
            return {"verdicts": [], "untested": str(MissingExtraError("a verdict", "evaluate"))}
        return {"verdicts": verdicts(found)}

    def one(self, name: str, request: ReproductionRequest) -> tuple[dict[str, Any], str]:
        """One table run: the comparison with the verdicts on its claims, and both as Markdown."""
        table = self.table(name)
        result = table.run(request)
        result |= self.told([result])
        claims = [claim for claim in self.claims if claim.table == name]
        return result, table.markdown(result) + self._verdicts(result, claims)

    def _verdicts(self, result: Mapping[str, Any], claims: Sequence[PaperClaim]) -> str:
        if "untested" in result:
            return f"\n## Verdicts\n\n{result['untested']}\n"
        return "\n" + markdown(result["verdicts"], claims) if claims else ""

    def table(self, name: str) -> Table:
        """The table of an id; `EvaluationError` with the nearest for an unknown one."""
        if name not in self.tables:
            raise EvaluationError(f"{self.name} has no table {name!r}; {nearest(name, self.tables)}")
        return self.tables[name]

    def every(self, request: ReproductionRequest) -> dict[str, Any]:
        """Every table that can be run with what was given, one after the other; others are in `skipped` with the reason.

        `EvaluationError` where that is none.
        """
        done: list[dict[str, Any]] = []
        skipped: dict[str, str] = {}
        for table in self.tables.values():
            why = table.unable(request)
            if not why:
                try:
                    done.append(table.run(request))
                except DecoctError as error:  # one table's missing model or data set is no reason to lose the others
                    why = str(error)
            if why:
                skipped[table.id] = why
        if not done:
            reasons = "; ".join(f"table {name}: {why}" for name, why in skipped.items())
            raise EvaluationError(f"no table of {self.name} can be run with what was given: {reasons}")
        return {
            "paper": self.name,
            "title": self.title,
            "setting": self.setting,
            "tables": done,
            "skipped": skipped,
            **self.told(done),
        }

    def markdown(self, result: Mapping[str, Any]) -> str:
        """A result of `every` as Markdown."""
        parts = [f"# {self.title}\n"]
        parts += [self.table(one["table"]).markdown(one) for one in result["tables"]]
        if result["skipped"]:
            lines = "\n".join(
                f"- table {name}, {self.table(name).title}: {why}" for name, why in result["skipped"].items()
            )
            parts.append(f"## Not run\n\n{lines}\n")
        return "\n".join(parts) + self._verdicts(result, self.claims)
