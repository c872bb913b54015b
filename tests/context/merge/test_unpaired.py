from __future__ import annotations

import pytest
from merging_doubles import Words, many

from decoct.budget import Budget
from decoct.context.layouts import Numbered
from decoct.context.merge.fuse_extract import Extract
from decoct.context.merge.step import Merge
from decoct.data import Draft, Passage, Query, Span
from decoct.errors import ConfigError
from decoct_lab.context.merge.unpaired import Unpaired

QUERY = Query("What is told of rivers?")
PASSAGES = tuple(many(8))


@pytest.mark.parametrize("limit", [20, 40, 80])
def test_the_best_sentences_of_all_are_kept_each_in_its_own_passage(limit: int) -> None:
    budget = Budget(limit, Words())
    found = Unpaired().apply(QUERY, Draft(PASSAGES), budget)
    assert budget.fits(Numbered().render(found))
    order = {passage.support[0].doc_id: rank for rank, passage in enumerate(PASSAGES)}
    ranks = [order[passage.support[0].doc_id] for passage in found.passages]
    assert ranks == sorted(set(ranks))  # one a passage, by rank
    merged = Merge(Extract()).apply(QUERY, Draft(PASSAGES), budget)
    assert budget.fits(Numbered().render(merged))
    for passage in (*found.passages, *merged.passages):
        assert {span.doc_id for span in passage.support} == {passage.support[0].doc_id}
        assert passage.kind == "quote"
    # Pairs share the room, single passages compete for it: the same sentences only where little fits.
    assert {one.support[0].doc_id for one in merged.passages} >= {found.passages[0].support[0].doc_id}


def test_what_fits_stays_whole_and_rewrites_follow() -> None:
    rewrite = Passage("written", (Span("r", 0, 3),), "rewrite")
    budget = Budget(10_000, Words())
    found = Unpaired().apply(QUERY, Draft((rewrite, *PASSAGES)), budget)
    assert found.passages == (*PASSAGES, rewrite)
    assert Unpaired(n=3).apply(QUERY, Draft(PASSAGES), budget).passages == PASSAGES[:3]
    assert Unpaired().apply(QUERY, Draft(()), budget).passages == ()
    with pytest.raises(ConfigError, match="at least 1"):
        Unpaired(n=0)
