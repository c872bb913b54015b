"""What building a structure read (`parts.db`, which models were paid for) goes along with a library that is copied (`decoct.copying`)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from decoct_lab.structure.shelf import Shelf


def copied_parts(source: Path, target: Path | None) -> tuple[list[str], list[str]]:
    """The structures in the library's folder `source`, and those whose parts are now in `target` (None: a library without a folder)."""
    shelf = Shelf(source)
    names = shelf.names()
    if target is None:
        return names, []
    for name in names:
        other = Shelf(target).folder(name) / "parts.db"
        if not other.exists():
            other.parent.mkdir(parents=True, exist_ok=True)
            draft = other.with_suffix(".copy")
            draft.unlink(missing_ok=True)
            with (
                closing(sqlite3.connect(shelf.folder(name) / "parts.db")) as old,
                closing(sqlite3.connect(draft)) as new,
            ):
                old.backup(new)
            draft.rename(other)
    return names, names
