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
        if language := unknown_language(question, known):
            trace.fallback(FALLBACK)
            trace.fact("question_language", language)


def unknown_language(question: str, known: frozenset[str]) -> str | None:
    """The language of a question if it can be told and is none of `known`."""
    language = _asked_in(question[:_READ])
    return language if language is not None and language not in known else None


@lru_cache(maxsize=1024)
def _asked_in(question: str) -> str | None:
    from decoct.text.languages import asked_in

    return asked_in(question)
