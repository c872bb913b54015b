"""The library: a body of documents on disk, and everything a user asks of it.

library = Library.open("my-library")
library.add(["docs/", Document("note-1", "…")])
answer = library.ask("When was the bridge opened?")
answer.text, answer.citations, answer.context.passages, answer.trace
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from decoct.arguments import checked
from decoct.budget import Budget, BudgetInChunks, Tokenizer, budget_of
from decoct.config import Resources, resolve
from decoct.data import Answer, Context, Document, Hit, Query, holds_words
from decoct.embed.base import Embedder
from decoct.errors import CorpusError, QueryError
from decoct.index.base import DocumentInfo, Status, Store
from decoct.index.filters import Given, where_of
from decoct.ingest import Ingest, Report
from decoct.llm.base import LLM
from decoct.opening import DEFAULT_CHUNKER, DEFAULT_EMBEDDER, Following, LibraryAsked
from decoct.pipeline import Pipeline, Pipelines
from decoct.reading.base import PassageReader, SecondReader
from decoct.reading.resolve import open_reader, open_second
from decoct.recipe import RecipeSource
from decoct.retrieve.base import CardSource
from decoct.retrieve.cards.of_library import LibraryCards
from decoct.structure.library import LaboratoryStructures
from decoct.structure.place import UNPLACED
from decoct.text.languages import AUTO

if TYPE_CHECKING:
    from decoct.conversation.turns import History
    from decoct.documents.places import DocumentExcerpt
    from decoct.feed import Feed, ReadFile

Where = Given  # metadata key -> the value, or values, that a document may have, or bounds: {"year": {">=": 2020}}
__all__ = ["DEFAULT_CHUNKER", "DEFAULT_EMBEDDER", "Library", "Where"]
T = TypeVar("T")


@checked
class Library:
    """An open library: reading methods are thread-safe, one process writes at a time, and it goes on where it is built anew (`follow`)."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        chunker: Mapping[str, Any],
        llm: LLM | None,
        location: str | Path = "",
        *,
        language: str = AUTO,
    ) -> None:
        from decoct.embed.remember import Remembering
        from decoct.embed.tokenizer import default_tokenizer
        from decoct.index.resolve import folder_of, is_folder

        self.store = store
        self.embedder: Embedder = Remembering(embedder)
        self._chunker = resolve(chunker, "chunk", "chunker")
        self._language = language
        self._tokenizer = default_tokenizer()
        home = folder_of(location, "this") if location and is_folder(location) else None
        self.own_folders = (home,) if home else ()  # never ingested, also by `ingest .`
        self._unplaced = False
        self.structures = LaboratoryStructures(store, self.embedder, home)
        self.cards = LibraryCards(store, self.embedder)
        self._resources = Resources(
            store, self.embedder, self._tokenizer, llm, structures=self.structures, cards=self.cards
        )
        self._pipelines = Pipelines()
        self._following: Following | None = None  # a library that is made of its parts is all there is

    @classmethod
    def open(
        cls,
        location: str | Path,
        *,
        embedder: str | Embedder | None = None,
        chunker: str | Mapping[str, Any] | None = None,
        llm: str | LLM | None = None,
        language: str | None = None,
        create: bool = True,
    ) -> Self:
        """Open the library at `location`, or make one there: a folder, or the address of a store that is registered by its scheme.

        An existing library is opened with the embedder and chunker it was built with; naming others raises `StaleIndexError`, since
        vectors of different models cannot be compared. `llm` is a spec such as `openai:gpt-4o-mini` or `local:NAME`, whose replies are
        kept on disk (`decoct.llm.cache`), or a model of your own, whose replies are not. `language` (ISO 639-1, such as "de") says how
        words are stemmed and in which language scans are recognised (`decoct.documents.paged.ocr`); by default each document's own
        language is detected ("auto").
        """
        from decoct.llm.resolve import configured_llm

        asked = LibraryAsked(location, embedder, chunker, language)
        found = asked.opened(create=create)
        reader = configured_llm(llm)
        made = cls(found.store, found.embedder, found.chunker, reader, location, language=found.settings["language"])
        made._following = Following(asked, found)
        made._unplaced = found.unplaced
        return made

    @property
    def llm(self) -> LLM | None:
        """The language model that recipes are handed; another may be put in its place."""
        return self._resources.llm

    @llm.setter
    def llm(self, model: LLM | None) -> None:
        self._resources = replace(self._resources, llm=model)

    def use_cards(self, source: CardSource) -> None:
        """Let recipes search these cards in the place of `cards`, which are kept beside the library's store."""
        self._resources = replace(self._resources, cards=source)

    @property
    def build(self) -> str:
        """What shapes what is stored besides the sources: a document is stored again when it changes."""
        return json.dumps([self.embedder.fingerprint, self._chunker.as_dict()], sort_keys=True)

    # -- documents ------------------------------------------------------------------------------------------------
    def add(
        self,
        sources: str | Path | Document | Mapping[str, Any] | Iterable[str | Path | Document | object] | Feed,
        *,
        allow_private: bool = False,
        depth: int = 0,
        progress: Callable[[Report], None] | None = None,
    ) -> Report:
        """Add files, folders, URLs and documents; what is already there unchanged costs nothing, what changed is replaced.

        A document is a `Document`, one of LangChain, LlamaIndex or Haystack, or a mapping with `text` (and `id`, `title`, `metadata`).
        `CorpusError` for anything else.

        A source that cannot be read is a failure in the report and does not stop the others. `allow_private` lets URLs name private
        and loopback addresses; with `depth` their links are followed so many steps on the same host (`decoct.documents.network.crawl`).
        """
        from decoct.feed import Feed

        self.follow()
        feed = (
            sources
            if isinstance(sources, Feed)
            else Feed(_given(sources), allow_private, self.own_folders, depth=depth, language=self._language)
        )
        chunker = self._chunker.build(replace(self._resources, store=None))
        report, ingest = Report(), Ingest(self.store, chunker, self.embedder, self.build, feed.stored, self._language)
        ingest.run(feed.documents(report), progress, report)
        if self._unplaced and report.chunks:  # now its settings have it
            report.notes.append(UNPLACED)
            self._unplaced = False
        return report

    def sync(
        self,
        source: str | Path | Iterable[str | Path],
        *,
        prune: bool = False,
        allow_private: bool = False,
        depth: int = 0,
        progress: Callable[[Report], None] | None = None,
        remembered: dict[str, ReadFile] | None = None,
    ) -> Report:
        """Add files, folders and URLs as `add` does, and find what vanished from them since; with `prune` remove it (`decoct.sync`).

        The report's `gone` counts the stored documents whose file or record is no longer there, `removed` those removed, and `kept`
        says why gone ones were kept. `remembered`, a dict that is empty at first, lets later calls pass over files not touched since.
        """
        from decoct.feed import Feed
        from decoct.sync import finish

        stored = {info.id: info.source for info in self.store.documents()}
        given = [source] if isinstance(source, (str, Path)) else list(source)
        feed = Feed(
            given, allow_private, self.own_folders, stored, remembered or {}, depth=depth, language=self._language
        )
        report = self.add(feed, progress=progress)
        finish(self.store, stored, feed, report, prune=prune)
        if remembered is not None:
            remembered.clear()
            remembered.update(feed.read)
        return report

    def delete(self, *doc_ids: str) -> int:
        """Remove documents and all that was derived from them; return how many there were."""
        return self.store.delete(doc_ids)

    def document(self, doc_id: str) -> Document:
        """The stored document: `library.document(span.doc_id).text[span.start:span.end]` is what a span points at."""
        return self._now(lambda: self.store.document(doc_id))

    def span(self, doc_id: str, start: int, end: int, around: int = 0) -> DocumentExcerpt:
        """The text at characters `start` to `end` of a document, up to `around` characters on each side, and the page and heading."""
        from decoct.documents.places import excerpt_of

        return excerpt_of(self.document(doc_id), start, end, around)

    def documents(self, where: Where | None = None) -> Iterator[DocumentInfo]:
        """The documents in the order of their ids, without their texts."""
        self.follow()
        return self.store.documents(where_of(where))

    def status(self) -> Status:
        """Counts, size and settings."""
        return self._now(lambda: self.store.status())  # noqa: PLW0108 - of the store that is open then

    def structure(self, name: str, settings: Mapping[str, Any] | None = None, *, model: bool = True) -> Any:  # noqa: ANN401
        """The way to build the structure `name` (a `BuildStructure` of decoct-lab), with this library's language model or without one.

        `library.structure("hipporag2").run()` builds it or brings it up to date; `estimate()` tells the cost before. `model=False` builds
        the form without a model, whatever the library has.
        """
        resources = self._resources if model else replace(self._resources, llm=None)
        return self.structures.build(
            name, resolve({**(settings or {}), "use": name}, "structure", name).build(resources)
        )

    # -- questions ------------------------------------------------------------------------------------------------
    def search(
        self, question: str, k: int = 10, recipe: RecipeSource = "default", *, where: Where | None = None
    ) -> list[Hit]:
        """The `k` best chunks, best first. Retrieval alone is built: a recipe whose later parts need a language model works without."""
        query = _query(question, where)
        if k < 1:
            raise QueryError(f"k is a whole number of chunks, 1 or more, not {k!r}")
        hits = self._now(lambda: self.pipeline(recipe).search(query, k))
        self._check_not_empty(bool(hits))
        return hits

    def context(
        self,
        question: str,
        budget: int | str | None = None,
        recipe: RecipeSource = "default",
        *,
        where: Where | None = None,
    ) -> Context:
        """What a reader should see of the library to answer, in at most `budget` tokens (the recipe's own where None).

        A budget such as "5x" is five times the mean length of the chunks that the question finds.
        """
        query = _query(question, where)
        context = self._now(lambda: self.pipeline(recipe).context(query, self._asked(budget, recipe)))
        self._check_not_empty(bool(context.passages))
        return context

    def ask(
        self,
        question: str,
        budget: int | str | None = None,
        recipe: RecipeSource = "default",
        *,
        where: Where | None = None,
        sink: Callable[[str], None] | None = None,
        caution: float | None = None,
        history: History | None = None,
        reader: str | PassageReader | None = None,
        second: str | SecondReader | None = None,
    ) -> Answer:
        """A cited answer. `sink` is handed the answer's pieces as they are written, where the reader can stream.

        Without a language model nothing is claimed that is right with a probability below `caution` (0 to 1; None: the reader's own),
        and `reader` reads the passages: one of your own, or a spec such as `hub:deepset/roberta-base-squad2` (`decoct.reading.resolve`).
        `second` reads again what would be claimed; a no lowers its score, and below `caution` it is taken back: "llm" is the library's
        language model, one short call a claim; the answer is quoted then and not written by the model.
        `history` holds the turns before the question, oldest first, with which it is understood (`decoct.conversation`): `answer.context.
        question` is what it was taken to mean, the trace's fact `asked` how, and what asks nothing is declined.
        """
        own = open_reader(reader) if isinstance(reader, str) else reader
        again = open_second(second, self.llm) if isinstance(second, str) else second

        def answered(words: str, written: Callable[[str], None] | None) -> Answer:
            query = _query(words, where)
            # Both are of the library that lies there when it is asked: an older one's pipeline would look in what is gone.
            answer = self._now(
                lambda: self.pipeline(recipe).ask(
                    query, self._asked(budget, recipe), written, caution, own, second=again
                )
            )
            self._check_not_empty(bool(answer.context.passages))
            return answer

        if history is None:
            return answered(question, sink)
        from decoct.conversation.meant import answer_in_conversation

        limit = self._asked(budget, recipe)
        within = limit if isinstance(limit, Budget) else self.budget(1)  # nothing is shown where nothing is asked
        return answer_in_conversation(question, history, self.llm, within, answered, sink=sink, knows=self._knows)

    def _knows(self, words: str) -> bool:
        """Whether a chunk holds one of the words, as they are or put right."""
        from decoct.retrieve.spelling import knows

        return self._now(lambda: knows(words, self.store))

    def pipeline(self, recipe: RecipeSource = "default") -> Pipeline:
        """The recipe's pipeline over this library, read and built once for all questions; a `.toml` file is read again when it changed."""
        return self._pipelines.of(recipe, self._resources)

    def budget(self, limit: int) -> Budget:
        """`limit` tokens as the reader counts them: the language model's own tokenizer where it has one here."""
        return Budget(limit, self._reads())

    def _asked(self, budget: int | str | None, recipe: RecipeSource) -> Budget | BudgetInChunks:
        return budget_of(self.pipeline(recipe).recipe.budget if budget is None else budget, self._reads())

    def _reads(self) -> Tokenizer:
        tokenizer: Tokenizer = self.llm if hasattr(self.llm, "counts") else self._tokenizer  # type: ignore[assignment]
        return tokenizer

    def follow(self) -> None:
        """Go on with the library that lies at the location now, if it was built anew or replaced since; each method does it by itself.

        `StaleIndexError` where that was built otherwise than this one was asked to be (by `embedder`, `chunker` or `language`).
        """
        if self._following is not None:
            self._following.follow(self)

    def _now(self, ask: Callable[[], T]) -> T:
        """What is found in the library that lies at the location now."""
        return ask() if self._following is None else self._following.now(self, ask)

    def close(self) -> None:
        """Release the library's files."""
        self.cards.close()
        self.store.close()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: object) -> Self:
        """The library itself: it is shared, never doubled."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """By its place, where it is opened again as it was here."""
        if self._following is None:
            raise TypeError(
                "a library that was made of its parts has no place to be opened at again: it cannot be pickled"
            )
        return _reopened, (self._following.asked, self.llm)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_not_empty(self, found: bool) -> None:
        if not found and self.store.status().documents == 0:
            raise CorpusError("the library is empty: add documents first (`decoct ingest FILES…`)")


def _reopened(asked: LibraryAsked, llm: LLM | None) -> Library:
    """A pickled library, where it is unpickled."""
    return Library.open(
        asked.location, embedder=asked.embedder, chunker=asked.chunker, llm=llm, language=asked.language, create=False
    )


def _given(sources: object) -> Iterable[str | Path | Document]:
    """What a user named, one by one, documents of others as ours; a list stays one, since it can be counted before it is read."""
    several = isinstance(sources, Iterable) and not isinstance(sources, str | Path | Document | Mapping)
    if (
        not several or hasattr(sources, "page_content") or hasattr(sources, "get_content")
    ):  # pydantic's objects can be iterated over
        return [_source(sources)]
    return list(map(_source, sources)) if isinstance(sources, list | tuple) else map(_source, sources)  # type: ignore[call-overload]


def _source(given: object) -> str | Path | Document:
    from decoct.integrations.documents import document_of

    return given if isinstance(given, str | Path | Document) else document_of(given)


def _query(question: str, where: Where | None) -> Query:
    from decoct.embed.base import well_formed

    query = Query(well_formed(question), where_of(where))  # arguments of a command line may hold bytes that are no text
    if not holds_words(query.text):
        raise QueryError(f"the question {question.strip()[:40]!r} holds no word: ask with a letter or a digit at least")
    return query
