"""Examples out of the public question-answering sets, without negatives by retrieval (`negatives`).

Each set says something else: answers and their sentences (Natural Questions, COVID-QA, HotpotQA, 2WikiMultiHopQA, MuSiQue), sentences of a
long answer and passages judged not to answer (ClapNQ), yes and no (PubMedQA, HotpotQA, 2WikiMultiHopQA), passages of a meeting (QMSum).
Questions in several steps also give their single steps: MuSiQue's decomposition, and 2WikiMultiHopQA's triples, asked in several wordings.
Sets kept for testing (RAMDocs, WikiContradict, ConflictQA, manuals) are not in `SETS` and are refused by `decoct train reader`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from decoct.data import Document
from decoct.text.sentences import sentences
from decoct_lab.dataset import Dataset, Question, load
from decoct_lab.train.reader.example import ReaderExample, occurrences

SETS = ("nq-gold", "hotpotqa", "2wikimultihopqa", "musique", "covidqa", "clapnq", "pubmedqa", "qmsum")
_YES_NO = {"yes": 0, "no": 1}

# A relation of 2WikiMultiHopQA's triples, and ways to ask for its object. Written for this file; no test set's wording.
_ASKED: Mapping[str, tuple[str, ...]] = {
    "date of birth": ("When was {} born?", "What is the birthday of {}?", "{} came into the world on which day?"),
    "date of death": ("When did {} die?", "On what date did {} pass away?", "When did the life of {} end?"),
    "place of birth": ("Where was {} born?", "In which town did {} come into the world?", "What is {}'s birthplace?"),
    "place of death": ("Where did {} die?", "In which place did {}'s life end?"),
    "place of burial": ("Where is {} buried?", "Where does {} lie at rest?"),
    "country of citizenship": (
        "Which country is {} from?",
        "What nationality is {}?",
        "{} is a citizen of which country?",
    ),
    "director": ("Who directed {}?", "Who made the film {}?", "Under whose direction was {} shot?"),
    "composer": ("Who composed {}?", "Who wrote the music of {}?"),
    "performer": ("Who performed {}?", "Who sang {}?", "Whose record is {}?"),
    "publication date": ("When was {} released?", "When did {} come out?", "In what year did people first see {}?"),
    "country of origin": ("Which country does {} come from?", "In which country was {} made?"),
    "country": ("In which country is {}?", "What country does {} belong to?"),
    "spouse": ("Who was {} married to?", "Who is the husband or wife of {}?", "Whom did {} marry?"),
    "father": ("Who is the father of {}?", "Whose son or daughter is {}?"),
    "mother": ("Who is the mother of {}?", "Which woman gave birth to {}?"),
    "child": ("Who is a child of {}?", "Name a son or daughter of {}."),
    "sibling": ("Who is a brother or sister of {}?", "Name a sibling of {}."),
    "educated at": ("Where did {} study?", "Which school or university did {} attend?"),
    "employer": ("Who employed {}?", "Where did {} work?"),
    "occupation": ("What does {} do for a living?", "What is the profession of {}?"),
    "award received": ("Which award did {} get?", "What prize was given to {}?"),
    "cause of death": ("How did {} die?", "What did {} die of?"),
    "inception": ("When was {} founded?", "When did {} begin?"),
    "producer": ("Who produced {}?",),
    "founded by": ("Who founded {}?", "Who started {}?"),
    "publisher": ("Who published {}?",),
    "editor": ("Who edited {}?",),
    "creator": ("Who created {}?",),
    "place of detention": ("Where was {} held?",),
}


@dataclass(frozen=True, slots=True)
class Material:
    """A set read for training: its positives, its questions' own candidates that do not answer, and its passages by id."""

    name: str
    documents: Mapping[str, Document]
    examples: tuple[ReaderExample, ...]
    asked: tuple[tuple[Question, frozenset[str]], ...] = field(default=())
    """Questions with the ids that are gold: what retrieval finds beside them does not answer."""


def material(name: str, data: Path, seed: int) -> Material:
    """The examples of the set `name` that lies in `data/name`."""
    options = {"questions": "all"} if name == "2wikimultihopqa" else None
    dataset = load(name, data / name, options)
    documents = {document.id: document for document in dataset.documents()}
    chance = random.Random(f"{seed}:{name}")
    of_set: Callable[[Dataset, Mapping[str, Document], random.Random], Iterator[ReaderExample]] = {
        "pubmedqa": _pubmedqa,
        "qmsum": _qmsum,
        "clapnq": _clapnq,
    }.get(name, _answered)
    found = list(of_set(dataset, documents, chance))
    if name == "musique":
        found += _steps(dataset, documents)
    if name == "2wikimultihopqa":
        found += _triples(dataset, documents, chance)
    asked = tuple((q, frozenset(q.supporting_ids)) for q in dataset.questions if q.supporting_ids)
    return Material(name, documents, tuple(found), asked)


