"""Digests as examples: the gold sentences of a question in several steps among sentences that do not help, as one text.

The reader of a context sees its best sentences side by side (`decoct_lab.reading.digest`); here it learns to join them: to follow a name
from one line to another, to compare two lines, to say yes or no of both. Some digests lack the gold sentences: then nothing answers.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from decoct.data import Document
from decoct.text.sentences import sentences
from decoct_lab.dataset import Question, load
from decoct_lab.reading.digest import LENGTH, Digest, digest_of_sentences
from decoct_lab.train.reader.example import ReaderExample, occurrences
from decoct_lab.train.reader.sources import split_key

SETS = ("hotpotqa", "2wikimultihopqa", "musique")
_YES_NO = {"yes": 0, "no": 1}
_SILENT = 0.2  # share of digests without their gold sentences
Row = tuple[int, str, str, int, int]


def digest_examples(data: Path, sets: Collection[str], each: int, seed: int) -> list[ReaderExample]:
    """`each` digests for every question of those `sets` that ask in several steps, with other distractors each time."""
    made: list[ReaderExample] = []
    for name in (name for name in SETS if name in sets):
        dataset = load(name, data / name, {"questions": "all"} if name == "2wikimultihopqa" else None)
        documents = {document.id: document for document in dataset.documents()}
        everything = list(documents.values())
        chance = random.Random(f"{seed}:digests:{name}")
        for question in dataset.questions:
            if question.supporting_ids and question.answers:
                for _ in range(each):
                    made += _example(name, question, documents, everything, chance)
    return made


def _example(
    name: str, question: Question, documents: Mapping[str, Document], everything: list[Document], chance: random.Random
) -> Iterator[ReaderExample]:
    gold = [row for number, i in enumerate(question.supporting_ids) for row in _gold(number, documents[i], question)]
    others = [documents[i] for i in question.candidate_ids if i in documents and i not in question.supporting_ids]
    drawn = chance.sample(others or everything, min(5, len(others or everything)))
    noise = [
        row
        for number, document in enumerate(drawn, len(question.supporting_ids))
        for row in _some(number, document, chance)
    ]
    noise += [
        row
        for number, i in enumerate(question.supporting_ids)
        for row in _some(number, documents[i], chance)
        if row not in gold
    ]
    silent = chance.random() < _SILENT
    if silent:
        noise = [row for row in noise if not occurrences(row[2][row[3] : row[4]], question.answers)]
    chance.shuffle(noise)
    chosen = [] if silent else list(gold)
    room = LENGTH - sum(row[4] - row[3] + len(row[1][:60]) + 3 for row in chosen)
    for row in noise:
        cost = row[4] - row[3] + len(row[1][:60]) + 3
        if cost <= room:
            chosen.append(row)
            room -= cost
    if not chosen:
        return
    order = list({row[0] for row in chosen})
    chance.shuffle(order)
    made = digest_of_sentences(sorted(chosen, key=lambda row: (order.index(row[0]), row[3])))
    key = split_key(name, documents[question.supporting_ids[0]])
    verdict = _YES_NO.get(question.answers[0].lower())
    example = ReaderExample(name, "digest", key, question.question, "", made.text, aliases=question.answers)
    if silent:
        yield replace(
            example, kind="digest-silent", answers=False, relevance=False, verdict=None if verdict is None else 2
        )
        return
    marked = [(row[0], row[3]) for row in gold]
    lines = tuple(
        (line.at, line.at + line.end - line.start, (line.passage, line.start) in marked) for line in made.lines
    )
    spans = () if verdict is not None else _spans(made, question, lines)
    if verdict is None and not spans:
        return
    yield replace(example, spans=spans, answers=True, relevance=True, sentences=lines, verdict=verdict)


def _spans(made: Digest, question: Question, lines: tuple[tuple[int, int, bool], ...]) -> tuple[tuple[int, int], ...]:
    """The answer in gold sentences, else in any line or title."""
    return occurrences(made.text, question.answers, [(start, end) for start, end, gold in lines if gold])


def _gold(number: int, document: Document, question: Question) -> list[Row]:
    """The marked sentences of a gold passage; where none is marked its first one, and the first that holds the answer."""
    found = sentences(document.text)
    marked = [(s.start, s.end) for s in question.supporting if s.doc_id == document.id]
    inside = [(a, b) for a, b in found if any(min(b, d) - max(a, c) > 0.5 * min(b - a, d - c) for c, d in marked)]
    if not inside:
        holding = [(a, b) for a, b in found if occurrences(document.text[a:b], question.answers)][:1]
        inside = sorted({*found[:1], *holding})
    return [(number, document.title, document.text, a, b) for a, b in inside if b - a < 400]


def _some(number: int, document: Document, chance: random.Random) -> list[Row]:
    found = [(a, b) for a, b in sentences(document.text) if 20 < b - a < 300]
    chosen = sorted(chance.sample(found, min(len(found), chance.randint(1, 2))))
    return [(number, document.title, document.text, a, b) for a, b in chosen]
