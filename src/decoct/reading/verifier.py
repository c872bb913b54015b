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
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from decoct.embed.base import well_formed
from decoct.embed.onnx import digest, session, side_by_side, whole_tokenizer
from decoct.errors import ConfigError
from decoct.reading.base import SecondReading, StatementToRead, logistic

BUNDLED = Path(__file__).parent / "verifier"
QUESTION, TITLE = 48, 40  # tokens
TITLE_CHARACTERS = 240
_AROUND = 900  # characters
_BEGIN, _END = "[unused0]", "[unused1]"


@dataclass(frozen=True, slots=True)
class Verifier:
    """Judges with the model in `folder`, `longest` tokens a statement. `threads` 0 means `DECOCT_THREADS`, or else all cores."""

    languages: ClassVar[frozenset[str]] = frozenset({"en"})  # what it was trained on
    folder: Path = BUNDLED
    longest: int = 96
    threads: int = 0

    @property
    def fingerprint(self) -> str:
        """The folder's name and the digest of the weights, with the length."""
        return f"verifier:{self.folder.name}:{digest(self.folder)[:8]}:{self.longest}"

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        """One run a statement, unpadded; statements side by side on as many threads as there are."""
        return side_by_side(partial(_judged, self), statements, self.threads)

    def inputs(self, statement: StatementToRead) -> dict[str, Any]:
        """Token ids, which of them are the passage's, and which are the statement's where it stands."""
        tokens = input_tokens(self.folder)
        head = [
            tokens.first,
            *tokens.ids(statement.question)[:QUESTION],
            tokens.begin,
            tokens.between,
        ]
        front = [*head, *tokens.ids(statement.title[:TITLE_CHARACTERS])[:TITLE], tokens.between]
        body, begin, stop = tokens.around(statement.text, statement.start, statement.end)
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
        return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": kinds, "marked": marked}


@lru_cache(maxsize=1024)
def _judged(verifier: Verifier, statement: StatementToRead) -> SecondReading:
    """What a statement says, read once: `casc` asks about the same documents together and each alone."""
    given = verifier.inputs(statement)
    ((said,),) = session(verifier.folder).run(["said"], given)
    return SecondReading(*(logistic(float(one)) for one in said))


@dataclass(frozen=True, slots=True)
class InputTokens:
    """The tokenizer, with the ids that stand between the parts of an input."""

    tokenizer: Any
    first: int
    between: int
    begin: int
    end: int

    def ids(self, text: str) -> list[int]:
        """The tokens of a text."""
        return list(self.tokenizer.encode(well_formed(text), add_special_tokens=False).ids)

    def around(self, text: str, start: int, end: int) -> tuple[list[int], int, int]:
        """The tokens of a statement and of what stands around it, with the place of its first and the one behind its last."""
        low = max(0, start - _AROUND)
        encoded = self.tokenizer.encode(well_formed(text[low : end + _AROUND]), add_special_tokens=False)
        ids, offsets = list(encoded.ids), encoded.offsets
        first = next((at for at, (_, stop) in enumerate(offsets) if stop > start - low), len(ids))
        last = next((at for at, (begin, _) in enumerate(offsets) if begin >= end - low), len(ids))
        return ids, first, max(last, min(first + 1, len(ids)))


@cache
def input_tokens(folder: Path = BUNDLED) -> InputTokens:
    """Of the model in `folder`; `ConfigError` where its tokenizer lacks the marks."""
    tokenizer = whole_tokenizer(folder)
    marks: list[int] = []
    for mark in ("[CLS]", "[SEP]", _BEGIN, _END):
        number = tokenizer.token_to_id(mark)
        if number is None:
            raise ConfigError(
                f"the second reader's tokenizer in {str(folder)!r} has no {mark}; take the one it was trained with"
            )
        marks.append(number)
    return InputTokens(tokenizer, *marks)
