"""Relevance by a cross-encoder: a transformer that reads question and text together (Nogueira and Cho, arXiv 1901.04085).

Any model that sentence-transformers' `CrossEncoder` loads, by its name on a hub or a local folder: `BAAI/bge-reranker-v2-m3` (as in
MergeRAG), `cross-encoder/ms-marco-MiniLM-L6-v2` (small) and others. The raw logit is the score; only its order is promised.

A text that does not fit the model's window beside the question is cut into windows with a quarter overlap, and its score is the largest
of theirs (Dai and Callan, SIGIR 2019), so that relevance is found wherever it stands in the text.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from decoct import trace
from decoct.data import Floats
from decoct.errors import ConfigError, MissingExtraError

# Tokens of question and text together: what the small models take, and where the large ones were trained.
WINDOW = 512
# A question that leaves less than this for the text is itself cut by the model: windows of a few tokens would judge nothing.
LEAST_WINDOW = 32


@dataclass(frozen=True, slots=True)
class CrossEncoderScorer:
    """Scores by the cross-encoder `model`, on the accelerator where there is one."""

    model: str

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """Logits, one a text. `MissingExtraError` without the extra [torch]; `ConfigError` if the model cannot be loaded."""
        if not texts:
            return np.empty(0, np.float32)
        encoder = _load(self.model)
        pairs, owners = [], []
        for n, text in enumerate(texts):
            for window in _windows(encoder, question, text):
                pairs.append((question, window))
                owners.append(n)
        trace.count(scored_windows=len(pairs))
        logits = encoder.predict(pairs, show_progress_bar=False, convert_to_numpy=True)
        scores = np.full(len(texts), -np.inf, np.float32)
        np.maximum.at(scores, owners, np.asarray(logits, np.float32).reshape(len(pairs)))
        return scores


def _windows(encoder: Any, question: str, text: str) -> list[str]:  # noqa: ANN401
    tokenizer = encoder.tokenizer
    # Renamed in sentence-transformers 6; the extra allows 4 and 5 too.
    limit = encoder.max_seq_length if hasattr(encoder, "max_seq_length") else encoder.max_length
    room = limit - len(tokenizer(question, add_special_tokens=False)["input_ids"])
    room -= tokenizer.num_special_tokens_to_add(pair=True)
    offsets = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)["offset_mapping"]
    if len(offsets) <= room or room < LEAST_WINDOW:
        return [text]
    stride = room - room // 4
    starts = range(0, len(offsets) - room + stride, stride)
    return [text[offsets[at][0] : offsets[min(at + room, len(offsets)) - 1][1]] for at in starts]


@lru_cache(maxsize=2)
def _load(model: str) -> Any:  # noqa: ANN401
    try:
        cross_encoder = importlib.import_module("sentence_transformers").CrossEncoder
        identity = importlib.import_module("torch").nn.Identity()
    except ModuleNotFoundError as error:
        if error.name not in {"sentence_transformers", "torch"}:
            raise
        raise MissingExtraError("a cross-encoder", "torch") from error
    try:
        # Identity: the raw logit. The default is a sigmoid for models of one label, which rounds the best and the worst to ties.
        loaded = cross_encoder(model, max_length=WINDOW, activation_fn=identity)
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]
        raise ConfigError(
            f"the cross-encoder {model!r} cannot be loaded ({reason}); give a model's name on the hub or the folder of a downloaded one"
        ) from error
    if loaded.num_labels != 1:
        raise ConfigError(f"{model!r} gives {loaded.num_labels} scores a text; a reranker gives one")
    return loaded
