"""How long does it take to evaluate retrieval?

    python benchmarks/evaluate_speed.py --data ../shared/data

Target: 1,000 questions over 12,000 passages at five budgets for four recipes (naive, dos, recall, default) in under two minutes on two
cores after ingest. HotpotQA's corpus (15,411 passages) is asked its questions, repeated under new ids with a changed last character up to
1,000, so that no cache knows them. The library is built before the clock starts. Times on a shared machine are upper bounds: the CPU time
of all processes is printed too.
"""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

from setting import command_line, setting, write

from decoct.evaluate.session import Setup, execute
from decoct.evaluate.system import systems
from decoct_lab.dataset import Question, load

BUDGETS = (300, 900, 1800, 3600, 5400)


def many(questions: tuple[Question, ...], n: int) -> tuple[Question, ...]:
    """`n` questions with different ids and texts."""
    found = []
    for i in range(n):
        question = questions[i % len(questions)]
        mark = "" if i < len(questions) else f" ({i // len(questions)})"
        found.append(replace(question, id=f"{question.id}-{i}", question=question.question + mark))
    return tuple(found)


def processor_seconds() -> float:
    """Of this process and of its workers that have ended."""
    return sum(os.times()[:4])


def main() -> None:
    """Run and print; write the result as JSON."""
    parser = command_line(__doc__, data=True, questions=1000, out="evaluate_speed.json")
    parser.add_argument("--recipes", default="naive,dos,recall,default")
    parser.add_argument("--workers", type=int, default=0, help="processes (0: one a core)")
    parser.add_argument("--work", type=Path, default=Path("runs/evaluate-speed"))
    parser.add_argument("--cache", type=Path, default=None)
    given = parser.parse_args()
    dataset = load("hotpotqa", given.data, {"setting": "distractor"})
    dataset = replace(dataset, questions=many(dataset.questions, given.questions))
    compared = systems(given.recipes.split(","))
    shutil.rmtree(given.work, ignore_errors=True)
    execute(
        dataset, compared, Setup(BUDGETS, questions=1, cache=given.cache), given.work / "first"
    )  # builds the library
    wall, cpu = time.perf_counter(), processor_seconds()
    execute(
        dataset,
        compared,
        Setup(BUDGETS, cache=given.cache, workers=given.workers),
        given.work / "run",
        lambda line: print(f"\r{line} ", end=""),
    )
    wall, cpu = time.perf_counter() - wall, processor_seconds() - cpu
    result = {
        "questions": given.questions,
        "passages": len(dataset.lengths),
        "budgets": BUDGETS,
        "recipes": given.recipes.split(","),
        "rows": given.questions * len(BUDGETS) * len(compared),
        "seconds": round(wall, 1),
        "cpu_seconds": round(cpu, 1),
        **setting(),
    }
    write(given.out, result)


if __name__ == "__main__":
    main()
