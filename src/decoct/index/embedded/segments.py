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


class SegmentFiles:
    """Knows which files were already found whole: tantivy never changes one that it has written."""

    def __init__(self, folder: Path, format_: int, library: str) -> None:
        self._folder = folder
        self._known = {"format": format_, "library": library}
        self._whole: set[tuple[str, int]] = set()

    def recorded(self) -> tuple[int, set[int]] | None:
        """The sequence number of the index, and how many chunks it may hold (none are told by the version before).

        None if there is no index, or not one of ours: it is built again.
        """
        record = self._record()
        return (record["sequence"], {record[n] for n in ("chunks", "pending") if n in record}) if record else None

    def announce(self, chunks: int) -> None:
        """Note how many chunks there will be after the commit that follows."""
        if record := self._record():
            replace_json(self._folder / RECORD, {**record, "pending": chunks})

    def record(self, sequence: int, chunks: int) -> None:
        """Note what was committed."""
        replace_json(self._folder / RECORD, {**self._known, "sequence": sequence, "chunks": chunks})

    def damaged(self) -> list[str]:
        """Names of the files that are missing or not as they were written."""
        try:
            segments = json.loads((self._folder / "meta.json").read_text())["segments"]
            names = [name for segment in segments for name in self._of(segment)]
        except (OSError, ValueError, KeyError, TypeError):
            return ["meta.json"]
        return [name for name in names if not self._is_whole(self._folder / name)]

    def _record(self) -> dict[str, Any] | None:
        with suppress(OSError, ValueError, KeyError, TypeError):
            record = json.loads((self._folder / RECORD).read_text())
            if {name: record[name] for name in self._known} == self._known and int(record["sequence"]) >= 0:
                return dict(record)
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
