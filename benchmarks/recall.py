"""Passage recall of Decoct's retrievers on three multi-hop sets: the mean share of a question's supporting passages among the first k.

    python benchmarks/recall.py --data ../shared/data                        # all sets, all systems
    python benchmarks/recall.py --data ../shared/data --sets musique --systems bm25,default,my-recipe.toml

A library is built per set (one document a passage, with its title) and kept in --libraries for the next run. Chunks count by their
document: the first k are the first k different documents. A system is one of those below, a shipped recipe's name or a TOML file. The
seconds are those of a search whose question is already embedded (medians; one process, so compare within a run only). R@5 of every
system is compared with that of `dense` and `hybrid` by a paired bootstrap, corrected after Holm over all comparisons of a set.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import mean, median
from typing import Any

from decoct import Library
from decoct.evaluate.dataset import Dataset, Question, load
from decoct.evaluate.significance import holm, paired_bootstrap
from decoct.recipe import RecipeSource, load_recipe
from decoct.trace import recording

SETS: Mapping[str, Mapping[str, str]] = {"2wikimultihopqa": {}, "hotpotqa": {"setting": "distractor"}, "musique": {}}
HYBRID = {"use": "hybrid", "retrievers": ["bm25", "dense"]}
SYSTEMS: Mapping[str, Any] = {
    "bm25": {"retrieve": "bm25"},
    "rm3": {"retrieve": "rm3"},
    "dense": {"retrieve": "dense"},
    "hybrid-rrf": {"retrieve": {**HYBRID, "method": "rrf"}},
    "hybrid": {"retrieve": HYBRID},
    "prf": {"retrieve": {"use": "feedback", "retriever": "dense", "m": 5}},
    "prf-guarded": {
        "retrieve": {
            "use": "feedback",
            "retriever": "dense",
            "m": 5,
            "second_pass": "rrf",
            "min_overlap": 0.2,
            "keep_first": 2,
        }
    },
    "prf-m1": {"retrieve": {"use": "feedback", "retriever": "dense", "m": 1}},
    "prf-m3": {"retrieve": {"use": "feedback", "retriever": "dense", "m": 3}},
    "vector-prf": {"retrieve": "vector-feedback"},
    "vector-prf-b.1": {"retrieve": {"use": "vector-feedback", "b": 0.1}},
    "hybrid-vector-prf": {
        "retrieve": {"use": "hybrid", "retrievers": ["bm25", {"use": "vector-feedback", "first": HYBRID}]}
    },
    "default": "default",
}
KS = (2, 5, 10, 20)
BASELINES = ("dense", "hybrid")
# Chunks asked for: enough that the first 20 documents are among them where each has a few chunks.
DEPTH = 100
PACKAGES = ("decoct", "faiss-cpu", "numpy", "onnxruntime", "tantivy", "tokenizers")


def recall(found: Sequence[str], gold: Sequence[str], k: int) -> float:
    """The share of `gold` among the first `k` of `found`."""
    return len(set(found[:k]) & set(gold)) / len(set(gold))


def documents(library: Library, question: str, recipe: RecipeSource) -> list[str]:
    """The documents of the hits, best first, none twice."""
    return list(dict.fromkeys(hit.chunk.span.doc_id for hit in library.search(question, k=DEPTH, recipe=recipe)))


def run(
    library: Library, questions: Sequence[Question], recipe: str | Mapping[str, Any]
) -> tuple[dict[str, Any], list[float]]:
    """One system on one set: its figures, and R@5 of each question."""
    loaded = load_recipe(recipe)
    documents(library, questions[0].question, loaded)  # opens indexes
    found, seconds, fallbacks = [], [], Counter[str]()
    for question in questions:
        library.embedder.embed([question.question], "query")  # kept by the library: the search finds it embedded
        with recording() as trace:
            start = time.perf_counter()
            found.append(documents(library, question.question, loaded))
            seconds.append(time.perf_counter() - start)
        fallbacks.update(trace.fallbacks)
    gold = [question.supporting_ids for question in questions]
    figures = {
        **{f"R@{k}": round(mean(recall(f, g, k) for f, g in zip(found, gold, strict=True)), 4) for k in KS},
        "all@5": round(mean(set(g) <= set(f[:5]) for f, g in zip(found, gold, strict=True)), 4),
        "search_ms": round(1000 * median(seconds), 2),
        "fallbacks": dict(fallbacks),
        "recipe": loaded.retrieve.as_dict(),
    }
    return figures, [recall(f, g, 5) for f, g in zip(found, gold, strict=True)]


def compare(scores: Mapping[str, Sequence[float]]) -> list[dict[str, Any]]:
    """Each system's R@5 against the baselines'."""
    pairs = [
        (a, b) for b in BASELINES if b in scores for a in scores if a != b and not (a in BASELINES and b == "hybrid")
    ]
    found = [paired_bootstrap(scores[a], scores[b], names=(a, b)) for a, b in pairs]
    return [
        {
            "system": one.a,
            "against": one.b,
            "difference": round(one.difference, 4),
            "interval": [round(one.low, 4), round(one.high, 4)],
            "p_holm": round(p, 4),
            "significant": p < 0.05,
        }
        for one, p in zip(found, holm([one.p for one in found]), strict=True)
    ]


def embedding_ms(library: Library, questions: Sequence[Question]) -> float:
    """Median milliseconds to embed one question, each made new by a mark at its end."""
    seconds = []
    for question in questions[:100]:
        start = time.perf_counter()
        library.embedder.embed([question.question + " ."], "query")
        seconds.append(time.perf_counter() - start)
    return round(1000 * median(seconds), 2)


def build(dataset: Dataset, folder: Path, chunker: Mapping[str, Any] | None) -> Library:
    """The set's library, made or brought up to date."""
    library = Library.open(folder, chunker=chunker)
    report = library.add(dataset.documents(), progress=_progress(dataset.spec.name))
    print(f"\r{dataset.spec.name}: {report.documents} documents, {report.added} new, {report.chunks} chunks embedded")
    if report.failures:
        raise SystemExit(f"{len(report.failures)} documents failed: {report.failures[0]}")
    return library


