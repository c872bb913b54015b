"""A language model as the second reader: one short call a statement, whose reply is one word.

Of an open question it is asked whether the statement, where it stands, answers it (yes or no); of a question of yes or no, what the
statement says to it (yes, no or neither). Where the model tells how likely the first tokens were, the probability of a word is its share
of those of the words that it may say, as the relevance of monoT5 is (Nogueira et al. 2020, "Document ranking with a pretrained
sequence-to-sequence model"); where it does not, the word that it said has `PLAIN` and the others share the rest.

A call that fails, or a reply of another word, says nothing: the statement is unread (0.5 of everything), the trace counts `second.failed`
or `second.malformed`, and its fact `second_error` holds the error's type and words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from decoct import trace
from decoct.errors import ModelError
from decoct.llm.base import LLM, Reply, Request
from decoct.llm.prompts import Prompt, load_prompt
from decoct.reading.base import SecondReading, StatementToRead
from decoct.text.questions import asks_yes_or_no

PLAIN = 0.9
"""The probability of a word that a model said without telling how likely it was."""
UNREAD = SecondReading(0.5, 0.5, 0.5)
_AROUND = 900  # characters of the passage on either side
_LONGEST, _TOLD = 8, 10  # tokens of a reply; of its first token's alternatives
_OPEN, _JUDGED = ("yes", "no"), ("yes", "no", "neither")
_SLOTS = ("title", "passage", "statement", "question")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class LanguageModelSecond:
    """Reads with `llm`: as many calls as statements, in one batch."""

    llm: LLM

    @property
    def fingerprint(self) -> str:
        """The model's own, and the prompts'."""
        return f"second-llm:{self.llm.fingerprint}:{_prompt(_OPEN).fingerprint}:{_prompt(_JUDGED).fingerprint}"

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        """One reading a statement, in their order; `UNREAD` where the model's call failed or it said another word."""
        words = [_JUDGED if asks_yes_or_no(one.question) else _OPEN for one in statements]
        requests = [_request(one, own) for one, own in zip(statements, words, strict=True)]
        outcomes = self.llm.complete(requests) if requests else []
        return [_reading(outcome, own) for outcome, own in zip(outcomes, words, strict=True)]


def _request(statement: StatementToRead, words: Sequence[str]) -> Request:
    text, start, end = statement.text, statement.start, statement.end
    values = {
        "title": statement.title,
        "passage": text[max(0, start - _AROUND) : end + _AROUND],
        "statement": text[start:end],
        "question": statement.question,
    }
    prompt = _prompt(words)
    return Request(prompt.render(values), max_tokens=_LONGEST, prompt=prompt.fingerprint, likeliest=_TOLD)


def _reading(outcome: Reply | ModelError, words: Sequence[str]) -> SecondReading:
    if isinstance(outcome, ModelError):
        trace.fallback("second.failed")
        trace.fact("second_error", f"{type(outcome).__name__}: {outcome}")
        return UNREAD
    shares = _shares(outcome, words)
    if not shares:
        trace.fallback("second.malformed")
        trace.fact("second_error", f"the reply is none of {', '.join(words)}: {outcome.text[:80]!r}")
        return UNREAD
    yes, no = shares["yes"], shares["no"]
    return SecondReading(yes) if words == _OPEN else SecondReading(yes + no, yes, no)


def _shares(reply: Reply, words: Sequence[str]) -> dict[str, float]:
    """How likely each word is; nothing where the reply is none of them."""
    first = _WORD.search(reply.text)
    said = first[0].casefold() if first else ""
    if said not in words:
        return {}
    told = dict.fromkeys(words, 0.0)
    for token, value in reply.likeliest:
        begun = token.strip().casefold()
        meant = [word for word in words if begun and word.startswith(begun)]
        meant = [begun] if begun in words else meant
        if len(meant) == 1:  # "n" may become no or neither
            told[meant[0]] += math.exp(min(0.0, value))
    if told[said] > 0 and len(reply.likeliest) > 1:
        return {word: share / sum(told.values()) for word, share in told.items()}
    return {word: PLAIN if word == said else (1 - PLAIN) / (len(words) - 1) for word in words}


def _prompt(words: Sequence[str]) -> Prompt:
    return load_prompt("decoct.reading", "model_answers" if words == _OPEN else "model_verdict", _SLOTS)
