"""Fit whether a statement says yes or no (`decoct.reading.polarity`) on the written questions of yes or no, and judge it on sets left out.

    python experiments/verifier/fit_polarity.py [--write]

Each question that its passage decides is taken with the statement that decides it. Left out are three pairs of sets, one after another; of
each is told how often the sign is right and the area over yes and no. With `--write` the weights of all sets are shipped, and the figures
go to benchmarks/results/verifier/polarity.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from gold import place_of
from material import TRADES, material
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from decoct.answer.demands import demands_of
from decoct.answer.statements import statements
from decoct.answer.verdicts import agreement_of, words_of
from decoct.reading.polarity import BUCKETS, FITTED, buckets

ROOT = Path(__file__).parents[2]
RIDGE = 5e-4
LEFT_OUT = (("yesno3", "utility"), ("yesno5", "hotel"), ("yesno4", "manuals2"), ("townhall", "outfitter", "hosting"))
Pair = tuple[str, list[int], float]


def pairs_of(name: str) -> Iterator[Pair]:
    """Set, buckets, and 1 for yes or 0 for no, of each decided question."""
    found = material(name, Path(), Path())
    told = {number: statements(text, title) for number, (title, text) in enumerate(found.passages)}
    for one in found.asked:
        if not one.yes_no or not one.gold or one.near is None or not one.sentence:
            continue
        title, text = found.passages[one.near]
        at = place_of(text, one.sentence, None)
        stated = next((s for s in told[one.near] if at and s.place[0] <= at[0] < s.place[1]), None)
        if stated is None:
            continue
        demands = demands_of(one.question, [f"{title}\n{text}"])
        named = [(each.start, each.end) for each in (*demands.identifiers, *demands.labels)]
        words = words_of(text, stated.place)
        agreement = agreement_of(one.question, named, words, stated.over)
        yield name, buckets(one.question, words, agreement), float(one.gold[one.near] == ["yes"])


def matrix(pairs: list[Pair]) -> csr_matrix:
    """Pairs × buckets."""
    rows = np.repeat(np.arange(len(pairs)), [len(found) for _, found, _ in pairs])
    columns = np.concatenate([found for _, found, _ in pairs])
    return csr_matrix((np.ones(len(columns)), (rows, columns)), shape=(len(pairs), BUCKETS))


def fitted(x: csr_matrix, y: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights of a ridge logistic regression."""

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = x @ w
        slope = x.T @ (1 / (1 + np.exp(-z)) - y) / len(y) + 2 * RIDGE * w
        return float(np.mean(np.logaddexp(0, z) - y * z) + RIDGE * w @ w), slope

    return np.asarray(
        minimize(loss, np.zeros(BUCKETS), jac=True, method="L-BFGS-B", options={"maxiter": 100}).x
    )


def area(scores: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """How often a yes stands above a no."""
    places = np.empty(len(y))
    places[np.argsort(scores, kind="stable")] = np.arange(len(y))
    many = y.sum()
    return float((places[y == 1].sum() - many * (many - 1) / 2) / (many * (len(y) - many)))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    pairs = [one for name in (*TRADES, "yes-no") for one in pairs_of(name)]
    x, y, names = matrix(pairs), np.array([right for *_, right in pairs]), np.array([name for name, *_ in pairs])
    result = {"questions": len(pairs), "yes": int(y.sum()), "left out": {}}
    for out in LEFT_OUT:
        held = np.isin(names, out)
        scores = x[held] @ fitted(x[~held], y[~held])
        result["left out"][" and ".join(out)] = {
            "n": int(held.sum()),
            "right": round(float(np.mean((scores > 0) == y[held])), 3),
            "area": round(area(scores, y[held]), 3),
        }
    print(json.dumps(result, indent=1))
    if given.write:
        np.save(FITTED, fitted(x, y).astype(np.float16))
        out = ROOT / "benchmarks" / "results" / "verifier" / "polarity.json"
        out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
