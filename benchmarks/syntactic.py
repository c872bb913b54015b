"""The syntactic filter of question compression and the segment scorer on the candidate passages of 2WikiMultiHopQA, with the control the
paper lacks.

    python benchmarks/syntactic.py --data ../shared/data --questions 200
    python benchmarks/syntactic.py --data ../shared/data --questions 50 --llm local:NAME

Filters: the share of passages that pass, and of gold passages among them. Rankers: recall of gold passages among the first 2 and 5 of the
candidates, each against the same words in one segment. Readers: the passages that pass, in their order, are handed to the extractive
reader (no model), or with --llm to a language model, which is asked once at temperature 0 (token F1) and three times at 0.5
(`contain_any3`, which the paper prints as F1, and `contain_first`). "all" is the control: the same passages without the filter.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import mean, median
from typing import Any

import numpy as np
from setting import command_line, setting, write

from decoct.data import Floats
from decoct.embed.base import Embedder
from decoct.embed.resolve import open_embedder
from decoct.evaluate.dataset_types import default_cache
from decoct.evaluate.significance import compare
from decoct.llm.resolve import open_llm
from decoct.retrieve.ranking import min_max
from decoct.settings import load_settings
from decoct_lab.dataset import load
from decoct_lab.reproduce.question_compression_reader import (
    CONTROL,
    FILTERS,
    Candidates,
    candidates_of_questions,
    filter_measures,
    read,
)
from decoct_lab.retrieve.score_segments import SATURATION, SegmentScorer
from decoct_lab.retrieve.segments import content_words, segments
from decoct_lab.retrieve.syntactic import passing_passages, word_counts

Ranker = Callable[[str, Sequence[str]], Floats]
READ = (CONTROL, "L=2", "L=3")


def tagged(question: str, texts: Sequence[str]) -> list[int]:
    """L = 3 with a tagger's segments."""
    return passing_passages(question, texts, 3, parser="spacy")


def one_segment(question: str, texts: Sequence[str]) -> Floats:
    """The control of the segment scorer: the same weights, all words in one bag."""
    words = content_words(question, digits=True)
    scores = np.zeros(len(texts))
    for count in word_counts([words], texts).values():
        df = np.count_nonzero(count)
        scores += np.log(1 + (len(texts) - df + 0.5) / (df + 0.5)) * count / (count + SATURATION)
    return scores.astype(np.float32)


def rankers(embedder: Embedder) -> dict[str, Ranker]:
    """Rankers by name."""

    def dense(question: str, texts: Sequence[str]) -> Floats:
        (row,) = embedder.embed([question], "query")
        return np.asarray(embedder.embed(texts, "passage") @ row, np.float32)

    def both(a: Ranker, b: Ranker) -> Ranker:
        return lambda question, texts: min_max(a(question, texts)) + min_max(b(question, texts))

    cut, whole = SegmentScorer(keep_names=False).score, SegmentScorer().score
    return {
        "one segment": one_segment,
        "segments, names cut": cut,
        "segments": whole,
        "segments without bonus": SegmentScorer(bonus=0).score,
        "dense": dense,
        "dense + one segment": both(dense, one_segment),
        "dense + segments": both(dense, whole),
    }


def main() -> None:
    """Run and print; write the results as JSON."""
    parser = command_line(__doc__, data=True, out="syntactic.json")
    parser.add_argument("--questions", type=int, default=200, help="drawn of those with candidates")
    parser.add_argument("--llm", help="a language model's spec; without one the extractive reader answers")
    arguments = parser.parse_args()
    dataset = load("2wikimultihopqa", arguments.data, {"questions": "all"})
    given = candidates_of_questions(dataset, arguments.questions)
    results: dict[str, Any] = {
        **setting(),
        "n": len(given.questions),
        "candidates_a_question": round(mean(len(q.candidate_ids) for q in given.questions), 2),
        "same_segments_list_and_spacy": round(
            mean(segments(q.question) == segments(q.question, "spacy") for q in given.questions), 3
        ),
        "cpu_milliseconds_200_passages": speed(given),
        "filters": {name: filter_measures(given, run) for name, run in {**FILTERS, "L=3 spacy": tagged}.items()},
    }
    results["rankers"], recall = ranked(given, rankers(open_embedder("minilm")))
    results["rankers compared, R@5"] = [one.verdict() for one in compare(recall, "one segment")]
    llm = open_llm(arguments.llm, load_settings().models, default_cache() / "replies") if arguments.llm else None
    results["reader"] = {key: value for key, value in read(given, READ, llm).items() if key != "scores"}
    write(arguments.out, results)


def ranked(given: Candidates, tried: dict[str, Ranker]) -> tuple[dict[str, dict[str, float]], dict[str, list[float]]]:
    """Recall of gold passages at 2 and 5 for each ranker, and R@5 by question."""
    made, by_question = {}, {}
    for name, run in tried.items():
        at: dict[int, list[float]] = {2: [], 5: []}
        for question in given.questions:
            scores = run(question.question, given.of(question))
            order = [question.candidate_ids[n] for n in np.argsort(-scores, kind="stable")]
            gold = set(question.supporting_ids)
            for k, values in at.items():
                values.append(len(gold & set(order[:k])) / len(gold))
        made[name] = {f"R@{k}": round(mean(values), 4) for k, values in at.items()}
        by_question[name] = at[5]
    return made, by_question


def speed(given: Candidates) -> dict[str, float]:
    """The filter and the scorer over 200 passages: processor milliseconds, the median of 50 questions."""
    passages = [text for question in given.questions for text in given.of(question)][:200]
    told = {}
    for name, run in (("filter", passing_passages), ("segments", SegmentScorer().score)):
        seconds = []
        for question in given.questions[:50]:
            start = time.process_time()
            run(question.question, passages)
            seconds.append(time.process_time() - start)
        told[name] = round(1000 * median(seconds), 2)
    return told


if __name__ == "__main__":
    main()
