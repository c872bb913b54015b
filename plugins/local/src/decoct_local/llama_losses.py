"""Exact log-likelihoods of continuations on llama.cpp: a prefix is evaluated once, its state shared by all that continue it.

For each distinct prefix, in the order of the pairs:

1. keep what it has in common with the prefix before it, evaluate the rest as sequence 0, and keep the logits of its last token;
2. copy sequence 0 (a mark on its cells, no data) to sequences 1, 2, …, one a continuation;
3. evaluate the continuations side by side in batches, without their last tokens, whose logits predict nothing that is asked for;
4. -log P(token) = logsumexp(logits) - logits[token], in double precision, of the logits that stand before the token.

The sum is exact for the quantised model; batches of different make-up differ by rounding in the kernels, measured to .03 nats in a
text's mean. Flash attention is off: with it a text scored whole and in two parts differs by up to 0.8 nats a token (SmolLM2-135M),
without it by nothing. The gain is the prefix: n continuations cost one evaluation of it (4 times less work for 8 continuations
of 22 tokens to a prefix of 185).
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from decoct.errors import ModelError, PromptTooLongError
from decoct_local.llama_c import library, load

# Tokens evaluated at once. Logits take 4 bytes x vocabulary a token: 256 rows of 152k are 156 MB, and prompt evaluation on a
# CPU does not get faster beyond.
_BATCH: Final = 256
# Cells of the state beyond one window, for continuations side by side.
_SHARED: Final = 2048
# Continuations side by side. Short ones fill a batch this way; more sequences make the attention mask larger for nothing.
_SEQUENCES: Final = 16


# llama_flash_attn_type: LLAMA_FLASH_ATTN_TYPE_DISABLED
_NO_FLASH_ATTENTION: Final = 0

_Pairs: TypeAlias = Sequence[tuple[Sequence[int], Sequence[int]]]
_Rows: TypeAlias = list[NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class _Step:
    """One token to evaluate; where `row` is not negative, its logits predict token `target` of result `row` at `column`."""

    token: int
    position: int
    sequence: int
    row: int = -1
    column: int = -1
    target: int = -1


class LossEngine:
    """A model with its weights and a context of `window` tokens. One call at a time; a lock sees to it.

    It is freed with the last reference to it.
    """

    def __init__(self, path: Path, window: int, threads: int) -> None:
        self._library = library()
        self._lock = threading.Lock()
        self.window = window
        self._cells = window + _SHARED
        model = load(path)
        parameters = self._library.llama_context_default_params()
        parameters.n_ctx = self._cells
        parameters.n_batch = parameters.n_ubatch = _BATCH
        parameters.n_seq_max = _SEQUENCES + 1
        parameters.n_threads = parameters.n_threads_batch = threads
        parameters.flash_attn_type = _NO_FLASH_ATTENTION
        parameters.kv_unified = True  # one pool of cells for all sequences: copying a prefix copies no data
        parameters.no_perf = True
        context = self._library.llama_init_from_model(model, parameters)
        if not context:
            self._library.llama_model_free(model)
            raise ModelError(f"{path} needs more memory than there is for a window of {window} tokens; lower `context`")
        self._context = context
        self._memory = self._library.llama_get_memory(context)
        self._batch = self._library.llama_batch_init(_BATCH, 0, 1)
        self._size: int = self._library.llama_vocab_n_tokens(self._library.llama_model_get_vocab(model))
        weakref.finalize(self, _free, self._library, self._batch, context, model)

    def losses(self, pairs: _Pairs) -> _Rows:
        """-log P of every continuation's tokens given its prefix; after an empty prefix the first has none and is left out."""
        rows = [np.zeros(len(continuation)) for _, continuation in pairs]
        groups: dict[tuple[int, ...], list[int]] = {}
        for index, (prefix, continuation) in enumerate(pairs):
            if len(prefix) + len(continuation) > self.window:
                raise PromptTooLongError(
                    f"prefix and continuation have {len(prefix) + len(continuation)} tokens, the window {self.window}; raise `context`"
                )
            if continuation:
                groups.setdefault(tuple(prefix), []).append(index)
        with self._lock:
            self._library.llama_memory_clear(self._memory, True)
            before: tuple[int, ...] = ()
            for prefix, members in groups.items():
                self._prefix(prefix, before, members, pairs, rows)
                before = prefix
                for wave in self._waves(len(prefix), members, pairs):
                    self._continue(len(prefix), wave, pairs, rows)
        return [row if prefix else row[1:] for row, (prefix, _) in zip(rows, pairs, strict=True)]

    def _prefix(
        self,
        prefix: tuple[int, ...],
        before: tuple[int, ...],
        members: Sequence[int],
        pairs: _Pairs,
        rows: _Rows,
    ) -> None:
        shared = next(
            (i for i, (a, b) in enumerate(zip(prefix, before, strict=False)) if a != b), min(len(prefix), len(before))
        )
        shared = min(shared, max(len(prefix) - 1, 0))  # the last token is evaluated again: its logits are wanted
        self._library.llama_memory_seq_rm(self._memory, 0, shared, -1)
        steps = [_Step(token, position, 0) for position, token in enumerate(prefix)][shared:]
        if not steps:
            return
        last = self._evaluate([*steps[:-1], _Step(steps[-1].token, steps[-1].position, 0, row=0)], None)
        assert last is not None
        total = _logsumexp(last)
        for index in members:
            rows[index][0] = total - last[pairs[index][1][0]]

    def _waves(self, prefix: int, members: Sequence[int], pairs: _Pairs) -> Iterator[list[int]]:
        """Those of `members` with more than one token, in groups that fit sequences and cells together."""
        wave: list[int] = []
        cells = prefix
        for index in members:
            need = len(pairs[index][1])
            if need < 2:
                continue
            if wave and (len(wave) == _SEQUENCES or cells + need > self._cells):
                yield wave
                wave, cells = [], prefix
            wave.append(index)
            cells += need
        if wave:
            yield wave

    def _continue(
        self,
        prefix: int,
        wave: Sequence[int],
        pairs: _Pairs,
        rows: _Rows,
    ) -> None:
        steps: list[_Step] = []
        for sequence, index in enumerate(wave, start=1):
            self._library.llama_memory_seq_cp(self._memory, 0, sequence, -1, -1)
            tokens = pairs[index][1]
            steps += [
                _Step(token, prefix + column, sequence, index, column + 1, tokens[column + 1])
                for column, token in enumerate(tokens[:-1])
            ]
        self._evaluate(steps, rows)
        for sequence in range(1, len(wave) + 1):
            self._library.llama_memory_seq_rm(self._memory, sequence, -1, -1)

    def _evaluate(self, steps: Sequence[_Step], rows: _Rows | None) -> NDArray[np.float32] | None:
        """Evaluate `steps` in batches and fill `rows`; without rows, return the logits of the last step."""
        last = None
        for start in range(0, len(steps), _BATCH):
            part = steps[start : start + _BATCH]
            batch = self._batch
            batch.n_tokens = len(part)
            for i, step in enumerate(part):
                batch.token[i], batch.pos[i], batch.n_seq_id[i] = step.token, step.position, 1
                batch.seq_id[i][0] = step.sequence
                batch.logits[i] = step.row >= 0
            status = self._library.llama_decode(self._context, batch)
            if status != 0:
                raise ModelError(
                    f"llama.cpp could not evaluate a batch (status {status}); lower `context` or free memory"
                )
            for i, step in enumerate(part):
                if step.row < 0:
                    continue
                logits = self._logits(i)
                if rows is None:
                    last = logits.copy()
                else:
                    rows[step.row][step.column] = _logsumexp(logits) - logits[step.target]
        return last

    def _logits(self, index: int) -> NDArray[np.float32]:
        address = self._library.llama_get_logits_ith(self._context, index)
        if not address:
            raise ModelError("llama.cpp gave no logits for a token that asked for them")
        return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_float)), shape=(self._size,))


def _logsumexp(logits: NDArray[np.float32]) -> float:
    highest = logits.max()
    return float(np.log(np.exp(logits - highest).sum(dtype=np.float64)) + highest)


def _free(loaded: Any, batch: Any, context: int, model: int) -> None:  # noqa: ANN401 - ctypes
    loaded.llama_batch_free(batch)
    loaded.llama_free(context)
    loaded.llama_model_free(model)
