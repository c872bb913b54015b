"""The llama C interface of the `xllamacpp` wheel, through ctypes: vocabularies and raw logits, which its server does not hand out.

The structures below are those of llama.h in xllamacpp 2026.10.11549 (the dependency pins that version). They are passed by value, so
a wrong layout would corrupt memory: another version is refused, and what the library returns as its defaults is compared with
the documented ones before anything is built on them.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int8, c_int32, c_size_t, c_uint32, c_void_p
from functools import cache
from pathlib import Path
from typing import Any, Final

from decoct.errors import ConfigError, ModelError

VERSION: Final = "2026.10.11549"
# llama_token_attr: LLAMA_TOKEN_ATTR_CONTROL
_CONTROL: Final = 1 << 3
_MMAP: Final = 1


class ModelParams(ctypes.Structure):
    """struct llama_model_params."""

    _fields_ = (
        ("devices", c_void_p), ("tensor_buft_overrides", c_void_p),
        ("n_gpu_layers", c_int32), ("split_mode", c_int32), ("load_mode", c_int32), ("lazy_mode", c_int32), ("main_gpu", c_int32),
        ("tensor_split", c_void_p), ("progress_callback", c_void_p), ("progress_callback_user_data", c_void_p), ("kv_overrides", c_void_p),
        ("vocab_only", c_bool), ("check_tensors", c_bool), ("use_extra_bufts", c_bool), ("no_host", c_bool), ("no_alloc", c_bool),
        ("load_mtp", c_bool),
    )  # fmt: skip


class ContextParams(ctypes.Structure):
    """struct llama_context_params."""

    _fields_ = (
        ("n_ctx", c_uint32), ("n_batch", c_uint32), ("n_ubatch", c_uint32), ("n_seq_max", c_uint32), ("n_rs_seq", c_uint32),
        ("n_outputs_max", c_uint32), ("n_outputs_max_per_seq", c_uint32), ("n_threads", c_int32), ("n_threads_batch", c_int32),
        ("ctx_type", c_int32), ("rope_scaling_type", c_int32), ("pooling_type", c_int32), ("attention_type", c_int32),
        ("flash_attn_type", c_int32),
        ("rope_freq_base", c_float), ("rope_freq_scale", c_float), ("yarn_ext_factor", c_float), ("yarn_attn_factor", c_float),
        ("yarn_beta_fast", c_float), ("yarn_beta_slow", c_float), ("yarn_orig_ctx", c_uint32), ("defrag_thold", c_float),
        ("cb_eval", c_void_p), ("cb_eval_user_data", c_void_p), ("type_k", c_int32), ("type_v", c_int32), ("moe_cache_size", c_size_t),
        ("abort_callback", c_void_p), ("abort_callback_data", c_void_p),
        ("embeddings", c_bool), ("offload_kqv", c_bool), ("no_perf", c_bool), ("op_offload", c_bool), ("swa_full", c_bool),
        ("kv_unified", c_bool),
        ("samplers", c_void_p), ("n_samplers", c_size_t), ("ctx_other", c_void_p),
    )  # fmt: skip


class LlamaBatch(ctypes.Structure):
    """struct llama_batch."""

    _fields_ = (
        ("n_tokens", c_int32), ("token", POINTER(c_int32)), ("embd", c_void_p), ("pos", POINTER(c_int32)),
        ("n_seq_id", POINTER(c_int32)), ("seq_id", POINTER(POINTER(c_int32))), ("logits", POINTER(c_int8)),
    )  # fmt: skip


_SIGNATURES: Final[dict[str, tuple[Any, tuple[Any, ...]]]] = {
    "llama_backend_init": (None, ()),
    "llama_log_set": (None, (c_void_p, c_void_p)),
    "llama_model_default_params": (ModelParams, ()),
    "llama_context_default_params": (ContextParams, ()),
    "llama_model_load_from_file": (c_void_p, (c_char_p, ModelParams)),
    "llama_model_free": (None, (c_void_p,)),
    "llama_model_get_vocab": (c_void_p, (c_void_p,)),
    "llama_model_n_ctx_train": (c_int32, (c_void_p,)),
    "llama_init_from_model": (c_void_p, (c_void_p, ContextParams)),
    "llama_free": (None, (c_void_p,)),
    "llama_get_memory": (c_void_p, (c_void_p,)),
    "llama_memory_clear": (None, (c_void_p, c_bool)),
    "llama_memory_seq_cp": (None, (c_void_p, c_int32, c_int32, c_int32, c_int32)),
    "llama_memory_seq_rm": (c_bool, (c_void_p, c_int32, c_int32, c_int32)),
    "llama_batch_init": (LlamaBatch, (c_int32, c_int32, c_int32)),
    "llama_batch_free": (None, (LlamaBatch,)),
    "llama_decode": (c_int32, (c_void_p, LlamaBatch)),
    "llama_get_logits_ith": (POINTER(c_float), (c_void_p, c_int32)),
    "llama_vocab_n_tokens": (c_int32, (c_void_p,)),
    "llama_vocab_get_add_bos": (c_bool, (c_void_p,)),
    "llama_vocab_bos": (c_int32, (c_void_p,)),
    "llama_vocab_get_attr": (c_int32, (c_void_p, c_int32)),
    "llama_vocab_get_text": (c_char_p, (c_void_p, c_int32)),
    "llama_tokenize": (c_int32, (c_void_p, c_char_p, c_int32, POINTER(c_int32), c_int32, c_bool, c_bool)),
    "llama_token_to_piece": (c_int32, (c_void_p, c_int32, c_char_p, c_int32, c_int32, c_bool)),
}
_LOG = ctypes.CFUNCTYPE(None, ctypes.c_int, c_char_p, c_void_p)


# Takes the place of llama.cpp's printing to standard error; kept here, as the library keeps no reference of its own.
_QUIET = _LOG(lambda level, text, data: None)


@cache
def library() -> Any:  # noqa: ANN401 - a ctypes library
    """The loaded library, its functions declared; `ConfigError` for another version than the extra `local` pins."""
    import xllamacpp

    if xllamacpp.__version__ != VERSION:
        raise ConfigError(
            f"log-likelihoods and token counts need xllamacpp {VERSION}, not {xllamacpp.__version__}: pip install decoct-local"
        )
    loaded = ctypes.CDLL(xllamacpp.xllamacpp.__file__)
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    model, context = loaded.llama_model_default_params(), loaded.llama_context_default_params()
    seen = (
        context.n_ctx,
        context.n_batch,
        context.n_ubatch,
        context.n_seq_max,
        context.type_k,
        context.offload_kqv,
        context.n_samplers,
    )
    if seen != (512, 2048, 512, 1, 1, True, 0) or (model.vocab_only, model.use_extra_bufts) != (False, True):
        raise ConfigError(
            f"this build of xllamacpp {VERSION} is laid out otherwise than expected; log-likelihoods cannot be read"
        )
    loaded.llama_log_set(ctypes.cast(_QUIET, c_void_p), None)
    loaded.llama_backend_init()
    return loaded


def load(path: Path, *, vocab_only: bool = False) -> int:
    """The address of a loaded model; free it with `llama_model_free`."""
    parameters = library().llama_model_default_params()
    parameters.vocab_only, parameters.load_mode = vocab_only, _MMAP
    # Repacked weights are a second copy in memory, and on the processors measured no faster.
    parameters.use_extra_bufts = False
    address = library().llama_model_load_from_file(str(path).encode(), parameters)
    if not address:
        raise ModelError(f"{path} cannot be loaded: it is damaged, or of a kind that xllamacpp {VERSION} does not know")
    return int(address)


class Vocabulary:
    """A model's tokenizer, loaded without its weights. Thread-safe: llama.cpp does not change a vocabulary once it is loaded.

    It is freed with the last reference to it.
    """

    def __init__(self, path: Path) -> None:
        self._library = library()
        model = load(path, vocab_only=True)
        weakref.finalize(self, self._library.llama_model_free, model)
        self._vocab = self._library.llama_model_get_vocab(model)
        self.size: int = self._library.llama_vocab_n_tokens(self._vocab)
        self.bos: int | None = None
        if self._library.llama_vocab_get_add_bos(self._vocab):
            self.bos = self._library.llama_vocab_bos(self._vocab)

    def tokens(self, text: str) -> list[int]:
        """The tokens of `text` alone: no special tokens are added, and none are read out of it."""
        # A lone surrogate cannot be written in UTF-8; the model would see U+FFFD too.
        data = text.encode("utf-8", "replace")
        room = len(data) + 8  # a token is at least a byte, but a vocabulary may put a space before the text
        found = (c_int32 * room)()
        count = self._library.llama_tokenize(self._vocab, data, len(data), found, room, False, False)
        if count < 0:
            raise ModelError(f"the tokenizer wants {-count} tokens for a text of {len(data)} bytes")
        return found[:count]

    def pieces(self, tokens: Sequence[int]) -> list[bytes]:
        """The bytes that each token spells."""
        return [self._piece(token) for token in tokens]

    def control(self) -> list[str]:
        """The spellings of control tokens, such as the marks of a chat template."""
        attributes, text = self._library.llama_vocab_get_attr, self._library.llama_vocab_get_text
        ids = [token for token in range(self.size) if attributes(self._vocab, token) & _CONTROL]
        return [spelling for token in ids if len(spelling := text(self._vocab, token).decode("utf-8", "replace")) > 1]

    def _piece(self, token: int) -> bytes:
        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            count = self._library.llama_token_to_piece(self._vocab, token, buffer, room, 0, True)
            if count >= 0:
                return buffer.raw[:count]
            room = -count
