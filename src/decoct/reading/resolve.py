"""The reader of passages that somebody names (`small`, `small:FOLDER`, `hub:NAME[@REVISION]`, `hub:FOLDER`), and the second one (`llm`)."""

from __future__ import annotations

from pathlib import Path

from decoct.errors import ConfigError
from decoct.llm.base import LLM
from decoct.reading.base import PassageReader, SecondReader
from decoct.reading.hub import HubReader
from decoct.reading.language_model_second import LanguageModelSecond
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


def open_second(spec: str, llm: LLM | None) -> SecondReader:
    """The second reader named by `spec`: `llm`, the language model; `ConfigError` for another spec, or where there is no model."""
    if spec != "llm":
        raise ConfigError(f"there is no second reader {spec!r}; the only one to name is llm")
    if llm is None:
        raise ConfigError("the second reader llm needs a language model: give --llm NAME or set DECOCT_LLM")
    return LanguageModelSecond(llm)
