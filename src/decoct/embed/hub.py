"""The ONNX files that embedding models publish (bge, e5, gte, multilingual-e5 …), without torch: `hub:NAME` or `hub:FOLDER`.

What is done with them stands in the model's own files, in the form of sentence-transformers:

- `onnx/model.onnx` (or another `.onnx` there or at the top; a quantised one only where there is no other) and `tokenizer.json`;
- `1_Pooling/config.json`: whether the first token's vector, the mean over the tokens or the last token's is the text's (mean without it);
- `config_sentence_transformers.json`: `prompts`, what stands before a query and before a passage ("query", "passage" or "document");
- `sentence_bert_config.json`: at how many tokens texts are cut (512 without it; never more than the tokenizer's own limit).

A model whose network pools itself gives `sentence_embedding`, and nothing is pooled here. Vectors are scaled to length 1. Each text is a
run of its own, side by side on the threads there are, as in `decoct.embed.onnx`. A name is looked up in the hub's cache first, then on the
hub (package `huggingface-hub`, extra `evaluate`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from decoct.data import Floats
from decoct.embed.base import TextKind, well_formed
from decoct.embed.onnx import open_network, side_by_side
from decoct.errors import ConfigError, MissingExtraError

Pooling: TypeAlias = Literal["first", "mean", "last"]
_POOLINGS: tuple[tuple[str, Pooling], ...] = (
    ("pooling_mode_cls_token", "first"),
    ("pooling_mode_mean_tokens", "mean"),
    ("pooling_mode_lasttoken", "last"),
)
_FILES = ("*.json", "onnx/*.onnx", "onnx/*.onnx_data", "*.onnx", "1_Pooling/*.json")


@dataclass(frozen=True, slots=True)
class HubEmbedder:
    """The model `name`: a folder or a name on the hub. Loaded on first use; `ConfigError` where its files are missing or unknown."""

    name: str

    @property
    def fingerprint(self) -> str:
        """The digest of the network and of all that decides what is done with it; not the place."""
        return f"hub:{_model(self.name).digest}"

    @property
    def dimension(self) -> int:
        """As the model says."""
        return _model(self.name).dimension

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        """Unit vectors, one row a text, each with the model's own words for its kind before it."""
        model = _model(self.name)
        vectors = np.empty((len(texts), model.dimension), dtype=np.float32)

        def fill(row: int) -> None:
            vectors[row] = model.vector(model.prompts[kind] + well_formed(texts[row]))

        side_by_side(fill, sorted(range(len(texts)), key=lambda row: -len(texts[row])))
        return vectors


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """A loaded network: its session and tokenizer, and what its configuration says."""

    session: Any
    tokenizer: Any
    pooling: Pooling
    prompts: dict[TextKind, str]
    output: str
    digest: str

    @property
    def dimension(self) -> int:
        size = next(one.shape[-1] for one in self.session.get_outputs() if one.name == self.output)
        return int(size) if isinstance(size, int) else len(self.vector("dimension"))

    def vector(self, text: str) -> Floats:
        found = self.session.run([self.output], inputs_of(self.session, self.tokenizer.encode(text)))[0][0]
        if found.ndim == 2:
            match self.pooling:
                case "first":
                    found = found[0]
                case "last":
                    found = found[-1]
                case "mean":
                    found = found.mean(axis=0)
        length = float(np.linalg.norm(found))
        unit: Floats = np.asarray(found / (length or 1.0), dtype=np.float32)
        return unit


