"""Ask a model once for each pair and never lose one: what fails is merged by another fuser, and counted by its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from decoct import trace
from decoct.context.base import Fuser
from decoct.data import Passage
from decoct.errors import ModelError
from decoct.llm.base import LLM, Reply, Request


def outcomes(
    llm: LLM,
    requests: Sequence[Request],
    read: Callable[[int, Reply], Passage | None],
    *,
    question: str,
    pairs: Sequence[tuple[Passage, Passage]],
    fallback: Fuser,
) -> list[Passage | None]:
    """What `read` makes of each reply; where the request or its reading ends in a `ModelError`, what `fallback` makes of the pair.

    The trace counts each such pair as `merge.` and the error's code (`merge.model-timeout`, `merge.reply` …).
    """
    results: list[Passage | None] = [None] * len(requests)
    failed: list[int] = []
    for number, outcome in enumerate(llm.complete(requests)):
        try:
            if isinstance(outcome, ModelError):
                raise outcome
            results[number] = read(number, outcome)
        except ModelError as error:
            trace.fallback(f"merge.{error.code}")
            failed.append(number)
    if failed:
        for number, passage in zip(failed, fallback.fuse(question, [pairs[n] for n in failed]), strict=True):
            results[number] = passage
    return results
