"""What a data set is made of: questions with their gold labels, and what is known of the set.

Gold labels (answers, supporting passages, gold spans, wrong answers) live in this folder only. The engine is handed `Question.question` and
`Question.where`, and the documents; everything else is for the metrics.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from decoct.data import Document, Span

GoldUnit: TypeAlias = Literal["sentence", "passage", "document", "none"]
Options: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its gold labels.

    `answers` are accepted strings, any of which is right. `answer_groups`, where a set has them, says more: strings of one group are
    aliases, and every group is wanted. `supporting_ids` are the passages that support the answer, `supporting` the characters of them
    that do (empty: not known). `candidate_ids` are the passages the source gives with the question; `where` limits retrieval as the
    setting asks. `extra` holds the set's further labels under their own names; `origin` is the file and line.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    supporting_ids: tuple[str, ...] = ()
    supporting: tuple[Span, ...] = ()
    type: str = ""
    candidate_ids: tuple[str, ...] = ()
    answer_groups: tuple[tuple[str, ...], ...] = ()
    wrong_answers: tuple[str, ...] = ()
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)
    origin: str = field(default="", compare=False)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """`answer_groups`, or all answers as one group of aliases; empty without answers."""
        return self.answer_groups or ((self.answers,) if self.answers else ())


@dataclass(frozen=True, slots=True)
class Spec:
    """What a data set is and how it is meant to be used.

    `gold` is the finest unit of evidence that (nearly) every question has; `metrics` the measures that mean something here, first the
    one to look at; `options` the settings and their values, the default first; `ungraded` the question types that have no gold on
    purpose (unanswerable questions, questions about a whole meeting); `gold_is_partial` says that other questions may lack gold
    documents too (they are counted); `retrieval_only` that there are no answers.
    """

    name: str
    title: str
    source: str
    licence: str
    notes: str
    gold: GoldUnit
    metrics: tuple[str, ...]
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ungraded: tuple[str, ...] = ()
    gold_is_partial: bool = False
    retrieval_only: bool = False


@dataclass(frozen=True, slots=True)
class Dataset:
    """A loaded set: its spec, the settings it was loaded with, its questions, and its documents as often as they are wanted.

    `lengths` gives the characters of every document that `read` yields, by id (empty for questions about a library that is not at
    hand). `excluded` counts what was left out or could not be used, by reason; `remarks` names the cases.
    """

    spec: Spec
    options: Options
    questions: tuple[Question, ...]
    read: Callable[[], Iterator[Document]] = field(repr=False, compare=False)
    lengths: Mapping[str, int] = field(default_factory=dict, repr=False)
    excluded: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[str, ...] = field(default=(), repr=False)

    def documents(self) -> Iterator[Document]:
        """The documents, read anew from the source, in its order. They carry no gold label."""
        return self.read()

    def gold(self, question: Question, unit: GoldUnit | None = None) -> tuple[Span, ...]:
        """The gold spans of `question` in `unit` (default: the spec's); empty where they are not known in that unit.

        `sentence` gives `question.supporting`; `passage` and `document` the whole of each supporting document.
        """
        match unit or self.spec.gold:
            case "sentence":
                return question.supporting
            case "none":
                return ()
            case _:
                return tuple(Span(i, 0, self.lengths[i]) for i in question.supporting_ids if i in self.lengths)


def no_documents() -> Iterator[Document]:
    """What a set reads whose documents are in a library."""
    return iter(())


def default_cache() -> Path:
    """DECOCT_EVALUATE_CACHE, else `~/.cache/decoct/evaluate`."""
    named = os.environ.get("DECOCT_EVALUATE_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "decoct" / "evaluate"


def fingerprint(dataset: Dataset) -> str:
    """A digest of what the set's documents and questions are."""
    parts = [
        dataset.spec.name,
        sorted(dataset.options.items()),
        sorted(dataset.lengths.items()),
        [question.id for question in dataset.questions],
    ]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:12]
