"""Local models with a double in the place of the library: layouts, log-likelihoods by hand, and what is loaded once."""

from __future__ import annotations

import ctypes
import math
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from decoct.errors import ConfigError, ModelError, PromptTooLongError
from decoct_local import llama_c, llama_engine, llama_losses
from decoct_local.llama_c import ContextParams, LlamaBatch, ModelParams, Vocabulary
from decoct_local.llama_engine import EngineKey, available_threads, digest, engine, unload
from decoct_local.llama_losses import LossEngine


def test_structures_lie_as_the_library_has_them() -> None:
    """Passed by value: the sizes and offsets of llama.h on a machine with pointers of eight bytes, counted by hand."""
    # Two pointers, five 32-bit numbers and four bytes of padding, four pointers, six truth values and two bytes.
    assert ctypes.sizeof(ModelParams) == 16 + 20 + 4 + 32 + 6 + 2
    assert ModelParams.vocab_only.offset == 72
    # Nine and five numbers, six floats and two numbers; callbacks; types and a size; callbacks; truth values; samplers.
    assert ctypes.sizeof(ContextParams) == 56 + 32 + 16 + 16 + 16 + 6 + 2 + 24
    assert (ContextParams.cb_eval.offset, ContextParams.embeddings.offset, ContextParams.samplers.offset) == (
        88,
        136,
        144,
    )
    assert ctypes.sizeof(LlamaBatch) == 8 + 6 * 8


WORDS = 4  # of the double's vocabulary
# P(next | token): a model that looks at one token before.
CHANCES = {
    0: (0.5, 0.25, 0.125, 0.125),
    1: (0.25, 0.25, 0.25, 0.25),
    2: (0.125, 0.125, 0.25, 0.5),
    3: (0.7, 0.1, 0.1, 0.1),
}


class Library:
    """Stands for llama.cpp: a bigram model that notes what it evaluates. Cells are (sequence, position)."""

    def __init__(self, *, status: int = 0, memory: bool = True) -> None:
        self.status, self.memory = status, memory
        self.evaluated: list[list[tuple[int, int, int]]] = []
        self.cells: set[tuple[int, int]] = set()
        self.freed: list[str] = []
        self._logits: dict[int, Any] = {}

    def llama_context_default_params(self) -> ContextParams:
        return ContextParams()

    def llama_init_from_model(self, model: int, parameters: ContextParams) -> int:
        self.parameters = parameters
        return 5 if self.memory else 0

    def llama_get_memory(self, context: int) -> int:
        return 6

    def llama_batch_init(self, size: int, *_: int) -> Any:
        return SimpleNamespace(
            n_tokens=0,
            token=[0] * size,
            pos=[0] * size,
            n_seq_id=[0] * size,
            seq_id=[[0] for _ in range(size)],
            logits=[0] * size,
        )

    def llama_vocab_n_tokens(self, vocab: int) -> int:
        return WORDS

    def llama_model_get_vocab(self, model: int) -> int:
        return 7

    def llama_memory_clear(self, memory: int, data: bool) -> None:
        self.cells.clear()

    def llama_memory_seq_rm(self, memory: int, sequence: int, start: int, end: int) -> bool:
        self.cells = {(s, at) for s, at in self.cells if s != sequence or at < max(start, 0)}
        return True

    def llama_memory_seq_cp(self, memory: int, source: int, target: int, start: int, end: int) -> None:
        self.cells |= {(target, at) for s, at in self.cells if s == source}

    def llama_decode(self, context: int, batch: Any) -> int:
        steps = [(batch.token[i], batch.pos[i], batch.seq_id[i][0]) for i in range(batch.n_tokens)]
        for _, position, sequence in steps:  # a token follows those before it in its sequence
            assert {(sequence, at) for at in range(position)} <= self.cells
            assert (sequence, position) not in self.cells
            self.cells.add((sequence, position))
        self.evaluated.append(steps)
        self._logits = {
            i: (ctypes.c_float * WORDS)(*(3 + math.log(chance) for chance in CHANCES[batch.token[i]]))
            for i in range(batch.n_tokens) if batch.logits[i]
        }  # fmt: skip
        return self.status

    def llama_get_logits_ith(self, context: int, index: int) -> Any:
        return self._logits[index]

    def llama_batch_free(self, batch: Any) -> None:
        self.freed.append("batch")

    def llama_free(self, context: int) -> None:
        self.freed.append("context")

    def llama_model_free(self, model: int) -> None:
        self.freed.append("model")


def loaded(monkeypatch: pytest.MonkeyPatch, window: int = 8, **given: Any) -> tuple[LossEngine, Library]:
    held = Library(**given)
    monkeypatch.setattr(llama_losses, "library", lambda: held)
    monkeypatch.setattr(llama_losses, "load", lambda path: 4)
    return LossEngine(Path("m.gguf"), window, 3), held


def by_hand(prefix: Sequence[int], continuation: Sequence[int]) -> list[float]:
    """-log P of each token given the one before it."""
    whole = [*prefix, *continuation]
    first = max(len(prefix), 1)
    return [-math.log(CHANCES[whole[at - 1]][whole[at]]) for at in range(first, len(whole))]


