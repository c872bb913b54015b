"""Evidence recall of contexts at small budgets: merging without a model against ranked and stitched passages, on two rankings.

    python benchmarks/merging_recall.py --data ../shared/data --libraries runs/merging

LIBRARIES holds a library of each set under its name (150 tokens, half overlapping). Rankings: `hybrid` (vectors and BM25) and `links` (the
default). Of each set the public questions with an odd number; of HotpotQA the sentence judge was fitted on the others, of the other
sets on none. What counts as evidence is what the sets tell:

- HotpotQA: the share of the characters of the gold supporting sentences that the context holds;
- MuSiQue: the share of hops whose answer stands in what the context shows of the hop's gold paragraph;
- 2WikiMultiHopQA: the share of gold paragraphs of which the context shows anything (lenient: no sentences are marked).

`answer` is the share of questions of whose gold answers one stands in the context (yes and no left out). The budget is on the rendered
context, titles and numbers included, in MiniLM's tokens. `ranked` is the ranking cut at a sentence (the assembly's own rule),
`stitched` the same with neighbours joined, as the recipe `default` does. Differences to `stitched` carry a paired bootstrap interval.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from decoct import Library, trace
from decoct.context.assemble import assemble
from decoct.context.base import ContextStep
from decoct.context.select import select
from decoct.data import Draft, Passage, Query
from decoct.errors import BudgetError
from decoct.evaluate.dataset import Question, load
from decoct.evaluate.metrics.answer_in_context import answer_in_context
from decoct.evaluate.significance import paired_bootstrap
from decoct.pipeline import Pipeline
from decoct.recipe import load_recipe

BUDGETS = (60, 150, 200, 300, 450, 600, 750, 900)
# The ranking's recipe, and how many chunks it hands over.
RANKINGS = {"hybrid": ("merge-extract", 20), "links": ("merge-links", 60)}
SYSTEMS = ("stitched", "ranked", "merged", "merged one by one")


def evidence(question: Question, passages: Sequence[Passage], library: Library) -> float:
    """The share of the evidence that is shown, by what the set tells of it."""
    shown: dict[str, set[int]] = {}
    for passage in passages:
        for span in passage.support:
            shown.setdefault(span.doc_id, set()).update(range(span.start, span.end))
    if question.supporting:
        held = sum(len(shown.get(g.doc_id, set()) & set(range(g.start, g.end))) for g in question.supporting)
        return held / sum(g.end - g.start for g in question.supporting)
    hops: Any = question.extra.get("decomposition")
    if hops is None:
        return mean(doc_id in shown for doc_id in question.supporting_ids)
    return mean(_hop(hop, shown, library) for hop in hops)


def _hop(hop: dict[str, str], shown: dict[str, set[int]], library: Library) -> float:
    doc_id = hop["supporting_id"]
    if doc_id not in shown:
        return 0.0
    text = library.document(doc_id).text
    words = "".join(letter if at in shown[doc_id] else " " for at, letter in enumerate(text))
    return answer_in_context(words, [hop["answer"]]) or 0.0


def passages_of(
    query: Query, draft: Draft, steps: tuple[ContextStep, ...], pipeline: Pipeline, budget: int, library: Library
) -> tuple[tuple[Passage, ...], float]:
    """What the reader would see, and the seconds that the steps took."""
    limit = library.budget(budget)
    start = time.process_time()
    with trace.recording():
        for step in steps:
            draft = step.apply(query, draft, limit)
    seconds = time.process_time() - start
    try:
        return assemble(query, draft, limit, pipeline.construction.layout).passages, seconds
    except BudgetError:  # not one sentence fits: nothing is shown
        return (), seconds


def compare(library: Library, questions: Sequence[Question], ranking: str, systems: Sequence[str]) -> dict[str, Any]:
    """Each system on the same ranking, at each budget."""
    recipe, depth = RANKINGS[ranking]
    shared = library.pipeline(load_recipe(recipe))
    drafts = [select(shared.search(Query(q.question), depth)) for q in questions]
    steps = {
        "ranked": (),
        "stitched": library.pipeline(load_recipe("default")).construction.steps,
        "merged": shared.construction.steps,
        "merged one by one": library.pipeline(load_recipe("merge-extract-sequential")).construction.steps,
    }
    found: dict[str, Any] = {}
    scores: dict[str, dict[int, list[float]]] = {}
    for name in systems:
        seconds: list[float] = []
        answers: list[list[float]] = []
        scores[name] = {}
        for budget in BUDGETS:
            row, told = [], []
            for question, draft in zip(questions, drafts, strict=True):
                passages, took = passages_of(Query(question.question), draft, steps[name], shared, budget, library)
                seconds.append(took)
                row.append(evidence(question, passages, library))
                answer = answer_in_context(" ".join(p.text for p in passages), question.answers)
                told += [] if answer is None else [answer]
            scores[name][budget] = row
            answers.append(told)
        found[name] = {
            "evidence": [round(mean(scores[name][b]), 4) for b in BUDGETS],
            "answer": [round(mean(told), 4) for told in answers],
            "step_ms": round(1000 * median(seconds), 2),
        }
        if name != "stitched":
            tests = [
                paired_bootstrap(scores[name][b], scores["stitched"][b], names=(name, "stitched")) for b in BUDGETS
            ]
            found[name]["against_stitched"] = [
                [round(t.difference, 4), round(t.low, 4), round(t.high, 4)] for t in tests
            ]
        print(f"{ranking:8}{name:20}", " ".join(f"{value:.3f}" for value in found[name]["evidence"]), flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--libraries", default="runs/merging")
    parser.add_argument("--sets", default="hotpotqa,2wikimultihopqa,musique")
    parser.add_argument("--rankings", default="hybrid,links")
    parser.add_argument("--systems", default=",".join(SYSTEMS[:3]), help="stitched first; " + ", ".join(SYSTEMS))
    parser.add_argument("--limit", type=int, default=10_000, help="questions a set")
    parser.add_argument("--out", default=str(Path(__file__).parent / "results" / "merging_recall.json"))
    arguments = parser.parse_args()
    results: dict[str, Any] = {"budgets": BUDGETS}
    for name in arguments.sets.split(","):
        options = {"setting": "distractor"} if name == "hotpotqa" else {}
        questions = load(name, arguments.data, options).questions[1::2][: arguments.limit]
        print(f"{name}, {len(questions)} questions, budgets {BUDGETS}")
        results[name] = {"n": len(questions)}
        with Library.open(str(Path(arguments.libraries) / name), create=False) as library:
            for ranking in arguments.rankings.split(","):
                results[name][ranking] = compare(library, questions, ranking, arguments.systems.split(","))
        Path(arguments.out).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
