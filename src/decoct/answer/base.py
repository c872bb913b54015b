"""What a reader promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from decoct.data import Answer, Context


class Reader(Protocol):
    """Answers from a context alone. Every citation of the answer names a passage of this context."""

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        """The answer; `found=False` and no citations where the context does not hold one.

        `sink`, where given, is handed the words as they are written (all at once by a reader that cannot stream); together they are
        the answer's text.
        """
