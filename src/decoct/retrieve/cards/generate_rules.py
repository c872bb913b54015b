"""Sentences, summary and keywords without a model, so that the index exists offline (ours; the paper asks a language model).

1. Sections are found, and in them the contribution sentences, each with a role and a score.
2. The summary takes the best sentences in the order of the text, at most 700 characters, with a place kept for each role that there is.
3. The next best sentences stand where the paper has questions, in the order why, how, what of its three passes.
4. Keywords are the phrases with the highest C-value; they fill the card.

Everything is the document's own words as they were written: a sentence that was cut or ran into another is passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from decoct.data import Document
from decoct.retrieve.cards.card import MOST_SUMMARY
from decoct.retrieve.cards.contributions import Contribution, contributions
from decoct.retrieve.cards.material import CardMaterial, MaterialBatch, MaterialCost
from decoct.retrieve.cards.phrases import phrases
from decoct.retrieve.cards.questions import anchors, is_whole
from decoct.retrieve.cards.sections import sections
from decoct.text.sentences import sentences

# A document without any cue (a list, a letter) is summed up by its opening sentences, as many as fit here.
_OPENING = 300
# Below this a card's sentences are too few to be searched by.
FEWEST_ANCHORS = 5


@dataclass(frozen=True, slots=True)
class Rules:
    """At most `questions` sentences in the place of questions and `keywords` phrases a document; the card keeps as many as fit."""

    questions: int = 12
    keywords: int = 250

    @property
    def fingerprint(self) -> str:
        """The version of the rules, and the settings."""
        return f"rules-3:{self.questions}:{self.keywords}"

    def estimate(self, document: Document) -> MaterialCost:
        """No model is asked."""
        return MaterialCost(documents=1)

    def generate(self, documents: Sequence[Document]) -> MaterialBatch:
        """One outcome a document; none fails."""
        return MaterialBatch(tuple(map(self._generate, documents)), MaterialCost(documents=len(documents)))

    def _generate(self, document: Document) -> CardMaterial:
        parts = sections(document)
        told = [c for c in contributions(document, parts) if is_whole(c.text)]
        found = distinct_contributions(sorted(told, key=lambda c: (-c.score, c.start)))
        summed = summary_sentences(found)
        asked = [c for c in found if c not in summed][: self.questions]
        if len(asked) < FEWEST_ANCHORS:  # a short document: its summary's sentences are all there is
            asked += summed[: FEWEST_ANCHORS - len(asked)]
        summary = " ".join(c.text for c in summed) or _opening(document.text)
        return CardMaterial(tuple(anchors(document.id, asked)), summary, tuple(phrases(document, parts, self.keywords)))


def _opening(text: str) -> str:
    """The first sentences of `text`; of one that is longer, as much as ends with a word."""
    head = text.strip()[: 2 * _OPENING]
    ends = [end for _, end in sentences(head) if end <= _OPENING]
    if ends or len(head) <= _OPENING:
        return " ".join(head[: ends[-1] if ends else None].split())
    return " ".join(head[: _OPENING + 1].split()[:-1]) + " …"


def summary_sentences(found: Sequence[Contribution]) -> list[Contribution]:
    """Of `found` (best first) the best of each role and then the best, as long as they fit, in the order of the text."""
    firsts = [next((c for c in found if c.role == role), None) for role in ("aim", "method", "result", "problem")]
    chosen: list[Contribution] = []
    room = MOST_SUMMARY
    for one in [*filter(None, firsts), *found]:
        if one not in chosen and len(one.text) + 1 <= room:
            chosen.append(one)
            room -= len(one.text) + 1
    return sorted(chosen, key=lambda c: c.start)


def distinct_contributions(found: Sequence[Contribution]) -> list[Contribution]:
    """Without sentences that say a better one again: those that share at least 70 % of their words with it."""
    kept: list[tuple[Contribution, set[str]]] = []
    for one in found:
        words = set(one.text.lower().split())
        if all(len(words & other) < 0.7 * min(len(words), len(other)) for _, other in kept):
            kept.append((one, words))
        if len(kept) >= 60:  # a card holds 20; paraphrases are few
            break
    return [one for one, _ in kept]
