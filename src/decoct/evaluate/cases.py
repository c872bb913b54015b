"""The one place where a case is made: what a context, its ranking and its answer are for the measures, beside the question's gold.

A run and a search for a recipe (`tune`) measure the same thing only if their cases have the same fields; so both make them here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from decoct.data import Context, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.evaluate.answers import ReadAnswer
from decoct.evaluate.contexts import MadeContext
from decoct.evaluate.dataset_types import Dataset, GoldUnit, Question
from decoct.evaluate.measure import Case
from decoct.evaluate.metrics.evidence import quoted, spans
from decoct.evaluate.metrics.recall_at_k import without_repeats
from decoct.evaluate.metrics.token_map import TokenMap
from decoct.evaluate.system import System
from decoct.library import Library


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
