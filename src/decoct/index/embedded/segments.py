"""The files of the lexical index: what state they hold, and whether they are as they were written.

tantivy writes a CRC at the end of each file, and `meta.json` names those that count. `decoct.json` is ours: the format, the library, the
sequence number and how many chunks that makes; before a commit, also how many it will make.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from decoct.index.embedded.files import has_whole_footer, replace_json

RECORD = "decoct.json"

# Raised when the fields or the analysis change: an index of another format is built again (3 was that with columns of frequent words).
FORMAT = 2


class SegmentFiles:
    """Knows which files were already found whole: tantivy never changes one that it has written."""

    def __init__(self, folder: Path, library: str) -> None:
        self._folder = folder
        self._library = library
        self._whole: set[tuple[str, int]] = set()

    def recorded(self) -> tuple[int, set[int]] | None:
        """The sequence number of the index, and how many chunks it may hold (none are told by the version before).

        None if there is no index, or not one of ours: it is built again.
        """
        record = self._record()
        if record is None:
            return None
        return int(record["sequence"]), {int(record[name]) for name in ("chunks", "pending") if name in record}

    def announce(self, chunks: int) -> None:
        """Note how many chunks there will be after the commit that follows."""
        if found := self._record():
            replace_json(self._folder / RECORD, {**found, "pending": chunks})

    def record(self, sequence: int, chunks: int) -> None:
        """Note what was committed."""
        known = {"format": FORMAT, "library": self._library, "sequence": sequence, "chunks": chunks}
        replace_json(self._folder / RECORD, known)

    def damaged(self) -> list[str]:
        """Names of the files that are missing or not as they were written."""
        try:
            segments = json.loads((self._folder / "meta.json").read_text())["segments"]
            names = [name for segment in segments for name in self._of(segment)]
        except (OSError, ValueError, KeyError, TypeError):
            return ["meta.json"]
        return [name for name in names if not self._is_whole(self._folder / name)]

    def _record(self) -> dict[str, Any] | None:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):  # of a list, say
            record: dict[str, Any] = json.loads((self._folder / RECORD).read_text())
            if (record["format"], record["library"]) == (FORMAT, self._library) and int(record["sequence"]) >= 0:
                return record
        return None

    def _of(self, segment: dict[str, object]) -> list[str]:
        stem = str(segment["segment_id"]).replace("-", "")
        deletes = segment.get("deletes")
        names = [path.name for path in self._folder.glob(f"{stem}.*") if path.suffix != ".del"]
        return [*names, f"{stem}.{deletes['opstamp']}.del"] if isinstance(deletes, dict) else names

    def _is_whole(self, path: Path) -> bool:
        try:
            known = (path.name, path.stat().st_mtime_ns)
            if known not in self._whole:
                if not has_whole_footer(path):
                    return False
                self._whole.add(known)
        except OSError:
            return False
        return True
