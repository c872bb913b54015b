"""Question -> ranking -> draft -> context -> answer, on one screen.

A recipe's way has three parts, `Retrieval`, `Construction` and a `Reader`. `Pipeline` builds each when it is first asked for, once: so a
search needs nothing that only contexts need, and a context nothing that only answers need.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import cast

from decoct import trace
from decoct.answer.base import Reader, adjusted
from decoct.answer.sources import behind_words, with_documents
from decoct.budget import Budget, BudgetInChunks
from decoct.config import Resources, resolve
from decoct.context.assemble import assemble
from decoct.context.base import ContextStep, Layout
from decoct.context.stitch import draft_of
from decoct.data import Answer, Context, Draft, Hit, Query, Span
from decoct.documents.matter import is_matter
from decoct.index.base import Store
from decoct.index.one_state import in_one_state, noted
from decoct.reading.base import PassageReader, SecondReader
from decoct.recipe import Recipe, RecipeSource, load_recipe
from decoct.retrieve.base import Retriever, SupportsPassages
from decoct.retrieve.exact import unheld
from decoct.retrieve.front_matter import told_hits
from decoct.retrieve.spelling import respelt

_BESIDE = 10  # chunks looked at beyond twice as many, where some of those found are matter and may be passed over


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What ranks, over the store that holds the chunks. `depth` is how many of them go on to construction."""

    store: Store
    retriever: Retriever
    depth: int

    def search(self, query: Query, k: int) -> list[Hit]:
        """The best `k` chunks, with the score each retriever gave them."""
        with trace.stage("retrieve"):
            hits = self._found(query, k)
            if any(is_matter(hit.chunk.text) for hit in hits):
                hits = told_hits(query.text, self._found(query, 2 * k + _BESIDE))[:k]
            trace.count(hits=len(hits))
            return hits

    def _found(self, query: Query, k: int) -> list[Hit]:
        ranking = self.retriever.retrieve(query, k)
        chunks = {chunk.key: chunk for chunk in noted(ranking.keys, self.store.chunks(ranking.keys))}
        found_by = ranking.found_by.items()
        return [
            Hit(chunks[key], score, {name: scores[key] for name, scores in found_by if key in scores})
            for key, score in zip(ranking.keys.tolist(), ranking.scores.tolist(), strict=True)
            if key in chunks
        ]

    def draft(self, query: Query, hits: Sequence[Hit]) -> Draft:
        """What construction begins with: each text of the hits once, or what the retriever itself has to show in their place."""
        with trace.stage("select"):
            found = self.retriever
            # A retriever may have a setting of that name (cards have): only a method shows passages.
            if isinstance(found, SupportsPassages) and callable(found.passages):
                draft = found.passages(query, hits, self.depth)
            else:
                draft = draft_of(hits)
            trace.count(passages=len(draft.passages))
            return draft


@dataclass(frozen=True, slots=True)
class Construction:
    """What makes a context of passages: the steps in their order, then the layout."""

    steps: tuple[ContextStep, ...]
    layout: Layout

    def construct(self, query: Query, draft: Draft, budget: Budget, record: trace.Trace) -> Context:
        """The context of passages that are already there (from a library's ranking or handed over)."""
        with trace.recording(record):
            for step in self.steps:
                with trace.stage(type(step).__name__.lower()):
                    draft = step.apply(query, draft, budget)
                    trace.count(passages=len(draft.passages))
            with trace.stage("assemble"):
                context = assemble(query, draft, budget, self.layout, record)
                trace.count(passages=len(context.passages), tokens=context.tokens)
            return context


def retrieved_context(
    query: Query, budget: Budget | BudgetInChunks, retrieval: Retrieval, construction: Construction
) -> Context:
    """What the reader shall see of what is found, within the budget; an empty context where nothing matches."""
    return _found_context(query, budget, retrieval, construction, texts=False).context


@dataclass(frozen=True, slots=True)
class _FoundContext:
    """A context, its chunks, the texts behind it, and what of the question no document holds, all of one state of the store."""

    context: Context
    keys: Sequence[int]
    texts: Mapping[Span, str]
    unheld: Sequence[str]


def _found_context(
    query: Query, budget: Budget | BudgetInChunks, retrieval: Retrieval, construction: Construction, *, texts: bool
) -> _FoundContext:
    """With the `texts` behind rewrites where they are wanted: when the context was read, the documents may be replaced."""

    def made() -> _FoundContext:
        with trace.recording() as record:
            asked = respelt(query, retrieval.store)
            if missing := unheld(query.text, retrieval.store):
                trace.fact("unheld", list(missing))
            hits = retrieval.search(asked, retrieval.depth)
            within = budget.over([hit.chunk.text for hit in hits]) if isinstance(budget, BudgetInChunks) else budget
            context = construction.construct(asked, retrieval.draft(asked, hits), within, record)
            rewrites = [passage for passage in context.passages if texts and passage.kind == "rewrite"]
            behind = dict.fromkeys(span for passage in rewrites for span in passage.support)
            return _FoundContext(
                context, [hit.chunk.key for hit in hits], {span: retrieval.store.text(span) for span in behind}, missing
            )

    found, one = in_one_state(retrieval.store, made, lambda found: found.keys)
    if not one:
        found.context.trace.fallbacks["store.moved"] += 1
    return found


