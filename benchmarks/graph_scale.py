"""What a graph of many chunks costs: time and memory to put it together and to search it, without the embedding.

    nice -n 15 python benchmarks/graph_scale.py --chunks 100000 --methods linearrag

Chunks are made up: three sentences each, with names drawn so that a few are everywhere and most are rare (Zipf, 1.1), as in prose;
vectors are random. So the figures are those of everything but the embedder, which takes its time for each new name and sentence once.
Processor time of one process; name one method a run where its memory is asked for, since a process keeps its peak. What was measured of
other methods and sizes stays in the results.
"""

from __future__ import annotations

import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from setting import command_line, setting, write

from decoct.data import Floats, Ranking
from decoct.index.embedded.files import size_of
from decoct_lab.retrieve.graphs.lightrag import nearest
from decoct_lab.structure.base import StructureMethod
from decoct_lab.structure.graphs.hipporag2 import HippoGraph
from decoct_lab.structure.graphs.hypergraphrag import HyperGraph
from decoct_lab.structure.graphs.lightrag import LightGraph
from decoct_lab.structure.graphs.linearrag import LinearGraph
from decoct_lab.structure.graphs.loaded import Described, Graph, load_described, load_graph
from decoct_lab.structure.graphs.notes import ChunkNotes, Noted, Statement, packed
from decoct_lab.structure.graphs.proprag import PropositionGraph
from decoct_lab.workforce import Here, Item, Result

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

    def byte_vectors(self, name: str, texts: Sequence[str]) -> None:
        raise NotImplementedError("no graph keeps a byte a number")

    def remembered(self, key: str, make: Callable[[], str]) -> str:
        return make()

    def results(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        return Here().results(work, items)

    def tell(self, doing: str, done: int = 0, total: int = 0) -> None:
        pass


def measured(method: StructureMethod, chunks: int, folder: Path) -> dict[str, Any]:
    """Putting together, loading, and a search with the cosines of a question."""
    start = time.process_time()
    method.put_together(Bench(folder, chunks))
    together = time.process_time() - start
    start = time.process_time()
    search: Callable[[Floats], Any]
    told: dict[str, Any]
    if isinstance(method, LightGraph | HyperGraph):
        described = load_described(folder)
        _ = described.holders
        relations = described.relations
        told = {"names": len(described.catalogue.names), "statements": len(described.catalogue.statements)}
        if relations is not None:
            _ = relations.of_name, relations.degrees
            told["relations"] = len(relations.pairs)
        search = partial(_described, described)
    else:
        graph = load_graph(folder)
        _ = graph.walk, graph.holders, graph.catalogue.name_statements
        told = {
            "names": graph.names,
            "statements": len(graph.catalogue.statements),
            "edges": int(graph.adjacency.nnz) // 2,
        }
        search = partial(_searched, graph)
    loading = time.process_time() - start
    random = np.random.default_rng(2)
    seconds = []
    for _ in range(5):
        vector = random.standard_normal(DIMENSION).astype(np.float32)
        vector /= np.linalg.norm(vector)
        start = time.process_time()
        search(vector)
        seconds.append(time.process_time() - start)
    return {
        **told,
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


def _described(graph: Described, vector: Floats) -> tuple[list[int], list[int]]:
    """What LightRAG and HyperGraphRAG look for: the nearest entities, and the nearest relations or hyperedges."""
    others = graph.statement_vectors if graph.relation_vectors is None else graph.relation_vectors
    return nearest(vector, graph.entity_vectors, 60, -1.0), nearest(vector, others, 60, -1.0)


def main() -> None:
    """Run and print; write the results as JSON."""
    parser = command_line(__doc__, out="graph_scale.json")
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--methods", default="linearrag,hypergraphrag,lightrag,hipporag2,proprag")
    arguments = parser.parse_args()
    methods: dict[str, StructureMethod] = {
        "linearrag": LinearGraph(),
        "hypergraphrag": HyperGraph(),
        "lightrag": LightGraph(),
        "hipporag2": HippoGraph(),
        "proprag": PropositionGraph(),
    }
    out = Path(arguments.out)
    results: dict[str, Any] = json.loads(out.read_text("utf-8")) if out.is_file() else {"sizes": {}}
    for name in arguments.methods.split(","):
        with tempfile.TemporaryDirectory() as folder:
            found = measured(methods[name], arguments.chunks, Path(folder))
        found["peak_memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(name, found, flush=True)
        results["sizes"].setdefault(str(arguments.chunks), {})[name] = {**found, "setting": setting()}
        write(out, results, show=False)
    print(f"written to {out}")


if __name__ == "__main__":
    main()
