"""The sentences of a document as a trie of their first words, and constrained decoding over it.

A sentence is named by the fewest first words that no other sentence begins with (all of its words where another sentence begins with
them). A decoder that may only go on as some sentence does has chosen one where it is at such a prefix.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from decoct.llm.base import Losses

_WORD = re.compile(r"\S+")
# Words of the longest prefix: sentences that agree so far are told apart by nothing that matters.
LONGEST = 24


@dataclass(slots=True)
class _Branch:
    sentences: list[int] = field(default_factory=list)
    below: dict[str, _Branch] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prefix:
    """The words that name sentence `sentence` (the first of those that begin so), and where they end in its text."""

    sentence: int
    words: tuple[str, ...]
    ends: tuple[int, ...]


def prefixes(sentences: Sequence[str]) -> list[Prefix]:
    """The prefix of every sentence that has a word, in order; of sentences with the same prefix only the first."""
    root = _Branch()
    split = [[(match[0], match.end()) for match in _WORD.finditer(text)][:LONGEST] for text in sentences]
    for number, words in enumerate(split):
        at = root
        for word, _ in words:
            at = at.below.setdefault(word, _Branch())
            at.sentences.append(number)
    found: dict[tuple[str, ...], Prefix] = {}
    for number, words in enumerate(split):
        at = root
        for count, (word, _) in enumerate(words, 1):
            at = at.below[word]
            if len(at.sentences) == 1 or count == len(words):
                named = tuple(word for word, _ in words[:count])
                found.setdefault(named, Prefix(number, named, tuple(end for _, end in words[:count])))
                break
    return list(found.values())


def decoded(choices: Sequence[Prefix], losses: Sequence[Losses], beams: int) -> list[tuple[Prefix, float]]:
    """The `beams` best prefixes by beam search, best first, with the mean log-probability of their tokens.

    `losses[i]` are those of the text of `choices[i]` after the prompt. Step by step a beam takes one more word, any that a sentence goes on
    with; the best `beams` are kept, by the mean over their tokens, and those that name a sentence are done. Exactly what a decoder
    does that may only write sentences of the document, worked out from one batch of losses.
    """
    by_word = [_by_word(one, loss) for one, loss in zip(choices, losses, strict=True)]
    live: dict[tuple[str, ...], list[int]] = {(): list(range(len(choices)))}
    done: list[tuple[Prefix, float]] = []
    while live:
        grown: dict[tuple[str, ...], list[int]] = {}
        for words, members in live.items():
            for number in members:
                grown.setdefault((*words, choices[number].words[len(words)]), []).append(number)
        worth = {words: _mean(by_word[members[0]], len(words)) for words, members in grown.items()}
        kept = sorted(grown, key=lambda words: (-worth[words], grown[words][0]))[:beams]
        live = {}
        for words in kept:
            for number in grown[words]:
                if choices[number].words == words:
                    done.append((choices[number], worth[words]))
                else:
                    live.setdefault(words, []).append(number)
        done = sorted(done, key=lambda one: (-one[1], one[0].sentence))[:beams]
    return done


def _by_word(prefix: Prefix, losses: Losses) -> list[tuple[float, int]]:
    """For each word the sum of its tokens' losses and how many they are; a token belongs to the word in which it begins."""
    found = [(0.0, 0) for _ in prefix.words]
    at = 0
    for value, (start, _) in zip(losses.values, losses.offsets, strict=True):
        while at < len(prefix.ends) - 1 and start >= prefix.ends[at]:
            at += 1
        total, count = found[at]
        found[at] = (total + value, count + 1)
    return found


def _mean(words: Sequence[tuple[float, int]], count: int) -> float:
    tokens = sum(number for _, number in words[:count])
    return -sum(total for total, _ in words[:count]) / tokens if tokens else 0.0
