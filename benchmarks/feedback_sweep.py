"""How many pieces should feedback add? The number m against the budget, measured on contexts; chosen on one half, reported on the other.

    python benchmarks/feedback_sweep.py --data ../shared/data                                   # all questions of three sets
    python benchmarks/feedback_sweep.py --sets musique,hotpotqa,2wikimultihopqa --questions 100
    python benchmarks/feedback_sweep.py --sets clapnq,nq-gold,covidqa --out singlehop.json

The recall-oriented paper never states m. For each set every system below builds its contexts at every budget; questions are drawn with
--seed, and every second one is for choosing. m is the one of the highest mean evidence recall over all budgets and sets (each set with the
same weight) on the choosing half; what the chosen one is worth is told on the other half alone, by paired bootstrap against stitching
without expansion and against naive: once a set, on each question's mean over all budgets (corrected after Holm over the sets), and at each
budget (corrected over sets and budgets, which asks for far larger differences). Choosing on the other half instead is told beside
(`chosen_on_the_other_half`): where the two differ the choice means little. Runs are kept below --runs and go on where they were
interrupted; contexts need no language model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

from setting import command_line, setting, write

from decoct.evaluate.record import read_questions, read_rows
from decoct.evaluate.run import sample
from decoct.evaluate.session import Setup, execute
from decoct.evaluate.significance import Comparison, holm, paired_bootstrap
from decoct.evaluate.system import System, chunker_json
from decoct.library import DEFAULT_CHUNKER
from decoct.recipe import load_recipe
from decoct_lab.dataset import load

SETS = ("musique", "hotpotqa", "2wikimultihopqa")
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "hotpotqa": {"setting": "distractor"},
    "clapnq": {"questions": "answerable"},
}
BUDGETS = (300, 600, 900, 1800, 3600, 5400)
PIECES = (1, 2, 3, 5)
METRICS = ("evidence_recall", "passage_recall", "all_gold", "answer_in_context")
CHOSEN_BY = "evidence_recall"
NAIVE, STITCHED = "naive", "stitched"
Scores = Mapping[str, Mapping[int | str, Mapping[str, float]]]
"""Of one set and measure: system, budget, question."""


def feedback(m: int, passes: int = 1) -> dict[str, Any]:
    """The paper's recipe with `m` pieces."""
    retrieve = {"use": "feedback", "retriever": "dense", "m": m, "passes": passes}
    return {"retrieve": retrieve, "context": [{"use": "stitch"}]}


def compared() -> list[System]:
    """The systems: two controls, one pass with each m, and two passes where q' has room for them."""
    tables: dict[str, Any] = {
        NAIVE: {"retrieve": "dense"},
        STITCHED: {"retrieve": "dense", "context": [{"use": "stitch"}]},
        **{f"m={m}": feedback(m) for m in PIECES},
        **{f"m={m}, double": feedback(m, 2) for m in PIECES if m <= 2},
    }
    chunker = chunker_json(DEFAULT_CHUNKER)
    return [System(name, load_recipe(table), chunker) for name, table in tables.items()]


def scores(folder: Path, metric: str) -> Scores:
    """What each system reached for each question at each budget."""
    found: dict[str, dict[int | str, dict[str, float]]] = {}
    for row in read_rows(folder):
        value = row.metrics.get(metric)
        if row.error is None and value is not None:
            found.setdefault(row.system, {}).setdefault(row.budget, {})[row.question] = float(value)
    return found


def halves(ids: Sequence[str]) -> tuple[list[str], list[str]]:
    """Every second question for choosing, the others for telling."""
    return list(ids[::2]), list(ids[1::2])


def best(by_set: Mapping[str, Scores], half: Mapping[str, Sequence[str]], names: Sequence[str]) -> str:
    """The system of the highest mean over budgets and sets on these questions; the earlier one of equals."""
    reached = {
        name: mean(at(found, name, budget, half[one]) for one, found in by_set.items() for budget in found[name])
        for name in names
    }
    return max(names, key=lambda name: reached[name])


def at(found: Scores, name: str, budget: int | str, ids: Sequence[str]) -> float:
    """A system's mean over those of the questions that the measure applies to."""
    values = found[name][budget]
    return mean(values[one] for one in ids if one in values)


def tests(
    by_set: Mapping[str, Scores], half: Mapping[str, Sequence[str]], name: str, other: str
) -> list[dict[str, Any]]:
    """`name` against `other` on each set and at each budget, corrected over all of them."""
    made: list[tuple[str, int | str, Comparison]] = []
    for one, found in by_set.items():
        for budget, values in found[name].items():
            ids = [i for i in half[one] if i in values]
            a, b = [values[i] for i in ids], [found[other][budget][i] for i in ids]
            made.append((one, budget, paired_bootstrap(a, b, names=(name, other))))
    corrected = holm([test.p for _, _, test in made])
    return [
        {
            "set": one, "budget": budget, "n": test.n, "difference": round(test.difference, 4),
            "interval": [round(test.low, 4), round(test.high, 4)], "p_holm": round(p, 4),
            "verdict": replace(test, corrected=p).verdict(),
        }
        for (one, budget, test), p in zip(made, corrected, strict=True)
    ]  # fmt: skip


