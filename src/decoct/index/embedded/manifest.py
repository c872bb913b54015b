"""What the vector files say of themselves (`rows` writes and reads them)."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from decoct.index.embedded.columns import STORED

# Raised when the files' layout changes: files of another format are built again.
FORMAT = 4

# The first had no checksums, the one after it no traits: their files get them when next written.
READABLE = frozenset({2, 3, FORMAT})

KEY = np.dtype("<i8")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What of the files is valid. `indexed` rows are in the faiss file of `index_bytes`, trained on `trained` rows.

    `checks` are the CRCs of what counts of each file, by kind (`ivf` for faiss's); empty in the first format. `trait_bytes` is how much
    of the file of traits counts.
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
    checks: Mapping[str, int] = field(default_factory=dict)
    trait_bytes: int = 0

    @property
    def has_traits(self) -> bool:
        """Whether the traits of the rows lie in files too."""
        return self.format >= FORMAT


def continued(manifest: Manifest, **data: bytes) -> dict[str, int]:
    """The checksums with more data written."""
    return {**manifest.checks, **{kind: zlib.crc32(more, manifest.checks[kind]) for kind, more in data.items()}}


def sizes(manifest: Manifest) -> dict[str, int]:
    """The bytes of each growing file that count."""
    found = {
        "rows": manifest.rows * manifest.dimension * STORED.itemsize,
        "marks": manifest.rows * manifest.width,
        "keys": manifest.rows * KEY.itemsize,
        "dead": manifest.dead * KEY.itemsize,
    }
    if manifest.has_traits:
        found |= {"traits": manifest.trait_bytes, "ends": manifest.rows * KEY.itemsize}
    return found
