"""The examples run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
NEEDS = {"from_langchain": "langchain_core", "from_llama_index": "llama_index.core", "from_haystack": "haystack"}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda p: p.name)
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    if path.stem in NEEDS:
        pytest.importorskip(NEEDS[path.stem])
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_demo_runs_and_cites(tmp_path: Path) -> None:
    script = (EXAMPLES / "demo.sh").read_text("utf-8")
    assert "decoct ingest" in script
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "DEMO_LIBRARY": str(tmp_path / "library")}
    done = subprocess.run(
        ["sh", str(EXAMPLES / "demo.sh")], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "Clifford Durr" in done.stdout
    assert "Sources" in done.stdout
