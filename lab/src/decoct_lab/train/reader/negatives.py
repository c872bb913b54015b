"""Passages that look right and do not answer: by retrieval, by a changed question, and cut and substituted passages.

What a reader learns of "no answer" is what it is shown. Random passages teach it topics; these teach it the question:

- `retrieved`: high in BM25's list for the question, not gold, and without the answer's words;
- `swapped`: the gold passage, and a question about another year or about another name of the same set;
- `cut`: the passage without the sentences that answer;
- `substituted` (a positive): the answer replaced by another of the same form, so that the passage is read, not remembered.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from decoct.text.sentences import sentences
from decoct_lab.train.reader.example import ReaderExample, occurrences
from decoct_lab.train.reader.sources import Material, negative, split_key

_NAME = re.compile(r"(?<![.?!] )(?<!^)\b[A-Z][\w'’.-]+(?: (?:of|the|de|von|van|al|and) [A-Z][\w'’-]+| [A-Z][\w'’.-]+)*")
_YEAR = re.compile(r"\b(1[5-9]\d\d|20[0-4]\d)\b")
_WORD = re.compile(r"\w+")


def retrieved(material: Material, each: int, seed: int) -> Iterator[ReaderExample]:
    """For every question `each` passages that BM25 ranks high, that are not gold and that do not hold the answer's words."""
    documents = list(material.documents.values())
    ranked = Bm25([f"{d.title} {d.text}" for d in documents])
    chance = random.Random(f"{seed}:retrieved:{material.name}")
    for question, gold in material.asked:
        document = material.documents[next(iter(question.supporting_ids))]
        base = ReaderExample(
            material.name,
            "retrieved",
            split_key(material.name, document),
            question.question,
            "",
            "",
            aliases=question.answers,
        )
        fitting = []
        for row in ranked.best(question.question, 30):
            found = documents[row]
            if found.id not in gold and not occurrences(found.text, question.answers):
                fitting.append(found)
        for found in chance.sample(fitting[:8], min(each, len(fitting[:8]))):
            yield negative(base, found, "retrieved")


def swapped(examples: Sequence[ReaderExample], share: float, seed: int) -> Iterator[ReaderExample]:
    """The passages of a `share` of the answering examples, with the question asked of another year or another name."""
    chance = random.Random(f"{seed}:swapped")
    names: dict[str, list[str]] = {}
    for example in examples:
        names.setdefault(example.origin, []).extend(_NAME.findall(example.question))
    for example in examples:
        if not (example.answers and example.spans) or chance.random() >= share:
            continue
        if asked := _asked_otherwise(example, names[example.origin], chance):
            none = tuple((start, end, False) for start, end, _ in example.sentences)
            yield replace(
                example, kind="swapped", question=asked, spans=(), answers=False, relevance=False, sentences=none
            )


def _asked_otherwise(example: ReaderExample, names: Sequence[str], chance: random.Random) -> str | None:
    if years := _YEAR.findall(example.question):
        return example.question.replace(years[0], str(int(years[0]) + chance.choice((-7, -4, -2, -1, 1, 2, 3, 5))))
    own = [name for name in _NAME.findall(example.question) if name in example.text or name in example.title]
    if not own or not names:
        return None
    other = chance.choice(names)
    if other in example.text or other in example.title or other in example.question:
        return None
    return example.question.replace(chance.choice(own), other)


def cut(examples: Sequence[ReaderExample], share: float, seed: int) -> Iterator[ReaderExample]:
    """The passages of a `share` of the answering examples without the sentences that hold the answer."""
    chance = random.Random(f"{seed}:cut")
    for example in examples:
        if not (example.answers and example.spans) or chance.random() >= share:
            continue
        held = [
            (start, end) for start, end in sentences(example.text)
            if not any(start < high and low < end for low, high in example.spans)
        ]  # fmt: skip
        text = " ".join(example.text[start:end] for start, end in held)
        if len(text) > 60 and not occurrences(text, example.aliases):
            yield replace(example, kind="cut", text=text, spans=(), answers=False, relevance=None, sentences=())


def shortened(examples: Sequence[ReaderExample], share: float, seed: int) -> list[ReaderExample]:
    """The examples, a `share` of the answering ones cut to one to four sentences around an answer (documents of people are short, too)."""
    chance = random.Random(f"{seed}:shortened")
    made = []
    for example in examples:
        keep = chance.random() >= share or not example.spans
        made.append(example if keep else _around(example, chance))
    return made


