"""Questions × systems × budgets -> rows, on one screen.

Questions go in slices. For each slice: questions are embedded in one call; contexts are made, sharing what systems have in common
(`contexts`); the reader and then the judge get one batch over all systems; measures are taken (`measure`); rows are appended (`record`).
An interrupted run keeps every slice that was written and goes on with the next. Where no model is asked, slices can be made by several
processes (`workers`), a `Runner` in each; a row does not depend on which.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

from decoct.data import Context, Span
from decoct.embed.tokenizer import open_tokenizer
from decoct.errors import EvaluationError, ModelError, PromptTooLongError
from decoct.evaluate.amounts import Amount
from decoct.evaluate.answers import BatchReader, Judge, ReadAnswer
from decoct.evaluate.contexts import Cases, Contexts, MadeContext, error_of
from decoct.evaluate.dataset_types import Dataset, GoldUnit, Question, no_documents
from decoct.evaluate.measure import Need, measure_values
from decoct.evaluate.reader_names import EXTRACTIVE
from decoct.evaluate.record import RecordedQuestion, Row, Run, passage_record
from decoct.evaluate.system import System
from decoct.library import Library
from decoct.trace import Trace


# What a context or an answer cost, from its trace: counts such as model calls and tokens, and seconds.
#
# A stage's counts are written at one level only, so sums over stages count everything once; the total time is that of the outermost stages
# (inner ones are part of it). Cached replies cost nothing here: they are in `cache_hits`, `cached_prompt_tokens` and
# `cached_completion_tokens`, not in the counts that have a price.
def costs_of(trace: Trace) -> tuple[Counter[str], float, dict[str, float]]:
    """What a trace records: counts by name, seconds of it all, and of each stage."""
    counts: Counter[str] = Counter()
    stages: dict[str, float] = {}
    for stage in trace.stages:
        counts.update(stage.counts)
        stages[stage.name] = stages.get(stage.name, 0.0) + stage.seconds
    return counts, sum(stage.seconds for stage in trace.stages if stage.depth == 0), stages


Todo: TypeAlias = list[tuple[Question, list[tuple[System, Amount]]]]
Source: TypeAlias = Callable[[Todo], Iterator[list[Row]]]
SLICE, BATCH = 50, 16
"""Questions between two writes without a model (a few seconds' work); contexts a batch with one (it fills a served model's slots)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run; `metrics` are names of `measure`, `unit` is the unit of gold, `tokenizer` what counts ("": the reader's own)."""

    dataset: Dataset
    questions: tuple[Question, ...]
    systems: tuple[System, ...]
    budgets: tuple[Amount, ...]
    metrics: tuple[str, ...]
    unit: GoldUnit
    reader: BatchReader | None = None
    judge: Judge | None = None
    tokenizer: str = ""

    @property
    def pairs(self) -> list[tuple[System, Amount]]:
        """What every question is asked under."""
        return [(one, budget) for one in self.systems for budget in self.budgets]

    @property
    def asks(self) -> bool:
        """Whether a model is asked anything, be it the small reader: seconds a question, and one at a time."""
        reads = self.reader is not None and self.reader.model != EXTRACTIVE
        return reads or self.judge is not None or any(one.needs_llm for one in self.systems)

    @property
    def sendable(self) -> Plan:
        """What another process needs of it: the documents are in its libraries, the questions come in slices."""
        return replace(self, questions=(), dataset=replace(self.dataset, questions=(), read=no_documents))

    def todo(self, done: Collection[tuple[str, Amount, str]]) -> Todo:
        """The questions with what is left of their pairs, those with nothing left out."""
        return [
            (question, left)
            for question in self.questions
            if (left := [(s, budget) for s, budget in self.pairs if (s.name, budget, question.id) not in done])
        ]

    def parts(self, todo: Todo, most: int = SLICE) -> list[Todo]:
        """`todo` in slices, each of which is made and written at once: of at most `most` questions, or what fills a model's slots."""
        size = max(1, BATCH // max(1, len(self.pairs))) if self.asks else min(most, SLICE)
        return [todo[at : at + size] for at in range(0, len(todo), size)]


def sample(questions: Sequence[Question], n: int | None, seed: int) -> tuple[Question, ...]:
    """`n` questions drawn with `seed` (all for None). A larger n keeps those of a smaller one, so a run can be extended."""
    drawn = list(questions)
    random.Random(seed).shuffle(drawn)  # noqa: S311 - a sample, not a secret
    if n is not None and n < 1:
        raise EvaluationError(f"--questions must be at least 1, not {n}")
    return tuple(drawn[:n])


@dataclass(slots=True)
class Runner:
    """Runs a plan over its libraries (by chunker). `fallbacks` counts those of reader and judge, which belong to no single question."""

    plan: Plan
    libraries: Mapping[str, Library]
    fallbacks: Counter[str] = field(default_factory=Counter)
    _tools: tuple[Contexts, Cases] | None = field(default=None, init=False, repr=False, compare=False)

    def run(self, record: Run, progress: Callable[[str], None] = lambda _: None, source: Source | None = None) -> int:
        """Append every row that `record` does not hold yet; return how many were added. `source` makes them elsewhere."""
        plan = self.plan
        record.ask(_asked(question, plan.dataset.gold(question, plan.unit)) for question in plan.questions)
        todo = plan.todo(record.done)
        total, added, begun = sum(len(left) for _, left in todo), 0, time.perf_counter()
        for rows in (source or self.slices)(todo):
            record.add(rows)
            added += len(rows)
            progress(_line(added, total, time.perf_counter() - begun))
        return added

    def slices(self, todo: Todo) -> Iterator[list[Row]]:
        """The rows of `todo`, a list a slice of its questions."""
        for number, part in enumerate(self.plan.parts(todo)):
            yield self.rows(part, first=number == 0)

    def rows(self, part: Todo, *, first: bool) -> list[Row]:
        """The rows of one slice; `EvaluationError` where it is the run's `first` and nothing in it works."""
        if self._tools is None:
            self._tools = self._opened()
        maker, cases = self._tools
        for library in self.libraries.values():
            library.embedder.embed([question.question for question, _ in part], "query")
        made = [(question, one) for question, left in part for one in maker.make(question, left)]
        rows = self._rows(made, cases)
        _worth_going_on(rows, first=first)
        return rows

    def _opened(self) -> tuple[Contexts, Cases]:
        plan = self.plan
        cites = plan.reader is not None and plan.reader.cites
        cases = Cases(plan.dataset, self.libraries, plan.unit, plan.metrics, cites)
        counts = open_tokenizer(plan.tokenizer) if plan.tokenizer else None
        maker = Contexts(self.libraries, plan.systems, lambda question: plan.dataset.gold(question, "passage"), counts)
        return maker, cases

    def _rows(self, made: Sequence[tuple[Question, MadeContext]], cases: Cases) -> list[Row]:
        told = self._read(made)
        judged = self._judge(made, told)
        return [self._row(question, one, cases, told.get(i), judged.get(i)) for i, (question, one) in enumerate(made)]

    def _read(self, made: Sequence[tuple[Question, MadeContext]]) -> dict[int, ReadAnswer | Exception]:
        if self.plan.reader is None:
            return {}
        asked = {i: one.context for i, (_, one) in enumerate(made) if isinstance(one.context, Context)}
        outcomes = self.plan.reader.answer(list(asked.values()))
        return {i: _settled(one, context) for (i, context), one in zip(asked.items(), outcomes, strict=True)}

    def _judge(
        self, made: Sequence[tuple[Question, MadeContext]], told: Mapping[int, ReadAnswer | Exception]
    ) -> dict[int, float]:
        if self.plan.judge is None:
            return {}
        cases = {
            i: (made[i][0], answer.text)
            for i, answer in told.items()
            if isinstance(answer, ReadAnswer) and made[i][0].groups
        }
        found = dict(zip(cases, self.plan.judge.verdicts(list(cases.values())), strict=True))
        judged = {i: verdict for i, verdict in found.items() if verdict is not None}
        self.fallbacks["judge.failed"] += len(found) - len(judged)
        return judged

    def _row(
        self,
        question: Question,
        made: MadeContext,
        cases: Cases,
        told: ReadAnswer | Exception | None,
        judged: float | None,
    ) -> Row:
        row, context = partial(Row, made.system.name, made.budget, question.id), made.context
        if isinstance(context, Exception):
            return row(error=error_of(context))
        if isinstance(told, Exception):
            return row(error=error_of(told))
        case = cases.of(question, made, context, told, judged)
        fallbacks = Counter(context.trace.fallbacks)
        if told:
            fallbacks.update(told.fallbacks)
            fallbacks["answer.unreadable"] += told.unreadable
        return row(
            metrics=measure_values(case, self.plan.metrics, _void(made.system)),
            cost=_cost(context, told),
            fallbacks={name: n for name, n in fallbacks.items() if n},
            passages=tuple(passage_record(passage) for passage in context.passages),
            answer=told.text if told else None,
        )


def _settled(outcome: ReadAnswer | ModelError, context: Context) -> ReadAnswer | ModelError:
    """The outcome with words of a compressed context as the documents have them.

    A context too long for the reader's window is an empty answer: trying again would change nothing, and it is scored, not left out.
    """
    if isinstance(outcome, PromptTooLongError):
        return ReadAnswer("", 0, 0, 0, False, 0.0, False, fallbacks={f"answer.{outcome.code}": 1})
    recovered = getattr(context.notes.get("compressed"), "recovered", None)
    if isinstance(outcome, ReadAnswer) and recovered is not None:
        return replace(outcome, text=recovered(outcome.text))
    return outcome


def _worth_going_on(rows: Sequence[Row], *, first: bool) -> None:
    """When nothing at all works, the set-up is wrong: say so instead of writing a thousand failed rows."""
    errors = [row.error for row in rows if row.error is not None]
    if first and errors and len(errors) == len(rows):
        raise EvaluationError(f"all of the first {len(rows)} rows failed; the first: {errors[0]['message']}")


def _asked(question: Question, gold: Sequence[Span]) -> RecordedQuestion:
    places = tuple((span.doc_id, span.start, span.end) for span in gold)
    return RecordedQuestion(question.id, question.question, question.answers, question.type, places)


def _void(one: System) -> frozenset[Need]:
    """What measures must not need to mean something: a condition that is no recipe has no ranking, and one without documents no context."""
    voids: dict[str | None, frozenset[Need]] = {
        "gold-passages": frozenset({"retrieval"}),
        "no-retrieval": frozenset({"retrieval", "context"}),
    }
    return voids.get(one.oracle, frozenset())


def _cost(context: Context, answer: ReadAnswer | None) -> dict[str, object]:
    counts, seconds, stages = costs_of(context.trace)
    read = (answer.calls, answer.prompt_tokens, answer.completion_tokens) if answer else (0, 0, 0)
    paid, kept = ((0, 0, 0), read) if answer and answer.cached else (read, (0, 0, 0))
    return {
        "tokens": context.tokens,
        "limit": context.limit,
        "calls": counts["model_calls"] + paid[0],
        "prompt_tokens": counts["prompt_tokens"] + paid[1],
        "completion_tokens": counts["completion_tokens"] + paid[2],
        "cached": counts["cache_hits"] + kept[0],
        "cached_prompt_tokens": counts["cached_prompt_tokens"] + kept[1],
        "cached_completion_tokens": counts["cached_completion_tokens"] + kept[2],
        "read_calls": read[0],
        "read_tokens": read[1] + read[2],
        "seconds": round(seconds, 5),
        "read_seconds": round(answer.seconds, 3) if answer else 0.0,
        "stages": {name: round(spent, 5) for name, spent in stages.items()},
    }


def _line(done: int, total: int, seconds: float) -> str:
    left = seconds / done * (total - done)
    return f"{done} of {total} rows, {seconds:.0f} s, about {left:.0f} s left"
