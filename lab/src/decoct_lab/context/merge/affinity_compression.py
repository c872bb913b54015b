"""NLL(source | anchor) by a compressor: the bytes it takes to write the source when the anchor is already known, a byte of the source.

Shannon's argument of MergeRAG (section 3.3) taken at its word: a code's length bounds the conditional entropy from above. The code is
Zstandard (RFC 8878) with the anchor as its dictionary, without magic number, content size and checksum, so that nothing
but the source is counted. How it agrees with a language model is measured in lab/docs/merging.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# Zstandard takes no dictionary below this; an anchor that is shorter could tell nothing anyway.
_LEAST_BYTES = 8
_LEVEL = 9  # from 19 on the compressor is slow


@dataclass(frozen=True, slots=True)
class Compression:
    """An affinity by conditional compression."""

    def affinity(self, sources: Sequence[str], anchors: Sequence[str]) -> list[list[float]]:
        """Compressed bytes a byte of the source; inf for an empty source."""
        texts = [source.encode() for source in sources]
        columns = [self._costs(texts, anchor.encode()) for anchor in anchors]
        return [[column[row] for column in columns] for row in range(len(texts))]

    def _costs(self, sources: Sequence[bytes], anchor: bytes) -> list[float]:
        import zstandard

        parameters = zstandard.ZstdCompressionParameters.from_level(
            _LEVEL,
            format=zstandard.FORMAT_ZSTD1_MAGICLESS,
            write_content_size=False,
            write_checksum=False,
            write_dict_id=False,
        )
        known = None
        if len(anchor) >= _LEAST_BYTES:
            known = zstandard.ZstdCompressionDict(anchor, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        coder = zstandard.ZstdCompressor(compression_params=parameters, dict_data=known)
        return [len(coder.compress(source)) / len(source) if source else float("inf") for source in sources]
