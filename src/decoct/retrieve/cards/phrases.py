"""The phrases that a document is about, without a tagger: C-value over runs of content words (Frantzi, Ananiadou and Mima, 2000).

A candidate is a run of one to four words between punctuation, function words, general academic words and likely verbs ("RAKE" cuts the
same way; Rose et al., 2010). It is worth

    C(a) = log2(1 + |a|) * (weight(a) - mean of weight(b) over the longer candidates b that hold a)

where weight counts each occurrence by the section it stands in (titles and abstracts count more), so that "hidden Markov" does not stand
beside "hidden Markov model". Of several words together a single mention in the body is chance and is passed over. Plural and singular
are one candidate; the form that occurs most is shown.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from decoct.data import Document
from decoct.retrieve.cards.sections import Kind, Section
from decoct.text.lists import listed
from decoct.text.words import is_stop

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
