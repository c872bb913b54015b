"""The conditions of CASC's tables: what makes a context of a question's own documents, who reads it, and what is measured of the answer.

Every condition is given the same documents: the best one or five of the question's by BM25. With a language model it reads all of them.
Without, quotes are read by the reader that was named, and a full CASC context from its notes, which tell what the bundled reader read: an
equal arm of conditions that this reader reads, and of no other (`arm`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from decoct import trace
from decoct.answer.base import Reader
from decoct.answer.casc import CascReader
from decoct.answer.cited import Cited
from decoct.answer.short_answers import ShortAnswers
from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.context.base import ContextStep, Layout
from decoct.context.casc.extract_reader import ByReader
from decoct.context.casc.extractor import Extractor
from decoct.context.casc.notes import Conflict, Sections
from decoct.context.casc.sources import relevant
from decoct.context.casc.step import By, Casc
from decoct.context.layouts import Numbered
from decoct.data import Answer, Context, Document, Draft, Passage, Query, Span
from decoct.embed.base import Embedder
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.errors import CorpusError, EvaluationError
from decoct.evaluate.dataset_types import Dataset, Question
from decoct.evaluate.metrics.answers import exact_match, token_f1
from decoct.evaluate.reader_names import EXTRACTIVE, SHORT_ANSWERS
from decoct.index.base import Store
from decoct.llm.base import LLM, complete_one
from decoct.llm.prompts import load_prompt
from decoct_lab.answer.extractive import Extractive
from decoct_lab.casc.extract_llm import ByTrainedModel
from decoct_lab.casc.extract_short import ByLanguageModel
from decoct_lab.context.llmlingua import LLMLingua
from decoct_lab.context.recomp import RecompExtractive
from decoct_lab.llm.abilities import scoring
from decoct_lab.measures.conflicts import labelled_pairs
from decoct_lab.measures.hallucination import hallucination
from decoct_lab.measures.values import mentioned
from decoct_lab.reproduce.arms import Arm

WIDE, CASC, BASELINE = 5400, 405, 750  # tokens: never cut; the paper's means for CASC and for RECOMP
READERS: Mapping[str, Callable[[], Reader]] = {SHORT_ANSWERS: ShortAnswers, EXTRACTIVE: Extractive}
"""Who may read without a language model; the first is what `ask` reads by."""
BY_MODEL: Mapping[str, tuple[str, By, By]] = {  # who extracts, checks, and synthesises
    "casc-llm": ("llm", "model", "model"),
    "casc-model": ("trained", "model", "model"),
    "casc-extract-model": ("llm", "rules", "rules"),
    "casc-check-model": ("reader", "model", "rules"),
    "casc-synthesis-model": ("reader", "rules", "model"),
}
"""CASC with a language model in some of its steps; the last three put it into one step each, beside `casc` with the same reader."""
NAMES = (
    "top-1", "top-5", "recomp", "llmlingua", "fine-tune-reader", "casc-extract", "casc-extract-check", "casc", *BY_MODEL
)  # fmt: skip
TRAINED = ("fine-tune-reader", "casc-model")
"""Conditions of a trained model: another --llm than the one of the other conditions, so they are run only where they are asked for."""
_TOP = 5
_MAX_TOKENS = 128
# The paper's types of error, by what ours are assigned by.
TYPES: Mapping[str, str] = {
    "lost": "incomplete", "not-retrieved": "incomplete", "wrong-side": "contradictory", "not-detected": "contradictory",
    "unsupported": "hallucination", "over-cautious": "irrelevant", "misread": "misinterpretation",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ConflictCase:
    """A question with its own documents, best first, and whether some of them are labelled as contradicting each other."""

    question: Question
    documents: tuple[Document, ...]
    conflict: bool


@dataclass(frozen=True, slots=True)
class OwnDocuments:
    """The documents of one question, as the part of a store that a step asks."""

    held: Mapping[str, Document]

    def document(self, doc_id: str) -> Document:
        """The document of an id."""
        if doc_id not in self.held:
            raise CorpusError(f"no document {doc_id}")
        return self.held[doc_id]


def cases(dataset: Dataset, questions: Sequence[Question]) -> list[ConflictCase]:
    """The questions with the documents that come with them."""
    documents = {document.id: document for document in dataset.documents()}
    made = []
    for question in questions:
        ids = question.candidate_ids or question.supporting_ids
        held = [documents[i] for i in ids if i in documents]
        best = _ranked(question.question, held)[:_TOP]
        if best:
            named = {document.id for document in best}
            pairs = labelled_pairs(question) or frozenset()
            made.append(ConflictCase(question, tuple(best), any(set(pair) <= named for pair in pairs)))
    if not made:
        raise EvaluationError(
            f"{dataset.spec.name} gives its questions no documents of their own; take scidocs-conflicts"
        )
    return made


def _ranked(question: str, documents: Sequence[Document]) -> list[Document]:
    left, ranked = list(documents), list[Document]()
    while left:
        (best,) = relevant(question, left, 1) or left[:1]
        ranked.append(best)
        left.remove(best)
    return ranked


def why_not(name: str, llm: LLM | None) -> str:
    """Why a condition cannot be run; "" where it can."""
    if (name in ("llmlingua", "fine-tune-reader") or name in BY_MODEL) and llm is None:
        return "needs --llm"
    if name == "llmlingua" and not hasattr(llm, "losses"):
        return "needs a model that gives log-probabilities (a local one)"
    return ""


def arm(name: str, llm: LLM | None, reader: str) -> Arm:
    """A condition as an arm; `reader` is who reads quotes where no language model does."""
    budget = CASC if name.startswith("casc") else BASELINE if name in ("recomp", "llmlingua") else WIDE
    reads = llm.fingerprint if llm is not None else SHORT_ANSWERS if name == "casc" or name in BY_MODEL else reader
    documents = "1" if name == "top-1" else str(_TOP)
    return Arm(name, documents=documents, context=name, budget=str(budget), tokenizer="wordpiece", reader=reads)


def condition_measures(
    name: str, case: ConflictCase, llm: LLM | None, embedder: Embedder, reader: str = SHORT_ANSWERS
) -> dict[str, Any]:
    """What is measured of one condition's answer to one question, where no language model reads by `reader`; JSON-ready."""
    query = Query(case.question.question)
    shelf = cast("Store", OwnDocuments({document.id: document for document in case.documents}))
    documents = case.documents[:1] if name == "top-1" else case.documents
    draft = Draft(tuple(Passage(d.text, (Span(d.id, 0, len(d.text)),), title=d.title) for d in documents if d.text))
    step, layout, limit = _made(name, shelf, llm, embedder)
    budget = Budget(limit, WordPieceTokenizer())
    with trace.recording() as record:
        draft = step.apply(query, draft, budget) if step is not None else draft
        context = assemble(query, draft, budget, layout, record)
    answer = _read(name, context, documents, llm, reader)
    return answer_measures(case, context, answer)


