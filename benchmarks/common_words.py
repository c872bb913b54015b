"""What the common words of a question cost BM25 in the embedded store: the same questions without the words of many chunks.

    python benchmarks/store_growth.py --sizes 200000 --folder /tmp/grown
    nice -n 15 python benchmarks/common_words.py --library /tmp/grown --chunks 200000

Questions are ten words of running text, as in `store_growth.py`. Each row leaves out the words that stand in more than a share of the
chunks; milliseconds are the calling thread's own, the least of three. Then the store's own look-up of the best 200, with frequent
words read from columns (as shipped) and from every posting, and whether both found the same. Nothing is written to the library.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from setting import command_line, setting, write
from store_growth import queries
from tantivy import Index, Occur, Query

from decoct.index.embedded import EmbeddedStore
from decoct.index.embedded.lexical import MARGIN
from decoct.index.embedded.pruning import Pruning
from decoct.text.analysis import stems


def milliseconds(searcher: Any, query: Any, hits: int) -> float:  # noqa: ANN401 - tantivy has no types
    """The least of three searches."""
    least = float("inf")
    for _ in range(3):
        start = time.thread_time()
        searcher.search(query, hits, count=False)
        least = min(least, time.thread_time() - start)
    return least * 1000


def both_ways(library: Path, asked: list[str]) -> dict[str, float]:
    """The store's look-up from columns and from postings: milliseconds, how many of the best 200 are the same, how many were proved."""
    proved: list[bool] = []
    taken: dict[str, list[float]] = {"columns": [], "postings": []}
    shares, differences = [], []
    whole = Pruning.candidates

    def columns(self: Pruning, words: Any, k: int, query: Any) -> Any:  # noqa: ANN401
        found = whole(self, words, k, query)
        proved.append(found is not None)
        return found

    with EmbeddedStore.open(library, settings={"embedder": "synthetic"}, read_only=True) as store:
        for text in asked:
            rankings = []
            for name, way in (("columns", columns), ("postings", lambda *_: None)):
                Pruning.candidates = way  # type: ignore[method-assign]
                least = float("inf")
                for _ in range(3):
                    start = time.thread_time()
                    found = store.lexical(text, 200)
                    least = min(least, time.thread_time() - start)
                taken[name].append(least * 1000)
                rankings.append(found)
            one, other = rankings
            shares.append(len(np.intersect1d(one.keys, other.keys)) / max(len(other), 1))
            differences.append(float(np.abs(one.scores - other.scores).max()))
    Pruning.candidates = whole  # type: ignore[method-assign]
    times = {
        f"{name} {what}": round(float(value), 2)
        for name, found in taken.items()
        for what, value in (("median", np.median(found)), ("mean", np.mean(found)), ("p95", np.percentile(found, 95)))
    }
    return {
        **times,
        "proved": float(np.mean(proved)),
        "same of the best 200": round(float(np.mean(shares)), 5),
        "largest difference of a score": max(differences),
    }


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__, questions=40, out="")
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--chunks", type=int, required=True, help="how many the library has, to draw questions from")
    given = parser.parse_args()
    index = Index.open(str(given.library / "lexical"))
    schema, searcher = index.schema, index.searcher()
    texts = [text for text, _, _ in queries(given.questions, given.chunks)]
    asked = [stems(text) for text in texts]
    ways = both_ways(given.library, texts)
    print(ways, flush=True)
    rows = []
    for share, hits in ((1.0, 10 + MARGIN), *((one, 200 + MARGIN) for one in (1.0, 0.5, 0.2, 0.1, 0.05, 0.01))):
        taken = []
        for words in asked:
            left = [word for word in words if share == 1 or searcher.doc_freq("text", word) < share * searcher.num_docs]
            terms = [(Occur.Should, Query.term_query(schema, "text", word, index_option="freq")) for word in left]
            taken.append(milliseconds(searcher, Query.boolean_query(terms), hits))
        median = round(float(np.median(taken)), 2)
        rows.append({"words in at most": share, "hits": hits, "cpu_ms": median})
        print(rows[-1], flush=True)
    about = {"chunks": searcher.num_docs, "segments": searcher.num_segments, "questions": len(asked)}
    write(given.out, {**setting(), **about, "rows": rows, "look-up of the best 200": ways}, show=given.out is None)


if __name__ == "__main__":
    main()
