"""The reader of passages that somebody names: `small`, `small:FOLDER`, `hub:NAME[@REVISION]` or `hub:FOLDER`."""

from __future__ import annotations

from pathlib import Path

from decoct.errors import ConfigError
from decoct.reading.base import PassageReader
from decoct.reading.hub import HubReader
from decoct.reading.small import SmallReader

SPECS = ("small", "small:FOLDER", "hub:NAME_OR_FOLDER")


def open_reader(spec: str) -> PassageReader:
    """The reader named by `spec`.

    - `small`: the bundled one; `small:FOLDER`: one of `decoct train reader`.
    - `hub:NAME_OR_FOLDER`: a question-answering model that publishes ONNX files; `hub:NAME@REVISION` pins one of its revisions.

    `ConfigError` for another spec; what a model lacks is said when it first reads.
    """
    kind, _, name = spec.partition(":")
    if spec == "small":
        return SmallReader()
    if kind == "small" and name:
        return SmallReader(Path(name).expanduser())
    if kind == "hub" and name:
        return HubReader(name)
    raise ConfigError(f"there is no reader {spec!r}; name one of {', '.join(SPECS)}")
