"""Question compression, Task 1: which document is meant, found by questions and cards, by abstracts, by chunks and by full text.

ScisummNet's 978 papers stand for the paper's 109, its two sets of 150 hand-written queries for V2 (the field's terms) and V3 (plain words).
A condition is a corpus under a chunker, cards or none, and a retriever. Acc@k is hit@k on documents, so every figure is a multiple of
1/n; a ranking of chunks is reduced to its documents first. Chunks come in the size that an embedder reads (256 tokens) and in the paper's:
350 characters, recursively with 100 repeated, and of fixed size (80 tokens are the like of 350 characters).

Libraries are kept like those of every evaluation (`corpora`); cards of each kind lie in the folder of the library of whole papers, and
a second run makes nothing again. Cards never see a query: `leaked` counts queries that share five consecutive words with their card.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any, Literal

from decoct.config import resolve
from decoct.data import Document, Query
from decoct.embed.base import Embedder
from decoct.errors import EvaluationError
from decoct.evaluate.metrics.ranking import reciprocal_rank, without_repeats
from decoct.index.base import Store
from decoct.index.resolve import open_store
from decoct.library import DEFAULT_EMBEDDER, Library
from decoct.llm.base import LLM
from decoct.retrieve.cards.build import Build, Built
from decoct.retrieve.cards.contributions import Generator
from decoct.retrieve.cards.generate_rules import Rules
from decoct.retrieve.cards.index import OpenCards, Vectors, card_alone
from decoct_lab.cards.filters import Filtered
from decoct_lab.cards.generate_llm import Asking
from decoct_lab.corpora import libraries
from decoct_lab.dataset import Dataset, Question, load
from decoct_lab.reproduce.arms import Arm

Kind = Literal["", "pooled", "paper", "questions", "model", "document"]
Progress = Callable[[str], None]
SET = "scisummnet"
WHOLE: Mapping[str, Any] = {"use": "fixed", "tokens": 1_000_000, "overlap": 0.0}
HYBRID: Mapping[str, Any] = {"use": "hybrid", "retrievers": ["bm25", "dense"]}
# name: (the set's text, chunker, chunks asked for: enough that five documents are among them)
CORPORA: Mapping[str, tuple[str, Mapping[str, Any], int]] = {
    "abstract": ("abstract", WHOLE, 20),
    "whole": ("full", WHOLE, 20),
    "chunks": ("full", {"use": "fixed", "tokens": 256, "overlap": 0.0}, 150),
    "recursive": ("full", {"use": "recursive", "size": 256}, 150),
    "fixed-350": ("full", {"use": "fixed", "tokens": 80, "overlap": 0.0}, 500),
    "recursive-350": ("full", {"use": "recursive", "size": 350, "overlap": 100, "unit": "characters"}, 500),
}
# What is stored of cards, by the name in `Documents.stored`.
KINDS: Mapping[str, Kind] = {"cards-pooled": "pooled", "cards-questions": "questions", "cards-paper": "paper"}


@dataclass(frozen=True, slots=True)
class CardCondition:
    """A way to find documents; `cards` is the kind that lies beside the library.

    "model": written by the language model; "document": with the document's whole text as a field beside the card, as the recipe `cards`
    has them (the others are found by what the card says alone, as the paper's are).
    """

    corpus: str
    cards: Kind
    retriever: str | Mapping[str, Any]

    @property
    def asks(self) -> bool:
        """Whether the retriever itself has the language model score."""
        return resolve(self.retriever, "retrieve", "retrieve").needs("logprobs")


def _cards(kind: Kind = "pooled", corpus: str = "whole", **settings: Any) -> CardCondition:  # noqa: ANN401 - of a recipe
    # Words of a card alone find less than those of its whole document do, so they weigh less beside vectors.
    own = {} if kind == "document" else {"weights": [0.6, 0.3, 0.3], "card_words": 0.0}
    return CardCondition(corpus, kind, {"use": "cards", **own, **settings})


# Title and summary of the best ten cards are reread: how well does each predict the question?
LIKELIHOOD: Mapping[str, Any] = {
    "scorer": "query-likelihood", "rerank_depth": 10, "rerank_part": "summary", "rerank_weight": 0.5,
}  # fmt: skip
# The small reader rereads title and summary of the best twelve.
REREAD: Mapping[str, Any] = {"scorer": "reader", "rerank_depth": 12, "rerank_part": "summary", "rerank_weight": 0.3}
# The authors' first variant as their code has it: the scorer chooses the anchor, whose card then searches and is asked for in rereading.
VERSION_A: Mapping[str, Any] = {
    "search": "dense", "part": "questions", "anchor_requery": True, "rerank_query": "anchor",
}  # fmt: skip
FLASHRANK = "cross-encoder/ms-marco-MiniLM-L12-v2"  # what FlashRank's MiniLM-L12 was made of
CONDITIONS: Mapping[str, CardCondition] = {
    "bm25-abstract": CardCondition("abstract", "", "bm25"),
    "dense-abstract": CardCondition("abstract", "", "dense"),
    "hybrid-abstract": CardCondition("abstract", "", HYBRID),
    "bm25-full": CardCondition("whole", "", "bm25"),
    # Full text by words with one vector a paper (of what the embedder reads of it): what cards with full text must beat.
    "hybrid-full": CardCondition("whole", "", HYBRID),
    "cards+full": _cards(passages="bm25"),
    "cards-bm25": _cards(search="bm25"),
    "questions-bm25": _cards(search="bm25", part="questions"),
    "cards-dense": _cards(search="dense"),
    "cards-dense-both": _cards(search="dense", part="both"),
    "cards": _cards(),
    "cards-document": _cards("document"),
    "cards-document+full": _cards("document", passages="bm25"),
    "cards-document+reader": _cards("document", **REREAD),
    "cards-dense-paper": _cards("paper", search="dense", part="both"),
    "cards-version-a": _cards("paper", search="dense", part="questions", anchor_requery=True),
    "cards-version-a+scorer": _cards("paper", **VERSION_A, scorer="sentences"),
    # Their second: the first list stays, and its best card is what the scorer is asked with.
    "cards-version-b": _cards("paper", search="dense", part="questions", rerank_query="anchor", scorer="sentences"),
    "cards-version-a+cross-encoder": _cards("paper", **VERSION_A, scorer={"use": "cross-encoder", "model": FLASHRANK}),
    "question-vectors": _cards("questions", search="dense", part="questions"),
    "cards-and-question-vectors": _cards("questions", search="dense", part="both"),
    "model-cards-bm25": _cards("model", search="bm25"),
    "model-questions-bm25": _cards("model", search="bm25", part="questions"),
    "model-cards-dense": _cards("model", search="dense"),
    "model-cards": _cards("model"),
    "model-cards+full": _cards("model", passages="bm25"),
    "cards+full+likelihood": _cards(passages="bm25", **LIKELIHOOD),
    "bm25-chunks": CardCondition("chunks", "", "bm25"),
    "dense-chunks": CardCondition("chunks", "", "dense"),
    "hybrid-chunks": CardCondition("chunks", "", HYBRID),
    "cards+bm25": _cards(corpus="chunks", passages="bm25"),
    "cards+hybrid": _cards(corpus="chunks", passages=HYBRID),
    "cards+links": _cards(corpus="chunks", passages="links", weights=[0.3, 0.15, 1.0]),
    "dense-recursive": CardCondition("recursive", "", "dense"),
    "dense-fixed-350": CardCondition("fixed-350", "", "dense"),
    "dense-recursive-350": CardCondition("recursive-350", "", "dense"),
}


def arms(names: Iterable[str]) -> dict[str, Arm]:
    """Conditions as arms over the same papers: what of them is cut (cards are made of it too), and how it is searched."""
    return {
        name: Arm(name, documents="papers", chunks=one.corpus, ranking=f"{one.cards} {json.dumps(one.retriever)}")
        if (one := CONDITIONS.get(name))
        else Arm(name, documents="papers", chunks=name)  # of the table of storage: kinds of what is stored
        for name in names
    }


@dataclass(slots=True)
class Documents:
    """The corpora of one run. `papers` keeps the first n of the papers that queries ask for (all 978 where None).

    `built` has what each kind of cards cost, `stored` what each corpus and each kind of cards takes.
    """

    data: str | Path | None
    cache: Path
    llm: LLM | None = None
    embedder: str | Embedder = DEFAULT_EMBEDDER
    papers: int | None = None
    progress: Progress = lambda _: None
    built: dict[str, dict[str, Any]] = field(default_factory=dict)
    stored: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def kept(self) -> int:
        """How many papers are searched."""
        return len(self._dataset("full").lengths)

    def questions(self, queries: str) -> list[Question]:
        """The queries of a set ("technical", "conceptual" or "citing") that ask for a paper of this run, in the set's order."""
        here = self._dataset("full").lengths
        return [q for q in load(SET, self.data, {"queries": queries}).questions if q.supporting_ids[0] in here]

    def found(self, name: str, questions: Sequence[Question]) -> list[list[str]]:
        """The documents that a condition finds for each question, best first."""
        condition = CONDITIONS[name]
        depth = CORPORA[condition.corpus][2]
        with self.opened(name) as library:
            pipeline = library.pipeline({"retrieve": condition.retriever})
            return [
                without_repeats(hit.chunk.span.doc_id for hit in pipeline.search(Query(question.question), depth))
                for question in questions
            ]

    def leaked(self, questions: Sequence[Question], kind: Kind = "pooled") -> int:
        """How many queries share five consecutive words with the card of their paper (a paper may have none: generation can fail)."""
        with self.library("whole") as library, self.cards(library, kind) as cards:
            made = cards.digests([q.supporting_ids[0] for q in questions])
            asked = ((q.question, q.supporting_ids[0]) for q in questions if q.supporting_ids[0] in made)
            return sum(shares_words(question, card_alone(cards.document(paper)).text) for question, paper in asked)

    @contextmanager
    def opened(self, name: str) -> Iterator[Library]:
        """The library of a condition, with its cards."""
        condition = CONDITIONS[name]
        if condition.asks and self.llm is None:
            raise EvaluationError(
                f"{name} asks a language model that gives log-probabilities: give one with --llm NAME"
            )
        with self.library(condition.corpus, self.llm if condition.asks else None) as library:
            if not condition.cards:
                yield library
                return
            with self.library("whole") as whole, self.cards(whole, condition.cards) as cards:
                library.use_cards(OpenCards(library.store, cards))
                yield library

    @contextmanager
    def library(self, corpus: str, llm: LLM | None = None) -> Iterator[Library]:
        """The library of a corpus, filled; `llm` is what its retrievers may ask."""
        text, chunker, _ = CORPORA[corpus]
        spec = json.dumps(dict(chunker), sort_keys=True)
        with libraries(
            self._dataset(text), {spec}, self.cache, embedder=self.embedder, llm=llm, progress=self.progress
        ) as opened:
            library = opened[spec]
            self.stored[corpus] = {"vectors": library.status().chunks}
            yield library

    @contextmanager
    def cards(self, library: Library, kind: Kind) -> Iterator[Store]:
        """The cards of one kind, made where they are missing."""
        folder = f"{library.cards.location}-{kind}"
        cards = open_store(folder, {"embedder": library.embedder.fingerprint})
        try:
            vectors: Vectors = "paper" if kind == "paper" else "pooled"
            build = Build(
                library.store,
                cards,
                library.embedder,
                self._generator(library, kind),
                vectors,
                kind == "questions",
                kind == "document",
            )

            def told(report: Built) -> None:
                self.progress(f"{kind} cards: {report.made} of {expected}")

            expected = build.estimate().documents
            report = build.run(told)
            status = cards.status()
            sizes = [len(card_alone(cards.document(info.id)).text.encode()) for info in cards.documents()]
            self.built[kind] = {
                **report.as_dict(),
                "card_bytes": {"mean": round(mean(sizes or [0])), "most": max(sizes, default=0)},
            }
            self.stored[f"cards-{kind}"] = {"vectors": status.chunks, "bytes": status.bytes}
            yield cards
        finally:
            cards.close()

    def _generator(self, library: Library, kind: Kind) -> Generator:
        if kind != "model":
            return Rules()
        if self.llm is None:
            raise EvaluationError("cards by a language model need one: give --llm NAME")
        return Filtered(Asking(self.llm, library.budget(1).tokenizer), library.store, library.embedder)

    def _dataset(self, text: str) -> Dataset:
        # One set of options for both sets of queries, so that they share a library.
        dataset = load(SET, self.data, {"queries": "hand-written", "text": text})
        if self.papers is None:
            return dataset
        wanted = dict.fromkeys(sorted(q.supporting_ids[0] for q in dataset.questions))
        kept = dict(islice(((i, dataset.lengths[i]) for i in wanted), self.papers))
        whole = dataset.read

        def read() -> Iterator[Document]:
            return (document for document in whole() if document.id in kept)

        return replace(dataset, read=read, lengths=kept)


def figures(found: Sequence[Sequence[str]], questions: Sequence[Question]) -> dict[str, float]:
    """Acc@3, Acc@5 and their MRR."""
    gold = [set(question.supporting_ids) for question in questions]
    made = {}
    for k in (3, 5):
        made[f"acc@{k}"] = round(mean(bool(g & set(f[:k])) for f, g in zip(found, gold, strict=True)), 4)
        ranks = [reciprocal_rank(f, g, k) or 0.0 for f, g in zip(found, gold, strict=True)]
        made[f"mrr@{k}"] = round(mean(ranks), 4)
    return made


def shares_words(query: str, card: str, run: int = 5) -> bool:
    """Whether `run` consecutive words of the query stand in the card."""
    words, text = query.lower().split(), " ".join(card.lower().split())
    return any(" ".join(words[at : at + run]) in text for at in range(len(words) - run + 1))
