"""The sentences of a context as candidates for an answer, and how much of a question each covers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from decoct.data import Context
from decoct.text.names import title_without_brackets
from decoct.text.questions import ParsedQuestion
from decoct.text.sentences import sentences
from decoct.text.words import content_stems as stems


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of passage `passage` (from 0), in text order number `place` of it.

    `title` holds the stems of the passage's title, `subject` those of it without a bracketed addition such as `(film)`.
    """

    passage: int
    place: int
    text: str
    words: frozenset[str]
    title: frozenset[str]
    subject: frozenset[str]


def candidate_sentences(context: Context) -> list[Sentence]:
    """Every sentence of the context that holds a content word, in its order."""
    found = []
    for number, passage in enumerate(context.passages):
        title = stems(passage.title)
        subject = stems(title_without_brackets(passage.title))
        for place, (start, end) in enumerate(sentences(passage.text)):
            text = passage.text[start:end]
            if place == 0 and passage.support[0].start > 0 and text[:1].islower():
                continue  # the chunk begins in the middle of a sentence
            words = stems(text)
            if words:
                found.append(Sentence(number, place, text, words, title, subject))
    return found


def weights(question: ParsedQuestion, found: list[Sentence]) -> Mapping[str, float]:
    """How much each of the question's words tells, as a share of the whole question; the shares add up to 1.

    A word tells by its inverse frequency among the sentences; a title counts in all sentences of its passage.
    """
    wanted = frozenset(question.words)
    counts = Counter(word for sentence in found for word in wanted & (sentence.words | sentence.title))
    raw = {word: math.log(1 + len(found) / (0.5 + counts[word])) for word in question.words}
    total = sum(raw.values()) or 1.0
    return {word: amount / total for word, amount in raw.items()}
