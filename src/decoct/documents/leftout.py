"""What of a document was not read, or not as it stands, as the one field of metadata that reports tell: `left_out`."""

from __future__ import annotations

from collections.abc import Mapping

from decoct.data import MetadataValue

LEFT_OUT = "left_out"


def left_out(counts: Mapping[str, int]) -> dict[str, MetadataValue]:
    """The field for what was left out, each kind with its count (`struck-out text (2)`); empty where nothing was."""
    told = "; ".join(f"{kind} ({count:,})" for kind, count in counts.items() if count)
    return {LEFT_OUT: told} if told else {}
