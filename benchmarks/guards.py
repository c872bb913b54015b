"""What each guard of a claim is worth: questions of organisations, asked with one guard at a time switched off.

    python benchmarks/guards.py FOLDER [FOLDER …] --work DIR [--questions N] [--caution P] [--without GUARD …] [--out FILE]

A FOLDER is one of `benchmarks/organisations` that parts may be chosen on (dev-*). What the models say of a question (readings, second
readings, vectors) is kept in DIR, so that a guard costs no reading but what it lets be asked anew; the answer itself is decided by the very
code that `ask` runs. A question that a guard does not touch is not decided again. Interrupted, it goes on where it was; a change of the
models or of the code begins anew. Claims are judged as `organisations.py` does: right, wrong, and wrong where there is no answer.
"""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Literal
from unittest.mock import patch

import numpy as np
from organisations import judged
from setting import HERE, command_line, setting, tell, write

from decoct import Library, trace
from decoct.answer import candidates, short_answers, verdicts
from decoct.answer.asked_values import AskedValues, asked_values
from decoct.answer.candidates import ClaimFinder
from decoct.answer.claim_evidence import ClaimEvidence
from decoct.answer.in_steps import StepReader
from decoct.answer.quoted import FoundWords
from decoct.answer.short_answers import ShortAnswers
from decoct.budget import Budget
from decoct.data import Context, Floats
from decoct.embed.minilm import MiniLM
from decoct.embed.tokenizer import default_tokenizer
from decoct.reading.base import Readable, Reading, SecondReading, StatementToRead
from decoct.reading.small import SmallReader
from decoct.reading.turn_kinds import turn_kind
from decoct.reading.verifier import Verifier
from decoct.text.cells import cell_meant
from decoct.text.questions import asks_yes_or_no

Row = dict[str, Any]
_ROOM = 10**9  # tokens: the passages were chosen before


@dataclass
class KeptModels:
    """The bundled models, each asked once: `said` holds what they said of one question, by what they were asked."""

    said: dict[str, Any] = field(default_factory=dict)
    fresh: int = 0

    fingerprint = "kept"
    reads_parts = True
    reads_again = True  # off: no second reading
    reader, verifier, embedder = SmallReader(), Verifier(), MiniLM()

    @property
    def languages(self) -> frozenset[str] | None:
        return self.reader.languages

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        asked = [(question, one.title, getattr(one, "place", ""), one.text) for one in passages]
        return self.of("read", asked, passages, lambda some: self.reader.read(question, some))

    def embed(self, texts: Sequence[str], role: Literal["query", "passage"]) -> Floats:
        return np.stack(self.of(role, texts, texts, lambda some: list(self.embedder.embed(some, role))))

    def of(self, kind: str, asked: Sequence[Any], items: Sequence[Any], model: Callable[[list[Any]], Any]) -> list[Any]:
        """What `model` says of each item, or said before of what was `asked` so."""
        keys = [hashlib.sha256(repr((kind, one)).encode()).hexdigest()[:24] for one in asked]
        missing = {key: item for key, item in zip(keys, items, strict=True) if key not in self.said}
        if missing:
            self.said |= dict(zip(missing, model(list(missing.values())), strict=True))
            self.fresh += len(missing)
        return [self.said[key] for key in keys]


@dataclass(frozen=True)
class KeptSecond:
    """The second reader of the same."""

    models: KeptModels
    fingerprint = "kept"

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        return self.models.of("second", statements, statements, self.models.verifier.read)


def _evidence(silent: Callable[[ClaimEvidence], ClaimEvidence]) -> Callable[[], AbstractContextManager[Any]]:
    """Switches a part of the evidence off: `silent` gives it the value with which it says nothing."""
    made = ClaimFinder.evidence

    def evidence(finder: ClaimFinder, found: FoundWords) -> ClaimEvidence:
        return silent(made(finder, found))

    return lambda: patch.object(ClaimFinder, "evidence", evidence)


def _nothing_asked(question: str, named: Sequence[Any]) -> AskedValues:
    return asked_values("", [])


@contextmanager
def _blanks() -> Iterator[None]:
    """A blank cell may be answered by what the reader took beside it."""
    meant = cell_meant
    with (
        patch.object(short_answers, "cell_meant", lambda question, text, place: meant(question, text, place) or place),
        patch.object(FoundWords, "is_blank", property(lambda one: not one.quote.strip())),
    ):
        yield


def _none(*_: object) -> list[FoundWords]:
    return []


