"""The systems of the conflict benchmark: what makes a context of a question's documents, and which readers read it.

Baselines: the best 1 and the best 5 documents by BM25, sentences chosen like RECOMP's by an untrained embedder up to the paper's 750
tokens, LLMLingua where a model for losses is given. CASC: the ablations of Table II, the full context by rules, and `casc` with a model
where one is given. Without a model every context of quotes is read by the bundled reader (`short-answers`, as `ask` reads) and by word
overlap (`extractive`), the CASC ones by their own reader too, which tells what the bundled reader read; with one, that model reads all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from decoct.answer.base import Reader
from decoct.answer.casc import CascReader
from decoct.answer.cited import Cited
from decoct.answer.short_answers import ShortAnswers
from decoct.context.base import ContextStep, Layout
from decoct.context.casc.extract_rules import ByRules
from decoct.context.casc.notes import Sections
from decoct.context.casc.step import Casc
from decoct.context.layouts import Numbered
from decoct.embed.base import Embedder
from decoct.index.base import Store
from decoct.llm.base import LLM, SupportsLogprobs
from decoct_lab.answer.extractive import Extractive
from decoct_lab.casc.extract_short import ByLanguageModel
from decoct_lab.context.llmlingua import LLMLingua
from decoct_lab.context.recomp import RecompExtractive
from decoct_lab.reproduce.arms import Arm, unnamed

WIDE = 5400  # tokens: top-5 is never cut
BUDGET = 405  # the paper's mean for CASC
BASELINE = 750  # the paper's mean for RECOMP
NOTES = ("casc", "casc-rules", "casc-llm")
"""Systems whose context is lines about the documents, in place of words of theirs that a reader of passages could read."""


@dataclass(frozen=True)
class System:
    """`step` makes the context step over a question's documents (None: the documents themselves); `slow`: a model call a document."""

    name: str
    step: Callable[[Store], ContextStep] | None
    documents: int = 5
    layout: Layout = field(default_factory=Numbered)
    limit: int = WIDE
    slow: bool = False


def systems(llm: LLM | None, losses: SupportsLogprobs | None, embedder: Embedder) -> Iterator[System]:
    """Every system that the models at hand allow."""
    yield System("top-1", None, 1)
    yield System("top-5", None)
    yield System("recomp-untrained", lambda store: RecompExtractive(embedder, keep=0), limit=BASELINE)
    if losses is not None:
        yield System("llmlingua", lambda store: LLMLingua(losses), limit=BASELINE, slow=True)
    yield System("casc:extract", lambda store: Casc(store, depth="extract"), limit=BUDGET)
    yield System("casc:check", lambda store: Casc(store, depth="check"), limit=BUDGET)
    yield System("casc", Casc, layout=Sections(), limit=BUDGET)
    yield System("casc-rules", lambda store: Casc(store, ByRules()), layout=Sections(), limit=BUDGET)
    if llm is not None:
        yield System(
            "casc-llm", lambda store: Casc(store, ByLanguageModel(llm)), layout=Sections(), limit=BUDGET, slow=True
        )


def arm(system: System, reader: str) -> Arm:
    """A system with one of its readers as an arm; a reader of notes tells what the reader that made them read."""
    told = "rules" if system.name == "casc-rules" else "short-answers"
    return Arm(
        f"{system.name} | {reader}",
        documents=str(system.documents),
        context=system.name,
        budget=str(system.limit),
        tokenizer="wordpiece",
        reader=told if reader == "casc" else reader,
    )


def baseline(system: System, reader: str) -> str | None:
    """The arm of the best five documents that differs in nothing but the context and its size; None where nobody reads both."""
    five = "short-answers" if reader == "casc" else reader  # notes are read by nobody else
    plain = arm(System("top-5", None), five)
    return plain.name if not unnamed(arm(system, reader), plain, ("context", "budget", "documents")) else None


def readers(system: str, llm: LLM | None) -> Iterator[tuple[str, Reader]]:
    """The readers of one system's contexts by name."""
    if llm is not None:
        yield "llm", CascReader(llm) if system in NOTES else Cited(llm)
        return
    yield "extractive", Extractive()
    if system not in NOTES:
        yield "short-answers", ShortAnswers()
    if system.startswith("casc"):
        yield "casc", CascReader()
