"""Cut one passage to what fits, by sentences: the least relevant go first, the rest keep their order (lab/docs/methods.md, `overflow`)."""

from __future__ import annotations

from collections.abc import Callable

from decoct.context.ranges import passage_of_ranges
from decoct.context.sentence_judge import judged
from decoct.data import Passage
from decoct.text.wholes import Place


def trimmed(question: str, passage: Passage, fits: Callable[[Passage], bool]) -> Passage:
    """The best sentences of the quote `passage` for which `fits` holds; its best one alone if none fits with another.

    `fits` is asked O(log sentences) times, on passages that hold ever more of the sentences by their worth.
    """
    (places,), (worth,) = judged(question, [passage])
    ranked = sorted(range(len(places)), key=lambda at: (-worth[at], at))
    low, high = 1, len(ranked)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(_of(passage, [places[at] for at in ranked[:middle]])):
            low = middle
        else:
            high = middle - 1
    best = ranked[:low]
    for at in ranked[low + 1 :]:  # a shorter one may still fit where a longer one did not
        if fits(_of(passage, [places[n] for n in (*best, at)])):
            best.append(at)
    return _of(passage, [places[at] for at in best])


def _of(passage: Passage, places: list[Place]) -> Passage:
    return passage_of_ranges([(passage, sorted(places))]) or passage
