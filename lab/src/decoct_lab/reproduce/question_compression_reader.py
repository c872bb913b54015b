"""Question compression, Task 2: the syntactic filter on the candidate passages of 2WikiMultiHopQA, with the control that the paper lacks.

The passages that pass, in their order, are read by the extractive reader (no model), or by a language model, which is asked once at
temperature 0 and three times at 0.5. Three measures, never mixed (lab/docs/methods.md): `contain_any3`, if any of the three draws holds
all words of the first gold answer, which the paper prints as F1; `contain_first`, the same of the first draw; `token_f1` of the answer at
temperature 0. "all" is the control: the same passages without the filter.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.context.layouts import Numbered
from decoct.data import Draft, Passage, Query, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.evaluate.dataset_types import Dataset, Question
from decoct.evaluate.metrics.answers import token_f1
from decoct.evaluate.run import sample
from decoct.evaluate.significance import compare
from decoct.llm.base import LLM, Message, Reply, Request
from decoct.trace import Trace
from decoct_lab.answer.extractive import Extractive
from decoct_lab.reproduce.arms import Arm
from decoct_lab.reproduce.contain_any import contain_any, contain_first
from decoct_lab.retrieve.syntactic import passing_passages

Texts = Mapping[str, tuple[str, str]]
Filter = Callable[[str, Sequence[str]], list[int]]
CONTROL = "all"
FILTERS: Mapping[str, Filter] = {
    CONTROL: lambda _, texts: list(range(len(texts))),
    "L=1": lambda question, texts: passing_passages(question, texts, 1),
    "L=2": lambda question, texts: passing_passages(question, texts, 2),
    "L=3": lambda question, texts: passing_passages(question, texts, 3),
    "L=3 entries": lambda question, texts: passing_passages(question, texts, 3, "entries"),
    "auto": lambda question, texts: passing_passages(question, texts, "auto"),
}
METRICS = ("contain_any3", "contain_first", "token_f1")
# LongBench's limit on answers of this set, and what the authors' evaluation draws.
ANSWER, DRAWS, TEMPERATURE = 32, 3, 0.5
# As many questions as the paper asks.
QUESTIONS = 200
# Longer than any ten candidates: the filter decides what is read, no budget does.
_BUDGET = 8000


def arms(names: Iterable[str], reads: str) -> dict[str, Arm]:
    """Filters as arms: which of the same candidate passages the same reader is shown."""
    return {
        name: Arm(name, documents="candidates", context=name, budget=str(_BUDGET), tokenizer="default", reader=reads)
        for name in names
    }


@dataclass(frozen=True, slots=True)
class Candidates:
    """Questions that have candidate passages, and the passages' titles and texts by id."""

    questions: tuple[Question, ...]
    texts: Texts

    def of(self, question: Question) -> list[str]:
        """A question's candidates as they are filtered and ranked: title and text."""
        return ["\n".join(self.texts[one]) for one in question.candidate_ids]


def candidates_of_questions(dataset: Dataset, n: int | None = QUESTIONS, seed: int = 0) -> Candidates:
    """`n` questions of the set that have all their candidates."""
    texts = {document.id: (document.title, document.text) for document in dataset.documents()}
    asked = [q for q in dataset.questions if q.candidate_ids and set(q.candidate_ids) <= set(texts)]
    return Candidates(sample(asked, n, seed), texts)


def filter_measures(given: Candidates, run: Filter) -> dict[str, float]:
    """The share of passages that pass, that of gold passages among them, and of questions that keep all gold."""
    shares, recalls, alls = [], [], []
    for question in given.questions:
        kept = {question.candidate_ids[at] for at in run(question.question, given.of(question))}
        gold = set(question.supporting_ids)
        shares.append(len(kept) / len(question.candidate_ids))
        recalls.append(len(gold & kept) / len(gold))
        alls.append(gold <= kept)
    return {
        "selectivity": round(mean(shares), 4),
        "gold_recall": round(mean(recalls), 4),
        "all_gold": round(mean(alls), 4),
    }


def read(
    given: Candidates, names: Sequence[str], llm: LLM | None, progress: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Each filter's measures, and the tests of their differences from the control; `failed` counts calls that gave no answer."""
    scores: dict[str, dict[str, list[float]]] = {metric: {} for metric in METRICS}
    failed = 0
    for name in names:
        for n, question in enumerate(given.questions, 1):
            progress(f"{name}: {n} of {len(given.questions)} questions")
            kept = FILTERS[name](question.question, given.of(question))
            passages = [(question.candidate_ids[at], *given.texts[question.candidate_ids[at]]) for at in kept]
            if llm is None:
                greedy = extract(question.question, passages)
                draws = [greedy]
            else:
                replies = ask(llm, question.question, passages)
                failed += replies.count(None)
                greedy, *draws = (reply or "" for reply in replies)
            for metric, value in (
                ("contain_any3", contain_any(draws, question.answers)),
                ("contain_first", contain_first(draws, question.answers)),
                ("token_f1", token_f1(greedy, question.answers)),
            ):
                scores[metric].setdefault(name, []).append(value or 0.0)
    made: dict[str, Any] = {
        "reader": llm.fingerprint if llm else "extractive",
        "n": len(given.questions),
        "scores": scores,
        "failed": failed,
        "conditions": {name: {metric: round(mean(scores[metric][name]), 4) for metric in METRICS} for name in names},
    }
    if llm is None:
        made["note"] = "one deterministic answer: contain_any3 equals contain_first"
    if CONTROL in names and len(names) > 1:
        made["compared"] = {m: [one.verdict() for one in compare(scores[m], CONTROL)] for m in METRICS}
    return made


def extract(question: str, passages: Sequence[tuple[str, str, str]]) -> str:
    """The extractive reader's answer from (id, title, text)."""
    draft = Draft(tuple(Passage(text, (Span(id_, 0, len(text)),), title=title) for id_, title, text in passages))
    context = assemble(Query(question), draft, Budget(_BUDGET, default_tokenizer()), Numbered(), Trace())
    return re.sub(r"\[\d+\]", "", Extractive().answer(context).text)


def ask(llm: LLM, question: str, passages: Sequence[tuple[str, str, str]]) -> list[str | None]:
    """The model's answers, one at temperature 0, then the draws; None for a call that failed."""
    shown = "\n".join(f"Passage {n}:\n{title}\n{text}" for n, (_, title, text) in enumerate(passages, 1))
    prompt = (
        f"Passages:\n{shown}\n\nAnswer from these passages, with the answer alone and no other words.\n"
        f"Question: {question}\nAnswer:"
    )
    messages = (Message("user", prompt),)
    requests = [Request(messages, max_tokens=ANSWER)]
    # Seeds of the question's own: under the same seed for all, a sampler takes the same rank for all, and draws are no sample.
    first = int.from_bytes(hashlib.blake2b(question.encode(), digest_size=3).digest(), "big")
    requests += [
        Request(messages, max_tokens=ANSWER, temperature=TEMPERATURE, seed=first + n) for n in range(1, DRAWS + 1)
    ]
    return [reply.text if isinstance(reply, Reply) else None for reply in llm.complete(requests)]
