"""Document retrieval on ScisummNet: abstracts, chunks and full text against questions and cards (question compression, Task 1).

    python benchmarks/cards.py --data ../shared/data
    python benchmarks/cards.py --queries citing --sample 300 --conditions bm25-abstract,cards --out citing.json
    python benchmarks/cards.py --own benchmarks/card-queries --out benchmarks/results/cards_own_queries.json
    python benchmarks/cards.py --papers 150 --conditions cards,dense-chunks,dense-recursive,dense-fixed-350,dense-recursive-350
    python benchmarks/cards.py --llm local:qwen2.5-coder-0.5b-instruct --papers 24
    python benchmarks/cards.py --llm local:smollm2-135m-instruct --conditions cards+full+likelihood --out benchmarks/results/cards.json

Conditions and corpora are those of `decoct reproduce question-compression`, which prints the paper's figures beside ours; here more of
them are run and compared by McNemar's exact test, corrected after Holm, with what they take and how long a search lasts. `citing` are
sentences of papers that cite the wanted one; `--own` takes the queries of a folder in the place of the set's. `--papers` keeps the
first n papers that the hand-written queries ask for, so that cards
by a language model (`--llm`; replies are kept, an interrupted run goes on) and by rules are compared on the same papers with the same
queries. Libraries are kept in --cache. Run again with other conditions, a result file is added to.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from setting import RESULTS, command_line, load, setting, tell, write

from decoct.data import Query
from decoct.evaluate.dataset_types import default_cache
from decoct.evaluate.run import sample
from decoct.evaluate.significance import holm, mcnemar
from decoct.library import Library
from decoct.llm.resolve import open_llm
from decoct.retrieve.cards.generate_rules import Rules
from decoct.settings import load_settings
from decoct_lab.dataset import Question
from decoct_lab.reproduce.question_compression_documents import CONDITIONS, Documents, figures

BY_MODEL = tuple(name for name, one in CONDITIONS.items() if one.cards == "model")
# Without a model at all: what asks one, or wants weights from a hub, is named with --conditions.
BY_RULES = tuple(
    name for name, one in CONDITIONS.items() if name not in BY_MODEL and not one.asks and "cross-encoder" not in name
)
# What is compared with a model's cards on a small corpus: no chunks, which take longest to embed.
BESIDE_MODEL = tuple(name for name in BY_RULES if CONDITIONS[name].corpus in ("abstract", "whole"))
PAIRS = (
    ("cards-bm25", "bm25-abstract"),
    ("cards-dense", "dense-abstract"),
    ("cards-dense", "cards-dense-paper"),
    ("cards-dense", "dense-chunks"),
    ("cards-bm25", "bm25-full"),
    ("cards", "hybrid-abstract"),
    ("cards", "hybrid-chunks"),
    ("cards+full", "cards"),
    ("cards+full", "bm25-full"),
    ("cards+full", "hybrid-full"),
    ("cards", "hybrid-full"),
    ("cards-document", "cards"),
    ("cards-document", "hybrid-full"),
    ("cards-document+full", "cards-document"),
    ("cards-document+reader", "cards-document"),
    ("cards-document+reader", "hybrid-full"),
    ("cards-version-a+scorer", "cards-version-a"),
    ("cards+full", "hybrid-chunks"),
    ("cards+full+likelihood", "cards+full"),
    ("cards+full+likelihood", "hybrid-chunks"),
    ("cards+bm25", "bm25-full"),
    ("cards+links", "cards+bm25"),
    ("cards-and-question-vectors", "cards-dense"),
    ("dense-chunks", "dense-fixed-350"),
    ("dense-recursive", "dense-recursive-350"),
    ("model-cards-bm25", "bm25-abstract"),
    ("model-cards-bm25", "cards-bm25"),
    ("model-questions-bm25", "questions-bm25"),
    ("model-cards-dense", "cards-dense"),
    ("model-cards", "cards"),
    ("model-cards+full", "cards+full"),
)


def own_questions(folder: Path, kind: str) -> list[Question]:
    """The queries of `kind` that lie in `folder`, in the layout of the set's own."""
    rows = [json.loads(line) for line in (folder / f"queries_{kind}.jsonl").read_text("utf-8").splitlines()]
    return [Question(row["id"], row["question"], supporting_ids=tuple(row["supporting_ids"])) for row in rows]


def generation_speed(library: Library, n: int = 60) -> int:
    """Documents a minute of processor time that the rules take, without vectors."""
    documents = [library.document(info.id) for info in islice(library.documents(), n)]
    start = time.process_time()
    Rules().generate(documents)
    return round(60 * len(documents) / (time.process_time() - start))