def _made(name: str, store: Store, llm: LLM | None, embedder: Embedder) -> tuple[ContextStep | None, Layout, int]:
    match name:
        case "recomp":
            return RecompExtractive(embedder, keep=0), Numbered(), BASELINE
        case "llmlingua":
            return LLMLingua(scoring(cast("LLM", llm))), Numbered(), BASELINE
        case "casc-extract":
            return Casc(store, depth="extract"), Numbered(), CASC
        case "casc-extract-check":
            return Casc(store, depth="check"), Numbered(), CASC
        case _ if name == "casc" or name in BY_MODEL:
            return _by_model(name, store, llm) if name in BY_MODEL else Casc(store), Sections(), CASC
        case _:
            return None, Numbered(), WIDE


def _by_model(name: str, store: Store, llm: LLM | None) -> Casc:
    extracts, checks, writes = BY_MODEL[name]
    model = cast("LLM", llm)
    extractors: Mapping[str, Extractor] = {
        "llm": ByLanguageModel(model), "trained": ByTrainedModel(model), "reader": ByReader()
    }  # fmt: skip
    return Casc(store, extractors[extracts], check=checks, synthesis=writes, llm=model)


def _read(name: str, context: Context, documents: Sequence[Document], llm: LLM | None, reader: str) -> Answer:
    if name == "fine-tune-reader":
        prompt = load_prompt("decoct_lab.train", "reader", ("documents", "question"))
        shown = "\n\n".join(
            f"[{i}] {d.title} ({d.metadata.get('kind', '')}, {d.metadata.get('date', '')})\n{d.text}"
            for i, d in enumerate(documents, 1)
        )
        request = prompt.request({"documents": shown, "question": context.question}, max_tokens=_MAX_TOKENS)
        return Answer(complete_one(cast("LLM", llm), request).text.strip(), (), context)
    if name == "casc" or name in BY_MODEL:
        return CascReader(llm).answer(context)
    return (Cited(llm) if llm is not None else READERS[reader]()).answer(context)


def without_citations(answer: Answer) -> str:
    """The text of an answer without its marks."""
    plain = answer.text
    for citation in reversed(answer.citations):
        plain = plain[: citation.start] + plain[citation.end :]
    return plain


def answer_measures(case: ConflictCase, context: Context, answer: Answer) -> dict[str, Any]:
    """The measures of one answer: `em`, `f1`, its label, and the type of its error by rule."""
    question = case.question
    plain = without_citations(answer).strip()
    # Measures of strings are of the words that answer, whoever found them: one reader quotes their sentence, another the words alone.
    words = "; ".join(one.text for one in answer.answers) or plain
    label = hallucination(
        plain,
        question.question,
        question.groups,
        question.wrong_answers,
        [d.text for d in case.documents],
        found=answer.found,
    )
    wrong = label in ("misled", "unsupported")
    return {
        "id": question.id,
        "conflict": case.conflict,
        "em": exact_match(words, question.answers),
        "f1": token_f1(words, question.answers),
        "tokens": float(answer.context.tokens),
        "unsupported": float(label == "unsupported"),
        "wrong": float(wrong),
        "not wrong": float(not wrong),
        "error": ""
        if label in ("correct", "both")
        else TYPES[error_kind(label, question, case.documents, context, conflict=case.conflict)],
        "context": context.text,
    }


def error_kind(
    label: str, question: Question, documents: Sequence[Document], context: Context, *, conflict: bool
) -> str:
    """Why an answer with this label is not right, by the first that fits; a key of `TYPES`.

    `conflict` says whether the documents contradict each other.
    """
    wanted = {alias for group in question.groups for alias in group}
    if label == "unsupported":
        return "unsupported"
    if not any(mentioned(wanted, document.text) for document in documents):
        return "not-retrieved"
    if not mentioned(wanted, context.text):
        return "lost"
    conflicts = [note for note in context.conflicts if isinstance(note, Conflict)]
    rivals = set(question.wrong_answers)
    if any(note.chosen is not None and mentioned(rivals, note.chosen) for note in conflicts):
        return "wrong-side"
    if conflict and "conflicts" in context.notes and not conflicts:
        return "not-detected"
    return "over-cautious" if label == "abstain" else "misread"


def error_shares(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, float]]:
    """Each type's share, in a hundred, of the answers that are not right."""
    errors = [row["error"] for row in rows if row["error"]]
    for kind in dict.fromkeys(TYPES.values()):
        yield kind, 100 * errors.count(kind) / len(errors) if errors else 0.0