def _around(example: ReaderExample, chance: random.Random) -> ReaderExample:
    found = sentences(example.text)
    at = next((row for row, (start, end) in enumerate(found) if start <= example.spans[0][0] < end), None)
    if at is None:
        return example
    low, high = found[max(0, at - chance.randint(0, 2))][0], found[min(len(found) - 1, at + chance.randint(0, 1))][1]
    spans = tuple((start - low, end - low) for start, end in example.spans if low <= start and end <= high)
    inside = tuple(
        (start - low, end - low, label) for start, end, label in example.sentences if low <= start and end <= high
    )
    return replace(example, text=example.text[low:high], spans=spans, sentences=inside) if spans else example


def substituted(examples: Sequence[ReaderExample], share: float, seed: int) -> list[ReaderExample]:
    """The examples, in a `share` of the answering ones the answer replaced by another of the same set and the same form."""
    chance = random.Random(f"{seed}:substituted")
    pool: dict[tuple[str, str], list[str]] = {}
    for example in examples:
        for start, end in example.spans[:1]:
            answer = example.text[start:end]
            pool.setdefault((example.origin, _form(answer)), []).append(answer)
    made = []
    for example in examples:
        texts = {example.text[start:end] for start, end in example.spans}
        if len(texts) != 1 or chance.random() >= share:
            made.append(example)
            continue
        (answer,) = texts
        other = chance.choice(pool[example.origin, _form(answer)])
        made.append(
            _replaced(example, answer, other) if len(answer) < 60 and other.lower() != answer.lower() else example
        )
    return made


def _replaced(example: ReaderExample, answer: str, other: str) -> ReaderExample:
    text, done = "", 0
    spans: list[tuple[int, int]] = []
    moved = list(example.sentences)
    shift = len(other) - len(answer)
    for start, end in sorted(example.spans):
        text += example.text[done:start]
        spans.append((len(text), len(text) + len(other)))
        text += other
        done = end
        for row, (low, high, _) in enumerate(example.sentences):
            begins, ends, label = moved[row]
            moved[row] = (begins + (shift if low > start else 0), ends + (shift if high >= end else 0), label)
    text += example.text[done:]
    return replace(example, text=text, spans=tuple(spans), sentences=tuple(moved), aliases=(other,))


def _form(answer: str) -> str:
    """The shape of an answer: `Xx Xx` for two names, `dddd` for a year, `Xx dd, dddd` for a date."""
    words = answer.split()
    if len(words) > 6:
        return "long"
    return " ".join(re.sub(r"[a-z]+", "x", re.sub(r"[A-Z]", "X", re.sub(r"\d", "d", word))) for word in words)


class Bm25:
    """Okapi BM25 (k1 = 1.2, b = .75) over texts in memory, for picking negatives; the library's own search needs a store."""

    def __init__(self, texts: Sequence[str]) -> None:
        rows: dict[str, list[tuple[int, int]]] = {}
        lengths = []
        for row, text in enumerate(texts):
            words = _WORD.findall(text.lower())
            lengths.append(len(words))
            counts: dict[str, int] = {}
            for word in words:
                counts[word] = counts.get(word, 0) + 1
            for word, count in counts.items():
                rows.setdefault(word, []).append((row, count))
        self._postings: Mapping[str, list[tuple[int, int]]] = rows
        self._length = np.asarray(lengths, dtype=np.float32)
        self._mean = float(self._length.mean()) if lengths else 1.0

    def best(self, question: str, most: int) -> list[int]:
        """The rows of at most `most` texts that share a word with the question, best first."""
        scores = np.zeros(len(self._length), dtype=np.float32)
        for word in set(_WORD.findall(question.lower())):
            found = self._postings.get(word)
            if not found or len(found) > 0.2 * len(scores):
                continue
            idf = np.log(1 + (len(scores) - len(found) + 0.5) / (len(found) + 0.5))
            rows = np.asarray([row for row, _ in found])
            tf = np.asarray([count for _, count in found], dtype=np.float32)
            scores[rows] += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * self._length[rows] / self._mean))
        order = np.argsort(-scores, kind="stable")[:most]
        return [int(row) for row in order if scores[row] > 0]
