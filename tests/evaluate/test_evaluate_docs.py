"""The pages on data sets and measures name all of them, and their examples run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from decoct_lab.datasets.sets import NAMES, module

PROJECT = Path(__file__).parents[2]
PAGES = ("datasets.md", "metrics.md")


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_set_and_option_is_documented(name: str) -> None:
    page = (PROJECT / "lab" / "docs" / "datasets.md").read_text("utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
    spec = module(name).SPEC
    assert spec.title in row
    assert spec.licence in row
    assert f"| {spec.gold} |" in row
    for option, values in spec.options.items():
        assert f"`{option}={values[0]}`" in row
        assert all(f"`{value}`" in row for value in values[1:])


def test_every_measure_a_set_names_is_documented() -> None:
    page = (PROJECT / "lab" / "docs" / "metrics.md").read_text("utf-8")
    for name in NAMES:
        for metric in module(name).SPEC.metrics:
            assert f"`{re.sub('@[0-9]+', '@k', metric)}`" in page, f"{name} names {metric}"


def test_every_measure_has_its_tests() -> None:
    tests = "".join(path.read_text("utf-8") for path in (PROJECT / "tests" / "evaluate" / "metrics").glob("test_*.py"))
    for path in (PROJECT / "src" / "decoct" / "evaluate" / "metrics").glob("[a-z]*.py"):
        assert f"decoct.evaluate.metrics.{path.stem} import" in tests


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(PROJECT)
    blocks = re.findall(r"```python\n(.*?)```", (PROJECT / "lab" / "docs" / page).read_text("utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})
    assert capsys.readouterr().out