def test_losses_are_those_of_each_token_given_what_stands_before(monkeypatch: pytest.MonkeyPatch) -> None:
    model, _ = loaded(monkeypatch)
    pairs = [([0, 1], [2, 3, 0]), ([0, 1], [1]), ([], [0, 0, 1]), ([0, 2], [3, 3]), ([0], []), ([], [3])]
    for found, (prefix, continuation) in zip(model.losses(pairs), pairs, strict=True):
        assert found == pytest.approx(by_hand(prefix, continuation))
    assert model.losses([([0], [0])])[0].tolist() == pytest.approx([math.log(2)])
    assert model.losses([]) == []


def test_a_prefix_is_evaluated_once_for_all_that_continue_it(monkeypatch: pytest.MonkeyPatch) -> None:
    model, held = loaded(monkeypatch)
    model.losses([([0, 1, 2], [3, 0]), ([0, 1, 2], [1, 1]), ([0, 1, 3], [0])])
    # The prefix; both continuations side by side without their last tokens; of the next prefix what is new in it.
    assert held.evaluated == [
        [(0, 0, 0), (1, 1, 0), (2, 2, 0)],
        [(3, 3, 1), (1, 3, 2)],
        [(3, 2, 0)],
    ]


def test_the_last_token_of_a_known_prefix_is_evaluated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    model, held = loaded(monkeypatch)
    model.losses([([0, 1, 2], [3]), ([0, 1], [3])])
    assert held.evaluated == [[(0, 0, 0), (1, 1, 0), (2, 2, 0)], [(1, 1, 0)]]


def test_continuations_beyond_a_wave_or_a_batch_wait_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama_losses, "_BATCH", 3)
    monkeypatch.setattr(llama_losses, "_SEQUENCES", 2)
    model, held = loaded(monkeypatch)
    pairs = [([0], [1, 2, 3]) for _ in range(3)]
    for found in model.losses(pairs):
        assert found == pytest.approx(by_hand(*pairs[0]))
    assert [len(batch) for batch in held.evaluated] == [1, 3, 1, 2]
    assert held.parameters.n_seq_max == 3


def test_cells_bound_a_wave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama_losses, "_SHARED", 2)
    model, held = loaded(monkeypatch, window=6)
    model.losses([([0], [1, 2, 3, 0]) for _ in range(2)])
    # Eight cells: one for the prefix and four for a continuation leave no room for another.
    assert [len(batch) for batch in held.evaluated] == [1, 3, 3]
    monkeypatch.setattr(llama_losses, "_SHARED", 3)
    model, held = loaded(monkeypatch, window=6)
    model.losses([([0], [1, 2, 3, 0]) for _ in range(2)])
    assert [len(batch) for batch in held.evaluated] == [1, 6]  # nine hold both


def test_a_pair_fills_the_window_and_not_one_token_more(monkeypatch: pytest.MonkeyPatch) -> None:
    model, held = loaded(monkeypatch, window=4)
    assert len(model.losses([([0, 1], [2, 3])])[0]) == 2
    with pytest.raises(PromptTooLongError, match="have 5 tokens, the window 4"):
        model.losses([([0], [1]), ([0, 1], [2, 3, 0])])
    assert len(held.evaluated) == 2  # nothing was begun


def test_a_library_that_fails_is_a_model_error(monkeypatch: pytest.MonkeyPatch) -> None:
    model, _ = loaded(monkeypatch, status=1)
    with pytest.raises(ModelError, match="status 1"):
        model.losses([([0], [1])])
    held = Library(memory=False)
    monkeypatch.setattr(llama_losses, "library", lambda: held)
    with pytest.raises(ModelError, match="needs more memory"):
        LossEngine(Path("m.gguf"), 4, 1)
    assert held.freed == ["model"]


def test_what_was_loaded_is_freed_with_its_last_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    model, held = loaded(monkeypatch)
    del model
    assert held.freed == ["batch", "context", "model"]


class Words:
    """The library's tokenizer: a token a byte, and one long control token."""

    MARK = b"<|" + b"x" * 100 + b"|>"

    def __init__(self, *, bos: bool = True) -> None:
        self.bos = bos
        self.freed = 0

    def llama_model_get_vocab(self, model: int) -> int:
        return 1

    def llama_vocab_n_tokens(self, vocab: int) -> int:
        return 257

    def llama_vocab_get_add_bos(self, vocab: int) -> bool:
        return self.bos

    def llama_vocab_bos(self, vocab: int) -> int:
        return 256

    def llama_tokenize(
        self, vocab: int, data: bytes, size: int, found: Any, room: int, special: bool, parse: bool
    ) -> int:
        assert (special, parse) == (False, False)
        if data == b"broken":
            return -99
        found[: len(data)] = list(data)
        return len(data)

    def llama_token_to_piece(self, vocab: int, token: int, buffer: Any, room: int, strip: int, special: bool) -> int:
        piece = self.MARK if token == 256 else bytes([token])
        if len(piece) > room:
            return -len(piece)
        buffer.raw = piece.ljust(room, b"\0")
        return len(piece)

    def llama_vocab_get_attr(self, vocab: int, token: int) -> int:
        return (1 << 3) if token in (65, 256) else 1

    def llama_vocab_get_text(self, vocab: int, token: int) -> bytes:
        return self.MARK if token == 256 else bytes([token])

    def llama_model_free(self, model: int) -> None:
        self.freed += 1


