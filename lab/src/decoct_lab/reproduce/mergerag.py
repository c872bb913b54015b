"""MergeRAG's tables: recipes over data sets (`mergerag.toml`), its maps of affinities (Figure 2) and its worked example (Appendix F).

Figure 5 compares quality and latency, so its Markdown also gives the time of a question, hierarchical against sequential.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from decoct_lab.llm.abilities import without_kept_replies
from decoct_lab.reproduce.base import Reproduction, ReproductionRequest, Table
from decoct_lab.reproduce.mergerag_example import WorkedExample
from decoct_lab.reproduce.mergerag_maps import Maps
from decoct_lab.reproduce.recipes import recipes

SEQUENTIAL = "-sequential"


def mergerag(name: str) -> Reproduction:
    """The paper's tables, figures and example, in the paper's order."""
    found = recipes(name)
    tables: dict[str, Table] = {"figure-2": Maps(), **found.tables, "appendix-f": WorkedExample()}
    return replace(found, tables=tables | {"figure-5": Timed(found.table("figure-5"))})


@dataclass(frozen=True, slots=True)
class Timed:
    """A table of recipes of which some have a sequential form, with the time that each took."""

    table: Table

    @property
    def id(self) -> str:
        """Its number, as the paper writes it."""
        return self.table.id

    @property
    def title(self) -> str:
        """What it shows."""
        return self.table.title

    def unable(self, request: ReproductionRequest) -> str:
        """As the table itself."""
        return self.table.unable(request)

    def run(self, request: ReproductionRequest) -> dict[str, Any]:
        """As the table itself: the times are in its costs. No reply is kept: the second form would find those of the first."""
        setup = replace(request.setup, llm=without_kept_replies(request.setup.llm))
        return self.table.run(replace(request, setup=setup))

    def markdown(self, result: Mapping[str, Any]) -> str:
        """The comparison, then the times."""
        parts = [self.table.markdown(result).rstrip()]
        for name, one in result["sets"].items():
            rows = list(_times(one["cost"]))
            if rows:
                heads = "| merging | budget | hierarchical, ms | sequential, ms | times as fast |\n|---|---:|---:|---:|---:|"
                parts.append(f"### {name}: milliseconds a context (median)\n\n" + "\n".join([heads, *rows]))
        return "\n\n".join(parts) + "\n"


def _times(cost: list[Mapping[str, Any]]) -> Iterator[str]:
    spent = {(row["system"], row["budget"]): row["milliseconds"] for row in cost}
    for (system, budget), layers in spent.items():
        turns = spent.get((system + SEQUENTIAL, budget))
        if turns is not None:
            ratio = f"{turns / layers:.2f}" if layers else "–"
            yield f"| {system} | {budget} | {layers:.1f} | {turns:.1f} | {ratio} |"
