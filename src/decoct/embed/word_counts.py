"""Tokens by words: WordPiece reads a text word by word, so its count is the sum of its words', and words seen before are not read again.

A context is counted many times over, in parts and as a whole, and its words are few: summing remembered counts takes a tenth of the time.
Its longer lines are remembered too, since a passage is counted when it is chosen, and once more in the text that it becomes a part of.

Texts are cut at blanks and line breaks alone. These part words for every rule of the tokenizer; what else is white space to Python may be a
character that the tokenizer deletes, and then two parts would be one word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

MOST = 1 << 16  # words remembered: some eight megabytes
LONGEST = 40  # characters of a word worth remembering; longer runs seldom come again
LINE, LONGEST_LINE = 100, 20_000  # characters of a line worth remembering
MOST_IN_LINES = 1 << 21  # characters of the lines remembered together


class WordCounts:
    """How many tokens words have, by `read`, which counts a list of texts. Thread-safe: what another thread forgets is read again."""

    def __init__(self, read: Callable[[Sequence[str]], list[int]]) -> None:
        self._read = read
        self._known: dict[str, int] = {"": 0}
        self._lines: dict[str, int] = {}
        self._in_lines = 0

    def of(self, text: str) -> int:
        """Tokens in `text`."""
        if len(text) < LINE:
            return self._of_words(text.replace("\n", " ").split(" "))
        tokens, short = 0, []
        for line in text.split("\n"):
            if not LINE <= len(line) <= LONGEST_LINE:
                short.append(line)
                continue
            known = self._lines.get(line)
            tokens += self._of_line(line) if known is None else known
        return tokens + self._of_words(" ".join(short).split(" "))

    def _of_line(self, line: str) -> int:
        tokens = self._of_words(line.split(" "))
        if self._in_lines > MOST_IN_LINES:
            self._lines, self._in_lines = {}, 0
        self._lines[line] = tokens
        self._in_lines += len(line)
        return tokens

    def _of_words(self, words: Sequence[str]) -> int:
        known = self._known
        try:
            return sum([known[word] for word in words])
        except KeyError:
            pass
        found = [*map(known.get, words)]
        new = [*dict.fromkeys(word for word, count in zip(words, found, strict=True) if count is None)]
        counted = dict(zip(new, self._read(new), strict=True))
        if len(self._known) + len(counted) > MOST:
            self._known = {"": 0}
        self._known.update((word, count) for word, count in counted.items() if len(word) <= LONGEST)
        return sum(counted[word] if count is None else count for word, count in zip(words, found, strict=True))