@contextmanager
def _each(module: ModuleType, **parts: Callable[..., Any]) -> Iterator[None]:
    with ExitStack() as stack:
        for name, part in parts.items():
            stack.enter_context(patch.object(module, name, part))
        yield


GUARDS: Mapping[str, Callable[[], AbstractContextManager[Any]]] = {
    "another identifier, label or value": _evidence(lambda one: replace(one, rivals=0)),
    "an identifier that stands nowhere": _evidence(lambda one: replace(one, unknown=0.0)),
    "a sibling of what is asked for": _evidence(lambda one: replace(one, of_another=0.0)),
    "an edition that a later one replaces": _evidence(lambda one: replace(one, replaced=0.0)),
    "every name stands around the words": _evidence(lambda one: replace(one, named=1.0)),
    "one half of a nested question": lambda: patch.object(
        short_answers, "_whole_first", lambda parts, claims: list(claims)
    ),
    "a blank cell": _blanks,
    "a span is a whole": lambda: patch.object(short_answers, "whole_words", lambda text, start, end: (start, end)),
    "questions that nothing answers by itself": lambda: patch.object(
        short_answers, "turn_kind", lambda question: "question"
    ),
    "yes or no: the values agree": lambda: patch.object(verdicts, "asked_values", _nothing_asked),
    "cells, steps and entries": lambda: _each(
        candidates, cells_named=_none, steps_named=_none, entries_asked_for=_none
    ),
    "the second reading": lambda: patch.object(KeptModels, "reads_again", new=False),
    "vectors of statements": lambda: patch.object(short_answers, "near_statements", lambda *_: []),
}
"""Each guard (or feature of the evidence) by what switches it off."""


@contextmanager
def touched() -> Iterator[set[str]]:
    """Collects which guards have something to say of the question that is answered inside: the others cannot change its answer."""
    always = {
        "a blank cell",
        "a span is a whole",
        "cells, steps and entries",
        "the second reading",
        "vectors of statements",
    }
    found, made = set(always), ClaimFinder.evidence

    def evidence(finder: ClaimFinder, words: FoundWords) -> ClaimEvidence:
        one = made(finder, words)
        says = {
            "another identifier, label or value": one.rivals > 0,
            "an identifier that stands nowhere": one.unknown > 0,
            "a sibling of what is asked for": one.of_another > 0,
            "an edition that a later one replaces": one.replaced > 0,
            "every name stands around the words": one.named < 1,
        }
        found.update(name for name, told in says.items() if told)
        return one

    with patch.object(ClaimFinder, "evidence", evidence):
        yield found


def of_question(question: str) -> set[str]:
    """The guards that the question alone calls."""
    called = set()
    if turn_kind(question) != "question":
        called.add("questions that nothing answers by itself")
    if asks_yes_or_no(question):
        called.add("yes or no: the values agree")
    if StepReader(question, KeptModels.reader, lambda *_: 0.0, [], 0).parts is not None:
        called.add("one half of a nested question")
    return called


@dataclass(frozen=True)
class AskedQuestion:
    """A question with its context's passages, the sources of their documents, and what the models said."""

    row: Row
    passages: tuple[Any, ...]
    sources: Mapping[str, str]
    said: dict[str, Any]

    def answered(self, models: KeptModels, caution: float) -> Row:
        """How it ends: outcome, what is claimed, whether that is right."""
        budget = Budget(_ROOM, default_tokenizer())
        context = Context(self.row["question"], "", self.passages, budget, trace.Trace())
        kept: Any = models  # it stands for the reader and for the embedder
        second = KeptSecond(models) if models.reads_again else None
        reader = ShortAnswers(sure=caution, reader=kept, second=second, near=kept)
        library: Any = SimpleNamespace(document=lambda doc_id: SimpleNamespace(source=self.sources[doc_id]))
        ended = judged(self.row, reader.answer(context), library)
        return {key: ended[key] for key in ("id", "kind", "outcome", "score", "claimed", "right")} | {
            "answerable": bool(self.row["answers"])
        }


def asked(library: Library, row: Row, file: Path) -> AskedQuestion:
    """The question as it is kept in `file`, else as the library has it now."""
    if file.exists():
        kept: AskedQuestion = pickle.loads(file.read_bytes())
        return kept
    context = library.context(row["question"])
    spans = {span.doc_id for one in context.passages for span in one.support}
    return AskedQuestion(row, context.passages, {one: library.document(one).source for one in spans}, {})


