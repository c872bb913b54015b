"""Question -> ranking -> draft -> context -> answer, on one screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from decoct import trace
from decoct.answer.base import Reader
from decoct.answer.sources import with_documents
from decoct.budget import Budget, BudgetInChunks
from decoct.context.assemble import assemble
from decoct.context.base import ContextStep, Layout
from decoct.context.select import select
from decoct.data import Answer, Context, Draft, Hit, Query
from decoct.index.base import Store
from decoct.retrieve.base import Retriever, SupportsPassages


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A recipe over a library. `depth` is how many chunks retrieval hands to the context steps."""

    store: Store
    retriever: Retriever
    steps: tuple[ContextStep, ...]
    layout: Layout
    reader: Reader
    depth: int

    def search(self, query: Query, k: int) -> list[Hit]:
        """The best `k` chunks, with the score each retriever gave them."""
        with trace.stage("retrieve"):
            ranking = self.retriever.retrieve(query, k)
            chunks = {chunk.key: chunk for chunk in self.store.chunks(ranking.keys)}
            found_by = ranking.found_by
            hits = [
                Hit(chunks[key], score, {name: scores[key] for name, scores in found_by.items() if key in scores})
                for key, score in zip(ranking.keys.tolist(), ranking.scores.tolist(), strict=True)
                if key in chunks
            ]
            trace.count(hits=len(hits))
            return hits

    def context(self, query: Query, budget: Budget | BudgetInChunks) -> Context:
        """What the reader shall see of the library, within the budget; an empty context where nothing matches."""
        with trace.recording() as record:
            hits = self.search(query, self.depth)
            if isinstance(budget, BudgetInChunks):
                budget = budget.over([hit.chunk.text for hit in hits])
            return self.construct(query, self.draft(query, hits), budget, record)

    def draft(self, query: Query, hits: Sequence[Hit]) -> Draft:
        """What construction begins with: each text of the hits once, or what the retriever itself has to show in their place."""
        with trace.stage("select"):
            found = self.retriever
            draft = found.passages(query, hits, self.depth) if isinstance(found, SupportsPassages) else select(hits)
            trace.count(passages=len(draft.passages))
            return draft

    def construct(self, query: Query, draft: Draft, budget: Budget, record: trace.Trace) -> Context:
        """The context of passages that are already there (from this library's ranking or handed over)."""
        with trace.recording(record):
            for step in self.steps:
                with trace.stage(type(step).__name__.lower()):
                    draft = step.apply(query, draft, budget)
                    trace.count(passages=len(draft.passages))
            with trace.stage("assemble"):
                context = assemble(query, draft, budget, self.layout, record)
                trace.count(passages=len(context.passages), tokens=context.tokens)
            return context

    def ask(self, query: Query, budget: Budget | BudgetInChunks, sink: Callable[[str], None] | None = None) -> Answer:
        """A cited answer from the context, and the context and trace with it; `sink` is handed the words as they come."""
        context = self.context(query, budget)
        with trace.recording(context.trace), trace.stage("read"):
            return with_documents(self.reader.answer(context, sink), self.store.text)