def _progress(name: str) -> Callable[[Any], None]:
    return lambda report: print(f"\r{name}: {report.documents} documents", end="", flush=True)


def main() -> None:
    """Run and print; write the results as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="../shared/data", help="folder that holds the sets by name")
    parser.add_argument("--libraries", default="runs/recall", help="where the libraries are kept")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--chunker", help="a chunker's table as JSON (default: the library's own default)")
    parser.add_argument("--out", default=str(Path(__file__).parent / "results" / "recall.json"))
    arguments = parser.parse_args()
    setting = _setting(arguments)
    results: dict[str, Any] = {}
    for name in arguments.sets.split(","):
        dataset = load(name, arguments.data, SETS.get(name, {}))
        chunker = json.loads(arguments.chunker) if arguments.chunker else None
        library = build(dataset, Path(arguments.libraries) / name, chunker)
        questions = [question for question in dataset.questions if question.supporting_ids]
        status = library.status()
        results[name] = {
            "n": len(questions),
            "excluded": dict(dataset.excluded),
            "options": dict(dataset.options),
            "documents": status.documents,
            "chunks": status.chunks,
            "settings": {key: value for key, value in status.settings.items() if value},
            "embedding_ms": embedding_ms(library, questions),
            "systems": {},
        }
        print(f"  n={len(questions)}, one question is embedded in {results[name]['embedding_ms']} ms")
        print(f"  {'system':<20}" + "".join(f"{f'R@{k}':>8}" for k in KS) + f"{'all@5':>8}{'ms':>8}  fallbacks")
        scores: dict[str, list[float]] = {}
        for system in arguments.systems.split(","):
            row, scores[system] = run(library, questions, SYSTEMS.get(system, system))
            results[name]["systems"][system] = row
            figures = "".join(f"{row[f'R@{k}']:>8.3f}" for k in KS)
            print(
                f"  {system:<20}{figures}{row['all@5']:>8.3f}{row['search_ms']:>8.2f}  {row['fallbacks'] or ''}",
                flush=True,
            )
        library.close()
        results[name]["comparisons"] = compare(scores)
        for line in results[name]["comparisons"]:
            low, high = line["interval"]
            verdict = (
                f"{line['difference']:+.3f} ({low:+.3f} to {high:+.3f}){'' if line['significant'] else ' within noise'}"
            )
            print(f"  {line['system']} against {line['against']}: {verdict}", flush=True)
    out = Path(arguments.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(
        json.dumps({**setting, "load_average_at_end": _load(), "sets": results}, indent=1, ensure_ascii=False) + "\n"
    )
    print(f"written to {out}")


def _load() -> float:
    return round(os.getloadavg()[0], 1)


def _setting(arguments: argparse.Namespace) -> dict[str, Any]:
    chunker = f" --chunker '{arguments.chunker}'" if arguments.chunker else ""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return {
        "command": f"python benchmarks/recall.py --sets {arguments.sets} --systems {arguments.systems}{chunker}",
        "commit": commit.stdout.strip(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load_average_at_start": _load(),  # the times mean little where this is above the number of cores
        "versions": {package: version(package) for package in PACKAGES},
    }


if __name__ == "__main__":
    main()
