"""Which recipes a user should know first, and to which paper the others belong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """A recipe to know first: when to take it, and what a question costs (docs/recipes.md says how measured)."""

    name: str
    when: str
    cost: str


FIRST = (
    Known(
        "default",
        "almost always; it also finds what the question does not name",
        "about 25 ms (10,000 chunks, 5,400 tokens); no model",
    ),
    Known("merge-links", "little room: the most evidence in 60 to 750 tokens", "as default; no model"),
    Known(
        "casc",
        "documents that may disagree: what they agree on, and every side of a conflict",
        "as default, and reading its passages with the bundled reader (15 ms each); no language model",
    ),
    Known(
        "cards+links",
        "many long documents, one of which is meant",
        "as default; before it, once: `decoct cards build`, some tenths of a second a document; no model",
    ),
)
# The beginnings of names that belong to a paper; a recipe belongs to the first that fits.
PAPERS = (
    (
        "Recall-oriented RAG, its baselines and ablations",
        ("recall", "naive", "dos", "iter-retgen", "self-ask", "summarise", "decompose"),
    ),
    (
        "MergeRAG (Guo et al. 2026), its variants and baselines",
        ("merge-", "recomp-", "llmlingua", "longllmlingua", "extract-each", "top20"),
    ),
    ("CASC (Zhou et al.) and its ablations", ("casc",)),
    ("Question compression (Eponon et al. 2026)", ("cards", "syntactic")),
    ("Further", ("",)),
)


def by_paper(names: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The recipes that are not known first, under the paper they belong to."""
    first = {known.name for known in FIRST}
    under: dict[str, list[str]] = {paper: [] for paper, _ in PAPERS}
    for name in names:
        if name not in first:
            under[next(paper for paper, begins in PAPERS if name.startswith(begins))].append(name)
    yield from ((paper, found) for paper, found in under.items() if found)