@cache
def _model(name: str) -> _Model:
    folder = model_folder(name)
    network, words = network_file(folder), folder / "tokenizer.json"
    session, tokenizer = loaded(name, network, words)
    outputs = [one.name for one in session.get_outputs()]
    output = "sentence_embedding" if "sentence_embedding" in outputs else outputs[0]
    settings = {
        file: settings_in(folder / file) for file in ("config_sentence_transformers.json", "sentence_bert_config.json")
    }
    pooling = _pooling(settings_in(folder / "1_Pooling" / "config.json"), name)
    prompts = _prompts(settings["config_sentence_transformers.json"])
    longest = longest_of(settings["sentence_bert_config.json"], settings_in(folder / "tokenizer_config.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    digest = hashlib.sha256(network.read_bytes())
    digest.update(words.read_bytes())
    digest.update(json.dumps([pooling, output, sorted(prompts.items()), longest]).encode())
    return _Model(session, tokenizer, pooling, prompts, output, digest.hexdigest()[:16])


def loaded(name: str, network: Path, words: Path) -> tuple[Any, Any]:
    """The session, on one thread, and the tokenizer of the model `name`; `ConfigError` where they cannot be had."""
    from tokenizers import Tokenizer

    if not words.is_file():
        raise ConfigError(f"the model {name!r} has no tokenizer.json; take one that publishes it")
    try:
        return open_network(network), Tokenizer.from_file(str(words))
    except Exception as error:  # onnxruntime's and tokenizers' exceptions share no base of their own
        raise ConfigError(f"the model {name!r} cannot be loaded: {error}") from error


def inputs_of(session: Any, encoded: Any) -> dict[str, Any]:  # noqa: ANN401 - neither package has types
    """What the network of `session` asks for of an encoded text, as a batch of one."""
    given = {"input_ids": encoded.ids, "attention_mask": encoded.attention_mask, "token_type_ids": encoded.type_ids}
    wanted = {one.name for one in session.get_inputs()}
    return {name: np.asarray([value], dtype=np.int64) for name, value in given.items() if name in wanted}


def model_folder(name: str) -> Path:
    """The folder of a model's files: `name` itself, or what the hub's cache or the hub has of that name, or of `name@revision`."""
    if Path(name).expanduser().is_dir():
        return Path(name).expanduser()
    try:
        import huggingface_hub
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the model {name!r} is no folder, and fetching it", "evaluate") from error
    try:
        repository, _, revision = name.partition("@")
        found = huggingface_hub.snapshot_download(repository, revision=revision or None, allow_patterns=list(_FILES))
        return Path(found)
    except Exception as error:  # the client's errors for names, networks and rights share no base that it promises
        raise ConfigError(f"there is no model {name!r} in a folder, the hub's cache or the hub: {error}") from error


def network_file(folder: Path) -> Path:
    """The network in full precision where there is one, else the first quantised one by name."""
    for place in (folder / "onnx" / "model.onnx", folder / "model.onnx"):
        if place.is_file():
            return place
    found = sorted([*folder.glob("onnx/*.onnx"), *folder.glob("*.onnx")])
    if not found:
        raise ConfigError(
            f"{folder} has no .onnx file; take a model that publishes one, or use st:NAME (extra `torch`)"
        )
    return found[0]


def settings_in(file: Path) -> dict[str, Any]:
    """The JSON object in a file of the model; empty where there is none."""
    if not file.is_file():
        return {}
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error
    if not isinstance(read, dict):
        raise ConfigError(f"{file} must hold a JSON object")
    return read


def _pooling(settings: dict[str, Any], name: str) -> Pooling:
    chosen = [pooling for key, pooling in _POOLINGS if settings.get(key)]
    others = [
        key
        for key, value in settings.items()
        if key.startswith("pooling_mode") and value is True and key not in dict(_POOLINGS)
    ]
    if others or len(chosen) > 1:
        raise ConfigError(
            f"the model {name!r} pools in a way that is not known here ({', '.join(others) or 'several at once'}); use st:NAME"
        )
    return chosen[0] if chosen else "mean"


def _prompts(settings: dict[str, Any]) -> dict[TextKind, str]:
    given = settings.get("prompts") or {}
    return {"query": str(given.get("query", "")), "passage": str(given.get("passage", given.get("document", "")))}


def longest_of(sentence_bert: dict[str, Any], tokenizer: dict[str, Any]) -> int:
    """At how many tokens texts are cut: the least of the limits that the files give, 512 without one."""
    limits = [sentence_bert.get("max_seq_length"), tokenizer.get("model_max_length")]
    known = [limit for limit in limits if isinstance(limit, int) and 8 <= limit <= 32_768]
    return min(known, default=512)
