"""Graphs and trees beside flat retrieval, without a language model: passage recall, evidence recall at equal budgets, what the index costs.

    nice -n 15 python benchmarks/structured.py --data ../shared/data --sets 2wikimultihopqa,musique,hotpotqa,covidqa,nq-gold

Of each set `--questions` are drawn (seed 0). The library holds the passages that support them, and others of the set drawn with the same
seed up to `--documents`, so that an index is built in minutes: figures are comparable within a table, and higher than over whole
sets. Libraries, structures, what building them took and the scores so far are kept in --libraries: an interrupted run goes on, and a
system can be added. A system's figures are made anew when --again names it.

Evidence recall is that of `decoct evaluate` (tokens of the set's gold, sentences or passages, that the context quotes); R@5 counts
documents by their first chunk. Every system is compared with `default`, `hybrid` and `naive` by a paired bootstrap, Holm over a set.
`told` is the smallest difference from `hybrid` in R@5 that so many questions tell in four of five samples.
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

from setting import command_line, setting

from decoct import Library
from decoct.data import Document, Query
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import BudgetError
from decoct.evaluate.metrics.evidence import TokenMap, evidence, quoted
from decoct.evaluate.significance import holm, paired_bootstrap
from decoct.trace import recording
from decoct_lab.dataset import Dataset, Question, load
from decoct_lab.reproduce.tellable import least_tellable_difference

BUDGETS = (300, 600, 1200, 2700, 5400)
BASELINES = ("default", "hybrid", "naive")
STRUCTURES = ("linearrag", "hipporag2", "lightrag", "hypergraphrag", "proprag", "raptor", "treerag", "t-rag")
SYSTEMS = (
    *BASELINES,
    *("linearrag", "hipporag2", "treerag", "t-rag", "cfic", "lightrag", "hypergraphrag", "raptor", "raptor-traversal"),
)
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


def built(library: Library, systems: Sequence[str], kept: Path) -> dict[str, dict[str, Any]]:
    """Build what the systems read and is missing; for each structure the processor seconds and the bytes.

    Names and sentences are embedded once for all structures of a library: the first that is built pays for them.
    """
    taken: dict[str, dict[str, Any]] = json.loads(kept.read_text()) if kept.is_file() else {}
    before = {state.name for state in library.structures.states() if state.finished}
    for name in STRUCTURES:
        if name not in systems and not (name == "raptor" and "raptor-traversal" in systems):
            continue
        start, cpu = time.perf_counter(), time.process_time()
        report = library.structure(name).run()
        if name not in before:
            seconds = {
                "cpu_seconds": round(time.process_time() - cpu, 1),
                "seconds": round(time.perf_counter() - start, 1),
            }
            taken[name] = {**taken.get(name, {}), **seconds}
        taken.setdefault(name, {})["bytes"] = report.bytes
        kept.write_text(json.dumps(taken))
        print(f"  {name}: {taken[name]}", flush=True)
    return {name: taken[name] for name in STRUCTURES if name in taken}


def run(
    library: Library, questions: Sequence[Question], gold: Mapping[str, Any], system: str
) -> tuple[dict[str, Any], Scores]:
    """One system: its figures, and its scores question by question."""
    pipeline = library.pipeline(system)
    tokens = TokenMap(lambda doc_id: library.document(doc_id).text, default_tokenizer())
    scores: Scores = {name: [] for name in ("R@5", *(f"evidence@{budget}" for budget in BUDGETS))}
    search, contexts, fallbacks = [], [], Counter[str]()
    pipeline.retrieval.search(Query("warm up"), 5)
    for question in questions:
        query = Query(question.question)
        library.embedder.embed([query.text], "query")  # kept by the library: the search finds it embedded
        with recording() as trace:
            start = time.process_time()
            hits = pipeline.retrieval.search(query, pipeline.depth)
            search.append(time.process_time() - start)
            draft = pipeline.retrieval.draft(query, hits)
            for budget in BUDGETS:
                try:
                    shown = quoted(pipeline.construction.construct(query, draft, library.budget(budget), trace))
                except BudgetError:
                    shown = ()
                found = evidence(shown, gold[question.id], tokens)
                scores[f"evidence@{budget}"].append(found.recall if found else 0.0)
            contexts.append(time.process_time() - start)
        fallbacks.update(trace.fallbacks)
        documents = list(dict.fromkeys(hit.chunk.span.doc_id for hit in hits))[:5]
        wanted = set(question.supporting_ids)
        scores["R@5"].append(len(wanted & set(documents)) / len(wanted))
    figures = {name: round(mean(values), 4) for name, values in scores.items()}
    figures |= {"search_cpu_ms": round(1000 * median(search), 1), "contexts_cpu_ms": round(1000 * median(contexts), 1)}
    return {**figures, "fallbacks": dict(fallbacks)}, scores


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


def tellable_differences(scores: Mapping[str, Scores]) -> dict[str, float | None]:
    """The smallest difference from `hybrid` in R@5 that so many questions would tell, by system."""
    against = scores["hybrid"]["R@5"] if "hybrid" in scores else []
    found = {
        system: least_tellable_difference([a - b for a, b in zip(own["R@5"], against, strict=True)])
        for system, own in scores.items()
        if against and system != "hybrid"
    }
    return {system: None if one is None else round(one, 4) for system, one in found.items()}


def measured(name: str, dataset: Dataset, arguments: argparse.Namespace) -> dict[str, Any]:
    """One set: what the structures cost, the figures of every system, the comparisons."""
    questions, documents = drawn(dataset, arguments.questions, arguments.documents)
    gold = {question.id: dataset.gold(question) for question in questions}
    home = Path(arguments.libraries)
    kept = home / f"{name}.scores.json"
    made = json.loads(kept.read_text()) if kept.is_file() else {}
    systems, again = arguments.systems.split(","), set(arguments.again.split(","))
    with Library.open(home / name) as library:
        library.add(documents)
        status = library.status()
        print(f"{name}: n={len(questions)}, {status.documents} documents, {status.chunks} chunks", flush=True)
        structures: dict[str, dict[str, Any]] = {}
        for system in systems:
            structures |= built(library, [system], home / f"{name}.built.json")
            if system not in made or system in again:
                made[system] = run(library, questions, gold, system)
                kept.write_text(json.dumps(made))
            print(f"  {system:<18}{made[system][0]}", flush=True)
    scores: dict[str, Scores] = {system: made[system][1] for system in systems}
    return {
        "n": len(questions),
        "documents": status.documents,
        "chunks": status.chunks,
        "structures": structures,
        "systems": {system: made[system][0] for system in systems},
        "told": tellable_differences(scores),
        "comparisons": compared(scores),
    }


def main() -> None:
    """Run and print; write the results as JSON after every set."""
    parser = command_line(__doc__, data=True, questions=200, out="structured.json")
    parser.add_argument("--libraries", default="runs/structured", help="where the libraries are kept")
    parser.add_argument("--sets", default="2wikimultihopqa,musique,hotpotqa,covidqa,nq-gold")
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--documents", type=int, default=800)
    parser.add_argument("--again", default="", help="systems whose figures are made anew")
    arguments = parser.parse_args()
    out = Path(arguments.out)
    before = json.loads(out.read_text())["sets"] if out.is_file() else {}
    results: dict[str, Any] = {**setting(), "sets": before}
    for name in arguments.sets.split(","):
        results["sets"][name] = measured(name, load(name, arguments.data), arguments)
        out.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    print(f"written to {out}")


if __name__ == "__main__":
    main()
