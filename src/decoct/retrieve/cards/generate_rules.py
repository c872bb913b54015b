"""Questions, summary and keywords without a model, so that the index exists offline (ours; the paper asks a language model).

1. Sections are found, and in them the contribution sentences, each with a role and a score.
2. The summary takes the best sentences in the order of the text, at most 700 characters, with a place kept for each role that there is.
3. The next best sentences become questions; on the card they stand in the order why, how, what, as the paper's three passes ask.
4. Keywords are the phrases with the highest C-value; they fill the card.

Everything comes from the document's own words, so nothing on a card is invented; a question points at the sentence that answers it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from decoct.data import Document
from decoct.retrieve.cards.card import MOST_SUMMARY
from decoct.retrieve.cards.contributions import Contribution, contributions
from decoct.retrieve.cards.material import CardMaterial, MaterialBatch, MaterialCost
from decoct.retrieve.cards.phrases import phrases
from decoct.retrieve.cards.questions import questions
from decoct.retrieve.cards.sections import sections

# A document without any cue (a list, a letter) is summed up by its opening sentence, cut here.
_OPENING = 300
# Below this a card's questions are too few to be searched by.
FEWEST_QUESTIONS = 5


@dataclass(frozen=True, slots=True)
class Rules:
    """At most `questions` questions and `keywords` phrases a document; the card keeps as many as fit."""

    questions: int = 12
    keywords: int = 250

    @property
    def fingerprint(self) -> str:
        """The version of the rules, and the settings."""
        return f"rules-2:{self.questions}:{self.keywords}"

    def estimate(self, document: Document) -> MaterialCost:
        """No model is asked."""
        return MaterialCost(documents=1)

    def generate(self, documents: Sequence[Document]) -> MaterialBatch:
        """One outcome a document; none fails."""
        return MaterialBatch(tuple(map(self._generate, documents)), MaterialCost(documents=len(documents)))

    def _generate(self, document: Document) -> CardMaterial:
        parts = sections(document)
        found = distinct_contributions(sorted(contributions(document, parts), key=lambda c: (-c.score, c.start)))
        summed = summary_sentences(found)
        asked = [c for c in found if c not in summed][: self.questions]
        if len(asked) < FEWEST_QUESTIONS:  # a short document: its summary's sentences are all there is to ask about
            asked += summed[: FEWEST_QUESTIONS - len(asked)]
        summary = " ".join(c.text for c in summed) or " ".join(document.text[:_OPENING].split())
        return CardMaterial(
            tuple(questions(document.id, asked)), summary, tuple(phrases(document, parts, self.keywords))
        )


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
