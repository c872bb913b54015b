"""The parts of the second reading's input, as tokens: a question, what stands over a statement, and the statement where it stands.

How they are joined is told by `decoct.reading.verifier`; `train_packed.Packs.inputs` does it for many at once.
"""

from __future__ import annotations

from typing import Any

from tokenizers import Tokenizer

from decoct.reading.small import BUNDLED

QUESTION, TITLE, AROUND = 48, 40, 900

_TOKENIZER: Any = Tokenizer.from_file(str(BUNDLED / "tokenizer.json"))
_TOKENIZER.no_padding()
_TOKENIZER.no_truncation()


def ids_of(text: str) -> list[int]:
    """The tokens of a text."""
    return list(_TOKENIZER.encode(text, add_special_tokens=False).ids)


def body_of(text: str, start: int, end: int) -> tuple[list[int], int, int]:
    """The tokens of a statement and of what stands around it, with its first token and the one behind its last."""
    low = max(0, start - AROUND)
    body = _TOKENIZER.encode(text[low : end + AROUND], add_special_tokens=False)
    ids, offsets = list(body.ids), body.offsets
    first = next((at for at, (_, stop) in enumerate(offsets) if stop > start - low), len(ids))
    last = next((at for at, (begin, _) in enumerate(offsets) if begin >= end - low), len(ids))
    return ids, first, max(last, min(first + 1, len(ids)))
