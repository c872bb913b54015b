"""One quote of what several quotes keep: how merging and every verbatim extraction write their result.

A kept range is characters of a passage's text. Ranges that only white space parts are closed up, so sentences that stood side by side stay
on one line; each range becomes the spans behind it, no character of a document twice. Titles are those of the passages that
gave something, each once, in that order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from decoct.context.quotes import quote_of, support_of
from decoct.context.spread import Spread
from decoct.data import Passage
from decoct.text.wholes import Place

BETWEEN_TITLES = "; "


def passage_of_ranges(parts: Iterable[tuple[Passage, Sequence[Place]]]) -> Passage | None:
    """The quote of the ranges of `parts`, in their order; None if they hold nothing. It has the best score of those that gave something."""
    shown = Spread()
    pieces, givers = [], []
    for passage, ranges in parts:
        for start, end in closed_ranges(passage.text, ranges):
            for at, span in support_of(passage, start, end):
                for fresh in shown.missing(span):
                    low = at + fresh.start - span.start
                    words = passage.text[low : low + fresh.end - fresh.start]
                    if words.strip():
                        pieces.append((fresh, words))
                        givers.append(passage)
                shown.add(span)
    if not pieces:
        return None
    text, support = quote_of(pieces)
    titles = dict.fromkeys(giver.title for giver in givers if giver.title)
    return Passage(text, support, "quote", max(giver.score for giver in givers), BETWEEN_TITLES.join(titles))


def closed_ranges(text: str, ranges: Sequence[Place]) -> list[Place]:
    """The ranges in their order, neighbours joined where `text` has nothing but white space between them."""
    found: list[Place] = []
    for start, end in ranges:
        if found and found[-1][1] <= start and not text[found[-1][1] : start].strip():
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found
