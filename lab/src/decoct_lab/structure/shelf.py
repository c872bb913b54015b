"""Where structures are kept: a folder a structure inside the library's own (`structures/NAME/`).

- `parts.db` (SQLite): what was read of each document, and what an interrupted `put_together` has done so far;
- `made-N/`: the files that retrievers open, never changed once they are there;
- `current.json`: which `made-N` holds, of what state of which library, how it was built and what that cost. It is replaced whole, so a
  structure is the old one or the new one, whenever the building is killed;
- `write.lock`: held by whoever builds.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from decoct.errors import ConfigError, MissingStructureError, StaleIndexError
from decoct.index.embedded.files import replace_json, size_of
from decoct.index.embedded.lock import WriteLock
from decoct_lab.structure.base import Spending

FOLDER = "structures"
# Raised when what this module writes changes.
FORMAT = 1
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


@dataclass(frozen=True, slots=True)
class Finished:
    """A structure as it was finished: `made` is its folder's name, `changes` the state of the parts that it was put together of.

    `library`, `generation` and `sequence` tell the state of the library; `spent` and `seconds` what all documents in it cost to read (as
    far as they were read anew), so that what a change will cost can be told without a model.
    """

    made: str
    fingerprint: str
    model: str
    embedder: str
    library: str
    generation: int
    sequence: int
    changes: int
    documents: int
    chunks: int
    failed: int
    seconds: float
    spent: dict[str, int] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def spending(self) -> Spending:
        """`spent` with its type."""
        return Spending(**self.spent)


@dataclass(frozen=True, slots=True)
class Shelf:
    """The structures in a library's folder `home`."""

    home: Path

    def names(self) -> list[str]:
        """Of the structures that are finished or were begun, sorted."""
        return sorted(path.parent.name for path in self.home.glob(f"{FOLDER}/*/parts.db"))

    def folder(self, name: str) -> Path:
        """Where the structure `name` is, or would be."""
        if _NAME.fullmatch(name) is None:
            raise ConfigError(f"{name!r} cannot be a structure's name: use lower-case letters, digits and hyphens")
        return self.home / FOLDER / name

    def finished(self, name: str) -> Finished | None:
        """The structure's record; None where it was never finished. `StaleIndexError` for one of another version of Decoct."""
        try:
            found = json.loads((self.folder(name) / "current.json").read_text("utf-8"))
            record = Finished(**{key: found[key] for key in (one.name for one in fields(Finished))})
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise StaleIndexError(f"the structure {name!r} cannot be read: {self.advice(name)} again") from error
        if record.format != FORMAT:
            raise StaleIndexError(
                f"the structure {name!r} was built by another version of Decoct: {self.advice(name)} again"
            )
        return record

    def made(self, name: str) -> tuple[Finished, Path]:
        """The finished structure's record and folder; `MissingStructureError` where there is none."""
        record = self.finished(name)
        if record is None or not (folder := self.folder(name) / record.made).is_dir():
            begun = " was begun but never finished" if name in self.names() else " is not built"
            raise MissingStructureError(f"the structure {name!r} of this library{begun}: {self.advice(name)}")
        return record, folder

    def advice(self, name: str) -> str:
        """What to run so that there is one."""
        return f"run `decoct structure build {name} --library {self.home}` (--llm NAME: the form by a language model, where it has one)"

    def finish(self, name: str, record: Finished) -> None:
        """Let `record` be the structure from now on, and remove those before."""
        folder = self.folder(name)
        replace_json(folder / "current.json", asdict(record))
        for path in folder.glob("made-*"):
            if path.name != record.made:
                shutil.rmtree(path, ignore_errors=True)

    def drop(self, name: str) -> int:
        """Remove the structure; return how many bytes it had. `ConfigError` where there is none."""
        folder = self.folder(name)
        if not folder.is_dir():
            there = ", ".join(self.names()) or "there is none"
            raise ConfigError(f"the library has no structure {name!r}; it has: {there}")
        with WriteLock(folder / "write.lock").held():
            size = size_of(folder)
            (folder / "current.json").unlink(missing_ok=True)  # first: what goes away now is no structure any more
            shutil.rmtree(folder)
        return size
