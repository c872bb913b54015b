"""Conflicts planted in real passages: the answer of a public question replaced by another of the same form in a second document.

The first documents are passages as they stand; the planted one is a stretch of a few sentences around the answer, so that it is no copy of
the whole. Passages that answer another question of the set stand beside them and say nothing. Deterministic as the generated worlds, in the
same form of records; `notes.layer` is "passages".

    flag        the passage and its planted rival, undated and of one kind: nothing decides
    authority   the passage a report, the rival a blog
    answer      the passage alone among silent ones
    ambiguous   (sets with triples) two things of one relation under one invented name: both answers are right, and nothing is wrong

Sets that are kept for tests are refused: what is planted in them would be trained on.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from decoct.data import Document
from decoct.errors import EvaluationError
from decoct.evaluate.dataset_types import Dataset
from decoct.text.questions import parsed_question
from decoct.text.sentences import sentences
from decoct_lab.worlds.world import name as invented

KEPT_FOR_TESTS = ("ramdocs", "wikicontradict", "conflictqa-strategyqa", "manuals", "everyday-conflicts", "scidocs-conflicts")  # fmt: skip
_LONGEST = 60  # characters of an answer
_SILENT = 2
_ASKED = {
    "date of birth": "When was {} born?", "place of birth": "Where was {} born?", "date of death": "When did {} die?",
    "place of death": "Where did {} die?", "director": "Who directed {}?", "performer": "Who performed {}?",
    "publication date": "When was {} released?", "composer": "Who composed the music of {}?", "father": "Who is the father of {}?",
}  # fmt: skip


Told: TypeAlias = tuple[str, Document, str, str]
"""A relation, the page that tells it, of what, and what it says."""


@dataclass(frozen=True, slots=True)
class Held:
    """A question that one passage answers, the answer as it stands there, its other names, and what kind of answer it is."""

    id: str
    question: str
    passage: Document
    answer: str
    aliases: tuple[str, ...]
    kind: str


def planted_questions(seed: int, questions: int, dataset: Dataset) -> Iterator[dict[str, Any]]:
    """`questions` records made of the set's passages, in order; fewer where the set has too few fitting ones."""
    if questions < 1:
        raise EvaluationError(f"--questions must be at least 1, not {questions}")
    set_name = dataset.spec.name
    if set_name in KEPT_FOR_TESTS:
        raise EvaluationError(
            f"{set_name} is kept for tests: nothing is planted in it; take nq-gold or 2wikimultihopqa"
        )
    held = list(_held(dataset))
    pairs = list(_pairs(dataset))
    if not held:
        raise EvaluationError(
            f"{set_name} has no short answers that stand in its passages; take nq-gold or 2wikimultihopqa"
        )
    pool: defaultdict[str, list[str]] = defaultdict(list)
    for one in held:
        pool[f"{one.kind} {answer_shape(one.answer)}"].append(one.answer)
    shuffled = random.Random(f"{seed}:{set_name}")  # noqa: S311 - a benchmark, not a secret
    shuffled.shuffle(held)
    shuffled.shuffle(pairs)
    number = 0
    for one in held:
        if number == questions:
            return
        rng = random.Random(f"{seed}:{set_name}:{one.id}")  # noqa: S311
        key = f"{set_name}-{seed}-{number + 1:05d}"
        if pairs and rng.random() < 0.25:
            yield _ambiguous(key, *pairs.pop(), held, rng)
            number += 1
            continue
        other = substitute(one.answer, pool[f"{one.kind} {answer_shape(one.answer)}"], rng)
        if other is not None:
            yield _planted(key, one, other, held, rng)
            number += 1


def answer_shape(answer: str) -> str:
    """The shape of an answer: "Xx Xx" for two names, "d" for a number."""
    shaped = re.sub(r"[A-Z]", "X", re.sub(r"\d+", "d", answer))
    return re.sub(r"[a-z]+", "x", shaped)


def substitute(answer: str, others: Sequence[str], rng: random.Random) -> str | None:
    """Another answer: a year shifted, another number changed by a tenth to a half, a name one of `others`; None where there is none."""
    figures = list(re.finditer(r"\d[\d,]*", answer))
    if figures:
        figure = next((f for f in figures if re.fullmatch(r"\d{4}", f.group())), figures[0])
        digits = figure.group().replace(",", "")
        whole, plain = int(digits), "," not in figure.group()
        shift = rng.choice((2, 3, 5, 7)) if len(digits) == 4 and plain else max(1, whole // rng.choice((2, 4, 9)))
        changed = str(whole + shift) if plain else f"{whole + shift:,}"
        return answer[: figure.start()] + changed + answer[figure.end() :]
    strange = [o for o in others if not set(o.lower().split()) & set(answer.lower().split())]
    return rng.choice(strange) if strange else None


def _held(dataset: Dataset) -> Iterator[Held]:
    """Questions that one passage answers: those of the set, and one for each triple that a page tells."""
    documents = {document.id: document for document in dataset.documents()}
    for question in dataset.questions:
        passage = documents.get(question.supporting_ids[0]) if len(question.supporting_ids) == 1 else None
        found = _stands(passage.text, question.answers) if passage is not None else None
        if passage is not None and found is not None:
            kind = parsed_question(question.question).kind
            yield Held(question.id, question.question, passage, found, tuple(question.answers), kind)
    for told in _triples(dataset).values():
        for relation, page, subject, value in told.values():
            yield Held(f"{subject}/{relation}", _ASKED[relation].format(subject), page, value, (value,), relation)


def _stands(text: str, answers: Sequence[str]) -> str | None:
    for answer in answers:
        if 1 < len(answer) <= _LONGEST and (match := re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text)):
            return match.group()
    return None


