"""Passages behind their leads as examples: what a question in two steps asks for is told by one passage and led to by another.

The passage is one that is known to answer a question or not to; before it stand one or two sentences of other passages: evidence for the
same question where there is any, else sentences that have nothing to do with it. Where a sentence of the lead holds the answer, the whole
answers. At reading, passages stand alone: read behind leads they answered no better over seven sets (lab/docs/reader.md).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from decoct_lab.reading.digest import digest_of_sentences
from decoct_lab.train.reader.example import ReaderExample

LEAD = 2  # sentences before a passage, at most
_EVIDENCE = 0.6  # how often a line of the lead is evidence, where the question has evidence in other passages
_TRIES = 4  # other examples that lend a sentence, where those of the question have none
_LONGEST = 400  # characters of a sentence that may lead


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence of another example: whether it is evidence for the question, and the answers inside it, in that example's characters."""

    example: ReaderExample
    start: int
    end: int
    evidence: bool
    spans: tuple[tuple[int, int], ...]


def led_examples(examples: Iterable[ReaderExample], share: float, seed: int) -> list[ReaderExample]:
    """A `share` of `examples`, each behind a lead; those of yes or no and those that are digests already are passed over."""
    by_question: dict[tuple[str, str], list[ReaderExample]] = {}
    for example in examples:
        if example.verdict is None and example.answers is not None and "digest" not in example.kind:
            by_question.setdefault((example.origin, example.question), []).append(example)
    groups = [by_question[key] for key in sorted(by_question)]
    by_origin: dict[str, list[ReaderExample]] = {}
    for group in groups:
        by_origin.setdefault(group[0].origin, []).append(group[0])
    chance = random.Random(f"{seed}:leads")
    made = []
    for group in groups:
        for example in group:
            if chance.random() < share:
                made.append(_led(example, group, by_origin[example.origin], chance))
    return made


def _led(
    example: ReaderExample, group: Sequence[ReaderExample], same_origin: Sequence[ReaderExample], chance: random.Random
) -> ReaderExample:
    question = example.question
    others = [other for other in group if other.text != example.text]
    evidence = [line for other in others for line in _lines(other, question, wanted=True)]
    noise = [line for other in others for line in _lines(other, question, wanted=False)]
    if len(noise) < LEAD:
        drawn_from = chance.choices(same_origin, k=_TRIES)
        noise += [line for other in drawn_from for line in _lines(other, question, wanted=False)]
    drawn = [evidence if evidence and (not noise or chance.random() < _EVIDENCE) else noise for _ in range(LEAD)]
    lead = dict.fromkeys(chance.choice(lines) for lines in drawn if lines)
    return behind(example, [line for line in lead if line.example.text != example.text])


def _lines(example: ReaderExample, question: str, wanted: bool) -> list[_Line]:
    """The sentences that are evidence as `wanted`; those of another question answer nothing here."""
    spans = example.spans if example.question == question else ()
    return [
        _Line(example, start, end, evidence, tuple(one for one in spans if start <= one[0] and one[1] <= end))
        for start, end, evidence in example.sentences
        if evidence is wanted and end - start < _LONGEST
    ]


def behind(example: ReaderExample, lead: Sequence[_Line]) -> ReaderExample:
    """`example` with the sentences of `lead` before its passage; answers and evidence of both are marked."""
    rows = [(n, line.example.title, line.example.text, line.start, line.end) for n, line in enumerate(lead)]
    made = digest_of_sentences([*rows, (len(lead), example.title, example.text, 0, len(example.text))])
    *before, whole = made.lines
    spans, sentences = [], []
    for place, line in zip(before, lead, strict=True):
        moved = place.at - line.start
        spans += [(start + moved, end + moved) for start, end in line.spans]
        sentences.append((line.start + moved, line.end + moved, line.evidence))
    spans += [(whole.at + start, whole.at + end) for start, end in example.spans]
    sentences += [(whole.at + start, whole.at + end, evidence) for start, end, evidence in example.sentences]
    return replace(
        example,
        kind=f"led-{example.kind}",
        title="",
        text=made.text,
        spans=tuple(spans),
        answers=bool(example.answers) or bool(spans),
        relevance=True if any(evidence for *_, evidence in sentences) else example.relevance,
        aliases=example.aliases or next((line.example.aliases for line in lead if line.spans), ()),
        sentences=tuple(sentences) if example.sentences else (),
    )
