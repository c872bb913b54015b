"""The files of the lexical index: what state they hold, and whether they are as they were written.

tantivy writes a CRC at the end of each file, and `meta.json` names those that count. `decoct.json` is ours: the format, the library, the
sequence number and how many chunks that makes; before a commit, also how many it will make; and the frequent words whose counts the index
has in columns (`frequent`).
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from decoct.index.embedded.files import has_whole_footer, replace_json
from decoct.index.embedded.frequent import FrequentWords

RECORD = "decoct.json"

# Raised when the fields or the analysis change: an index of another format is built again. `WITH_COLUMNS` has the columns of frequent words
# besides; a Decoct that does not know it builds the index again.
FORMAT, WITH_COLUMNS = 2, 3


class SegmentFiles:
    """Knows which files were already found whole: tantivy never changes one that it has written."""

    def __init__(self, folder: Path, library: str) -> None:
        self._folder = folder
        self._library = library
        self._whole: set[tuple[str, int]] = set()

    def recorded(self) -> tuple[int, set[int], FrequentWords] | None:
        """The sequence number of the index, how many chunks it may hold (none are told by the version before), and its frequent words.

        None if there is no index, or not one of ours: it is built again.
        """
        found = self._record()
        if found is None:
            return None
        record, frequent = found
        chunks = {int(record[name]) for name in ("chunks", "pending") if name in record}
        return int(record["sequence"]), chunks, frequent

    def announce(self, chunks: int) -> None:
        """Note how many chunks there will be after the commit that follows."""
        if found := self._record():
            replace_json(self._folder / RECORD, {**found[0], "pending": chunks})

    def record(self, sequence: int, chunks: int, frequent: FrequentWords) -> None:
        """Note what was committed."""
        known = {"format": WITH_COLUMNS if frequent.words else FORMAT, "library": self._library}
        replace_json(self._folder / RECORD, {**known, "sequence": sequence, "chunks": chunks, **frequent.record()})

    def damaged(self) -> list[str]:
        """Names of the files that are missing or not as they were written."""
        try:
            segments = json.loads((self._folder / "meta.json").read_text())["segments"]
            names = [name for segment in segments for name in self._of(segment)]
        except (OSError, ValueError, KeyError, TypeError):
            return ["meta.json"]
        return [name for name in names if not self._is_whole(self._folder / name)]

    def _record(self) -> tuple[dict[str, Any], FrequentWords] | None:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):  # of a list, say
            record = json.loads((self._folder / RECORD).read_text())
            frequent = FrequentWords.of_record(record)
            format_ = WITH_COLUMNS if frequent.words else FORMAT
            if (record["format"], record["library"]) == (format_, self._library) and int(record["sequence"]) >= 0:
                return record, frequent
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