def vocabulary(monkeypatch: pytest.MonkeyPatch, **given: bool) -> tuple[Vocabulary, Words]:
    held = Words(**given)
    monkeypatch.setattr(llama_c, "library", lambda: held)
    monkeypatch.setattr(llama_c, "load", lambda path, vocab_only: 9)
    return Vocabulary(Path("m.gguf")), held


def test_a_vocabulary_spells_its_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    words, held = vocabulary(monkeypatch)
    assert (words.size, words.bos) == (257, 256)
    assert words.tokens("añ") == [97, 0xC3, 0xB1]
    assert words.tokens("") == []
    assert words.tokens("\ud800") == [63]  # "?", as nothing else can be written
    assert words.pieces([97, 256]) == [b"a", Words.MARK]  # the longer piece asks for more room
    assert words.control() == [Words.MARK.decode()]  # a control token of one letter is no mark
    with pytest.raises(ModelError, match="wants 99 tokens"):
        words.tokens("broken")
    del words
    assert held.freed == 1
    assert vocabulary(monkeypatch, bos=False)[0].bos is None


def test_another_version_of_the_library_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    llama_c.library.cache_clear()
    monkeypatch.setitem(sys.modules, "xllamacpp", SimpleNamespace(__version__="1.0"))
    with pytest.raises(ConfigError, match=rf"need xllamacpp {llama_c.VERSION}, not 1.0: pip install decoct-local"):
        llama_c.library()


KEY = EngineKey(Path("/nowhere/m.gguf"), 512, 2, 3)


def test_a_model_is_loaded_once_for_all_who_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[Path] = []

    def load(path: Path) -> Any:
        loads.append(path)
        return SimpleNamespace(control=lambda: ["<|a|>", "<|a|><|b|>", "."])

    monkeypatch.setattr(llama_engine, "Vocabulary", load)
    one = engine(KEY)
    try:
        assert engine(EngineKey(*KEY)) is one
        assert engine(KEY._replace(context=1024)) is not one
        threads = [threading.Thread(target=lambda: one.vocabulary) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert loads == [KEY.path]
        # The longest mark first, and each as it is written.
        assert one.control_marks.findall("x<|a|><|b|>y<|a|>z.") == ["<|a|><|b|>", "<|a|>", "."]
    finally:
        unload(KEY)
        unload(KEY._replace(context=1024))
    assert engine(KEY) is not one
    unload(KEY)
    unload(KEY)  # once more is nothing


def test_a_model_without_marks_has_none_to_find() -> None:
    assert llama_engine._any_of([]).search("anything") is None


class Parameters(SimpleNamespace):
    def __init__(self) -> None:
        super().__init__(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())


def served(monkeypatch: pytest.MonkeyPatch, make: Any) -> None:
    module = ModuleType("xllamacpp")
    module.CommonParams, module.Server = Parameters, make  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "xllamacpp", module)


def test_the_server_of_a_model_is_nobody_elses(monkeypatch: pytest.MonkeyPatch) -> None:
    served(monkeypatch, lambda parameters: parameters)
    made = [llama_engine._server(KEY) for _ in range(2)]
    assert (made[0].n_ctx, made[0].n_parallel, made[0].cpuparams.n_threads) == (1024, 2, 3)
    assert (made[0].cors_origins, made[0].ui, made[0].endpoint_slots) == ("", False, False)
    keys = [one.api_keys[0] for one in made]
    assert (len(set(keys)), [len(key) for key in keys]) == (2, [32, 32])


def test_a_file_that_is_missing_and_one_that_is_damaged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(parameters: Any) -> Any:
        raise RuntimeError("no")

    served(monkeypatch, fail)
    with pytest.raises(ConfigError, match="there is no model file"):
        llama_engine._server(KEY)
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF")
    with pytest.raises(ModelError, match="damaged, too large"):
        llama_engine._server(KEY._replace(path=file))


def test_a_file_is_told_by_its_size_and_bytes_all_over_it(tmp_path: Path) -> None:
    file = tmp_path / "m.gguf"
    data = bytes(range(256)) * 1024

    def told(content: bytes) -> str:
        file.write_bytes(content)
        return digest(file, len(content), hash(content))

    first = told(data)
    assert (len(first), told(data)) == (16, first)
    assert len({first, told(data + b"x"), told(b"x" + data[1:]), told(data[:-1] + b"x")}) == 4


def test_processors_are_those_that_may_be_used() -> None:
    assert available_threads() >= 1
