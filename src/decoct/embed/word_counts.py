"""Tokens by words: WordPiece reads a text word by word, so its count is the sum of its words', and words seen before are not read again.

A context is counted many times over, in parts and as a whole, and its words are few: summing remembered counts takes a tenth of the time.

Texts are cut at blanks and line breaks alone. These part words for every rule of the tokenizer; what else is white space to Python may be a
character that the tokenizer deletes, and then two parts would be one word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

MOST = 1 << 16  # words remembered: some eight megabytes
LONGEST = 40  # characters of a word worth remembering; longer runs seldom come again


class WordCounts:
    """How many tokens words have, by `read`, which counts a list of texts. Thread-safe: what another thread forgets is read again."""

    def __init__(self, read: Callable[[Sequence[str]], list[int]]) -> None:
        self._read = read
        self._known: dict[str, int] = {"": 0}

    def of(self, text: str) -> int:
        """Tokens in `text`."""
        words = text.replace("\n", " ").split(" ")
        with suppress(KeyError):
            return sum(map(self._known.__getitem__, words))
        found = [*map(self._known.get, words)]
        new = [*dict.fromkeys(word for word, count in zip(words, found, strict=True) if count is None)]
        counted = dict(zip(new, self._read(new), strict=True))
        if len(self._known) + len(counted) > MOST:
            self._known = {"": 0}
        self._known.update((word, count) for word, count in counted.items() if len(word) <= LONGEST)
        return sum(counted[word] if count is None else count for word, count in zip(words, found, strict=True))