def labelled_sentences(text: str, evidence: Iterable[tuple[int, int]]) -> tuple[tuple[int, int, bool], ...]:
    """The sentences of `text`, each with whether it overlaps a range of `evidence` by more than a quarter of the shorter."""
    ranges = list(evidence)

    def is_evidence(start: int, end: int) -> bool:
        return any(min(end, high) - max(start, low) > 0.25 * min(end - start, high - low) for low, high in ranges)

    return tuple((start, end, is_evidence(start, end)) for start, end in sentences(text))


def negative(example: ReaderExample, document: Document, kind: str) -> ReaderExample:
    """The question of `example` beside a passage that is no evidence for it."""
    return replace(
        example,
        kind=kind,
        title=document.title,
        text=document.text,
        spans=(),
        answers=False,
        relevance=False,
        sentences=tuple((start, end, False) for start, end in sentences(document.text)),
        verdict=2 if example.verdict is not None else None,
    )


def split_key(dataset: str, document: Document) -> str:
    """What a question is split by: the article a passage is from."""
    return f"{dataset}/{document.metadata.get('document_id', document.title or document.id)}"


def _answered(dataset: Dataset, documents: Mapping[str, Document], chance: random.Random) -> Iterator[ReaderExample]:
    for question in dataset.questions:
        gold = [documents[i] for i in question.supporting_ids]
        if not gold:
            continue
        key = split_key(dataset.spec.name, gold[0])
        verdict = _YES_NO.get(question.answers[0].lower()) if question.answers else None
        base = ReaderExample(dataset.spec.name, "gold", key, question.question, "", "", aliases=question.answers)
        if verdict is not None:
            yield _together(base, gold, question, verdict)
        others = [documents[i] for i in question.candidate_ids if i not in question.supporting_ids and i in documents]
        for document in gold:
            marked = [(span.start, span.end) for span in question.supporting if span.doc_id == document.id]
            spans = () if verdict is not None else occurrences(document.text, question.answers, marked)
            yield replace(
                base,
                title=document.title,
                text=document.text,
                spans=spans,
                answers=bool(spans) if verdict is None else None,
                relevance=True,
                sentences=labelled_sentences(document.text, marked or spans) if marked or spans else (),
            )
        silent = [d for d in others if verdict is not None or not occurrences(d.text, question.answers)]
        if silent:
            yield negative(replace(base, verdict=None), chance.choice(silent), "candidate")


def _together(base: ReaderExample, gold: list[Document], question: Question, verdict: int) -> ReaderExample:
    """All gold passages of a yes/no question as one text: alone none of them says yes or no."""
    text, marked = "", []
    for document in gold:
        start = len(text)
        text += document.text + "\n"
        marked += [(start + s.start, start + s.end) for s in question.supporting if s.doc_id == document.id]
    return replace(
        base, kind="together", title=" / ".join(d.title for d in gold), text=text.rstrip(), answers=True, relevance=True,
        sentences=labelled_sentences(text.rstrip(), marked) if marked else (), verdict=verdict,
    )  # fmt: skip


def _steps(dataset: Dataset, documents: Mapping[str, Document]) -> Iterator[ReaderExample]:
    for question in dataset.questions:
        answers: list[str] = []
        for step in question.extra.get("decomposition", ()):  # type: ignore[attr-defined]
            text = step["question"]
            for number, answer in enumerate(answers, 1):
                text = text.replace(f"#{number}", answer)
            text = _spoken(text)
            answers.append(step["answer"])
            document = documents.get(step["supporting_id"])
            if document is None:
                continue
            spans = occurrences(document.text, [step["answer"]])
            if spans:
                yield ReaderExample(
                    dataset.spec.name, "step", split_key(dataset.spec.name, document), text, document.title, document.text,
                    spans, answers=True, relevance=True, sentences=labelled_sentences(document.text, spans), aliases=(step["answer"],),
                )  # fmt: skip


def _spoken(step: str) -> str:
    """MuSiQue writes some steps as `subject >> relation`."""
    subject, arrow, relation = step.partition(">>")
    return f"What is the {relation.strip()} of {subject.strip()}?" if arrow else step


