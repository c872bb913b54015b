"""Sentences, summary and keywords without a model, so that the index exists offline (ours; the paper asks a language model).

1. Sections are found, and in them the sentences, each with the role and the weight of its section.
2. The summary takes the best sentences in the order of the text, at most 700 characters, with a place kept for each role that there is.
3. The next best sentences stand where the paper has questions, in the order why, how, what of its three passes.
4. Keywords are the phrases with the highest C-value; they fill the card.

Everything is the document's own words as they were written: a sentence that was cut or ran into another is passed over.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from decoct.data import Document
from decoct.retrieve.cards.card import MOST_SUMMARY
from decoct.retrieve.cards.contributions import (
    CardMaterial,
    Contribution,
    MaterialBatch,
    MaterialCost,
    anchors,
    contributions,
    is_whole,
)
from decoct.retrieve.cards.sections import Kind, Section, sections
from decoct.text.lists import listed
from decoct.text.sentences import sentences
from decoct.text.words import is_stop

# The phrases that a document is about, without a tagger: C-value over runs of content words (Frantzi, Ananiadou and Mima, 2000).
#
# A candidate is a run of one to four words between punctuation, function words, general academic words and likely verbs ("RAKE" cuts the
# same way; Rose et al., 2010). It is worth
#
#     C(a) = log2(1 + |a|) * (weight(a) - mean of weight(b) over the longer candidates b that hold a)
#
# where weight counts each occurrence by the section it stands in (titles and abstracts count more), so that "hidden Markov" does not stand
# beside "hidden Markov model". Of several words together a single mention in the body is chance and is passed over. Plural and singular
# are one candidate; the form that occurs most is shown.
LONGEST = 4
# An occurrence counts this much by where it stands; bodies are long, so that what a paper is about still occurs there most.
_PLACE: Mapping[Kind, float] = {
    "abstract": 4.0,
    "introduction": 2.0,
    "conclusion": 2.0,
    "results": 1.0,
    "body": 1.0,
    "related": 0.7,
    "back": 0.0,
}
_TITLE = 6.0
_TOKEN = re.compile(r"[^\W\d_][^\W_]*(?:[-'’][^\W_]+)*|\d+|[^\w\s]")
# Words that papers use beside function words and the words of any paper.
_ABBREVIATIONS = frozenset("i we mine per cent vs eg ie cf fig eq sec ii iii iv".split())


def phrases(document: Document, parts: Sequence[Section], most: int) -> list[str]:
    """The `most` best phrases, best first; ties by first occurrence."""
    weights: dict[tuple[str, ...], float] = defaultdict(float)
    forms: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    texts = [(document.title, _TITLE)]
    texts += [(document.text[part.start : part.end], _PLACE[part.kind]) for part in parts if _PLACE[part.kind]]
    for text, weight in texts:
        for run in _runs(text):
            for size in range(1, min(len(run), LONGEST) + 1):
                for at in range(len(run) - size + 1):
                    words = run[at : at + size]
                    key = tuple(map(_singular, words))
                    weights[key] += weight
                    forms[key][" ".join(words)] += 1
    worth = _c_values({key: weight for key, weight in weights.items() if weight > 1 or len(key) == 1 < len(key[0]) - 1})
    order = sorted(worth, key=lambda key: -worth[key])  # stable: ties by first occurrence
    return [_shown(forms[key]) for key in order[:most]]


def _c_values(weights: Mapping[tuple[str, ...], float]) -> dict[tuple[str, ...], float]:
    inside: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for key, weight in weights.items():
        if len(key) > 1:
            for part in {key[a:b] for a in range(len(key)) for b in range(a + 1, len(key) + 1) if b - a < len(key)}:
                inside[part].append(weight)
    return {
        key: math.log2(1 + len(key)) * (weight - (sum(inside[key]) / len(inside[key]) if key in inside else 0.0))
        for key, weight in weights.items()
    }


def _runs(text: str) -> Iterable[list[str]]:
    run: list[str] = []
    for token in _TOKEN.findall(text):
        if token[0].isalpha() and not _is_general(token.lower()) and not _is_adverb(token):
            run.append(token)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _is_general(word: str) -> bool:
    return is_stop(word) or word in _ABBREVIATIONS or word in listed("words", "academic")


def _is_adverb(word: str) -> bool:
    return word.endswith("ly") and len(word) > 5 and word.islower()


def _singular(word: str) -> str:
    lower = word.lower()
    if len(lower) > 3 and lower.endswith("s") and not lower.endswith(("ss", "us", "is")):
        return lower[:-3] + "y" if lower.endswith("ies") and len(lower) > 4 else lower[:-1]
    return lower


def _shown(forms: Counter[str]) -> str:
    """The commonest form; of equally common ones the one that needs fewest capitals (not the one that opened a sentence)."""
    return min(forms, key=lambda form: (-forms[form], sum(map(str.isupper, form)), form))


# A document without whole sentences (a list, a table) is summed up by its opening sentences, as many as fit here.
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
        return f"rules-4:{self.questions}:{self.keywords}"

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
