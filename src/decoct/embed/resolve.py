"""From a spec such as `openai:text-embedding-3-small` to an embedder. Nothing is loaded before it is used."""

from __future__ import annotations

from pathlib import Path

from decoct.embed.base import Embedder
from decoct.errors import ConfigError
from decoct.registry import nearest

SPECS = ("minilm", "hub:NAME_OR_FOLDER", "onnx:FOLDER", "openai:MODEL[@BASE_URL]", "st:NAME_OR_FOLDER")


def open_embedder(spec: str = "minilm", fingerprint: str = "") -> Embedder:
    """The embedder of `spec`; `ConfigError` for one that is unknown or incomplete.

    - `minilm`: the bundled one; with the `fingerprint` of an earlier bundled one, that one.
    - `hub:NAME_OR_FOLDER`: a model that publishes ONNX files, without torch.
    - `onnx:FOLDER`: weights exported as `decoct_lab.train.embedder.export_minilm` does it.
    - `openai:MODEL` or `openai:MODEL@BASE_URL`: an OpenAI-compatible endpoint.
    - `st:NAME_OR_FOLDER`: a model of sentence-transformers.
    """
    provider, colon, rest = spec.partition(":")
    if bool(colon) != bool(rest):
        raise ConfigError(f"the embedder {spec!r} names no model; known: {', '.join(SPECS)}")
    match provider:
        case "minilm" if not rest:
            from decoct.embed.minilm import CURRENT, FIRST, MiniLM

            return MiniLM(weights=FIRST if fingerprint == FIRST.fingerprint else CURRENT)
        case "onnx" if rest:
            from decoct.embed.onnx import OnnxEmbedder

            return OnnxEmbedder(Path(rest).expanduser())
        case "hub" if rest:
            from decoct.embed.hub import HubEmbedder

            return HubEmbedder(rest)
        case "openai" if rest:
            from decoct.embed.openai_compatible import OpenAICompatibleEmbedder

            model, at, address = rest.partition("@http")
            return OpenAICompatibleEmbedder(model, at.removeprefix("@") + address)
        case "st" if rest:
            from decoct.embed.sentence_transformers import SentenceTransformers

            return SentenceTransformers(rest)
    names = {known.partition(":")[0]: known for known in SPECS}
    if provider in names:
        raise ConfigError(f"the embedder {spec!r} is written {names[provider]!r}")
    raise ConfigError(f"there is no embedder {spec!r}; {nearest(provider, names)}; they are written {', '.join(SPECS)}")