def over_budgets(
    by_set: Mapping[str, Scores], half: Mapping[str, Sequence[str]], name: str, other: str
) -> list[dict[str, Any]]:
    """`name` against `other` on each set, by each question's mean over the budgets: one test a set, the one to look at first."""
    made: list[tuple[str, Comparison]] = []
    for one, found in by_set.items():
        budgets = list(found[name])
        ids = [i for i in half[one] if i in found[name][budgets[0]]]
        a, b = ([mean(found[system][budget][i] for budget in budgets) for i in ids] for system in (name, other))
        made.append((one, paired_bootstrap(a, b, names=(name, other))))
    corrected = holm([test.p for _, test in made])
    return [
        {
            "set": one, "n": test.n, "difference": round(test.difference, 4),
            "interval": [round(test.low, 4), round(test.high, 4)], "p_holm": round(p, 4),
            "verdict": replace(test, corrected=p).verdict(),
        }
        for (one, test), p in zip(made, corrected, strict=True)
    ]  # fmt: skip


def summary(folders: Mapping[str, Path], ids: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The choice, its tests, and every system's mean on the half that chose nothing."""
    by_set = {name: scores(folder, CHOSEN_BY) for name, folder in folders.items()}
    first = {name: halves(ids[name])[0] for name in folders}
    second = {name: halves(ids[name])[1] for name in folders}
    single = [f"m={m}" for m in PIECES]
    chosen = best(by_set, first, single)
    made: dict[str, Any] = {
        "chosen": chosen,
        "chosen_on_the_other_half": best(by_set, second, single),
        "chosen_by_set": {name: best({name: found}, first, single) for name, found in by_set.items()},
        "over_budgets": {
            "against_stitched": over_budgets(by_set, second, chosen, STITCHED),
            "against_naive": over_budgets(by_set, second, chosen, NAIVE),
            "five_pieces_against_naive": over_budgets(by_set, second, "m=5", NAIVE),
            "double_against_single": over_budgets(by_set, second, f"{chosen}, double", chosen)
            if f"{chosen}, double" in next(iter(by_set.values()))
            else [],
        },
        "against_stitched": tests(by_set, second, chosen, STITCHED),
        "against_naive": tests(by_set, second, chosen, NAIVE),
        "double_against_single": tests(by_set, second, f"{chosen}, double", chosen)
        if f"{chosen}, double" in next(iter(by_set.values()))
        else [],
        "sets": {},
    }
    for name, folder in folders.items():
        told: dict[str, Any] = {"n_choosing": len(first[name]), "n_reported": len(second[name])}
        for metric in METRICS:
            found = scores(folder, metric)
            told[metric] = {
                system: {budget: round(at(found, system, budget, second[name]), 4) for budget in by_budget}
                for system, by_budget in found.items()
            }
        told["milliseconds"] = times(folder)
        told["nothing_to_add"] = fallbacks(folder)
        made["sets"][name] = told
    return made


def times(folder: Path) -> dict[str, float]:
    """The median milliseconds of a context."""
    spent: dict[str, list[float]] = {}
    for row in read_rows(folder):
        if row.error is None:
            spent.setdefault(row.system, []).append(1000 * row.cost["seconds"])
    return {name: round(sorted(found)[len(found) // 2], 2) for name, found in spent.items()}


def fallbacks(folder: Path) -> dict[str, int]:
    """Questions in which a pass of feedback had nothing to add."""
    told: dict[str, set[str]] = {}
    for row in read_rows(folder):
        if row.fallbacks.get("feedback.nothing_to_add"):
            told.setdefault(row.system, set()).add(row.question)
    return {name: len(found) for name, found in told.items()}


def main() -> None:
    """Run, print and write the results as JSON."""
    parser = command_line(__doc__, data=True, out="feedback_sweep.json")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--questions", type=int, help="of each set, so many [default: all]")
    parser.add_argument("--budgets", default=",".join(map(str, BUDGETS)))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cache", type=Path, help="where libraries are kept")
    parser.add_argument("--runs", type=Path, default=Path("runs/feedback-sweep"))
    arguments = parser.parse_args()
    budgets = tuple(int(one) for one in arguments.budgets.split(","))
    setup = Setup(budgets, METRICS, arguments.questions, arguments.seed, cache=arguments.cache, workers=1)
    folders, ids = {}, {}
    for name in arguments.sets.split(","):
        dataset = load(name, arguments.data, OPTIONS.get(name, {}))
        folders[name] = arguments.runs / name
        execute(dataset, compared(), setup, folders[name], lambda text: print(f"\r{text} \x1b[K", end="", flush=True))
        drawn = {question.id for question in sample(dataset.questions, arguments.questions, arguments.seed)}
        ids[name] = [asked.id for asked in read_questions(folders[name]) if asked.id in drawn]
    chosen = {key: value for key, value in vars(arguments).items() if key in ("sets", "questions", "budgets", "seed")}
    result = {**setting(), "setting": chosen, **summary(folders, ids)}
    write(arguments.out, result, show=False)
    print(f"\nchosen: {result['chosen']} (on the other half: {result['chosen_on_the_other_half']})")
    for name, one in result["sets"].items():
        print(f"{name}, n = {one['n_reported']}: {CHOSEN_BY} at {', '.join(map(str, budgets))}")
        for system, by_budget in one[CHOSEN_BY].items():
            print(f"  {system:12}", " ".join(f"{value:.3f}" for value in by_budget.values()))
    for kind, lines in result["over_budgets"].items():
        for line in lines:
            print(f"{kind}, {line['set']}, mean over budgets: {line['verdict']}")
    for kind in ("against_stitched", "against_naive", "double_against_single"):
        for line in result[kind]:
            print(f"{line['set']} at {line['budget']}: {line['verdict']}")
    print(f"written to {arguments.out}")


if __name__ == "__main__":
    main()
