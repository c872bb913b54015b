"""The record of a run, a folder of three files.

`run.json` says what was run, `questions.jsonl` what was asked, with its key; `rows.jsonl` has one row a question, system and budget.

Rows are only ever appended, each as one line, so an interrupted run keeps every finished row; a line torn by a crash is dropped when the
run is taken up again, and rows that are there are not computed anew, but for failed ones: those are tried again, and of two rows for the
same thing the later counts. A folder takes up only a run that would give equal rows: the fields
of `FIXED` must agree, and a system or prompt that both name must be the same; questions, systems and budgets may be added.

A context is kept as the spans of its passages (`passages`), from which its text is rebuilt; only text that a model wrote is kept as such.
Documents are not copied into a record.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from pydantic import TypeAdapter

from decoct.data import Passage, Span
from decoct.errors import EvaluationError
from decoct.evaluate.amounts import Amount, in_order
from decoct.visible import appending, write_whole

FORMAT = 1
HEADER, ROWS, QUESTIONS = "run.json", "rows.jsonl", "questions.jsonl"
FIXED = ("format", "dataset", "embedder", "tokenizer", "llm", "context_llm", "judge", "metrics", "seed", "unit")
"""Fields of a header on which two sessions of one run must agree: each of them moves scores."""


@dataclass(frozen=True, slots=True)
class Header:
    """What was run. `llm` names who reads, `context_llm` the model that contexts are made with, where that is another.

    `versions` and `machine` say where the newest session ran; they do not decide whether it may go on.
    """

    dataset: Mapping[str, Any]
    systems: Mapping[str, Mapping[str, Any]]
    budgets: tuple[Amount, ...]
    metrics: tuple[str, ...]
    embedder: str
    tokenizer: str
    unit: str
    seed: int = 0
    questions: int = 0
    llm: str = ""
    context_llm: str = ""
    judge: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict)
    excluded: Mapping[str, int] = field(default_factory=dict)
    libraries: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, Any] = field(default_factory=dict)
    format: int = FORMAT

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], place: Path) -> Self:
        """A header as it was written."""
        known = set(cls.__dataclass_fields__)
        if table.get("format") != FORMAT:
            raise EvaluationError(
                f"{place}: a record of format {table.get('format')!r}; this version reads {FORMAT}: run it again"
            )
        if set(table) - known:
            raise EvaluationError(f"{place}: unknown field {sorted(set(table) - known)[0]!r}")
        values: dict[str, Any] = {k: tuple(v) if k in ("budgets", "metrics") else v for k, v in table.items()}
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Row:
    """One question under one system and budget. `error` (code and message) stands in place of all else when it failed.

    `cost` holds context tokens and the limit they had, model calls, tokens in and out, the same of replies that were kept (`cached…`), the
    reader's calls and tokens of both, and seconds: of the context, of reading, and a stage.
    """

    system: str
    budget: Amount
    question: str
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    cost: Mapping[str, Any] = field(default_factory=dict)
    fallbacks: Mapping[str, int] = field(default_factory=dict)
    passages: tuple[Mapping[str, Any], ...] = ()
    answer: str | None = None
    error: Mapping[str, str] | None = None

    @property
    def key(self) -> tuple[str, Amount, str]:
        """What makes it one."""
        return self.system, self.budget, self.question


@dataclass(frozen=True, slots=True)
class RecordedQuestion:
    """A question as a report shows it; `gold` are its gold spans as (document, start, end)."""

    id: str
    question: str
    answers: tuple[str, ...] = ()
    type: str = ""
    gold: tuple[tuple[str, int, int], ...] = ()


_QUESTION = TypeAdapter(RecordedQuestion)


def passage_record(passage: Passage) -> dict[str, Any]:
    """A passage as a record keeps it."""
    spans = [[span.doc_id, span.start, span.end] for span in passage.support]
    table: dict[str, Any] = {"spans": spans, "title": passage.title}
    return table if passage.kind == "quote" else {**table, "text": passage.text}


def spans_of(passage: Mapping[str, Any]) -> list[Span]:
    """The spans of a passage of a record."""
    return [Span(doc_id, start, end) for doc_id, start, end in passage["spans"]]


@dataclass(slots=True)
class Run:
    """A record on disk, opened for writing; also a context manager that closes the file."""

    folder: Path
    header: Header
    done: set[tuple[str, Amount, str]]
    _file: Any

    @classmethod
    def start(cls, folder: str | Path, header: Header) -> Self:
        """Begin a run in `folder`, or take up the one that is there; `EvaluationError` names a field that differs."""
        place = Path(folder)
        done: set[tuple[str, Amount, str]] = set()
        if (place / HEADER).exists():
            header = _header_of_both(read_header(place), header, place)
            done = {row.key for row in read_rows(place, mend=True) if row.error is None}
        place.mkdir(parents=True, exist_ok=True)
        write_whole(place / HEADER, json.dumps(header.as_dict(), ensure_ascii=False, indent=1) + "\n")
        return cls(place, header, done, appending(place / ROWS))

    def ask(self, questions: Iterable[RecordedQuestion]) -> None:
        """Write down the questions of the run (those of earlier sessions are kept)."""
        place = self.folder / QUESTIONS
        asked = {one.id: one for one in (*read_questions(self.folder), *questions)}
        write_whole(place, "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in asked.values()))

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows and hand them to the disk."""
        lines = []
        for row in rows:
            table = {name: value for name in Row.__slots__ if (value := getattr(row, name)) not in (None, (), {})}
            lines.append(json.dumps(table, ensure_ascii=False, separators=(",", ":")) + "\n")
            self.done.add(row.key)
        self._file.write("".join(lines))
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()


