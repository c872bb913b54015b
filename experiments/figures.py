"""The figures of lab/docs/figures.md, drawn from results that are committed: `python experiments/figures.py` (also: make figures).

Each figure is a row of `FIGURES`: its file in lab/docs/images, what it shows, the result it is drawn from the command that made that, and
a function from the result to SVG. The page is written from the same rows, so no caption can drift from its picture.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from decoct.evaluate.report.page import COLOURS, by_powers, curves, drawing, pareto
from decoct.visible import write_whole

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
Result = Mapping[str, Any]


@dataclass(frozen=True)
class Figure:
    """One figure; `note` says n, what was tuned on these questions, and what else a reader must know.

    Without a `command`, measured.json says which made the `source`.
    """

    name: str
    title: str
    note: str
    source: str
    draw: Callable[[Result, str], str]
    command: str = ""


def of_report(metric: str) -> Callable[[Result, str], str]:
    """Curves of a report's table: quality against the budget."""
    return lambda made, title: curves(
        [row for row in made["quality"] if row["metric"] == metric], made["runs"][0]["systems"], title
    )


def cost(made: Result, title: str) -> str:
    """Quality, tokens and time of a report."""
    return pareto(made["front"], made["runs"][0]["systems"], title)


def means(values: Mapping[str, Sequence[float]], budgets: Sequence[int], title: str) -> str:
    """Curves of means whose intervals a result does not have."""
    rows = [
        {"system": name, "budget": budget, "mean": value, "low": value, "high": value}
        for name, found in values.items()
        for budget, value in zip(budgets, found, strict=True)
    ]
    return curves(rows, list(values), title)


def merging(made: Result, title: str) -> str:
    """Evidence at small budgets by what is done with the same ranking."""
    found = made["hotpotqa"]["hybrid"]
    return means({name: found[name]["evidence"] for name in ("ranked", "stitched", "merged")}, made["budgets"], title)


def pieces(made: Result, title: str) -> str:
    """Evidence by the number of pieces that feedback adds."""
    found = made["sets"]["musique"]["evidence_recall"]
    names = ("naive", "stitched", "m=1", "m=2", "m=5")
    return means({name: list(found[name].values()) for name in names}, [int(b) for b in found["naive"]], title)


def cards(made: Result, title: str) -> str:
    """Papers found by how many vectors each costs, on queries in plain words."""
    stored = {"": 0, "abstract": 1, "chunks": 25, "recursive": 35, "fixed-350": 80}
    shown = {
        "bm25-full": "", "dense-abstract": "abstract", "cards-dense": "abstract", "cards": "abstract", "cards+full": "abstract",
        "hybrid-full": "abstract", "dense-chunks": "chunks", "hybrid-chunks": "chunks", "dense-recursive": "recursive",
        "dense-fixed-350": "fixed-350",
    }  # fmt: skip
    out = StringIO()
    with drawing(title, out) as axes:
        for at, (name, corpus) in enumerate(shown.items()):
            found = made["conceptual"]["conditions"][name]["acc@3"]
            axes.scatter(stored[corpus], found, color=COLOURS[at % len(COLOURS)], s=45)
            axes.annotate(name, (stored[corpus], found), xytext=(6, 3), textcoords="offset points", fontsize=7.5)
        axes.set_xlabel("vectors a paper")
        axes.set_ylabel("Acc@3")
        axes.set_xlim(-4, 100)
    return out.getvalue()


def latency(made: Result, title: str) -> str:
    """Milliseconds of each stage by recipe, beside the embedding of the question."""
    recipes, out = made["search"]["recipes"], StringIO()
    with drawing(title, out) as axes:
        for at, stage in enumerate(("retrieval", "search", "context")):
            places = [place + 0.25 * (at - 1) for place in range(len(recipes))]
            axes.bar(places, [one[stage]["wall_ms"] for one in recipes.values()], 0.23, label=stage, color=COLOURS[at])
        axes.axhline(
            made["search"]["embedding"]["wall_ms"], color="#76808a", linestyle="--", label="embedding the question"
        )
        axes.set_xticks(range(len(recipes)), list(recipes))
        axes.set_ylabel("milliseconds (median)")
        axes.legend(fontsize=7.5)
    return out.getvalue()


