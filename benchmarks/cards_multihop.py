"""Recipes over cards on questions whose evidence lies in several documents: recall of gold passages at 2 and 5, without a model.

    python benchmarks/cards_multihop.py --set 2wikimultihopqa --questions 100

The corpus is every candidate passage of the questions drawn, in one library, so that a passage has hundreds of rivals; each passage is a
document and gets a card by rules. Differences from `links` (the retriever that `cards+links` puts cards before) are tested by a paired
bootstrap, corrected after Holm. The library is kept in --cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any

from setting import command_line, setting, write

from decoct.evaluate.dataset_types import default_cache
from decoct.evaluate.metrics.ranking import without_repeats
from decoct.evaluate.run import sample
from decoct.evaluate.significance import compare
from decoct.library import Library
from decoct.retrieve.cards.build import Build
from decoct.retrieve.cards.generate_rules import Rules
from decoct_lab.dataset import load

RETRIEVERS: Mapping[str, str | Mapping[str, Any]] = {
    "links": "links",
    "bm25": "bm25",
    "dense": "dense",
    "hybrid": {"use": "hybrid", "retrievers": ["bm25", "dense"]},
    "cards-bm25": {"use": "cards", "search": "bm25"},
    "cards": "cards",
    "cards+links": {"use": "cards", "passages": "links", "weights": [0.3, 0.15, 1.0]},
}


def main() -> None:
    """Build what is missing, search, print; write the results as JSON."""
    parser = command_line(__doc__, data=True, questions=100, out="cards_multihop.json")
    parser.add_argument("--set", default="2wikimultihopqa")
    parser.add_argument("--cache", type=Path, default=default_cache())
    arguments = parser.parse_args()
    dataset = load(arguments.set, arguments.data, {"questions": "all"})
    texts = {document.id: document for document in dataset.documents()}
    able = [q for q in dataset.questions if q.candidate_ids and set(q.candidate_ids) <= set(texts)]
    asked = sample(able, arguments.questions, 0)
    wanted = dict.fromkeys(one for question in asked for one in question.candidate_ids)
    recalls: dict[str, dict[str, list[float]]] = {"R@2": {}, "R@5": {}}
    with Library.open(arguments.cache / f"cards-multihop-{arguments.set}-{len(asked)}") as library:
        library.add(texts[one] for one in wanted)
        cards = library.cards.writable().cards
        Build(library.store, cards, library.embedder, Rules()).run()
        cards.close()
        for name, retriever in RETRIEVERS.items():
            for question in asked:
                hits = library.search(question.question, 20, {"retrieve": retriever})
                found = without_repeats(hit.chunk.span.doc_id for hit in hits)
                gold = set(question.supporting_ids)
                for at in (2, 5):
                    recalls[f"R@{at}"].setdefault(name, []).append(len(gold & set(found[:at])) / len(gold))
            print(name, {at: round(mean(values[name]), 4) for at, values in recalls.items()}, flush=True)
    result = {
        **setting(),
        "n": len(asked),
        "documents": len(wanted),
        "retrievers": {
            name: {at: round(mean(values[name]), 4) for at, values in recalls.items()} for name in RETRIEVERS
        },
        "compared": {at: [one.verdict() for one in compare(values, "links")] for at, values in recalls.items()},
    }
    write(arguments.out, result)


if __name__ == "__main__":
    main()
