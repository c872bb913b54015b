"""Graphs beside flat retrieval: passage recall, evidence recall at equal budgets, and what the index costs, without a language model.

    nice -n 15 python benchmarks/graphs.py --data ../shared/data --sets 2wikimultihopqa,musique --documents 800

Of each set `--questions` are drawn (seed 0). The library holds the passages that support them, and others of the set drawn with the same
seed up to `--documents`, so that an index is built in minutes: figures are comparable within a table, and higher than over whole
sets. Libraries, structures and the scores so far are kept in --libraries: an interrupted run goes on, and a system can be added.

Evidence recall is that of `decoct evaluate` (tokens of gold passages that the context quotes); R@5 counts documents by their first chunk.
Every system is compared with `default`, `hybrid` and `naive` by a paired bootstrap, Holm over a set.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from setting import setting

from decoct import Library
from decoct.data import Document, Query
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import BudgetError
from decoct.evaluate.dataset import Dataset, Question, load
from decoct.evaluate.metrics.evidence import evidence, quoted
from decoct.evaluate.metrics.token_map import TokenMap
from decoct.evaluate.significance import holm, paired_bootstrap
from decoct.trace import recording

BUDGETS = (300, 600, 1200, 2700, 5400)
BASELINES = ("default", "hybrid", "naive")
STRUCTURES = ("linearrag", "hipporag2", "proprag", "lightrag", "hypergraphrag")
Scores = dict[str, list[float]]


def drawn(dataset: Dataset, questions: int, documents: int) -> tuple[list[Question], list[Document]]:
    """The questions, and the documents of the library."""
    asked = [question for question in dataset.questions if question.supporting_ids]
    random.Random(0).shuffle(asked)
    asked = asked[:questions]
    gold = {doc_id for question in asked for doc_id in question.supporting_ids}
    every = sorted(dataset.documents(), key=lambda document: document.id)
    others = [document for document in every if document.id not in gold]
    random.Random(0).shuffle(others)
    return asked, [one for one in every if one.id in gold] + others[: max(0, documents - len(gold))]


def run(
    library: Library, questions: Sequence[Question], gold: Mapping[str, Any], system: str
) -> tuple[dict[str, Any], Scores]:
    """One system: its figures, and its scores question by question."""
    pipeline = library.pipeline(system)
    tokens = TokenMap(lambda doc_id: library.document(doc_id).text, default_tokenizer())
    scores: Scores = {name: [] for name in ("R@5", *(f"evidence@{budget}" for budget in BUDGETS))}
    search, fallbacks = [], Counter[str]()
    pipeline.search(Query("warm up"), 5)
    for question in questions:
        query = Query(question.question)
        library.embedder.embed([query.text], "query")  # kept by the library: the search finds it embedded
        with recording() as trace:
            start = time.process_time()
            hits = pipeline.search(query, pipeline.depth)
            search.append(time.process_time() - start)
            draft = pipeline.retrieval.draft(query, hits)
            for budget in BUDGETS:
                try:
                    shown = quoted(pipeline.construction.construct(query, draft, library.budget(budget), trace))
                except BudgetError:
                    shown = ()
                found = evidence(shown, gold[question.id], tokens)
                scores[f"evidence@{budget}"].append(found.recall if found else 0.0)
        fallbacks.update(trace.fallbacks)
        documents = list(dict.fromkeys(hit.chunk.span.doc_id for hit in hits))[:5]
        wanted = set(question.supporting_ids)
        scores["R@5"].append(len(wanted & set(documents)) / len(wanted))
    figures = {name: round(mean(values), 4) for name, values in scores.items()}
    return {**figures, "search_cpu_ms": round(1000 * median(search), 1), "fallbacks": dict(fallbacks)}, scores


def compared(scores: Mapping[str, Scores]) -> list[dict[str, Any]]:
    """Every system against the baselines, on every measure."""
    pairs = [
        (system, base, measure)
        for system in scores
        if system not in BASELINES
        for base in BASELINES
        if base in scores
        for measure in scores[system]
    ]
    found = [paired_bootstrap(scores[a][m], scores[b][m], names=(a, b)) for a, b, m in pairs]
    return [
        {
            "system": one.a,
            "against": one.b,
            "measure": measure,
            "difference": round(one.difference, 4),
            "interval": [round(one.low, 4), round(one.high, 4)],
            "p_holm": round(p, 4),
            "significant": p < 0.05,
        }
        for one, p, (_, _, measure) in zip(found, holm([one.p for one in found]), pairs, strict=True)
    ]


def measured(name: str, dataset: Dataset, arguments: argparse.Namespace) -> dict[str, Any]:
    """One set: what the structures cost, the figures of every system, the comparisons."""
    questions, documents = drawn(dataset, arguments.questions, arguments.documents)
    gold = {question.id: dataset.gold(question, "passage") for question in questions}
    kept = Path(arguments.libraries) / f"{name}.scores.json"
    made = json.loads(kept.read_text()) if kept.is_file() else {}
    systems = arguments.systems.split(",")
    with Library.open(Path(arguments.libraries) / name) as library:
        library.add(documents)
        for system in STRUCTURES:
            if system in systems:
                library.structure(system).run()
        for system in systems:
            if system not in made:
                made[system] = run(library, questions, gold, system)
                kept.write_text(json.dumps(made))
            print(f"  {system:<16}{made[system][0]}", flush=True)
        status = library.status()
        states = {state.name: {"bytes": state.bytes} for state in library.structures.states()}
    return {
        "n": len(questions),
        "documents": status.documents,
        "chunks": status.chunks,
        "structures": states,
        "systems": {system: made[system][0] for system in systems},
        "comparisons": compared({system: made[system][1] for system in systems}),
    }


def main() -> None:
    """Run and print; write the results as JSON after every set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="../shared/data", help="folder that holds the sets by name")
    parser.add_argument("--libraries", default="runs/graphs", help="where the libraries are kept")
    parser.add_argument("--sets", default="2wikimultihopqa,musique")
    parser.add_argument("--systems", default=",".join((*BASELINES, *STRUCTURES)))
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--documents", type=int, default=800)
    parser.add_argument("--out", default=str(Path(__file__).parent / "results" / "graphs.json"))
    arguments = parser.parse_args()
    out = Path(arguments.out)
    before = json.loads(out.read_text())["sets"] if out.is_file() else {}
    results: dict[str, Any] = {**setting(), "sets": before}
    for name in arguments.sets.split(","):
        print(name, flush=True)
        results["sets"][name] = measured(name, load(name, arguments.data), arguments)
        out.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    print(f"written to {out}")


if __name__ == "__main__":
    main()
