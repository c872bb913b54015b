"""Fit how sure an answer in steps is (`decoct.answer.in_steps`), each public set of questions in several steps left out once.

    python experiments/reader/fit_steps.py DATA [--sets 2wikimultihopqa,hotpotqa,musique] [--out FILE]

Asked are the held-back questions of `decoct train reader` (split by document) over their own candidate documents. The log-odds that the
answer is right (an accepted one stands in it, or token F1 is at least .6) are a slope, held at nought or above, times those of the steps'
mean weight, and an offset for comparisons; for nested questions an offset alone, since their weight tells nothing (area .56, n = 32).
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from organisations import stands
from short_answers import held_back

from decoct.answer.in_steps import StepReader
from decoct.answer.short_answers import ShortAnswers
from decoct.data import Passage, Span
from decoct.evaluate.metrics.answers import token_f1
from decoct.reading.base import log_odds
from decoct_lab.dataset import load

MOST, RIGHT, STEPS = 20, 0.6, 8
Row = dict[str, Any]


def asked(name: str, folder: Path) -> list[Row]:
    """The questions that were answered in steps: the mean weight of the steps, and whether the answer is right."""
    dataset, rows = load(name, folder), []
    documents = {document.id: document for document in dataset.documents()}
    reader = ShortAnswers()
    for question in held_back(dataset):
        told = [documents[one] for one in (question.candidate_ids or question.supporting_ids)[:MOST]]
        passages = [Passage(one.text, (Span(one.id, 0, len(one.text)),), title=one.title) for one in told]
        steps = StepReader(question.question, reader.reader, reader._probability, passages, STEPS)
        answer = steps.answer()
        if answer is not None and question.answers:
            right = stands(question.answers, answer.words) or token_f1(answer.words, question.answers) >= RIGHT
            rows.append({"set": name, "weight": answer.weight, "compared": answer.compared, "right": right})
    return rows


def matrix(rows: list[Row]) -> np.ndarray:
    """A row an answer: the log-odds of the weight and 1 for a comparison, 1 for a nested question; noughts for the other kind."""
    both = [(log_odds(row["weight"]), row["compared"]) for row in rows]
    return np.array([[odds, 1.0, 0.0] if compared else [0.0, 0.0, 1.0] for odds, compared in both])


def fitted(rows: list[Row]) -> np.ndarray:
    """Slope and offset of comparisons, then the offset of nested questions."""
    x = matrix(rows)
    y = np.array([float(row["right"]) for row in rows])

    def loss(w: np.ndarray) -> float:
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        return float(-np.mean(y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12)) + 0.003 * w @ w)

    return np.asarray(minimize(loss, np.zeros(3), bounds=[(0, None), (None, None), (None, None)], method="L-BFGS-B").x)


def judged(rows: list[Row], weights: np.ndarray) -> Row:
    """How many are right, the mean of what is told, how far both are apart in three equal parts, and what would be claimed at .7."""
    score = 1 / (1 + np.exp(-(matrix(rows) @ weights)))
    right = np.array([float(row["right"]) for row in rows])
    parts = np.array_split(np.argsort(score), 3)
    claims = score >= 0.7
    return {
        "n": len(rows),
        "right": round(float(right.mean()), 3),
        "told": round(float(score.mean()), 3),
        "off by": round(float(sum(abs(score[p].mean() - right[p].mean()) * len(p) for p in parts) / len(rows)), 3),
        "claimed at .7": int(claims.sum()),
        "right of these": round(float(right[claims].mean()), 3) if claims.any() else None,
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", default="2wikimultihopqa,hotpotqa,musique")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows = [row for name in given.sets.split(",") for row in asked(name, given.data / name)]
    result: Row = {}
    for name in given.sets.split(","):
        own = [row for row in rows if row["set"] == name]
        result[name] = judged(own, fitted([row for row in rows if row["set"] != name]))
    weights = [round(float(one), 3) for one in fitted(rows)]
    result["all"] = {"comparisons": weights[:2], "nested": weights[2:], **judged(rows, fitted(rows))}
    for kind in (True, False):
        own = [row for row in rows if row["compared"] == kind]
        result["comparisons" if kind else "nested"] = judged(own, fitted(rows))
    print(json.dumps(result, indent=1))
    if given.out:
        given.out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