def read_header(folder: str | Path) -> Header:
    """The header of a run; `EvaluationError` if there is none."""
    place = Path(folder) / HEADER
    try:
        return Header.from_dict(json.loads(place.read_text("utf-8")), place)
    except FileNotFoundError as error:
        raise EvaluationError(
            f"{folder} holds no run (no {HEADER}); make one with `decoct evaluate … --out {folder}`"
        ) from error
    except json.JSONDecodeError as error:
        raise EvaluationError(f"{place}: broken JSON at line {error.lineno}") from error


def read_rows(folder: str | Path, *, mend: bool = False) -> Iterator[Row]:
    """The rows of a run in the order they were written; with `mend` a torn last line is cut off, else it is an error."""
    place = Path(folder) / ROWS
    if not place.exists():
        return
    with place.open("rb") as file:
        at = 0
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n") and mend:
                os.truncate(place, at)
                return
            at += len(line)
            try:
                table = json.loads(line)
                yield Row(**{**table, "passages": tuple(table.get("passages", ()))})
            except (ValueError, TypeError) as error:
                raise EvaluationError(
                    f"{place}:{number}: not a row of a run ({error}); run the same command to mend it"
                ) from error


def read_questions(folder: str | Path) -> list[RecordedQuestion]:
    """The questions of a run; none where it has not begun."""
    place = Path(folder) / QUESTIONS
    if not place.exists():
        return []
    with place.open(encoding="utf-8", newline="\n") as file:  # a text may hold what Unicode calls a line's end too
        return [_QUESTION.validate_json(line) for line in file]


def _header_of_both(old: Header, new: Header, place: Path) -> Header:
    was, now = old.as_dict(), new.as_dict()
    advice = f"give another --out, or remove {place}"
    for name in FIXED:
        if was[name] != now[name]:
            raise EvaluationError(
                f"{place} holds a run with another {name}: {_short(was[name])}, now {_short(now[name])}; {advice}"
            )
    for name, table in now["systems"].items():
        if name in was["systems"] and was["systems"][name] != table:
            changed = [key for key in table if table[key] != was["systems"][name].get(key)]
            raise EvaluationError(
                f"{place} holds a run in which {name!r} has another {', '.join(changed) or 'setting'}; {advice}"
            )
    for name in was["prompts"].keys() & now["prompts"].keys():
        if was["prompts"][name] != now["prompts"][name]:
            raise EvaluationError(f"{place} holds a run with another prompt {name!r}; {advice}")
    joined = {
        **now,
        "prompts": {**was["prompts"], **now["prompts"]},
        "systems": {**was["systems"], **now["systems"]},
        "budgets": sorted({*was["budgets"], *now["budgets"]}, key=in_order),
        "questions": max(was["questions"], now["questions"]),
        "libraries": {**was["libraries"], **now["libraries"]},
    }
    return Header.from_dict(joined, place)


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:157]}…"
