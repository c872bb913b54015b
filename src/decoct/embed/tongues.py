"""A question in a language that the embedder does not know is found by its words alone: the trace says so."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from decoct import trace

FALLBACK = "embed.language"
_READ = 300  # characters of a question that tell its language


def tell_unknown(questions: Sequence[str], known: frozenset[str]) -> None:
    """Count the fallback `embed.language`, with the language as the fact `question_language`, where one is in none of `known`."""
    for question in questions:
        language = _asked_in(question[:_READ])
        if language is not None and language not in known:
            trace.fallback(FALLBACK)
            trace.fact("question_language", language)


@lru_cache(maxsize=1024)
def _asked_in(question: str) -> str | None:
    from decoct.text.languages import asked_in

    return asked_in(question)
