"""What a graph of many chunks costs: time and memory to put it together and to search it, without the embedding.

    nice -n 15 python benchmarks/graph_scale.py --chunks 100000

Chunks are made up: three sentences each, with names drawn so that a few are everywhere and most are rare (Zipf, 1.1), as in prose;
vectors are random. So the figures are those of everything but the embedder, which takes its time for each new name and sentence once.
Processor time of one process.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from setting import setting

from decoct.data import Floats, Ranking
from decoct.index.embedded.files import size_of
from decoct.structure.base import StructureMethod
from decoct.structure.graphs.hipporag2 import HippoGraph
from decoct.structure.graphs.linearrag import LinearGraph
from decoct.structure.graphs.loaded import Graph, load_graph
from decoct.structure.graphs.notes import ChunkNotes, Noted, Statement, packed

DIMENSION = 384
SENTENCES, NAMES = 3, 4  # of a chunk; of a sentence


@dataclass
class Bench:
    """A workshop over made-up notes and random vectors."""

    folder: Path
    chunks: int
    before: Path | None = None
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def parts(self) -> Iterator[tuple[str, bytes]]:
        draws = np.random.default_rng(1)
        for key in range(self.chunks):
            found = draws.zipf(1.1, SENTENCES * NAMES) % (3 * self.chunks)
            names = [f"name {one}" for one in found.tolist()]
            statements = tuple(
                Statement(
                    f"sentence {n} of {key}", 10 * n, 10 * n + 9, tuple(dict.fromkeys(names[n * NAMES :][:NAMES]))
                )
                for n in range(SENTENCES)
            )
            noted = tuple(Noted(name, name, 0, 9) for name in dict.fromkeys(names))
            yield f"{key:07}", packed([ChunkNotes(key, 0, 100, noted, statements)])

    def vectors(self, name: str, texts: Sequence[str]) -> Floats:
        rows = self.random.standard_normal((len(texts), DIMENSION), np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        np.save(self.folder / f"{name}.npy", rows)
        return rows

    def remembered(self, key: str, make: Callable[[], str]) -> str:
        return make()

    def tell(self, doing: str, done: int = 0, total: int = 0) -> None:
        pass


def measured(method: StructureMethod, chunks: int, folder: Path) -> dict[str, Any]:
    """Putting together, loading, and a walk with the cosines of a question."""
    start = time.process_time()
    method.put_together(Bench(folder, chunks))
    together = time.process_time() - start
    start = time.process_time()
    graph = load_graph(folder)
    _ = graph.walk, graph.holders, graph.catalogue.name_statements
    loading = time.process_time() - start
    random = np.random.default_rng(2)
    seconds = []
    for _ in range(5):
        vector = random.standard_normal(DIMENSION).astype(np.float32)
        vector /= np.linalg.norm(vector)
        start = time.process_time()
        _searched(graph, vector)
        seconds.append(time.process_time() - start)
    return {
        "names": graph.names,
        "statements": len(graph.catalogue.statements),
        "edges": int(graph.adjacency.nnz) // 2,
        "put_together_cpu_s": round(together, 1),
        "load_cpu_s": round(loading, 1),
        "search_cpu_ms": round(1000 * median(seconds), 1),
        "bytes": size_of(folder),
    }


def _searched(graph: Graph, vector: Floats) -> Ranking:
    """What HippoRAG 2 does of a question, but for the store's own dense list."""
    cosines = np.asarray(graph.statement_vectors) @ vector
    restart = np.zeros(graph.names + len(graph.catalogue.keys))
    for fact in np.argsort(-cosines, kind="stable")[:5].tolist():
        restart[graph.catalogue.names_of(fact)] = 1
    restart[graph.names :] = 0.05
    shares = graph.walk.rank(restart)[graph.names :].astype(np.float32)
    best = np.lexsort((graph.catalogue.keys, -shares))[:100]
    return Ranking(graph.catalogue.keys[best], shares[best])


def main() -> None:
    """Run and print; write the results as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--methods", default="linearrag,hipporag2")
    parser.add_argument("--out", default=str(Path(__file__).parent / "results" / "graph_scale.json"))
    arguments = parser.parse_args()
    methods: dict[str, StructureMethod] = {"linearrag": LinearGraph(), "hipporag2": HippoGraph()}
    results: dict[str, Any] = {**setting(), "chunks": arguments.chunks, "methods": {}}
    for name in arguments.methods.split(","):
        with tempfile.TemporaryDirectory() as folder:
            results["methods"][name] = measured(methods[name], arguments.chunks, Path(folder))
        results["peak_memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(name, results["methods"][name], f"{results['peak_memory_mb']} MB at most", flush=True)
        Path(arguments.out).write_text(json.dumps(results, indent=1) + "\n")
    print(f"written to {arguments.out}")


if __name__ == "__main__":
    main()
