"""One step below a number of tokens, another from there on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from decoct import Library
from decoct.budget import Budget
from decoct.context.steps import ByBudget
from decoct.data import Document, Draft, Passage, Query, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import ConfigError
from decoct_testing.hash_embedder import HashEmbedder


@dataclass(frozen=True)
class Named:
    title: str

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        return replace(draft, passages=tuple(replace(p, title=self.title) for p in draft.passages))


@pytest.mark.parametrize(("limit", "step"), [(20, "small"), (499, "small"), (500, "large"), (5400, "large")])
def test_the_budget_decides(limit: int, step: str) -> None:
    draft = Draft((Passage("text", (Span("d", 0, 4),)),))
    made = ByBudget(Named("small"), Named("large"), 500).apply(Query("q"), draft, Budget(limit, default_tokenizer()))
    assert [passage.title for passage in made.passages] == [step]


def test_no_tokens_are_no_border() -> None:
    with pytest.raises(ConfigError, match="by-budget"):
        ByBudget(Named("a"), Named("b"), 0)


def test_the_default_gives_sentences_of_many_passages_where_little_fits(tmp_path: object) -> None:
    names = ("kettle", "lantern", "bicycle", "violin", "compass", "anchor")
    filler = "The rooms were warm and the windows stood open to the garden all summer long. "
    with Library.open(str(tmp_path), embedder=HashEmbedder()) as library:
        library.add([Document(n, filler * 4 + f"The red {n} was bought in 1934. " + filler * 4, n) for n in names])
        little = library.context("When was the red lantern bought?", 120)
        much = library.context("When was the red lantern bought?", 900)
    assert "The red lantern was bought in 1934." in little.text
    assert max(len(passage.text) for passage in little.passages) < min(len(passage.text) for passage in much.passages)
    for passage in (*little.passages, *much.passages):
        assert passage.kind == "quote"


def test_a_sentence_longer_than_the_budget_gives_way_to_one_that_fits(tmp_path: object) -> None:
    """A list without stops is one sentence of hundreds of tokens; the answer may stand in a short one behind it."""
    endless = "red lantern bought " + ", ".join(f"red lantern number {number}" for number in range(60))
    with Library.open(str(tmp_path), embedder=HashEmbedder()) as library:
        library.add([Document("list", f"{endless}.\n\nThe red lantern was bought in 1934.", "Red lanterns")])
        context = library.context("When was the red lantern bought?", 60)
    assert "bought in 1934" in context.text
    assert context.tokens <= 60
