"""The contexts of one question under every system and budget, with what compared systems share made once.

A system is retrieval (one ranking, whatever the budget) and then context steps (for each budget). Stages are frozen dataclasses, so two
systems whose retrievers, depths and stores are equal have the same ranking: it is made once, and its time and fallbacks are written into
the trace of each of them. Nothing here sees gold, but for the condition `gold-passages`, whose context it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial

from decoct.budget import Budget, Tokenizer, budget_of
from decoct.context.assemble import assemble
from decoct.data import Context, Draft, Hit, Passage, Query, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import BudgetError, DecoctError
from decoct.evaluate.amounts import Amount
from decoct.evaluate.answers import CLOSED_BOOK, ReadAnswer
from decoct.evaluate.dataset_types import Dataset, GoldUnit, Question
from decoct.evaluate.measure import Case
from decoct.evaluate.metrics.evidence import TokenMap, quoted, spans
from decoct.evaluate.metrics.ranking import without_repeats
from decoct.evaluate.system import System
from decoct.library import Library
from decoct.pipeline import Pipeline
from decoct.trace import Trace, recording


@dataclass(frozen=True, slots=True)
class MadeContext:
    """One context, or the error in its place; `hits` are the ranking it was made of."""

    system: System
    budget: Amount
    context: Context | Exception
    hits: tuple[Hit, ...] = ()


@dataclass(slots=True)
class _Found:
    hits: tuple[Hit, ...]
    draft: Draft
    trace: Trace


@dataclass(slots=True)
class Contexts:
    """Makes contexts over the libraries of a run (by chunker); pipelines are built once. `tokenizer` counts (None: the reader's own)."""

    libraries: Mapping[str, Library]
    systems: Sequence[System]
    gold: Callable[[Question], tuple[Span, ...]]
    tokenizer: Tokenizer | None = None
    pipelines: dict[str, Pipeline] = field(default_factory=dict)
    counting: dict[str, Tokenizer] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for chunker, library in self.libraries.items():
            self.counting[chunker] = self.tokenizer or library.budget(1).tokenizer
        for one in self.systems:
            if one.recipe is not None:
                self.pipelines[one.name] = pipeline = self.libraries[one.chunker].pipeline(one.recipe)
                _ = pipeline.retrieval, pipeline.construction  # what a recipe lacks is said before the first question

    def make(self, question: Question, wanted: Sequence[tuple[System, Amount]]) -> list[MadeContext]:
        """The contexts of the (system, budget) pairs wanted, in order; a failure is an outcome, never an exception."""
        found: list[tuple[tuple[object, int], _Found | Exception]] = []
        return [self._made(question, one, budget, found) for one, budget in wanted]

    def _made(
        self,
        question: Question,
        one: System,
        budget: Amount,
        found: list[tuple[tuple[object, int], _Found | Exception]],
    ) -> MadeContext:
        library = self.libraries[one.chunker]
        query = Query(question.question, question.where)
        try:
            asked = budget_of(budget, self.counting[one.chunker])
            if one.oracle is not None:
                spans = self.gold(question) if one.oracle == "gold-passages" else ()
                limit = asked if isinstance(asked, Budget) else asked.over(_chunks(library, spans))
                record = Trace()
                context = _or_nothing(
                    query, limit, record, partial(oracle_context, query, spans, library, limit, record)
                )
                notes: Mapping[str, tuple[object, ...]] = {CLOSED_BOOK: (True,)} if one.oracle == CLOSED_BOOK else {}
                return MadeContext(one, budget, replace(context, notes=notes))
            pipeline = self.pipelines[one.name]
            ranked = _shared(found, pipeline, query)
            if isinstance(ranked, Exception):
                return MadeContext(one, budget, ranked)
            limit = asked if isinstance(asked, Budget) else asked.over([hit.chunk.text for hit in ranked.hits])
            record = deepcopy(ranked.trace)
            make = partial(pipeline.construction.construct, query, ranked.draft, limit, record)
            return MadeContext(one, budget, _or_nothing(query, limit, record, make), ranked.hits)
        except Exception as error:  # noqa: BLE001 - one failed question is a row that names the error, not the end of a night's run
            return MadeContext(one, budget, error)


def _shared(
    found: list[tuple[tuple[object, int], _Found | Exception]], pipeline: Pipeline, query: Query
) -> _Found | Exception:
    """The ranking of an equal retriever where there is one (found by equality: not every stage can be hashed)."""
    key = (pipeline.retrieval.retriever, pipeline.depth)
    for known, outcome in found:
        if known == key:
            return outcome
    try:
        with recording() as trace:
            hits = tuple(pipeline.search(query, pipeline.depth))
            draft = pipeline.retrieval.draft(query, hits)
        outcome = _Found(hits, draft, trace)
    except Exception as error:  # noqa: BLE001 - as above: shared by the systems that have this retriever
        outcome = error
    found.append((key, outcome))
    return outcome


def oracle_context(query: Query, spans: Sequence[Span], library: Library, limit: Budget, record: Trace) -> Context:
    """The context of these spans in their order: the gold passages, or nothing at all."""
    with recording(record):
        passages = tuple(
            Passage(library.store.text(s), (s,), title=library.store.document(s.doc_id).title) for s in spans
        )
        return assemble(query, Draft(passages), limit, None, record)


def _or_nothing(query: Query, limit: Budget, record: Trace, make: Callable[[], Context]) -> Context:
    """What `make` makes; an empty context where not a sentence fits: the reader gets nothing then, and that is scored, not left out."""
    try:
        return make()
    except BudgetError:
        record.fallbacks["context.nothing_fits"] += 1
        return Context(query.text, "", (), limit, record)


def _chunks(library: Library, spans: Sequence[Span]) -> list[str]:
    """The chunks of the documents of `spans`: what a budget in chunks is measured by where nothing is retrieved."""
    ids = dict.fromkeys(span.doc_id for span in spans)
    return [chunk.text for doc_id in ids for chunk in library.store.chunks(library.store.chunk_keys(doc_id))]


def error_of(error: Exception) -> dict[str, str]:
    """Code, message and stage of a failure, as a row keeps it."""
    notes = "; ".join(getattr(error, "__notes__", ()))
    message = f"{error} ({notes})" if notes else str(error)
    code = error.code if isinstance(error, DecoctError) else f"internal:{type(error).__name__}"
    return {"code": code, "message": message[:1000]}


# The one place where a case is made: what a context, its ranking and its answer are for the measures, beside the question's gold.
#
# A run and a search for a recipe (`tune`) measure the same thing only if their cases have the same fields; so both make them here.
@dataclass(slots=True)
class Cases:
    """Cases over `libraries` (by chunker) for `metrics`, gold in `unit`; `cites` says whether the reader's citations are to be measured."""

    dataset: Dataset
    libraries: Mapping[str, Library]
    unit: GoldUnit
    metrics: Collection[str]
    cites: bool = False
    tokens: TokenMap = field(init=False)
    _chunks: dict[tuple[str, str], tuple[Span, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        library = next(iter(self.libraries.values()))
        self.tokens = TokenMap(lambda doc_id: library.document(doc_id).text, default_tokenizer())

    def of(
        self,
        question: Question,
        made: MadeContext,
        context: Context,
        told: ReadAnswer | None = None,
        judged: float | None = None,
    ) -> Case:
        """The case of one question under one system and budget; `told` is the reader's answer, where one was asked."""
        return Case(
            question=question,
            gold=self.dataset.gold(question, self.unit),
            passages=self.dataset.gold(question, "passage"),
            text=context.text,
            shown=spans(context),
            quoted=quoted(context),
            tokens=self.tokens,
            ranking=tuple(without_repeats(hit.chunk.span.doc_id for hit in made.hits)),
            found=tuple(hit.chunk.span for hit in made.hits),
            gold_chunks=self._gold_chunks(made.system, question),
            answer=told.text if told else None,
            citations=told.citations if told and self.cites else None,
            notes=context.notes,
            judged=judged,
        )

    def _gold_chunks(self, one: System, question: Question) -> tuple[Span, ...]:
        """Every chunk of the gold documents, read from the store once a document, where a measure of chunks asks for them."""
        if one.oracle is not None or not any(name.startswith("chunk_") for name in self.metrics):
            return ()
        chunker, found = one.chunker, list[Span]()
        store = self.libraries[chunker].store
        for doc_id in question.supporting_ids:
            if (chunker, doc_id) not in self._chunks:
                self._chunks[chunker, doc_id] = tuple(c.span for c in store.chunks(store.chunk_keys(doc_id)))
            found.extend(self._chunks[chunker, doc_id])
        return tuple(found)
