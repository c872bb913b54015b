"""What a reader promises."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol, runtime_checkable

from decoct.data import Answer, Context, ShortAnswer
from decoct.errors import ConfigError
from decoct.reading.base import PassageReader, SecondReader

NO_CONTEXT = "The context is empty: nothing was found that matches this question."
NO_ANSWER = "The context does not seem to answer this question."

# Models say it in their own words in spite of the prompt: a subject (the context …) that does not (contain …), or an inability.
_SAYS = re.compile(
    r"\b(?:context|passages?|sources?|documents?|text|information)\b[^.]{0,60}?\b(?:do(?:es)? not|don['’]t|doesn['’]t|is not|isn['’]t|"
    r"lacks?|no(?:t|where|ne)?)\b[^.]{0,60}?\b(?:contain|mention|provide|say|state|answer|hold|include|give|specif|information|found|"
    r"available|enough|sufficient)"
    r"|\b(?:cannot|can['’]?t|can not|unable to|not possible to|impossible to)\b[^.]{0,40}?\b(?:answer|determine|tell|say|find)"
    r"|^\W*(?:not found|no answer|unanswerable|unknown|i (?:do not|don['’]t) know)\b",
    re.IGNORECASE,
)


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
class QuotingReader(Reader, Protocol):
    """A reader in the documents' words: it knows how likely its claims are right, goes by a smaller reader, and may ask a second one."""

    def with_(
        self,
        *,
        caution: float | None = None,
        reader: PassageReader | None = None,
        check: SecondReader | None = None,
    ) -> Reader:
        """The same reader with what is given: it claims what is right with a probability of at least `caution` (0 to 1).

        `reader` reads its passages, and `check` may lower how likely a claim is, never raise it.
        """

    def likely(self, context: Context) -> list[ShortAnswer]:
        """All words that may answer, the likeliest first, each with how likely it is right; not what is said of another thing."""


def adjusted(
    reader: Reader, caution: float | None, passages: PassageReader | None, second: SecondReader | None
) -> Reader:
    """`reader` with that caution, going by `passages`, its claims put to `second`; None leaves it as it is.

    `ConfigError` for a caution outside 0 to 1, or a reader that quotes no claims, such as a language model.
    """
    if caution is not None and not (isinstance(caution, int | float) and 0 <= caution <= 1):
        raise ConfigError(f"caution is a probability from 0 to 1, not {caution!r}")
    if caution is None and passages is None and second is None:
        return reader
    if not isinstance(reader, QuotingReader):
        raise ConfigError(
            "this recipe's answers are not quoted claim by claim, so it takes no caution, reader or second reader: ask without a language "
            "model, or with a recipe that names no reader of its own, such as default"
        )
    return reader.with_(caution=caution, reader=passages, check=second)


def says_not_found(reply: str) -> bool:
    """Whether the reply's first sentence says that the context holds no answer."""
    return _SAYS.search(reply[:300].split("\n", maxsplit=1)[0]) is not None
