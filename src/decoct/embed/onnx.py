"""Any sentence encoder exported to ONNX with its pooling inside, run on onnxruntime.

A folder holds `model.onnx` (inputs `input_ids` and `attention_mask`, one output of unit rows) and `tokenizer.json`.

Each text is a run of its own, without padding, on one thread; as many texts run side by side as there are threads. That is not
the usual batch of equal lengths, for two reasons measured on the bundled int8 weights (lab/docs/embedders.md):

- Dynamic quantisation takes the scale of the activations from the whole input tensor. In a batch a text's vector depends on its
  neighbours and on the padding (cosine .980 to .999 to itself embedded alone). Alone it is the same to the bit, always.
- It is also faster on CPUs: no work on padding, and no waiting of threads for each other inside every operator.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from decoct.data import Floats
from decoct.embed.base import TextKind, well_formed
from decoct.errors import ConfigError

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class OnnxEmbedder:
    """The encoder of `folder`; texts are cut at `max_tokens`. `threads` 0 means `DECOCT_THREADS`, or else all cores.

    Vectors do not depend on the number of threads or on the other texts of a call. `ConfigError` when the model cannot be loaded.
    """

    folder: Path
    max_tokens: int = 256
    threads: int = 0

    @property
    def fingerprint(self) -> str:
        """The folder's name and the digest of the weights, with the length at which texts are cut."""
        return f"onnx:{self.folder.name}:{digest(self.folder)[:8]}:{self.max_tokens}"

    @property
    def dimension(self) -> int:
        """As the model's output says."""
        return int(session(self.folder).get_outputs()[0].shape[1])

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        """Unit vectors, one row a text; queries and passages are treated alike."""
        network, tokenizer = session(self.folder), _tokenizer(self.folder, self.max_tokens)
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)

        def fill(row: int) -> None:
            encoded = tokenizer.encode(well_formed(texts[row]))
            inputs = {"input_ids": [encoded.ids], "attention_mask": [encoded.attention_mask]}
            arrays = {name: np.asarray(value, dtype=np.int64) for name, value in inputs.items()}
            vectors[row] = network.run(None, arrays)[0][0]

        side_by_side(fill, sorted(range(len(texts)), key=lambda row: -len(texts[row])), self.threads)
        return vectors


def side_by_side(run: Callable[[T], R], items: Sequence[T], threads: int = 0) -> list[R]:
    """What `run` makes of each item, in their order, on `threads` threads (0: `default_threads`).

    Give long ones first: then no thread is left with a long one while the others have nothing to do.
    """
    workers = min(threads or default_threads(), len(items))
    if workers <= 1:
        return [run(item) for item in items]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(run, items))


def default_threads() -> int:
    """`DECOCT_THREADS` if it is set, else the cores that this process may use."""
    setting = os.environ.get("DECOCT_THREADS", "")
    if not setting:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not setting.isdecimal() or int(setting) < 1:
        raise ConfigError(f"DECOCT_THREADS must be a positive number, not {setting!r}")
    return int(setting)


@cache
def digest(folder: Path) -> str:
    """SHA-256 of the weights."""
    try:
        return hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()
    except OSError as error:
        raise ConfigError(f"no model.onnx in {str(folder)!r} ({error.strerror})") from error


def open_network(file: Path) -> Any:  # noqa: ANN401 - onnxruntime has no types
    """The network of a file, on one thread; onnxruntime's own error when it cannot be loaded."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


@cache
def session(folder: Path) -> Any:  # noqa: ANN401 - onnxruntime has no types
    """The model of `folder` on one thread, loaded once; `ConfigError` when it cannot be."""
    try:
        return open_network(folder / "model.onnx")
    except Exception as error:  # onnxruntime's exceptions share no base of their own
        raise ConfigError(f"the model in {str(folder)!r} cannot be loaded: {error}") from error


@cache
def whole_tokenizer(folder: Path) -> Any:  # noqa: ANN401 - tokenizers has no types
    """The tokenizer of `folder`, which neither pads nor cuts; `ConfigError` when it cannot be read."""
    return read_tokenizer(folder / "tokenizer.json")


@cache
def _tokenizer(folder: Path, max_tokens: int) -> Any:  # noqa: ANN401
    tokenizer = read_tokenizer(folder / "tokenizer.json")
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def read_tokenizer(path: Path) -> Any:  # noqa: ANN401
    """The tokenizer of a `tokenizer.json`, which neither pads nor cuts; `ConfigError` when it cannot be read."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception, whatever is wrong with the file
        raise ConfigError(f"{str(path)!r} is not a tokenizer.json that can be read: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
