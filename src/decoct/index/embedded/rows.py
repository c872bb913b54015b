"""Vectors on disk, derived from SQLite: files that only grow, and a manifest that says how much of them counts.

- `rows-G.f2`  the vectors in half precision, one row a chunk, in the order of keys;
- `marks-G.u1` the signature of each row, in bytes;
- `keys-G.i8`  the key of each row (ascending, so a key's row is found by bisection);
- `dead-G.i8`  keys of rows whose document was removed;
- `ivf-G-N.faiss` an approximate index over the first N rows, once there are many (see `ivf`);
- `manifest.json` the generation G, the sequence number these files hold, and how many rows, dead keys and indexed rows are valid.

The manifest is replaced after the data is on disk, so whatever a crash leaves behind the manifest's numbers is cut off by the next
writer and never read. It holds a CRC-32 of each file, of as much as counts, by which damage is known when the files are opened. When a
quarter of the rows are dead, the living ones move to generation G + 1.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from decoct import trace
from decoct.data import Floats, Keys
from decoct.errors import StoreError
from decoct.index.embedded import ivf
from decoct.index.embedded.files import NOTES, checksum, is_as_written, replace_json, sync
from decoct.index.embedded.manifest import FORMAT, KEY, READABLE, Manifest, continued, sizes
from decoct.index.embedded.schema import STORED

# Rows handled at a time when building: 8,192 rows of 384 dimensions are 6 MB in half precision.
BLOCK = 8192

# Compact when this share of the rows is dead: amortised, each row is moved at most four times.
DEAD_SHARE = 0.25

# Fewer dead rows than this are not worth a rewrite.
FEW_DEAD = 1000

_SUFFIX = {"rows": "f2", "marks": "u1", "keys": "i8", "dead": "i8"}
Rows = NDArray[np.float16]


class RowFiles:
    """The vector files in `folder`. Reading is thread-safe; writing is for the holder of the library's lock."""

    def __init__(self, folder: Path, library: str) -> None:
        self.folder = folder
        self._library = library

    # -- reading ---------------------------------------------------------------------------------------------------
    def manifest(self) -> Manifest | None:
        """The manifest; None if there is none, if it is another library's, or if the files are shorter than it says."""
        try:
            found = Manifest(**json.loads((self.folder / "manifest.json").read_text()))
            whole = all(self._path(found, kind).stat().st_size >= size for kind, size in sizes(found).items())
        except (OSError, ValueError, TypeError):
            return None
        if not whole or found.format not in READABLE or found.library != self._library:
            return None
        return found

    def damaged(self, manifest: Manifest, before: Manifest | None) -> list[str]:
        """Names of the files that are not as they were written; what was already found right as part of `before` is not read again."""
        found = []
        known = before if before is not None and before.generation == manifest.generation else None
        for kind, size in sizes(manifest).items():
            start, value = (sizes(known)[kind], known.checks.get(kind)) if known is not None else (0, 0)
            if value is None or start > size:
                start, value = 0, 0
            path = self._path(manifest, kind)
            if kind in manifest.checks and not is_as_written(path, manifest.checks[kind], size, start, value):
                found.append(path.name)
        return found

    def index_is_whole(self, manifest: Manifest) -> bool:
        """Whether the faiss file is as it was written."""
        expected = manifest.checks.get("ivf")
        return expected is None or is_as_written(self.index(manifest), expected, manifest.index_bytes)

    def rows(self, manifest: Manifest) -> Rows:
        """The vectors, mapped into memory: only what is read takes room. Shape (rows, dimension)."""
        shape = (manifest.rows, manifest.dimension)
        if not manifest.rows:
            return np.empty(shape, dtype=STORED)
        # Plain arrays over the maps: numpy asks a memmap at every look-up whether the result is one, too.
        return np.asarray(np.memmap(self._path(manifest, "rows"), dtype=STORED, mode="r", shape=shape))

    def block(self, manifest: Manifest, start: int, end: int) -> Floats:
        """Rows `start` to `end` in single precision, read and not mapped: building an index leaves no pages behind."""
        width = manifest.dimension
        offset = start * width * STORED.itemsize
        found = np.fromfile(self._path(manifest, "rows"), dtype=STORED, count=(end - start) * width, offset=offset)
        return found.reshape(-1, width).astype(np.float32)

    def marks(self, manifest: Manifest) -> NDArray[np.uint8]:
        """The signatures, mapped into memory. Shape (rows, width)."""
        shape = (manifest.rows, manifest.width)
        if not manifest.rows or not manifest.width:
            return np.empty(shape, dtype=np.uint8)
        return np.asarray(np.memmap(self._path(manifest, "marks"), dtype=np.uint8, mode="r", shape=shape))

    def keys(self, manifest: Manifest) -> Keys:
        """The key of each row."""
        return np.fromfile(self._path(manifest, "keys"), dtype=KEY, count=manifest.rows)

    def dead(self, manifest: Manifest) -> Keys:
        """Keys whose rows do not count any more."""
        return np.fromfile(self._path(manifest, "dead"), dtype=KEY, count=manifest.dead)

    def index(self, manifest: Manifest) -> Path:
        """The faiss file."""
        return self.folder / f"ivf-{manifest.generation}-{manifest.indexed}.faiss"

    # -- writing ---------------------------------------------------------------------------------------------------
    def extend(
        self,
        base: Manifest | None,
        sequence: int,
        removed: Iterable[int],
        added: Iterable[tuple[int, bytes, bytes]],
        *,
        resting: bool = False,
    ) -> Manifest:
        """Bring the files from `base` (None: from nothing) to `sequence`; return the new manifest. `resting` is `ivf.is_index_due`'s."""
        with _translated(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            manifest = base or Manifest(self._library, 0, generation=self._unused())
            for kind, size in sizes(manifest).items():
                path = self._path(manifest, kind)
                with path.open("r+b" if path.exists() else "w+b") as file:
                    file.truncate(size)
            manifest = self._checked(manifest)
            manifest = self._mark_dead(manifest, removed)
            if manifest.rows == manifest.dead > 0:  # an emptied library may come back with other dimensions
                manifest = Manifest(self._library, 0, generation=self._unused())
                for kind in sizes(manifest):
                    self._path(manifest, kind).touch()
                manifest = self._checked(manifest)
            manifest = replace(self._append(manifest, added), sequence=sequence)
            if manifest.dead > max(FEW_DEAD, DEAD_SHARE * manifest.rows):
                manifest = self._compact(manifest)
            manifest = self._reindex(manifest, resting=resting)
            for kind in sizes(manifest):
                sync(self._path(manifest, kind))
            replace_json(self.folder / "manifest.json", asdict(manifest))
            self._sweep(manifest)
            return manifest

    # -- inside ----------------------------------------------------------------------------------------------------
    def _checked(self, manifest: Manifest) -> Manifest:
        """With the checksums that a new manifest, or one of the format before, does not have yet."""
        missing = {kind: size for kind, size in sizes(manifest).items() if kind not in manifest.checks}
        found = {kind: checksum(self._path(manifest, kind), size) for kind, size in missing.items()}
        return replace(manifest, format=FORMAT, checks={**manifest.checks, **found})

    def _mark_dead(self, manifest: Manifest, removed: Iterable[int]) -> Manifest:
        gone = np.fromiter(removed, dtype=KEY)
        gone = gone[np.isin(gone, self.keys(manifest))] if len(gone) else gone
        gone = np.setdiff1d(gone, self.dead(manifest)) if len(gone) else gone
        data = gone.tobytes()
        with self._path(manifest, "dead").open("ab") as file:
            file.write(data)
        return replace(manifest, dead=manifest.dead + len(gone), checks=continued(manifest, dead=data))

    def _append(self, manifest: Manifest, added: Iterable[tuple[int, bytes, bytes]]) -> Manifest:
        rest = iter(added)
        with (
            self._path(manifest, "rows").open("ab") as rows,
            self._path(manifest, "marks").open("ab") as marks,
            self._path(manifest, "keys").open("ab") as keys,
        ):
            while block := list(islice(rest, BLOCK)):
                data = {
                    "rows": b"".join(vector for _, vector, _ in block),
                    "marks": b"".join(mark for _, _, mark in block),
                    "keys": np.array([key for key, _, _ in block], dtype=KEY).tobytes(),
                }
                for file, kind in ((rows, "rows"), (marks, "marks"), (keys, "keys")):
                    file.write(data[kind])
                manifest = replace(
                    manifest,
                    dimension=len(block[0][1]) // STORED.itemsize,
                    width=len(block[0][2]),
                    rows=manifest.rows + len(block),
                    checks=continued(manifest, **data),
                )
        return manifest

    def _compact(self, old: Manifest) -> Manifest:
        dead, rows, marks, keys = self.dead(old), self.rows(old), self.marks(old), self.keys(old)
        empty = Manifest(self._library, old.sequence, old.dimension, old.width, generation=self._unused())
        for kind in sizes(empty):
            self._path(empty, kind).touch()
        empty = self._checked(empty)

        def living() -> Iterator[tuple[int, bytes, bytes]]:
            for start in range(0, old.rows, BLOCK):
                block = slice(start, start + BLOCK)
                for at in np.flatnonzero(~np.isin(keys[block], dead)):
                    yield int(keys[start + at]), rows[start + at].tobytes(), marks[start + at].tobytes()

        return self._append(empty, living())

    def _reindex(self, manifest: Manifest, *, resting: bool) -> Manifest:
        if not ivf.is_index_due(manifest.rows, manifest.indexed, resting=resting):
            return manifest
        read = partial(self.block, manifest)
        kept = manifest.indexed if manifest.rows < ivf.RETRAIN * manifest.trained else 0
        if kept:
            new = replace(manifest, indexed=manifest.rows)
            try:
                size = ivf.build(read, new.rows, self.index(manifest), kept, self.index(new))
            except StoreError:
                trace.fallback("store.vector_index_rebuilt")  # the file is damaged; the rows are not
            else:
                return self._with_index(new, size)
        new = replace(manifest, indexed=manifest.rows, trained=manifest.rows)
        return self._with_index(new, ivf.build(read, new.rows, None, 0, self.index(new)))

    def _with_index(self, manifest: Manifest, size: int) -> Manifest:
        checks = {**manifest.checks, "ivf": checksum(self.index(manifest), size)}
        return replace(manifest, index_bytes=size, checks=checks)

    def _path(self, manifest: Manifest, kind: str) -> Path:
        return self.folder / f"{kind}-{manifest.generation}.{_SUFFIX[kind]}"

    def _unused(self) -> int:
        """A generation that no file belongs to: readers may still have the files of the last ones open."""
        taken = [
            int(path.stem.split("-")[1]) for path in self.folder.glob("*-*.*") if path.stem.split("-")[1].isdigit()
        ]
        return max(taken, default=0) + 1

    def _sweep(self, manifest: Manifest) -> None:
        keep = {self._path(manifest, kind).name for kind in sizes(manifest)} | {"manifest.json", NOTES}
        keep |= {self.index(manifest).name} if manifest.indexed else set()
        for path in self.folder.iterdir():
            if path.name not in keep:
                path.unlink(missing_ok=True)


@contextmanager
def _translated(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"the vector files {folder} could not be written ({error}); the documents are safe. Free disk space or check permissions"
        ) from error
