"""Any model of sentence-transformers, by hub name or local folder (extra `torch`)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from decoct.data import Floats
from decoct.embed.base import TextKind
from decoct.errors import ConfigError, MissingExtraError


@dataclass(frozen=True, slots=True)
class SentenceTransformers:
    """`model`, on a device of the library's choice. Many models want a prefix before queries or passages: see their cards.

    The model is loaded on first use: `MissingExtraError` without the extra, `ConfigError` when there is no such model.
    """

    model: str
    query_prefix: str = ""
    passage_prefix: str = ""

    @property
    def fingerprint(self) -> str:
        """The weights' digest, not their place: a local copy of a hub model has the same vectors. Prefixes change them."""
        prefixes = f"{len(self.query_prefix)}:{self.query_prefix}{self.passage_prefix}"
        return f"st:{_weights(self.model)}:{hashlib.sha256(prefixes.encode()).hexdigest()[:8]}"

    @property
    def dimension(self) -> int:
        """As the model says."""
        return _dimension(self.model)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        """Unit vectors; texts longer than the model's window are cut. The library sorts by length and batches."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        prefix = self.query_prefix if kind == "query" else self.passage_prefix
        vectors = _load(self.model).encode(
            [prefix + text for text in texts],
            normalize_embeddings=True,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(vectors, dtype=np.float32)


@cache
def _load(model: str) -> Any:  # noqa: ANN401 - the package is not there when types are checked
    try:
        from sentence_transformers import SentenceTransformer
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the embedder 'st:{model}' (module {error.name!r} is missing)", "torch") from error
    try:
        return SentenceTransformer(model)
    except (
        OSError,
        ValueError,
    ) as error:  # what the hub client and the loaders raise for a name or folder that is none
        raise ConfigError(f"no model {model!r} in a folder, the hub's cache or the hub: {error}") from error


@cache
def _dimension(model: str) -> int:
    # By asking: the library has renamed the method that says it.
    return int(_load(model).encode(["dimension"], show_progress_bar=False).shape[1])


@cache
def _weights(model: str) -> str:
    """Digest of every parameter, the kinds of modules (which pooling, whether normalised) and the length at which texts are cut."""
    loaded = _load(model)
    digest = hashlib.sha256(repr([type(module).__name__ for module in loaded] + [loaded.max_seq_length]).encode())
    for name, tensor in sorted(loaded.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().float().contiguous().numpy().tobytes())
    return digest.hexdigest()[:16]