def _triples(dataset: Dataset) -> dict[str, dict[str, Told]]:
    """By relation and subject what the subject's own page tells."""
    titled = {document.title: document for document in dataset.documents()}
    told: defaultdict[str, dict[str, Told]] = defaultdict(dict)
    for question in dataset.questions:
        triples = question.extra.get("evidences", ())
        for triple in triples if isinstance(triples, (list, tuple)) else ():
            subject, relation, value = triple[:3]
            page = titled.get(subject)
            if relation in _ASKED and page is not None and _stands(page.text, [value]) and subject in page.text:
                told[relation][subject] = (relation, page, subject, value)
    return dict(sorted(told.items()))


def _pairs(dataset: Dataset) -> Iterator[tuple[Told, Told]]:
    """Two things of which one relation is told differently."""
    for told in _triples(dataset).values():
        every = [told[subject] for subject in sorted(told)]
        yield from (pair for pair in zip(every[::2], every[1::2], strict=False) if pair[0][3] != pair[1][3])


def _planted(key: str, one: Held, other: str, held: Sequence[Held], rng: random.Random) -> dict[str, Any]:
    behaviour = rng.choice(("flag", "flag", "authority", "answer"))
    year = rng.randint(2012, 2022)
    kind = "report" if behaviour == "authority" else ""
    texts = [(one.passage.title, one.passage.text, kind, one.answer)]
    if behaviour != "answer":
        rival = re.sub(
            rf"(?<!\w){re.escape(one.answer)}(?!\w)", lambda _: other, _around(one.passage.text, one.answer, rng)
        )
        texts.append((one.passage.title, rival, "blog" if behaviour == "authority" else "", other))
    texts += [(p.title, p.text, "", "") for p in _silent([*one.aliases, other], one.question, held, rng)]
    rng.shuffle(texts)
    aliases = list(one.aliases)
    wrong = [other] if behaviour != "answer" else []
    groups = [aliases] + ([[other]] if behaviour == "flag" else [])
    return _record(
        key,
        one.question,
        texts,
        groups=groups,
        wrong=[] if behaviour == "flag" else wrong,
        behaviour=behaviour,
        year=year,
    )


def _ambiguous(
    key: str,
    one: Told,
    other: Told,
    held: Sequence[Held],
    rng: random.Random,
) -> dict[str, Any]:
    shared = invented(rng, set(), False)
    texts = [
        ("", re.sub(rf"(?<!\w){re.escape(subject)}(?!\w)", shared, page.text), "", value)
        for _, page, subject, value in (one, other)
    ]
    question = _ASKED[one[0]].format(shared)
    texts += [(p.title, p.text, "", "") for p in _silent([one[3], other[3]], question, held, rng)]
    rng.shuffle(texts)
    return _record(key, question, texts, groups=[[one[3]], [other[3]]], wrong=[], behaviour="ambiguous", year=2020)


def _around(text: str, answer: str, rng: random.Random) -> str:
    """One to four sentences around the answer."""
    found = sentences(text)
    at = text.find(answer)
    row = next(n for n, (start, end) in enumerate(found) if start <= at < end)
    low, high = max(0, row - rng.randint(0, 2)), min(len(found) - 1, row + rng.randint(0, 1))
    return text[found[low][0] : found[high][1]]


def _silent(answers: Sequence[str], question: str, held: Sequence[Held], rng: random.Random) -> list[Document]:
    """Passages of other questions that do not hold the answer."""
    chosen = rng.sample(list(held), min(8, len(held)))
    fitting = [h.passage for h in chosen if h.question != question and _stands(h.passage.text, answers) is None]
    return fitting[:_SILENT]


def _record(
    key: str,
    question: str,
    texts: Sequence[tuple[str, str, str, str]],
    *,
    groups: list[list[str]],
    wrong: list[str],
    behaviour: str,
    year: int,
) -> dict[str, Any]:
    documents = [
        {
            "id": f"{key}-d{i}",
            "title": title,
            "date": f"{year}-06-01" if kind else "",
            "kind": kind,
            "venue": "",
            "text": text,
        }
        for i, (title, text, kind, _) in enumerate(texts, 1)
    ]
    said = {f"{key}-d{i}": value for i, (*_, value) in enumerate(texts, 1) if value}
    speakers = list(said)
    conflicts = (
        [{"documents": speakers, "type": "entity", "values": [said[d] for d in speakers], "about": question}]
        if len(speakers) > 1 and behaviour != "ambiguous"
        else []
    )
    return {
        "id": key,
        "domain": "passages",
        "question": question,
        "documents": documents,
        "answers": [alias for group in groups for alias in group],
        "answer_groups": groups,
        "behaviour": "flag" if behaviour == "ambiguous" else behaviour,
        "wrong_answers": wrong,
        "conflicts": conflicts,
        "supporting_ids": [d for d in speakers if said[d] not in wrong],
        "notes": {"layer": "passages", "kind": behaviour, "behaviour": behaviour, "signal": "agree", "said": said},
    }
