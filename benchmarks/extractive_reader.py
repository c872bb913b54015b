"""How good is the reader that needs no language model?

    python benchmarks/extractive_reader.py DATA [--questions 300] [--skip 0]

DATA holds the sets hotpotqa, 2wikimultihopqa, nq-gold and clapnq. Each question gets its gold passages and its distractors
(`candidate_ids`, or for nq-gold the passages most like it), ranked by BM25, in one context of 5,400 tokens. Counted are: how often a gold
alias stands in the answer's sentences (`word_accuracy`; yes/no questions apart), with how many sentences, against the first sentences of
the best passage as a baseline with equally many; and on clapnq how often it says that it found nothing when the passage answers the
question, and when it does not. The reader's weights were found on the first 300 questions of each set; `--skip 300` measures on the others.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import bm25s
from setting import command_line, setting, write

from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.data import Context, Document, Draft, Passage, Query, Span
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.evaluate.metrics.answers import normalise, word_accuracy
from decoct.text.sentences import sentences
from decoct_lab.answer.extractive import Extractive
from decoct_lab.dataset import Dataset, Question, load

SETS = {"hotpotqa": {"setting": "distractor"}, "2wikimultihopqa": {"questions": "all"}, "nq-gold": {}, "clapnq": {}}
PASSAGES, BUDGET = 10, 5400


class Corpus:
    """The passages of a set with a word index over them."""

    def __init__(self, dataset: Dataset) -> None:
        self.documents: dict[str, Document] = {document.id: document for document in dataset.documents()}
        self.ids = list(self.documents)
        texts = [f"{document.title} {document.text}" for document in self.documents.values()]
        self.bm25 = bm25s.BM25()
        self.bm25.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)

    def context(self, question: Question, budget: Budget) -> Context:
        """The question's passages by BM25, best first."""
        scores = self.bm25.get_scores(bm25s.tokenize(question.question, return_ids=False, show_progress=False)[0])
        by_id = dict(zip(self.ids, scores.tolist(), strict=True))
        wanted = dict.fromkeys([*question.supporting_ids, *question.candidate_ids])
        if not question.candidate_ids:
            wanted |= dict.fromkeys(sorted(self.ids, key=lambda key: -by_id[key])[:PASSAGES])
        ranked = sorted(list(wanted)[:PASSAGES], key=lambda key: -by_id[key])
        passages = [self._passage(key, by_id[key]) for key in ranked]
        return assemble(Query(question.question), Draft(tuple(passages)), budget)

    def _passage(self, key: str, score: float) -> Passage:
        document = self.documents[key]
        return Passage(document.text, (Span(key, 0, len(document.text)),), score=score, title=document.title)


def asked(dataset: Dataset, most: int, skip: int) -> Iterator[Question]:
    """The questions of the set that have what it is meant to be asked with."""
    multihop = dataset.spec.name in ("hotpotqa", "2wikimultihopqa")
    able = [question for question in dataset.questions if question.candidate_ids or not multihop]
    yield from able[skip : skip + most]


def times(seconds: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile in milliseconds."""
    ordered = sorted(1000 * one for one in seconds)
    return {"ms_median": round(statistics.median(ordered), 1), "ms_p95": round(ordered[int(0.95 * len(ordered))], 1)}


def measure(dataset: Dataset, reader: Extractive, most: int, skip: int) -> dict[str, Any]:
    """The figures of one set."""
    corpus, budget = Corpus(dataset), Budget(BUDGET, WordPieceTokenizer())
    hits, leads, found, lengths, seconds = list[bool](), list[bool](), list[bool](), list[int](), list[float]()
    by_type: dict[str, list[bool]] = {"answerable": [], "unanswerable": []}
    for question in asked(dataset, most, skip):
        context = corpus.context(question, budget)
        start = time.perf_counter()
        answer = reader.answer(context)
        seconds.append(time.perf_counter() - start)
        if dataset.spec.name == "clapnq":
            by_type[question.type].append(answer.found)
            continue
        if {normalise(gold) for gold in question.answers} & {"yes", "no"}:
            continue
        count, text = len(answer.citations), context.passages[0].text
        lead = " ".join(text[start:end] for start, end in sentences(text)[: max(1, count)])
        found.append(answer.found)
        hits.append(answer.found and word_accuracy(answer.text, question.answers) == 1)
        leads.append(word_accuracy(lead, question.answers) == 1)
        lengths.append(count)
    if dataset.spec.name == "clapnq":
        rates = {f"found_when_{kind}": round(statistics.fmean(given), 3) for kind, given in by_type.items()}
        return {"n": sum(map(len, by_type.values())), **rates, **times(seconds)}
    return {
        "n": len(hits),
        "contains_answer": round(statistics.fmean(hits), 3),
        "first_sentences_of_best_passage": round(statistics.fmean(leads), 3),
        "found": round(statistics.fmean(found), 3),
        "sentences": round(statistics.fmean(lengths), 2),
        **times(seconds),
    }


def main() -> None:
    """Run, print and write."""
    parser = command_line(__doc__, questions=300, out="")
    parser.add_argument("data", type=Path)
    parser.add_argument("--skip", type=int, default=0, help="leave out the first N questions of each set")
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    chosen = parser.parse_args()
    reader = Extractive()
    results = {
        name: measure(load(name, chosen.data, SETS[name]), reader, chosen.questions, chosen.skip)
        for name in chosen.sets
    }
    record = {"questions": chosen.questions, "skipped": chosen.skip, "budget": BUDGET, "results": results}
    write(chosen.out, {**setting(), "reader": "extractive", **record})


if __name__ == "__main__":
    main()
