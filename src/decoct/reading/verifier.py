"""The bundled second reading: whether a statement answers this question, and whether it says yes or no to it.

A reader that looks for an answer finds one nearly everywhere; whether what it found answers *this* question is another question, and an
encoder of its own is trained on it, from statements over whole libraries that answer and others that nearly do (lab/docs/reader.md). It
reads `[CLS] question ¹ [SEP] title [SEP] … ¹ statement ² … [SEP]`: the question against the statement between two marks where it stands,
with `longest` tokens around it in all.

A folder holds `model.onnx` (inputs `input_ids`, `attention_mask`, `token_type_ids`, `marked`, each batch × tokens; output `said`,
batch × 3: the logits of an answer, of yes and of no) and `tokenizer.json`. The idea is the verifier of Hu et al. 2019, "Read + Verify:
machine reading comprehension with unanswerable questions".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from decoct.embed.base import well_formed
from decoct.embed.onnx import digest, session, side_by_side, whole_tokenizer
from decoct.errors import ConfigError
from decoct.reading.base import logistic
from decoct.reading.second import SecondReading, StatementToRead

BUNDLED = Path(__file__).parent / "verifier"
_QUESTION, _TITLE = 48, 40  # tokens
_TITLE_CHARACTERS, _AROUND = 240, 900
_BEGIN, _END = "[unused0]", "[unused1]"


@dataclass(frozen=True, slots=True)
class Verifier:
    """Judges with the model in `folder`, `longest` tokens a statement. `threads` 0 means `DECOCT_THREADS`, or else all cores."""

    folder: Path = BUNDLED
    longest: int = 96
    threads: int = 0

    @property
    def fingerprint(self) -> str:
        """The folder's name and the digest of the weights, with the length."""
        return f"verifier:{self.folder.name}:{digest(self.folder)[:8]}:{self.longest}"

    @property
    def languages(self) -> frozenset[str]:
        """English: what it was trained on."""
        return frozenset({"en"})

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        """One run a statement, unpadded; statements side by side on as many threads as there are."""
        tokens = _tokens(self.folder)
        return side_by_side(lambda one: self._judged(tokens, one), statements, self.threads)

    def _judged(self, tokens: _Tokens, statement: StatementToRead) -> SecondReading:
        ((said,),) = session(self.folder).run(["said"], self._inputs(tokens, statement))
        return SecondReading(*(logistic(float(one)) for one in said))

    def _inputs(self, tokens: _Tokens, statement: StatementToRead) -> dict[str, Any]:
        ids, kinds, marked = self._input(tokens, statement)
        return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": kinds, "marked": marked}

    def _input(self, tokens: _Tokens, statement: StatementToRead) -> tuple[Any, Any, Any]:
        """Token ids, which of them are the passage's, and which are the statement's where it stands."""
        head = [
            tokens.first,
            *tokens.ids(statement.question)[:_QUESTION],
            tokens.begin,
            tokens.between,
        ]
        front = [*head, *tokens.ids(statement.title[:_TITLE_CHARACTERS])[:_TITLE], tokens.between]
        low = max(0, statement.start - _AROUND)
        body, offsets = tokens.placed(statement.text[low : statement.end + _AROUND])
        begin = next((at for at, (_, end) in enumerate(offsets) if end > statement.start - low), len(body))
        stop = next((at for at, (start, _) in enumerate(offsets) if start >= statement.end - low), len(body))
        stop = max(stop, min(begin + 1, len(body)))
        room = self.longest - len(front) - 3
        span = min(stop - begin, room)
        stop, spare = begin + span, room - span
        right = min(len(body) - stop, spare - min(begin, spare // 2))
        left = min(begin, spare - right)
        window = [*body[begin - left : begin], tokens.begin, *body[begin:stop], tokens.end, *body[stop : stop + right]]
        whole = [*front, *window, tokens.between]
        ids = np.asarray([whole], dtype=np.int64)
        kinds, marked = np.ones_like(ids), np.zeros_like(ids)
        kinds[0, : len(head)] = 0
        marked[0, len(front) + left : len(front) + left + span + 2] = 1
        return ids, kinds, marked


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The tokenizer, with the ids that stand between the parts of an input."""

    tokenizer: Any
    first: int
    between: int
    begin: int
    end: int

    def ids(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(well_formed(text), add_special_tokens=False).ids)

    def placed(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        encoded = self.tokenizer.encode(well_formed(text), add_special_tokens=False)
        return list(encoded.ids), list(encoded.offsets)


@cache
def _tokens(folder: Path) -> _Tokens:
    tokenizer = whole_tokenizer(folder)
    marks: list[int] = []
    for mark in ("[CLS]", "[SEP]", _BEGIN, _END):
        number = tokenizer.token_to_id(mark)
        if number is None:
            raise ConfigError(
                f"the second reader's tokenizer in {str(folder)!r} has no {mark}; take the one it was trained with"
            )
        marks.append(number)
    return _Tokens(tokenizer, *marks)
