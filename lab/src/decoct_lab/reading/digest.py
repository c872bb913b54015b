"""The best sentences of several passages as one text to read: a question in several steps is answered by no passage alone.

A digest has a line a sentence, `Title: sentence`, the sentences in the order of their passages, within so many characters that the small
reader sees all of them in one window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from decoct.reading.base import Readable, Reading

LENGTH = 900  # characters: some 200 tokens, which leaves room for the question in a window of 256
TITLE = 60  # characters of a title that a line shows


@dataclass(frozen=True, slots=True)
class DigestLine:
    """The sentence at `start`..`end` of passage number `passage` stands at `at` of the digest, behind its title."""

    passage: int
    start: int
    end: int
    at: int


@dataclass(frozen=True, slots=True)
class Digest:
    """A text to read (its `title` is empty: every line has its own), and where each line comes from."""

    text: str
    lines: tuple[DigestLine, ...]
    title: str = ""


def digest(passages: Sequence[Readable], readings: Sequence[Reading], length: int = LENGTH) -> Digest:
    """The sentences that are most likely evidence (a sentence's relevance times its passage's), within `length` characters."""
    ranked = sorted(
        (
            (-sentence.relevance * reading.relevance, number, sentence.start, sentence.end)
            for number, reading in enumerate(readings)
            for sentence in reading.sentences
        )
    )
    chosen: list[tuple[int, int, int]] = []
    room = length
    for _, number, start, end in ranked:
        cost = end - start + len(passages[number].title[:TITLE]) + 3
        if cost <= room:
            chosen.append((number, start, end))
            room -= cost
    return digest_of_sentences(
        [(number, passages[number].title, passages[number].text, start, end) for number, start, end in sorted(chosen)]
    )


def digest_of_sentences(rows: Sequence[tuple[int, str, str, int, int]]) -> Digest:
    """A line for each of `rows` (number of the passage, its title, its text, a sentence's start and end), in their order."""
    text = ""
    lines = []
    for number, title, whole, start, end in rows:
        text += f"{title[:TITLE]}: " if title else ""
        lines.append(DigestLine(number, start, end, len(text)))
        text += whole[start:end] + "\n"
    return Digest(text, tuple(lines))
