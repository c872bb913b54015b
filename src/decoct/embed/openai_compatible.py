"""Any endpoint that speaks OpenAI's `/embeddings`: hosted, vLLM, Ollama, llama.cpp, text-embeddings-inference (extra `openai`).

The client retries connection errors, 408, 409, 429 and 5xx with backoff and honours Retry-After; what still fails is a typed error.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from decoct.data import Floats
from decoct.embed.base import TextKind
from decoct.errors import ConfigError, MissingExtraError, ModelError, ReplyError

_KEY = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class OpenAICompatibleEmbedder:
    """`model` at `base_url` (empty: OPENAI_BASE_URL, or OpenAI itself), with the key in OPENAI_API_KEY.

    A request carries `batch` texts.
    """

    model: str
    base_url: str = ""
    batch: int = 128
    timeout: float = 60.0
    retries: int = 3

    @property
    def fingerprint(self) -> str:
        """The model, not the address: moving an endpoint does not change its vectors."""
        return f"openai:{self.model}"

    @property
    def dimension(self) -> int:
        """What the endpoint sends for one word (asked once)."""
        return _discovered(self)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        """Unit vectors; queries and passages are treated alike. Raises a `ModelError`, or `ConfigError` for a refused key or model."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        rows = [self._request(texts[at : at + self.batch]) for at in range(0, len(texts), self.batch)]
        vectors = np.concatenate(rows)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(vectors).all() or not lengths.all():
            raise ReplyError(f"{self.model} sent a vector that is zero or not finite")
        return np.asarray(vectors / lengths, dtype=np.float32)

    def _request(self, texts: Sequence[str]) -> Floats:
        # An empty string is refused by OpenAI; a space says as little.
        inputs = [text or " " for text in texts]
        client = _client(self)  # says first where the package is not there
        from decoct.llm.openai_wire import border

        try:
            with border(self.model, self.base_url or str(client.base_url), _KEY):
                # Plain numbers: not every compatible server knows the client's default, base64.
                reply = client.embeddings.create(model=self.model, input=inputs, encoding_format="float")
                found = sorted(reply.data, key=lambda item: item.index)
                rows = [np.array(item.embedding, dtype=np.float32) for item in found]
                if any(row.ndim != 1 for row in rows):
                    raise ValueError("an embedding that is no list of numbers")
        except ModelError as error:
            if type(error) is ModelError:  # no trying again mends it: the key, or the model's name
                raise ConfigError(str(error)) from error
            raise
        if len(rows) != len(texts) or len({len(row) for row in rows}) != 1:
            raise ReplyError(
                f"{self.model} sent {len(rows)} vectors for {len(texts)} texts, or vectors of different lengths"
            )
        return np.array(rows, dtype=np.float32)


@cache
def _client(embedder: OpenAICompatibleEmbedder) -> Any:  # noqa: ANN401 - the package may not be there when types are checked
    try:
        import openai
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"the embedder 'openai:{embedder.model}'", "openai") from error
    key = os.environ.get(_KEY, "")
    url = embedder.base_url or os.environ.get("OPENAI_BASE_URL", "")
    if not key and not url:
        raise ConfigError(f"the embedder 'openai:{embedder.model}' needs a key: set {_KEY}")
    # Local servers want no key, but the client does.
    return openai.OpenAI(
        api_key=key or "none", base_url=url or None, timeout=embedder.timeout, max_retries=embedder.retries
    )


@cache
def _discovered(embedder: OpenAICompatibleEmbedder) -> int:
    return int(embedder.embed(["dimension"], "passage").shape[1])