def growth(made: Result, title: str) -> str:
    """Time of all look-ups of a retrieval by the chunks of a library."""
    sizes, out = {int(size): one["latency_ms"]["all"] for size, one in made["sizes"].items()}, StringIO()
    with drawing(title, out) as axes:
        for at, name in enumerate(("cpu_median", "median", "p95")):
            axes.plot(list(sizes), [one[name] for one in sizes.values()], marker="o", color=COLOURS[at], label=name)
        by_powers(axes)
        axes.set_xlabel("chunks")
        axes.set_ylabel("milliseconds")
        axes.legend(fontsize=7.5)
    return out.getvalue()


FITTED = "`default` was fitted on public questions of this set"
FIGURES = (
    Figure("budget-hotpotqa", "HotpotQA: evidence in the context", f"n = 414; {FITTED}.", "evaluation/hotpotqa",
           of_report("evidence_recall")),
    Figure("budget-musique", "MuSiQue: evidence in the context", f"n = 217; {FITTED}.", "evaluation/musique", of_report("evidence_recall")),
    Figure("budget-clapnq", "ClapNQ: evidence in the context", f"n = 172, one long passage a question; {FITTED}.", "evaluation/clapnq",
           of_report("evidence_recall")),
    Figure("answers-musique", "MuSiQue: answers that hold a gold answer", f"n = 217, the extractive reader (no language model); {FITTED}.",
           "evaluation/musique", of_report("word_accuracy")),
    Figure("merging-small-budgets", "HotpotQA: the same ranking ranked, stitched, merged", "n = 207 that the judge of sentences was not "
           "fitted on; hybrid retrieval; means (intervals of the differences are in the result).", "merging_recall", merging,
           "decoct reproduce experiments/merging.toml"),
    Figure("pieces-musique", "MuSiQue: how many pieces feedback adds", "n = 108 that did not choose m; differences of about four points "
           "over all budgets can be told.", "feedback_sweep", pieces, "python benchmarks/feedback_sweep.py"),
    Figure("cost-musique", "MuSiQue: evidence against tokens and time", f"n = 217; a larger mark is slower; ringed is not beaten in all "
           f"three; {FITTED}.", "evaluation/musique", cost),
    Figure("cost-cards", "ScisummNet: papers found against vectors stored", "150 queries in plain words over 978 papers; our cards and "
           "weights were chosen by these queries, the baselines have nothing chosen; a share has an interval of ± 8 points.",
           "cards", cards, "python benchmarks/cards.py"),
    Figure("time-recipes", "Time of a question by recipe", "50 questions over about 10,000 chunks, the question embedded before.",
           "latency", latency, "python benchmarks/latency.py"),
    Figure("time-growth", "Time of a retrieval's look-ups by size of the library", "200 queries a size over synthetic texts; the machine "
           "was shared: cpu_median is the thread's own time.", "store_growth", growth, "python benchmarks/store_growth.py"),
)  # fmt: skip
HEAD = """# Ten figures

Quality against budget, against cost, against time, drawn by `python experiments/figures.py` (`make figures`) from results that are
committed; each says n and what was tuned on its questions. What they mean for a user is told in [findings](findings.md).
"""


def page(figures: Sequence[Figure]) -> str:
    """lab/docs/figures.md."""
    runs = json.loads((RESULTS / "measured.json").read_text("utf-8")).values()
    made_by = {name: f"decoct {' '.join(run['command'])}" for run in runs for name in run["results"]}
    parts = [HEAD]
    for one in figures:
        parts.append(
            f"## {one.title}\n\n![{one.title}](images/{one.name}.svg)\n\n{one.note} `{one.command or made_by[one.source]}` "
            f"([result](../../benchmarks/results/{one.source}.json)).\n"
        )
    return "\n".join(parts)


def main(given: Sequence[str] | None = None) -> None:
    """Draw all figures and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "lab" / "docs", help="the folder of the page and of images/")
    out = parser.parse_args(given).out
    for one in FIGURES:
        made = json.loads((RESULTS / f"{one.source}.json").read_text("utf-8"))
        write_whole(out / "images" / f"{one.name}.svg", one.draw(made, one.title))
        print(out / "images" / f"{one.name}.svg", flush=True)
    write_whole(out / "figures.md", page(FIGURES))


if __name__ == "__main__":
    main()