def search_speed(given: Documents, name: str, questions: Sequence[Question]) -> float:
    """The median of processor milliseconds of a search whose question was embedded before."""
    seconds = []
    with given.opened(name) as library:
        pipeline = library.pipeline({"retrieve": CONDITIONS[name].retriever})
        for question in questions:
            library.embedder.embed([question.question], "query")
            start = time.process_time()
            pipeline.search(Query(question.question), 20)
            seconds.append(time.process_time() - start)
    return round(1000 * median(seconds), 2)


def main() -> None:
    """Run and print; write the results as JSON."""
    parser = command_line(__doc__, data=True, out="")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where libraries and replies are kept")
    parser.add_argument("--queries", default="technical,conceptual", help="technical, conceptual, citing")
    parser.add_argument("--own", type=Path, help="a folder with queries_technical.jsonl and queries_conceptual.jsonl")
    parser.add_argument("--sample", type=int, help="of each set of queries, so many")
    parser.add_argument("--papers", type=int, help="keep the first n papers that queries ask for")
    parser.add_argument("--conditions", help="by commas [default: all that need no model; with --llm those of cards]")
    parser.add_argument("--llm", help="a language model that writes cards")
    arguments = parser.parse_args()
    names = arguments.conditions.split(",") if arguments.conditions else BY_RULES
    if arguments.llm and not arguments.conditions:
        names = (*BESIDE_MODEL, *BY_MODEL)
    llm = open_llm(arguments.llm, load_settings().models, arguments.cache / "replies") if arguments.llm else None
    given = Documents(arguments.data, arguments.cache, llm, papers=arguments.papers, progress=tell)
    suffix = (f"_{arguments.papers}_papers" if arguments.papers else "") + ("_llm" if llm else "")
    out = arguments.out or RESULTS / f"cards{suffix}.json"
    results: dict[str, Any] = json.loads(out.read_text()) if out.exists() else {}
    runs = results.setdefault("runs", [])
    runs.append(_setting(arguments, names))
    with given.library("whole") as library:
        results["rules_documents_a_minute"] = generation_speed(library)
    for kind in arguments.queries.split(","):
        every = own_questions(arguments.own, kind) if arguments.own else given.questions(kind)
        questions = sample(every, arguments.sample, 0) if arguments.sample else every
        made = results.setdefault(kind, {"n": len(questions), "conditions": {}, "hits": {}})
        if made["n"] != len(questions):
            raise SystemExit(f"{out} holds results of {made['n']} {kind} queries: give another --out")
        for name in names:
            found = given.found(name, questions)
            made["conditions"][name] = figures(found, questions)
            if not CONDITIONS[name].asks:  # a model's losses are kept: a second search asks it for nothing
                made["conditions"][name]["search_cpu_ms"] = search_speed(given, name, questions[:50])
            # As a text: one character a question.
            made["hits"][name] = "".join(
                str(int(q.supporting_ids[0] in f[:3])) for f, q in zip(found, questions, strict=True)
            )
            print(f"\r{kind} {name:28}", made["conditions"][name], flush=True)
        hits = {name: [float(one) for one in text] for name, text in made["hits"].items()}
        pairs = [pair for pair in PAIRS if all(one in hits for one in pair)]
        tests = [mcnemar(hits[a], hits[b], names=(a, b)) for a, b in pairs]
        corrected = [replace(t, corrected=p) for t, p in zip(tests, holm([t.p for t in tests]), strict=True)]
        made["acc@3 compared"] = [one.verdict() for one in corrected]
        print("\n".join(made["acc@3 compared"]))
        for cards in given.built:
            made.setdefault("leaked", {})[cards] = given.leaked(questions, cards)  # type: ignore[arg-type]
        _write(out, results, given)
    print(f"written to {out}")


def _write(out: Path, results: dict[str, Any], given: Documents) -> None:
    """After each set, so that an interrupted run is not lost."""
    built = results.setdefault("built", {})
    for kind, report in given.built.items():
        if report["made"] or kind not in built:  # a later run makes nothing: the first one's cost stands
            built[kind] = report
    results["stored"] = {**results.get("stored", {}), **given.stored}
    write(out, results | {"load_average_at_end": load()}, show=False)


def _setting(arguments: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    own = str(arguments.own) if arguments.own else None
    given = {
        "queries": arguments.queries,
        "own": own,
        "sample": arguments.sample,
        "papers": arguments.papers,
        "llm": arguments.llm,
    }
    return {**{key: value for key, value in given.items() if value is not None}, "conditions": list(names), **setting()}


if __name__ == "__main__":
    main()
