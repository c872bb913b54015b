"""What the common words of a question cost BM25 in the embedded store: the same questions without the words of many chunks.

    python benchmarks/store_growth.py --sizes 200000 --folder /tmp/grown
    nice -n 15 python benchmarks/common_words.py --library /tmp/grown --chunks 200000

Questions are ten words of running text, as in `store_growth.py`. Each row leaves out the words that stand in more than a share of the
chunks; milliseconds are the calling thread's own, the least of three. Nothing is written to the library.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from setting import command_line, setting, write
from store_growth import queries
from tantivy import Index, Occur, Query

from decoct.index.embedded import fields
from decoct.index.embedded.frequent import FrequentWords
from decoct.index.embedded.lexical import MARGIN
from decoct.text.analysis import stems


def milliseconds(searcher: Any, query: Any, hits: int) -> float:  # noqa: ANN401 - tantivy has no types
    """The least of three searches."""
    least = float("inf")
    for _ in range(3):
        start = time.thread_time()
        searcher.search(query, hits, count=False)
        least = min(least, time.thread_time() - start)
    return least * 1000


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__, questions=40, out="")
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--chunks", type=int, required=True, help="how many the library has, to draw questions from")
    given = parser.parse_args()
    schema = fields.schema(FrequentWords())
    searcher = Index(schema, str(given.library / "lexical"), reuse=True).searcher()
    asked = [stems(text) for text, _, _ in queries(given.questions, given.chunks)]
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
    write(given.out, {**setting(), **about, "rows": rows}, show=given.out is None)


if __name__ == "__main__":
    main()
