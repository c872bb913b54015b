"""What a reader promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from decoct.data import Answer, Context
from decoct.errors import ConfigError
from decoct.reading.base import PassageReader
from decoct.reading.second import SecondReader


class Reader(Protocol):
    """Answers from a context alone. Every citation of the answer names a passage of this context."""

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        """The answer; `found=False` and no citations where the context does not hold one.

        `sink`, where given, is handed the words as they are written (all at once by a reader that cannot stream); together they are
        the answer's text.
        """


def handed_to(sink: Callable[[str], None] | None, answer: Answer) -> Answer:
    """The answer, whose text `sink` is handed all at once, where there is one."""
    if sink is not None:
        sink(answer.text)
    return answer


@runtime_checkable
class CautiousReader(Reader, Protocol):
    """A reader that knows how likely its claims are right, and claims those alone that are likely enough."""

    def with_caution(self, caution: float) -> Reader:
        """The same reader, which claims what is right with a probability of at least `caution` (0 to 1)."""


@runtime_checkable
class ReadsPassages(Reader, Protocol):
    """A reader that goes by a smaller one, which reads its passages one by one."""

    def with_reader(self, reader: PassageReader) -> Reader:
        """The same reader, whose passages `reader` reads."""


@runtime_checkable
class ChecksClaims(Reader, Protocol):
    """A reader that can put what it is about to claim to a second one."""

    def with_check(self, check: SecondReader) -> Reader:
        """The same reader, which claims only what `check` does not deny."""


def checked_by(reader: Reader, second: SecondReader) -> Reader:
    """`reader` with its claims put to `second`; `ConfigError` for one whose claims are not quoted, such as a language model."""
    if not isinstance(reader, ChecksClaims):
        raise ConfigError(
            "this recipe's answers are not quoted claim by claim, so no second reader checks them: ask with a recipe that names no "
            "reader of its own, such as default"
        )
    return reader.with_check(second)


def reading_by(reader: Reader, passages: PassageReader) -> Reader:
    """`reader` going by another reader of passages; `ConfigError` for one that goes by none, such as a language model."""
    if not isinstance(reader, ReadsPassages):
        raise ConfigError(
            "this recipe's answers are not read passage by passage, so it takes no reader: ask without a language model"
        )
    return reader.with_reader(passages)


def cautious(reader: Reader, caution: float) -> Reader:
    """`reader` with that caution; `ConfigError` for one outside 0 to 1, or a reader that cannot tell how sure it is."""
    if not 0 <= caution <= 1:
        raise ConfigError(f"caution is a probability from 0 to 1, not {caution}")
    if not isinstance(reader, CautiousReader):
        raise ConfigError(
            "this reader does not know how sure it is, so it takes no caution: ask without a language model"
        )
    return reader.with_caution(caution)
