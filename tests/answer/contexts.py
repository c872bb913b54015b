"""Contexts for the readers' tests: passages quoted from documents of their own."""

from __future__ import annotations

from collections.abc import Sequence

from word_tokenizer import Words

from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.data import Context, Draft, Passage, Query, Span


def context_of(question: str, *texts: str, titles: Sequence[str] = ()) -> Context:
    """A context of one passage a text, from documents d1, d2 …, beginning at character 100."""
    titled = [*titles, *[""] * len(texts)]
    passages = tuple(
        Passage(text, (Span(f"d{i}", 100, 100 + len(text)),), title=titled[i - 1]) for i, text in enumerate(texts, 1)
    )
    return assemble(Query(question), Draft(passages), Budget(5000, Words()))
