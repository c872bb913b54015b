"""How good is the reader that needs no language model?

    python benchmarks/extractive_reader.py DATA [--questions 300] [--skip 0]

DATA holds the sets hotpotqa, 2wikimultihopqa, nq-gold and clapnq in the project's JSONL layout. Each question gets its gold passages and
its distractors (`candidate_ids`, or for nq-gold the passages most like it), ranked by BM25, in one context of 5,400 tokens. Counted are:
how often a gold alias stands in the answer's sentences (SQuAD normalisation; yes/no questions apart), with how many sentences, against
the first sentences of the best passage as a baseline with equally many sentences; and on clapnq how often it says that it found
nothing when the passage answers the question, and when it does not. The reader's weights were found on the first 300 questions of each
set; `--skip 300` measures on the others.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import re
import statistics
import string
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bm25s

from decoct.answer.extractive import Extractive
from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.data import Context, Draft, Passage, Query, Span
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.text.sentences import sentences

SETS = ("hotpotqa", "2wikimultihopqa", "nq-gold", "clapnq")
PASSAGES = 10


def rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def normal(text: str) -> str:
    bare = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


def holds(text: str, answers: list[str]) -> bool:
    return any(f" {normal(answer)} " in f" {normal(text)} " for answer in answers if normal(answer))


class Corpus:
    def __init__(self, folder: Path) -> None:
        self.rows = {row["id"]: row for row in rows(folder / "corpus.jsonl.gz")}
        self.ids = list(self.rows)
        self.bm25 = bm25s.BM25()
        self.bm25.index(bm25s.tokenize([self.text(i) for i in self.ids], show_progress=False), show_progress=False)

    def text(self, key: str) -> str:
        return f"{self.rows[key].get('title', '')} {self.rows[key]['text']}"

    def ranked(self, question: dict[str, Any]) -> list[tuple[str, float]]:
        scores = self.bm25.get_scores(bm25s.tokenize(question["question"], return_ids=False, show_progress=False)[0])
        by_id = dict(zip(self.ids, scores.tolist(), strict=True))
        wanted = list(dict.fromkeys([*question["supporting_ids"], *question.get("candidate_ids", ())]))
        if "candidate_ids" not in question:
            wanted += [key for key in sorted(self.ids, key=lambda key: -by_id[key])[:PASSAGES] if key not in wanted]
        return sorted(((key, by_id[key]) for key in wanted[:PASSAGES]), key=lambda pair: -pair[1])

    def context(self, question: dict[str, Any], budget: Budget) -> Context:
        passages = []
        for key, score in self.ranked(question):
            row = self.rows[key]
            passages.append(
                Passage(row["text"], (Span(key, 0, len(row["text"])),), score=score, title=row.get("title", ""))
            )
        return assemble(Query(question["question"]), Draft(tuple(passages)), budget)


def questions(folder: Path, most: int, skip: int = 0) -> Iterator[dict[str, Any]]:
    taken = 0
    for row in rows(folder / "questions.jsonl.gz"):
        if folder.name in ("hotpotqa", "2wikimultihopqa") and (
            not row.get("candidate_ids") or row.get("setting") == "fullwiki"
        ):
            continue
        taken += 1
        if skip < taken <= skip + most:
            yield row


def baseline(context: Context, count: int) -> str:
    text = context.passages[0].text
    return " ".join(text[start:end] for start, end in sentences(text)[:count])


def measure(folder: Path, reader: Extractive, most: int, skip: int) -> dict[str, Any]:
    corpus, budget = Corpus(folder), Budget(5400, WordPieceTokenizer())
    hit = lead = asked = told = 0
    lengths, times, found = [], [], {"answerable": [0, 0], "unanswerable": [0, 0]}
    for question in questions(folder, most, skip):
        context = corpus.context(question, budget)
        start = time.perf_counter()
        answer = reader.answer(context)
        times.append(time.perf_counter() - start)
        if folder.name == "clapnq":
            counts = found[question["type"]]
            counts[0] += answer.found
            counts[1] += 1
            continue
        if {normal(gold) for gold in question["answers"]} & {"yes", "no"}:
            continue
        asked += 1
        told += answer.found
        hit += answer.found and holds(answer.text, question["answers"])
        lengths.append(len(answer.citations))
        lead += holds(baseline(context, max(1, len(answer.citations))), question["answers"])
    times_ms = [1000 * seconds for seconds in times]
    shared = {
        "ms_median": round(statistics.median(times_ms), 1),
        "ms_p95": round(sorted(times_ms)[int(0.95 * len(times_ms))], 1),
    }
    if folder.name == "clapnq":
        rates = {f"found_when_{kind}": round(counts[0] / counts[1], 3) for kind, counts in found.items()}
        return {"n": sum(counts[1] for counts in found.values()), **rates, **shared}
    return {
        "n": asked,
        "contains_answer": round(hit / asked, 3),
        "first_sentences_of_best_passage": round(lead / asked, 3),
        "found": round(told / asked, 3),
        "sentences": round(statistics.mean(lengths), 2),
        **shared,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--skip", type=int, default=0, help="leave out the first N questions of each set")
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    reader = Extractive()
    results = {name: measure(chosen.data / name, reader, chosen.questions, chosen.skip) for name in chosen.sets}
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    record = {
        "reader": "extractive",
        "questions": chosen.questions,
        "skipped": chosen.skip,
        "budget": 5400,
        "machine": {"python": platform.python_version(), "processor": platform.machine()},
        "commit": commit,
        "results": results,
    }
    text = json.dumps(record, indent=2)
    print(text)
    if chosen.out:
        chosen.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
