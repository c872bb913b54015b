"""How well affinities without a model agree with NLL(source | anchor), and pictures of both (MergeRAG, Figure 2).

    python benchmarks/affinity.py --data ../shared/data --library runs/merging/hotpotqa --model MODEL.gguf --questions 40

For the best passages of each question every passage is a source once and all others its anchors: a row. Within each row the forms are
compared with the exact one (`decoct.evaluate.reproduce.mergerag_maps` says how). Each question's figures are saved as soon as they are
known, and losses anchor by anchor, so a run that is interrupted goes on where it was; a larger --questions extends it. Intervals are
over questions (1.96 standard errors).
"""

from __future__ import annotations

import argparse
import json
import time
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from decoct import Library
from decoct.context.merge.nodes import joined_neighbours
from decoct.context.select import select
from decoct.data import Query
from decoct.evaluate.dataset import load
from decoct.evaluate.reproduce.mergerag_maps import agreement, averages, exactly, forms, save, square
from decoct.llm.cache import Cached
from decoct.llm.llamacpp import LlamaCpp
from decoct.recipe import load_recipe

MEASURES = ("tau", "first", "regret", "random")


def summary(questions: dict[str, Any]) -> dict[str, Any]:
    """Means over all rows, and half of tau's interval over questions."""
    found: dict[str, Any] = {}
    rows = sum(one["rows"] for one in questions.values())
    for form in next(iter(questions.values()))["forms"]:
        each = [(one["rows"], one["forms"][form]) for one in questions.values()]
        found[form] = {key: round(sum(n * one[key] for n, one in each) / rows, 4) for key in MEASURES}
        taus = [one["tau"] for _, one in each]
        found[form]["tau_half_interval"] = round(1.96 * stdev(taus) / sqrt(len(taus)), 4) if len(taus) > 1 else None
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--library", default="runs/merging/hotpotqa")
    parser.add_argument("--model", required=True)
    parser.add_argument("--questions", type=int, default=8)
    parser.add_argument("--passages", type=int, default=8)
    parser.add_argument("--cache", default="runs/merging/cache")
    parser.add_argument("--out", default=str(Path(__file__).parent / "results" / "affinity.json"))
    parser.add_argument("--picture", default="docs/figures/affinity-maps.svg")
    arguments = parser.parse_args()
    asked = load("hotpotqa", arguments.data, {"setting": "distractor"}).questions[: arguments.questions]
    local = LlamaCpp(Path(arguments.model).expanduser(), context=1024, concurrency=1)
    model, out = Cached(local, Path(arguments.cache)), Path(arguments.out)
    setting = {"model": local.fingerprint, "passages": arguments.passages}
    before: dict[str, Any] = json.loads(out.read_text()) if out.is_file() else {}
    same = all(before.get(key) == value for key, value in setting.items())
    done: dict[str, Any] = before.get("by_question", {}) if same else {}
    with Library.open(arguments.library, create=False) as library:
        pipeline = library.pipeline(load_recipe("merge-extract"))
        named = forms(library.embedder)
        for number, question in enumerate(asked):
            if question.id in done:
                continue
            start = time.perf_counter()
            passages = joined_neighbours(select(pipeline.search(Query(question.question), arguments.passages)).passages)
            texts = [f"{p.title}\n{p.text}" for p in passages]
            exact = exactly(model, texts)
            maps = {name: square(form, texts) for name, form in named.items()}
            done[question.id] = {
                "rows": len(texts),
                "chance_of_first": 1 / (len(texts) - 1),
                "forms": {name: averages(agreement(exact, found)) for name, found in maps.items()},
            }
            if number == 0:
                save({"NLL (nats a token)": exact, **maps}, Path(arguments.picture))
            results = {
                **setting,
                "questions": len(done),
                "rows": sum(one["rows"] for one in done.values()),
                "chance_of_first": round(mean(one["chance_of_first"] for one in done.values()), 3),
                "forms": summary(done),
                "by_question": done,
            }
            partial = out.with_suffix(".partial")
            partial.write_text(json.dumps(results, indent=1) + "\n")
            partial.replace(out)
            taus = {name: form["tau"] for name, form in results["forms"].items()}
            print(f"{number + 1} of {len(asked)}, {time.perf_counter() - start:.0f} s, tau {taus}", flush=True)
    print(
        json.dumps(
            {name: value for name, value in json.loads(out.read_text()).items() if name != "by_question"}, indent=1
        )
    )


if __name__ == "__main__":
    main()
