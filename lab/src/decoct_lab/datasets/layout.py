"""Decoct's own layout: a folder with `corpus.jsonl` and `questions.jsonl` (plain or .gz).

A passage has `id`, `title`, `text`; a question `id`, `question`, `answers`, `supporting_ids` and, where known, `supporting_sentences`
(`id`, `text`), `candidate_ids`, `wrong_answers`, `type`. A set names its further fields; any other field is an error. The corpus is read
once for the checks (only lengths, and the texts in which gold sentences are looked up, are kept) and again whenever the documents are
wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from decoct.data import Document, Scalar, Span
from decoct.errors import EvaluationError
from decoct.evaluate.dataset_types import Dataset, Options, Question, Spec
from decoct.evaluate.datasets.own import check
from decoct_lab.datasets.locate import locate
from decoct_lab.datasets.records import Record, jsonl
from decoct_lab.datasets.tally import Tally

PASSAGE = ("id", "title", "text")
QUESTION = (
    "id",
    "question",
    "answers",
    "supporting_ids",
    "supporting_sentences",
    "candidate_ids",
    "wrong_answers",
    "type",
)


@dataclass(frozen=True, slots=True)
class SetLayout:
    """How one set fills the layout.

    `extra` are its further question fields (kept in `Question.extra`), `metadata` those of its passages (kept where they are scalars),
    `dropped` passage fields that must not reach the engine or are of no use to it. `group` is the passage field that limits retrieval
    with `scope=group` (a meeting, an article). `each_wanted`: each answer is one of several that are all wanted, not an alias.

    `kept_by` is an option and `kept_field` a field: only questions whose field is the option's value, or true, are taken (all of them for
    the value `all`), and with `kept_passages` only such passages. `needs_candidates`: with `scope=candidates` questions without any are
    left out.
    """

    extra: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    group: str = ""
    each_wanted: bool = False
    questions: str = "questions.jsonl"
    kept_by: str = ""
    kept_field: str = ""
    kept_passages: bool = False
    needs_candidates: bool = False

    def asks(self, record: Record, options: Options) -> bool:
        """Whether a question is one of the setting."""
        given = self.needs_candidates and options["scope"] == "candidates"
        return self.holds(record, options) and not (given and not record.texts("candidate_ids", default=()))

    def holds(self, record: Record, options: Options) -> bool:
        """Whether a record is of the part of the set that the options choose."""
        value = options.get(self.kept_by, "all")
        return value == "all" or record.data.get(self.kept_field) in (value, True)


def load_layout(folder: Path, spec: Spec, options: Options, layout: SetLayout) -> Dataset:
    """Read and check the set in `folder`."""
    scope = options.get("scope", "corpus")
    records = list(jsonl(find(folder, layout.questions)))
    wanted = {s.text("id") for r in records for s in r.records("supporting_sentences", default=())}
    read = partial(_documents, find(folder, "corpus.jsonl"), layout, options)
    lengths: dict[str, int] = {}
    texts: dict[str, str] = {}
    for document in read():
        lengths[document.id] = len(document.text)
        if document.id in wanted:
            texts[document.id] = document.text
    tally = Tally()
    questions = []
    for record in records:
        record.only((*QUESTION, *layout.extra))
        if not layout.asks(record, options):
            tally.add("question outside the setting")
            continue
        question = _question(record, layout, scope, texts, tally)
        if spec.gold_is_partial and not question.supporting_ids and question.type not in spec.ungraded:
            tally.add("question without a gold document", f"{question.origin}: no gold document for {question.id!r}")
        questions.append(question)
    check(questions, spec, lengths)
    return Dataset(spec, options, tuple(questions), read, lengths, dict(tally.counts), tuple(tally.remarks))


def find(folder: Path, name: str) -> Path:
    """`name` or `name.gz` in `folder`."""
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise EvaluationError(f"{folder} has neither {name} nor {name}.gz; --data takes the folder of the data set")


def _documents(path: Path, layout: SetLayout, options: Options) -> Iterator[Document]:
    seen: set[str] = set()
    for record in jsonl(path):
        record.only((*PASSAGE, *layout.metadata, *layout.dropped))
        if layout.kept_passages and not layout.holds(record, options):
            continue
        doc_id = record.text("id")
        if doc_id in seen:
            raise record.error(f"the passage id {doc_id!r} was used before")
        seen.add(doc_id)
        metadata: dict[str, Scalar] = {
            name: value
            for name in layout.metadata
            if isinstance(value := record.data.get(name), str | int | float | bool)
        }
        if options.get("scope") == "candidates":
            metadata["passage"] = doc_id
        yield Document(doc_id, record.text("text"), record.text("title", default=""), metadata=metadata)


def _question(
    record: Record,
    layout: SetLayout,
    scope: str,
    texts: Mapping[str, str],
    tally: Tally,
) -> Question:
    answers = tuple(dict.fromkeys(record.texts("answers")))
    candidates = record.texts("candidate_ids", default=())
    where: dict[str, tuple[str, ...]] = {}
    if scope == "candidates":
        if not candidates:
            raise record.error("scope=candidates needs candidate_ids")
        where = {"passage": candidates}
    elif scope == "group":
        where = {layout.group: (record.text(layout.group),)}
    return Question(
        id=record.text("id"),
        question=record.text("question"),
        answers=answers,
        supporting_ids=record.texts("supporting_ids"),
        supporting=gold_spans(record, texts, tally),
        type=record.text("type", default=""),
        candidate_ids=candidates,
        answer_groups=tuple((a,) for a in answers) if layout.each_wanted else (),
        wrong_answers=tuple(dict.fromkeys(record.texts("wrong_answers", default=()))),
        where=where,
        extra={name: record.data[name] for name in layout.extra if name in record.data},
        origin=record.place,
    )


def gold_spans(record: Record, texts: Mapping[str, str], tally: Tally) -> tuple[Span, ...]:
    """The spans of `supporting_sentences` in the texts of their passages, in order, none twice; those not found are counted and named."""
    spans: dict[Span, None] = {}
    for sentence in record.records("supporting_sentences", default=()):
        sentence.only(("id", "text"))
        doc_id, words = sentence.text("id"), sentence.text("text")
        if doc_id not in texts:
            raise sentence.error(f"names {doc_id!r}, which is not a document of the corpus")
        if found := locate(words, texts[doc_id]):
            spans[Span(doc_id, *found)] = None
        else:
            tally.add(
                "gold sentence not found in its passage", f"{sentence.place}: not found in {doc_id}: {words[:80]!r}"
            )
    return tuple(sorted(spans))
