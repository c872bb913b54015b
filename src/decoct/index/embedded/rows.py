"""Vectors on disk, derived from SQLite: files that only grow, and a manifest that says how much of them counts.

- `rows-G.f2`  the vectors in half precision, one row a chunk, in the order of keys;
- `marks-G.u1` the signature of each row, in bytes;
- `keys-G.i8`  the key of each row (ascending, so a key's row is found by bisection);
- `traits-G.u1` the traits of each row one after another, and `ends-G.i8` where those of each row end;
- `dead-G.i8`  keys of rows whose document was removed;
- `ivf-G-N.faiss` an approximate index over the first N rows, once there are many (see `ivf`);
- `manifest.json` the generation G, the sequence number these files hold, and how many rows, dead keys and indexed rows are valid.

The manifest is replaced after the data is on disk, so whatever a crash leaves behind the manifest's numbers is cut off by the next
writer and never read. It holds a CRC-32 of each file, of as much as counts, by which damage is known when the files are opened. When a
quarter of the rows are dead, the living ones move to generation G + 1.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from decoct import trace
from decoct.data import Floats, Keys
from decoct.errors import StoreError, not_stored
from decoct.index.embedded import ivf
from decoct.index.embedded.columns import STORED
from decoct.index.embedded.files import NOTES, checksum, is_as_written, replace_json, sync

# Raised when the files' layout changes: files of another format are built again.
FORMAT = 4

KEY = np.dtype("<i8")
_SUFFIX = {"rows": "f2", "marks": "u1", "keys": "i8", "dead": "i8", "traits": "u1", "ends": "i8"}


@dataclass(frozen=True, slots=True)
class Manifest:
    """What of the files is valid. `indexed` rows are in the faiss file of `index_bytes`, trained on `trained` rows.

    `checks` are the CRCs of what counts of each file, by kind (`ivf` for faiss's). `trait_bytes` is how much of the file of traits counts.
    """

    library: str
    sequence: int
    dimension: int = 0
    width: int = 0
    generation: int = 0
    rows: int = 0
    dead: int = 0
    indexed: int = 0
    trained: int = 0
    index_bytes: int = 0
    format: int = FORMAT
    checks: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(_SUFFIX, 0))
    trait_bytes: int = 0


def continued(manifest: Manifest, **data: bytes) -> dict[str, int]:
    """The checksums with more data written."""
    return {**manifest.checks, **{kind: zlib.crc32(more, manifest.checks[kind]) for kind, more in data.items()}}


def sizes(manifest: Manifest) -> dict[str, int]:
    """The bytes of each growing file that count."""
    return {
        "rows": manifest.rows * manifest.dimension * STORED.itemsize,
        "marks": manifest.rows * manifest.width,
        "keys": manifest.rows * KEY.itemsize,
        "dead": manifest.dead * KEY.itemsize,
        "traits": manifest.trait_bytes,
        "ends": manifest.rows * KEY.itemsize,
    }


# The traits of chunks as two mapped files (`rows` writes them): all of them one after another, and where each row's end.
#
# In SQLite they lie in the chunks' rows: those of 200 chunks are 200 places of a table of gigabytes. Here they are 200 slices of memory.
@dataclass(frozen=True, slots=True)
class RowTraits:
    """The traits of all rows one after another, and where each row's end; mapped into memory."""

    packed: NDArray[np.uint8]
    ends: Keys

    def at(self, rows: Keys) -> list[bytes]:
        """The traits of each of `rows`."""
        packed, past = memoryview(self.packed.data), self.ends[rows]
        first = np.where(rows > 0, self.ends[rows - 1], 0)
        return [bytes(packed[one:other]) for one, other in zip(first.tolist(), past.tolist(), strict=True)]


def packed_ends(start: int, block: Sequence[bytes]) -> bytes:
    """Where each row's traits end, when they are written from `start` on."""
    return (start + np.cumsum([len(one) for one in block], dtype=KEY)).astype(KEY).tobytes()


# Rows handled at a time when building: 8,192 rows of 384 dimensions are 6 MB in half precision.
BLOCK = 8192

# Compact when this share of the rows is dead: amortised, each row is moved at most four times.
DEAD_SHARE = 0.25

# Fewer dead rows than this are not worth a rewrite.
FEW_DEAD = 1000

Rows = NDArray[np.float16]

# What is stored of a chunk: its key, vector, signature and traits.
StoredRow = tuple[int, bytes, bytes, bytes]
APPENDED = ("rows", "marks", "keys", "traits", "ends")


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
        if not whole or found.format != FORMAT or found.library != self._library:
            return None
        return found

    def damaged(self, manifest: Manifest, before: Manifest | None) -> list[str]:
        """Names of the files that are not as they were written; what was already found right as part of `before` is not read again."""
        found = []
        known = before if before is not None and before.generation == manifest.generation else None
        for kind, size in sizes(manifest).items():
            start, value = (sizes(known)[kind], known.checks[kind]) if known is not None else (0, 0)
            if start > size:
                start, value = 0, 0
            path = self._path(manifest, kind)
            if not is_as_written(path, manifest.checks[kind], size, start, value):
                found.append(path.name)
        return found

    def index_is_whole(self, manifest: Manifest) -> bool:
        """Whether the faiss file is as it was written."""
        return is_as_written(self.index(manifest), manifest.checks["ivf"], manifest.index_bytes)

    def rows(self, manifest: Manifest) -> Rows:
        """The vectors, mapped into memory: only what is read takes room. Shape (rows, dimension)."""
        return self._mapped(manifest, "rows", STORED, (manifest.rows, manifest.dimension))

    def block(self, manifest: Manifest, start: int, end: int) -> Floats:
        """Rows `start` to `end` in single precision, read and not mapped: building an index leaves no pages behind."""
        width = manifest.dimension
        offset = start * width * STORED.itemsize
        found = np.fromfile(self._path(manifest, "rows"), dtype=STORED, count=(end - start) * width, offset=offset)
        return found.reshape(-1, width).astype(np.float32)

    def marks(self, manifest: Manifest) -> NDArray[np.uint8]:
        """The signatures, mapped into memory. Shape (rows, width)."""
        return self._mapped(manifest, "marks", np.dtype(np.uint8), (manifest.rows, manifest.width))

    def traits(self, manifest: Manifest) -> RowTraits:
        """The traits, mapped into memory."""
        packed = self._mapped(manifest, "traits", np.dtype(np.uint8), (manifest.trait_bytes,))
        return RowTraits(packed, self._mapped(manifest, "ends", KEY, (manifest.rows,)))

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
        added: Iterable[StoredRow],
        *,
        resting: bool = False,
    ) -> Manifest:
        """Bring the files from `base` (None: from nothing) to `sequence`; return the new manifest. `resting` is `ivf.is_index_due`'s."""
        with _translated(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            manifest = base or self._empty()
            for kind, size in sizes(manifest).items():
                os.truncate(self._path(manifest, kind), size)
            manifest = self._mark_dead(manifest, removed)
            if manifest.rows == manifest.dead > 0:  # an emptied library may come back with other dimensions
                manifest = self._empty()
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
    def _empty(self) -> Manifest:
        """New files, without a row."""
        made = Manifest(self._library, 0, generation=self._unused())
        for kind in sizes(made):
            self._path(made, kind).touch()
        return made

    def _mark_dead(self, manifest: Manifest, removed: Iterable[int]) -> Manifest:
        gone = np.fromiter(removed, dtype=KEY)
        gone = gone[np.isin(gone, self.keys(manifest))] if len(gone) else gone
        gone = np.setdiff1d(gone, self.dead(manifest)) if len(gone) else gone
        data = gone.tobytes()
        with self._path(manifest, "dead").open("ab") as file:
            file.write(data)
        return replace(manifest, dead=manifest.dead + len(gone), checks=continued(manifest, dead=data))

    def _append(self, manifest: Manifest, added: Iterable[StoredRow]) -> Manifest:
        rest = iter(added)
        with ExitStack() as opened:
            files = {kind: opened.enter_context(self._path(manifest, kind).open("ab")) for kind in APPENDED}
            while block := list(islice(rest, BLOCK)):
                keys, vectors, marks, traits = zip(*block, strict=True)
                data = {
                    "rows": b"".join(vectors),
                    "marks": b"".join(marks),
                    "keys": np.array(keys, dtype=KEY).tobytes(),
                    "traits": b"".join(traits),
                    "ends": packed_ends(manifest.trait_bytes, traits),
                }
                for kind, file in files.items():
                    file.write(data[kind])
                manifest = replace(
                    manifest,
                    dimension=len(vectors[0]) // STORED.itemsize,
                    width=len(marks[0]),
                    rows=manifest.rows + len(block),
                    trait_bytes=manifest.trait_bytes + len(data["traits"]),
                    checks=continued(manifest, **data),
                )
        return manifest

    def _compact(self, old: Manifest) -> Manifest:
        dead, rows, marks, keys = self.dead(old), self.rows(old), self.marks(old), self.keys(old)
        traits = self.traits(old)

        def living() -> Iterator[StoredRow]:
            for start in range(0, old.rows, BLOCK):
                at = start + np.flatnonzero(~np.isin(keys[start : start + BLOCK], dead))
                for row, packed in zip(at.tolist(), traits.at(at), strict=True):
                    yield int(keys[row]), rows[row].tobytes(), marks[row].tobytes(), packed

        return self._append(replace(self._empty(), sequence=old.sequence), living())

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

    def _mapped(self, manifest: Manifest, kind: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """A plain array over the map of a file: numpy asks a memmap at every look-up whether the result is one, too."""
        if not all(shape):  # nothing can be mapped
            return np.empty(shape, dtype)
        return np.asarray(np.memmap(self._path(manifest, kind), dtype, mode="r", shape=shape))

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
                with suppress(PermissionError):  # on Windows one that a reader has open stays until a later sweep
                    path.unlink(missing_ok=True)


@contextmanager
def _translated(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise not_stored(
            error,
            f"the vector files {folder} could not be written ({error}); the documents are safe. Free disk space or check permissions",
        ) from error
