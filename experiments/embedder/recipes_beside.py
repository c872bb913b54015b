"""Recipes over small public libraries, with the embedder before (`minilm/first`) and with the bundled one.

    python experiments/embedder/recipes_beside.py DATA --libraries DIR --out FILE

150 questions a set; a library (made where it is missing) holds the passages of the questions and 900 others, as `question_side.py` draws
them. First: the first chunk is of a supporting document. R@5: the share of these among the first five documents. Differences with their
95 % intervals by paired bootstrap.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from decoct import Library
from decoct.embed.minilm import CURRENT, FIRST, MiniLM
from decoct_lab.dataset import Question

sys.path.insert(0, str(Path(__file__).parent))
from question_side import differences, drawn

SETS = ("musique", "hotpotqa", "2wikimultihopqa", "covidqa", "nq-gold")
RECIPES = ("default", "hybrid")


def places(library: Library, asked: list[Question], recipe: str) -> Any:  # noqa: ANN401
    """First and R@5, shape (questions, 2)."""
    rows = []
    for one in asked:
        hits = library.search(one.question, k=40, recipe=recipe)
        found = list(dict.fromkeys(hit.chunk.span.doc_id for hit in hits))
        wanted = set(one.supporting_ids)
        rows.append((float(bool(wanted & set(found[:1]))), len(wanted & set(found[:5])) / len(wanted)))
    return np.array(rows)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--libraries", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    result: dict[str, Any] = {}
    for name in SETS:
        asked, documents = drawn(name, given.data)
        held: dict[tuple[str, str], Any] = {}
        for label, weights in (("before", FIRST), ("now", CURRENT)):
            with Library.open(given.libraries / label / name, embedder=MiniLM(weights=weights)) as library:
                if not library.status().documents:
                    library.add(documents)
                held |= {(recipe, label): places(library, asked, recipe) for recipe in RECIPES}
        for recipe in RECIPES:
            result.setdefault(name, {"n": len(asked)})[recipe] = {
                **{label: held[recipe, label].mean(0).round(4).tolist() for label in ("before", "now")},
                "differences": differences(held[recipe, "before"], held[recipe, "now"]),
            }
        print(name, json.dumps(result[name]), flush=True)
        given.out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
