"""A token limit and the tokenizer that counts against it.

A limit may also be asked for in chunks, as MergeRAG does: `5x` is five times the mean length of the chunks that the question finds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from decoct.errors import BudgetError, ConfigError

_DIGITS = 18  # of a number of tokens; Python refuses to read thousands of them
_IN_CHUNKS = re.compile(r"(\d+(?:\.\d+)?)\s*[xX×]")


class Tokenizer(Protocol):
    """Counts tokens as the reader of the context will. Thread-safe; no special tokens are added."""

    @property
    def fingerprint(self) -> str:
        """A stable name: equal fingerprints count every text equally."""

    def count(self, text: str) -> int:
        """Tokens in `text`; 0 for the empty string."""

    def counts(self, texts: Sequence[str]) -> list[int]:
        """`count` of each text, in order, in one call."""


class SupportsOffsets(Protocol):
    """A tokenizer that can say where its tokens lie."""

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Half-open character ranges of the tokens of `text`, in order; white space may fall between them."""


@dataclass(frozen=True, slots=True)
class Budget:
    """At most `limit` tokens on the rendered context, counted by the reader's own tokenizer."""

    limit: int
    tokenizer: Tokenizer

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise BudgetError(f"a budget of {self.limit} tokens holds nothing; give a positive number")

    def count(self, text: str) -> int:
        """Tokens of `text` as the reader counts them."""
        return self.tokenizer.count(text)

    def fits(self, text: str) -> bool:
        """Whether the rendered `text` is within the limit."""
        return self.tokenizer.count(text) <= self.limit


@dataclass(frozen=True, slots=True)
class BudgetInChunks:
    """A budget of `chunks` times the mean length of the chunks found, known when they are."""

    chunks: float
    tokenizer: Tokenizer

    def over(self, texts: Sequence[str]) -> Budget:
        """The budget for a question that found chunks of these texts: `chunks` x their mean tokens, rounded up; 1 token for none."""
        tokens = sum(self.tokenizer.counts(texts))
        # Rounded at nine digits first: 1.1 x 10 is 11.000000000000002 in binary, and 11 is meant.
        return Budget(max(1, math.ceil(round(self.chunks * tokens / max(len(texts), 1), 9))), self.tokenizer)


def budget_of(asked: int | str, tokenizer: Tokenizer) -> Budget | BudgetInChunks:
    """The budget of a number of tokens (`5400`) or of chunks (`5x`); `ConfigError` for anything else."""
    if isinstance(asked, int) and not isinstance(asked, bool):
        return Budget(asked, tokenizer)
    text = asked.strip() if isinstance(asked, str) else ""
    if text.isascii() and text.removeprefix("-").isdigit() and len(text) <= _DIGITS:
        return Budget(int(text), tokenizer)
    in_chunks = _IN_CHUNKS.fullmatch(text)
    if in_chunks is None or not 0 < float(in_chunks[1]) < math.inf:
        raise ConfigError(f"budget {asked!r}: give a number of tokens (5400) or of average chunks (5x)")
    return BudgetInChunks(float(in_chunks[1]), tokenizer)