def _triples(dataset: Dataset, documents: Mapping[str, Document], chance: random.Random) -> Iterator[ReaderExample]:
    titled = {document.title: document for document in documents.values()}
    done: set[tuple[str, str]] = set()
    pages: dict[str, list[Document]] = {}
    found: list[tuple[str, str, ReaderExample]] = []
    for question in dataset.questions:
        for triple in question.extra.get("evidences", ()):  # type: ignore[attr-defined]
            subject, relation, value = triple[:3]
            document = titled.get(subject)
            if document is None or (subject, relation) in done or relation not in _ASKED:
                continue
            done.add((subject, relation))
            pages.setdefault(relation, []).append(document)
            spans = occurrences(document.text, [value, *_date_forms(value)])
            if not spans:
                continue
            name = re.sub(r"\s*\(.*?\)$", "", subject)
            asked = chance.choice(_ASKED[relation]).format(name)
            found.append((relation, subject, ReaderExample(
                dataset.spec.name, "triple", split_key(dataset.spec.name, document), asked, document.title, document.text,
                spans, answers=True, relevance=True, sentences=labelled_sentences(document.text, spans), aliases=(value,),
            )))  # fmt: skip
    for relation, subject, example in found:
        yield example
        # The same property of somebody else, and another property of the same one: near, and no answer.
        if chance.random() < 0.5:
            other = chance.choice(pages[relation])
            if other.title != subject:
                yield negative(example, other, "other-entity")
        else:
            unsaid = [
                r
                for r in _ASKED
                if (subject, r) not in done and r.startswith(("place of b", "award", "educated", "spouse"))
            ]
            name = re.sub(r"\s*\(.*?\)$", "", subject)
            if unsaid and not _speaks(example.text, relation := chance.choice(unsaid)):
                asked = chance.choice(_ASKED[relation]).format(name)
                yield replace(
                    example, kind="other-property", question=asked, spans=(), answers=False, relevance=None, sentences=(), aliases=()
                )  # fmt: skip


def _speaks(text: str, relation: str) -> bool:
    """Whether a passage may state the relation after all (its triples need not be all that it says)."""
    signs = {
        "place of birth": r"\bborn\b|\bnative\b|\bfrom\b", "place of burial": r"\bburied\b|\bcemetery\b|\binterred\b",
        "award received": r"\baward|\bprize|\bmedal|\bhonou?r|\bwon\b|\bOscar|\bGrammy",
        "spouse": r"\bmarri|\bwife\b|\bhusband|\bspouse|\bwed",
        "educated at": r"\bstudied|\beducat|\bgraduat|\bschool|\bcollege|\buniversity|\bdegree",
    }  # fmt: skip
    return re.search(signs[relation], text, re.IGNORECASE) is not None


def _date_forms(value: str) -> list[str]:
    match = re.fullmatch(r"(\d{1,2}) (\w+) (\d{3,4})", value)
    return [f"{match[2]} {match[1]}, {match[3]}", match[3]] if match else []


def _clapnq(dataset: Dataset, documents: Mapping[str, Document], chance: random.Random) -> Iterator[ReaderExample]:
    for question in dataset.questions:
        ids = question.supporting_ids or question.candidate_ids
        if not ids or ids[0] not in documents:
            continue
        document = documents[ids[0]]
        example = ReaderExample(
            dataset.spec.name, "gold", split_key(dataset.spec.name, document), question.question, document.title, document.text,
            aliases=question.answers,
        )  # fmt: skip
        if question.supporting_ids:
            marked = [(span.start, span.end) for span in question.supporting]
            yield replace(
                example, answers=True, relevance=True, sentences=labelled_sentences(document.text, marked) if marked else ()
            )  # fmt: skip
        else:
            yield replace(example, kind="judged-unanswerable", answers=False, relevance=None)


def _pubmedqa(dataset: Dataset, documents: Mapping[str, Document], chance: random.Random) -> Iterator[ReaderExample]:
    names = list(documents)
    for question in dataset.questions:
        gold = [documents[i] for i in question.supporting_ids]
        key = f"pubmedqa/{question.id}"
        verdict = _YES_NO.get(question.answers[0].lower(), 2)
        base = ReaderExample(dataset.spec.name, "gold", key, question.question, "", "", aliases=question.answers)
        yield replace(_together(base, gold, question, verdict), answers=None if verdict == 2 else True)
        yield replace(base, text=chance.choice(gold).text, relevance=True)
        other = documents[chance.choice(names)]
        if other.id not in question.supporting_ids:
            yield negative(base, other, "random")


def _qmsum(dataset: Dataset, documents: Mapping[str, Document], chance: random.Random) -> Iterator[ReaderExample]:
    meetings: dict[str, list[Document]] = {}
    for document in documents.values():
        meetings.setdefault(str(document.metadata.get("document_id", "")), []).append(document)
    for question in dataset.questions:
        if not question.supporting_ids:
            continue
        gold = documents[chance.choice(question.supporting_ids)]
        key = split_key(dataset.spec.name, gold)
        example = ReaderExample(
            dataset.spec.name, "gold", key, question.question, gold.title, gold.text, relevance=True
        )
        yield example
        others = [d for d in meetings[str(gold.metadata.get("document_id", ""))] if d.id not in question.supporting_ids]
        if others:
            yield negative(example, chance.choice(others), "same-document")
