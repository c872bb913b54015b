"""How `default` ranks beside `hybrid`, `bm25` and `dense`, over questions of one hop and of several.

    python benchmarks/ranking.py --data ../shared/data --questions 200

For each set: the share of questions with a supporting passage in first place (hit@1), the mean share of the supporting passages among the
first five and twenty different ones (R@5, R@20), and of their gold text in a context of 150 to 900 tokens (E150 …; neighbours stitched, for
every system alike). Beside `default`: its difference from the best of the three others, which is chosen for each figure after the fact
(so by noise it is ahead of any one system), with the 95 % interval of the paired bootstrap. Libraries are kept in --libraries for the
next run. Questions are taken by the hash of their id; the first `--skip` of them are left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from decoct import Library
from decoct.data import Span
from decoct.errors import BudgetError
from decoct.evaluate.dataset import Dataset, Question, load
from decoct.evaluate.significance import paired_bootstrap
from decoct.recipe import Recipe, load_recipe

SETS: Mapping[str, Mapping[str, str]] = {
    "musique": {},
    "2wikimultihopqa": {},
    "hotpotqa": {"setting": "distractor"},
    "nq-gold": {},
    "covidqa": {},
    "pubmedqa": {},
    "clapnq": {},
}
STITCHED = [{"use": "stitch"}]
SYSTEMS: Mapping[str, Any] = {
    "bm25": {"retrieve": "bm25", "context": STITCHED},
    "dense": {"retrieve": "dense", "context": STITCHED},
    "hybrid": {"retrieve": {"use": "hybrid", "retrievers": ["dense", "bm25"]}, "context": STITCHED},
    "default": "default",
}
BUDGETS = (150, 300, 600, 900)
DEPTH = 100
Scores = dict[str, list[float]]


def overlap(spans: Sequence[Span], gold: Sequence[Span]) -> float:
    """The share of the gold characters that stand in `spans`, which do not overlap each other."""
    shared = sum(max(0, min(a.end, b.end) - max(a.start, b.start)) for a in gold for b in spans if a.doc_id == b.doc_id)
    return shared / sum(span.end - span.start for span in gold)


def scores(library: Library, dataset: Dataset, questions: Sequence[Question], recipe: Recipe) -> Scores:
    """Each figure of each question."""
    found: Scores = {name: [] for name in ("hit@1", "R@5", "R@20", *(f"E{budget}" for budget in BUDGETS))}
    for question in questions:
        hits = library.search(question.question, DEPTH, recipe, where=question.where)
        documents = list(dict.fromkeys(hit.chunk.span.doc_id for hit in hits))
        gold = set(question.supporting_ids)
        found["hit@1"].append(float(documents[:1] != [] and documents[0] in gold))
        for k in (5, 20):
            found[f"R@{k}"].append(len(gold & set(documents[:k])) / len(gold))
        fine = question.supporting or dataset.gold(question, "passage")
        for budget in BUDGETS:
            try:
                context = library.context(question.question, budget, recipe, where=question.where)
                spans = [span for passage in context.passages for span in passage.support]
            except BudgetError:  # not even the first sentence of the best passage fits
                spans = []
            found[f"E{budget}"].append(overlap(spans, fine))
    return found


def main() -> None:
    """Run and print; write the results as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="../shared/data", help="folder that holds the sets by name")
    parser.add_argument("--libraries", default="runs/recall", help="where the libraries are kept")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--questions", type=int, default=200, help="at most so many of each set")
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--out", default=str(Path(__file__).parent / "results" / "ranking.json"))
    given = parser.parse_args()
    results: dict[str, Any] = {}
    for name in given.sets.split(","):
        dataset = load(name, given.data, SETS[name])
        asked = [question for question in dataset.questions if question.supporting_ids]
        asked.sort(key=lambda question: hashlib.sha1(question.id.encode()).hexdigest())
        asked = asked[given.skip : given.skip + given.questions]
        with Library.open(Path(given.libraries) / name) as library:
            library.add(dataset.documents())
            found = {system: scores(library, dataset, asked, load_recipe(SYSTEMS[system])) for system in SYSTEMS}
        results[name] = {
            "n": len(asked),
            "systems": {s: {k: round(mean(v), 4) for k, v in one.items()} for s, one in found.items()},
        }
        print(f"{name}, n = {len(asked)}")
        for system, row in results[name]["systems"].items():
            print(f"  {system:<8}" + "".join(f"  {figure} {value:.3f}" for figure, value in row.items()), flush=True)
        results[name]["default against the best other"] = against = {}
        for figure, own in found["default"].items():
            other = max((s for s in SYSTEMS if s != "default"), key=lambda s: mean(found[s][figure]))
            test = paired_bootstrap(own, found[other][figure], names=("default", other))
            against[figure] = [other, *(round(x, 4) for x in (test.difference, test.low, test.high))]
        print("  against the best: " + "".join(f"  {f} {d[1]:+.3f} ({d[0]})" for f, d in against.items()), flush=True)
    command = f"python benchmarks/ranking.py --sets {given.sets} --questions {given.questions} --skip {given.skip}"
    Path(given.out).write_text(json.dumps({"command": command, "sets": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