class Pipeline:
    """A recipe over a library. Thread-safe; `ConfigError` where a part is first asked for that lacks something (a language model …)."""

    def __init__(self, recipe: Recipe, resources: Resources) -> None:
        self.recipe = recipe
        self.depth = recipe.depth
        self.resources = resources
        self._building = threading.RLock()

    @property
    def retrieval(self) -> Retrieval:
        """The first part."""
        with self._building:
            return self._retrieval

    @property
    def construction(self) -> Construction:
        """The second part."""
        with self._building:
            return self._construction

    @property
    def reader(self) -> Reader:
        """The third part: the recipe's, else one that cites with a language model, or finds short answers without."""
        with self._building:
            return self._reader

    def search(self, query: Query, k: int) -> list[Hit]:
        """The best `k` chunks; builds retrieval alone."""
        retrieval = self.retrieval
        hits, one = in_one_state(
            retrieval.store,
            lambda: retrieval.search(respelt(query, retrieval.store), k),
            lambda found: [hit.chunk.key for hit in found],
        )
        if not one:
            trace.fallback("store.moved")
        return hits

    def context(self, query: Query, budget: Budget | BudgetInChunks) -> Context:
        """What the reader shall see of the library, within the budget."""
        construction = self.construction  # what it lacks is said before anything is searched
        return retrieved_context(query, budget, self.retrieval, construction)

    def ask(
        self,
        query: Query,
        budget: Budget | BudgetInChunks,
        sink: Callable[[str], None] | None = None,
        caution: float | None = None,
        passages: PassageReader | None = None,
        *,
        second: SecondReader | None = None,
    ) -> Answer:
        """A cited answer from the context, and the context and trace with it; `sink` is handed the words as they come.

        `caution` is the least probability of being right with which something is claimed (the reader's own where None);
        `passages` reads the passages in place of the reader's own. `second` reads what would be claimed again: a recipe that names no
        reader then answers in the documents' words, also beside a language model. What the question names and no document holds is said
        before the answer.
        """
        reader = adjusted(self.reader if second is None else self._quoting, caution, passages, second)
        construction, retrieval = self.construction, self.retrieval
        found = _found_context(query, budget, retrieval, construction, texts=True)
        told = f"No document holds {', '.join(found.unheld)}. " if found.unheld else ""
        if told and sink is not None:
            sink(told)
        with trace.recording(found.context.trace), trace.stage("read"):
            answer = with_documents(reader.answer(found.context, sink), found.texts.__getitem__)
        return behind_words(told, answer)

    @cached_property
    def _retrieval(self) -> Retrieval:
        store = cast("Store", self.resources.store)
        return Retrieval(store, self.recipe.retrieve.build(self._laid_out), self.depth)

    @cached_property
    def _construction(self) -> Construction:
        resources = self._laid_out
        return Construction(
            tuple(step.build(resources) for step in self.recipe.context), cast("Layout", resources.layout)
        )

    @cached_property
    def _reader(self) -> Reader:
        default = "cited" if self.resources.llm else "short-answers"
        read = self.recipe.read or resolve(default, "read", f"{self.recipe.name}.read")
        made: Reader = read.build(self._laid_out)
        return made

    @cached_property
    def _quoting(self) -> Reader:
        if self.recipe.read is not None:
            return self.reader
        made: Reader = resolve("short-answers", "read", f"{self.recipe.name}.read").build(self._laid_out)
        return made

    @cached_property
    def _laid_out(self) -> Resources:
        return replace(self.resources, layout=self.recipe.layout.build(self.resources))


# More recipes than a person or a server asks one library with; those asked longest ago are let go.
MOST = 64


class Pipelines:
    """Pipelines by recipe. Thread-safe: a recipe that several threads ask for at once is built by one of them."""

    def __init__(self) -> None:
        self._built: OrderedDict[Hashable, Pipeline] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, recipe: RecipeSource, resources: Resources) -> Pipeline:
        """The pipeline of a recipe over `resources`; it is made anew where they are others than those it was built with."""
        key = _identity(recipe)
        with self._lock:
            known = self._built.get(key)
            if known is None or known.resources is not resources:
                known = Pipeline(recipe if isinstance(recipe, Recipe) else load_recipe(recipe), resources)
                self._built[key] = known
            self._built.move_to_end(key)
            while len(self._built) > MOST:
                self._built.popitem(last=False)
            return known


def _identity(recipe: RecipeSource) -> Hashable:
    """What tells a recipe from another, without reading it; a file is another once it was written again."""
    if isinstance(recipe, Recipe):
        return "recipe", recipe.name, json.dumps(recipe.as_dict(), default=repr)
    if isinstance(recipe, Mapping):
        return "table", json.dumps(recipe, default=repr)
    name = str(recipe)
    if name.endswith(".toml") and (file := Path(name)).is_file():
        found = file.stat()
        return "file", str(file.absolute()), found.st_mtime_ns, found.st_size, found.st_ino
    return "name", name
