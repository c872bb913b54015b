"""What a server's report shows beside its tables: figures, and the questions that tell most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from decoct_lab.extra import can_draw
from decoct_lab.report.excerpts import excerpts
from decoct_lab.report.figures import curves


def report_parts(
    made: Mapping[str, Any], run: Path, library: str, most: int
) -> tuple[dict[str, str], list[dict[str, Any]]]:
    """The figures of at most `most` measures by name (none without the extra `evaluate`), and the excerpts of the run at `run`."""
    about = made["runs"][0]
    drawn = [name for name in about["metrics"] if "@" not in name and can_draw()][:most]
    figures = {
        name: curves([row for row in made["quality"] if row["metric"] == name], about["systems"], name)
        for name in drawn
    }
    shown = excerpts([run], library=library)
    examples = [{"question": one.question.question, "sides": [asdict(side) for side in one.sides]} for one in shown]
    return {name: figure for name, figure in figures.items() if figure}, examples