def decided(folder: Path, work: Path, questions: int, caution: float, guards: Sequence[str]) -> dict[str, list[Row]]:
    """The rows of each guard switched off, and of none (""), of an organisation; what is in `work` already is not done again."""
    rows = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    rows = rows[:: max(1, len(rows) // questions)][:questions] if questions else rows
    kept = work / f"{folder.name}-{_version()}"
    kept.mkdir(parents=True, exist_ok=True)
    done: dict[str, list[Row]] = {name: [] for name in ("", *guards)}
    with Library.open(work / folder.name) as library:
        if not library.status().documents:
            library.add([folder / "documents"])
        for number, row in enumerate(rows, 1):
            told = kept / f"{row['id']}-{caution}.json"
            ends: dict[str, Row] = json.loads(told.read_text("utf-8")) if told.exists() else {}
            if {"", *guards} - set(ends):
                one = asked(library, row, kept / f"{row['id']}.pickle")
                models = KeptModels(one.said)
                with touched() as called:
                    ends[""] = one.answered(models, caution)
                called |= of_question(row["question"])
                for name in guards:
                    if name in called:
                        with GUARDS[name]():
                            ends[name] = one.answered(models, caution)
                    else:
                        ends[name] = ends[""]
                if models.fresh:
                    (kept / f"{row['id']}.pickle").write_bytes(pickle.dumps(one))
                told.write_text(json.dumps(ends, ensure_ascii=False), "utf-8")
            for name, ended in done.items():
                ended.append(ends[name])
            tell(f"{folder.name}: {number} of {len(rows)}")
    return done


def _version() -> str:
    """A digest of the code that answers and of the models."""
    code = sorted((HERE.parent / "src" / "decoct").glob("answer/*.*")) + sorted(
        (HERE.parent / "src" / "decoct").glob("text/*.*")
    )
    text = b"".join(file.read_bytes() for file in code)
    return hashlib.sha256(text + Verifier().fingerprint.encode() + SmallReader().fingerprint.encode()).hexdigest()[:10]


def counted(rows: Sequence[Row]) -> Row:
    """Claims, right ones, wrong ones, and those of questions without an answer."""
    claims = [row for row in rows if row["outcome"] == "answer"]
    right = sum(row["right"] for row in claims)
    return {
        "claims": len(claims),
        "right": right,
        "wrong": len(claims) - right,
        "unanswerable claimed": sum(not row["answerable"] for row in claims),
    }


def compared(done: Mapping[str, Sequence[Row]]) -> dict[str, Row]:
    """Of each guard what is counted without it, how many answers change, and what it takes away (wrong, right)."""
    ends = done[""]
    whole, found = counted(ends), {}
    for name, rows in done.items():
        if name:
            without, pairs = counted(rows), zip(rows, ends, strict=True)
            found[name] = {
                **without,
                "changed": sum((a["outcome"], a["claimed"]) != (b["outcome"], b["claimed"]) for a, b in pairs),
                "wrong taken away": without["wrong"] - whole["wrong"],
                "right taken away": without["right"] - whole["right"],
            }
    return found


def main() -> None:
    parser = command_line(__doc__, questions=0, out="guards.json")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument(
        "--work", type=Path, required=True, help="keeps libraries, what models said and what was decided"
    )
    parser.add_argument("--caution", type=float, default=ShortAnswers().sure, help="claims are made from here on")
    parser.add_argument("--without", nargs="*", choices=sorted(GUARDS), default=list(GUARDS), help="these guards alone")
    given = parser.parse_args()
    if kept := [folder.name for folder in given.folders if not folder.name.startswith("dev-")]:
        parser.error(f"{', '.join(kept)}: nothing is chosen on what is kept back")
    result: dict[str, Any] = {"questions": given.questions, "caution": given.caution, "organisations": {}}
    every: dict[str, list[Row]] = {name: [] for name in ("", *given.without)}
    for folder in given.folders:
        done = decided(folder, given.work, given.questions, given.caution, given.without)
        result["organisations"][folder.name] = {
            "n": len(done[""]),
            "all guards": counted(done[""]),
            "without": compared(done),
        }
        for name, rows in done.items():
            every[name] += rows
    told = compared(every)
    result["all"] = {"n": len(every[""]), "all guards": counted(every[""]), "without": told}
    result["changes no claim anywhere"] = sorted(name for name, one in told.items() if not one["changed"])
    write(given.out, {**setting(), **result})


if __name__ == "__main__":
    main()
