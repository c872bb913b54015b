"""What the repository cites can be opened by its reader: papers by name and section, our readings of them in lab/docs/methods.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Numbers of papers and sections of a page that only its author had.
CLOSED = re.compile(
    r"\bMETHODS [0-9]|\b[Pp]aper 00[0-9]\b|(?<![\w.,+-])00[0-4](?='s|, Table| Table|\)|, section|: |\. )"
)
FOLDERS = {
    "src": ("*.py", "*.toml", "*.html", "*.md"),
    "lab": ("*.py", "*.toml", "*.md"),
    "plugins": ("*.py", "*.toml", "*.md"),
    "benchmarks": ("*.py", "*.toml"),
    "experiments": ("*.py", "*.toml"),
    "docs": ("*.md",),
    "tests": ("*.py",),
    "examples": ("*.py", "*.md"),
}
FILES = sorted(
    path
    for folder, kinds in FOLDERS.items()
    for kind in kinds
    for path in (ROOT / folder).rglob(kind)
    if path.name not in ("methods.md", "test_references.py")
    and "results" not in path.parts
    and "peers" not in path.parts
) + [ROOT / name for name in ("README.md", "CHANGELOG.md", "ARCHITECTURE.md")]


def closed_references(text: str) -> list[str]:
    """What cites a page that is not in the repository."""
    return [match.group() for match in CLOSED.finditer(text)]


def test_no_reference_is_to_what_cannot_be_opened() -> None:
    found = {str(path.relative_to(ROOT)): closed_references(path.read_text("utf-8")) for path in FILES}
    assert {path: cited for path, cited in found.items() if cited} == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("as METHODS 3.4 reads it", ["METHODS 3"]),
        ("the tables of paper 002 and of 003's Table I", ["paper 002", "003"]),
        ("n = 1,000 in .002 s, doc-003, METHODS = (1,)", []),
    ],
)
def test_a_closed_reference_is_found(text: str, found: list[str]) -> None:
    assert closed_references(text) == found
