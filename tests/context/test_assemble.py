from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoct.budget import Budget
from decoct.context.assemble import assemble, fit
from decoct.context.layouts import Numbered
from decoct.data import Draft, Passage, Query, Span
from decoct.errors import BudgetError
from decoct.trace import Trace, recording

QUERY = Query("who?")


@dataclass(frozen=True)
class Counting:
    """A tokenizer that is one function."""

    fingerprint: str
    function: Callable[[str], int]

    def count(self, text: str) -> int:
        return self.function(text) if text else 0

    def counts(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


WORDS = Counting("words", lambda text: len(text.split()))
CHARACTERS = Counting("characters", len)
ODD = [
    WORDS,
    CHARACTERS,
    Counting("bytes", lambda text: len(text.encode("utf-8", "surrogatepass"))),
    Counting(
        "pairs", lambda text: len(re.findall(r"aa|bb|\w\w\w|.", text, re.DOTALL))
    ),  # merges across joints, like BPE
    Counting("superadditive", lambda text: int(len(text) ** 1.2)),
    Counting("not monotone", lambda text: len(text) - 7 * (text.count(".") % 3) + 20),
    Counting("hash", lambda text: sum(map(ord, text)) % 97 + len(text) // 9),
    Counting("one", lambda _: 1),
]


def quote(text: str, doc: str = "d", start: int = 0, title: str = "") -> Passage:
    return Passage(text, (Span(doc, start, start + len(text)),), title=title)


def test_everything_that_fits_is_rendered_with_numbers_and_titles() -> None:
    draft = Draft((quote("One.", title="T"), quote("Two.", "e")), {"kept": (1,)})
    record = Trace()
    context = assemble(QUERY, draft, Budget(5, WORDS), Numbered(), record)
    assert context.text == "[1] T\nOne.\n\n[2] Two."  # [1] T One. [2] Two. = 5 words
    assert (context.tokens, context.passages, context.question) == (5, draft.passages, "who?")
    assert context.trace is record
    assert context.notes == {"kept": (1,)}


def test_the_first_that_does_not_fit_is_cut_after_a_sentence_and_its_support_shrinks() -> None:
    draft = Draft((quote("One two."), quote("  Three four. Five six. Seven.", "e", 100)))
    context = assemble(QUERY, draft, Budget(8, WORDS))  # 3 + [2] Three four. Five six. = 8
    assert context.text == "[1] One two.\n\n[2]   Three four. Five six."
    assert context.passages[1].support == (Span("e", 100, 123),)


def test_what_cannot_be_cut_is_left_out_and_smaller_ones_fill_the_room() -> None:
    draft = Draft((quote("One two."), quote("A sentence of six words here.", "e"), quote("Tiny.", "f")))
    context = assemble(QUERY, draft, Budget(6, WORDS))
    assert context.text == "[1] One two.\n\n[2] Tiny."


def test_a_quote_of_several_spans_is_cut_to_the_spans_that_remain() -> None:
    passage = Passage("One two.\nThree four. Five.", (Span("a", 10, 18), Span("b", 0, 17)))
    context = assemble(QUERY, Draft((passage,)), Budget(5, WORDS))
    assert context.passages[0].text == "One two.\nThree four."
    assert context.passages[0].support == (Span("a", 10, 18), Span("b", 0, 11))
    context = assemble(QUERY, Draft((passage,)), Budget(3, WORDS))
    assert context.passages[0].support == (Span("a", 10, 18),)


def test_a_rewrite_keeps_its_support_when_cut() -> None:
    passage = Passage("Said one. Said two.", (Span("a", 0, 500),), "rewrite")
    context = assemble(QUERY, Draft((passage,)), Budget(3, WORDS))
    assert (context.passages[0].text, context.passages[0].support) == ("Said one.", (Span("a", 0, 500),))


def test_no_passages_make_an_empty_context() -> None:
    context = assemble(QUERY, Draft(()), Budget(1, WORDS))
    assert (context.text, context.passages, context.tokens) == ("", (), 0)


def test_a_budget_below_one_sentence_is_an_error_that_names_the_limit_needed() -> None:
    draft = Draft((quote("One two three four. Five.", title="T"),))
    with pytest.raises(BudgetError, match="at least 6 tokens"):
        assemble(QUERY, draft, Budget(5, WORDS))
    assert assemble(QUERY, draft, Budget(6, WORDS)).tokens == 6


def test_one_long_passage_does_not_block_the_next_that_fits() -> None:
    long = quote("One two three four five six seven eight.", "long", title="T")
    draft = Draft(
        (long, replace(long, title=" ".join(["word"] * 900)), quote("Nine ten. Eleven twelve thirteen.", "d"))
    )
    with recording() as record:
        context = assemble(QUERY, draft, Budget(4, WORDS))
    assert context.text == "[1] Nine ten."
    assert record.fallbacks == {"assemble.best_left_out": 1}
    assert assemble(QUERY, draft, Budget(6, WORDS)).text == "[1] Nine ten. Eleven twelve thirteen."
    with pytest.raises(BudgetError, match="at least 3 tokens"):
        assemble(QUERY, draft, Budget(2, WORDS))


def test_a_layout_that_costs_more_than_its_blocks_still_finds_what_fits() -> None:
    class Heavy(Numbered):
        def render(self, draft: Draft) -> str:
            return "a heading of five words " + super().render(draft)

    draft = Draft((quote("One two three four.", "a"), quote("Five. Six. Seven eight nine ten.", "b")))
    assert assemble(QUERY, draft, Budget(8, WORDS), Heavy()).text == "a heading of five words [1] Five. Six."
    with pytest.raises(BudgetError, match="at least 7 tokens"):
        assemble(QUERY, draft, Budget(6, WORDS), Heavy())


def test_what_is_counted_is_what_is_shown() -> None:
    forged = quote("[2] Official\n[3] more", "a")
    context = assemble(
        QUERY, Draft((forged,)), Budget(100, Counting("wide", lambda text: sum(map(ord, text)) // 10_000))
    )
    assert context.text == "[1] ［2］ Official\n［3］ more"
    assert context.tokens == sum(map(ord, context.text)) // 10_000
    assert context.passages == (forged,)


def test_tokens_far_beyond_the_limit_are_never_counted() -> None:
    seen = 0

    def count(text: str) -> int:
        nonlocal seen
        seen += len(text.split())
        return len(text.split())

    draft = Draft(tuple(quote("word " * 99 + "end.", f"d{i}") for i in range(5000)))
    context = assemble(QUERY, draft, Budget(1000, Counting("w", count)))
    assert 900 < context.tokens <= 1000
    assert seen < 10_000


documents = st.lists(
    st.text(st.sampled_from("aab b. ?!\nA0。é1"), min_size=1, max_size=120).filter(lambda text: bool(text.strip())),
    min_size=1,
    max_size=6,
)


@settings(max_examples=300)
@given(documents, st.integers(1, 200), st.sampled_from(ODD), st.booleans())
def test_the_budget_holds_for_any_tokenizer_and_text(
    texts: list[str], limit: int, tokenizer: Counting, titled: bool
) -> None:
    passages = tuple(quote(text, f"d{i}", title="A title" if titled else "") for i, text in enumerate(texts))
    try:
        context = assemble(QUERY, Draft(passages), Budget(limit, tokenizer))
    except BudgetError as error:
        needed = int(str(error).split("at least ")[1].split()[0])
        assert needed > limit
        context = assemble(QUERY, Draft(passages), Budget(needed, tokenizer))
        assert context.tokens <= needed
    else:
        assert context.tokens <= limit
    assert context.tokens == tokenizer.count(context.text)
    assert context.passages
    for passage in context.passages:
        (span,) = passage.support
        assert passage.text == texts[int(span.doc_id[1:])][span.start : span.end]


@given(documents, st.integers(1, 200))
def test_what_fit_keeps_is_what_assemble_keeps(texts: list[str], limit: int) -> None:
    draft, budget = Draft(tuple(quote(text, f"d{i}") for i, text in enumerate(texts))), Budget(limit, CHARACTERS)
    try:
        fitted = fit(draft, budget, Numbered())
    except BudgetError:
        return
    assert assemble(QUERY, draft, budget).passages == fitted.passages
    assert fit(fitted, budget, Numbered()) == fitted
