"""The page of figures is what the code writes from committed results: ten pictures, each with its n, its command and its result."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_the_page_and_its_figures_are_drawn_from_committed_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = runpy.run_path(str(ROOT / "experiments" / "figures.py"))
    drawn["main"](["--out", str(tmp_path)])
    assert len(capsys.readouterr().out.splitlines()) == len(drawn["FIGURES"]) == 10
    assert (tmp_path / "figures.md").read_text("utf-8") == (ROOT / "lab" / "docs" / "figures.md").read_text("utf-8")
    for one in drawn["FIGURES"]:
        svg = (tmp_path / "images" / f"{one.name}.svg").read_text("utf-8")
        assert svg.startswith("<svg")
        assert one.title in svg
        assert (ROOT / "lab" / "docs" / "images" / f"{one.name}.svg").is_file()
        assert any(word in one.note for word in ("n = ", "queries", "questions"))
