"""Whether a turn of a conversation asks for anything: fits the model of decoct.conversation.asking, and judges it.

    python benchmarks/fit_asking.py [--write] [--unseen] [--out FILE]

Fitted on benchmarks/follow-ups/asking-fit.jsonl, turns written for it; told are ten folds of them (found: of the turns that ask nothing
the share that is told so; lost: of those that ask the share that is told to ask nothing) and `asking-judge.jsonl`, 60 turns written
before the model. Its half `seen` was looked at to choose the settings, `unseen` (--unseen) was not. 95 % intervals by Wilson.
--write replaces the weights.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import minimize
from setting import HERE, command_line, setting, share, write

from decoct.conversation import asking
from decoct.text.unasked import is_order, unasked

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
Matrix: TypeAlias = Any  # sparse or not
Folds: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
_STRENGTH = 0.2  # of the penalty on the weights; chosen with the folds and the seen half


def turns_written(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / "follow-ups" / name).read_text("utf-8").splitlines()]


def fitted(features: Matrix, says: Numbers, strength: float = _STRENGTH, *, balanced: bool = False) -> Numbers:
    """The weights of a logistic regression with a penalty on all of them but the last; `balanced`: yes and no weigh the same in all.

    `features` is a matrix, sparse or not, with a row for each of what `says` 1 or 0.
    """
    free = np.append(np.full(features.shape[1] - 1, strength), 0.0)
    weigh = np.where(says, 0.5 / says.mean(), 0.5 / (1 - says.mean())) if balanced else np.ones(len(says))

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        said = features @ weights
        costs = weigh * (np.logaddexp(0, said) - says * said)
        slope = features.T @ (weigh * (1 / (1 + np.exp(-np.maximum(said, -700))) - says)) + free * weights
        return float(costs.sum() + (free * weights**2).sum() / 2), slope

    found: Numbers = minimize(loss, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B").x
    return found


def ten_folds(count: int) -> Folds:
    """A fold for each of `count` rows, by chance and the same at every run."""
    return np.random.default_rng(0).integers(0, 10, count)


def said_in_folds(
    features: Matrix, says: Numbers, folds: Folds, strength: float = _STRENGTH, *, balanced: bool = False
) -> Numbers:
    """The log-odds of each row by the model that is fitted on the other folds."""
    said = np.zeros(len(says))
    for fold in np.unique(folds):
        inside = folds == fold
        said[inside] = features[inside] @ fitted(features[~inside], says[~inside], strength, balanced=balanced)
    return said


def _shares(rows: list[dict[str, Any]], says: list[bool]) -> dict[str, Any]:
    return {
        "found": share([said for row, said in zip(rows, says, strict=True) if not row["asks"]]),
        "lost": share([said for row, said in zip(rows, says, strict=True) if row["asks"]]),
    }


def _by_rules(turn: str) -> bool:
    return unasked(turn) == "none" or is_order(turn)


def main() -> None:
    parser: ArgumentParser = command_line(__doc__, out="")
    parser.add_argument("--write", action="store_true", help="replaces the weights")
    parser.add_argument("--unseen", action="store_true", help="tells the unseen half")
    given = parser.parse_args()
    rows = turns_written("asking-fit.jsonl")
    features = np.array([asking.asking_features(row["turn"]) for row in rows], dtype=np.float64)
    nothing = np.array([not row["asks"] for row in rows], dtype=np.float64)
    if given.write:
        np.save(asking.WEIGHTS, fitted(features, nothing).astype(np.float16))
    says = 1 / (1 + np.exp(-said_in_folds(features, nothing, ten_folds(len(rows))))) > asking._SURE
    result: dict[str, Any] = {"folds": _shares(rows, says.tolist())}
    for half in ["seen", *(["unseen"] if given.unseen else [])]:
        judged = [row for row in turns_written("asking-judge.jsonl") if row["half"] == half]
        by_model = [asking.asks_nothing(row["turn"]) for row in judged]
        by_rules = [_by_rules(row["turn"]) for row in judged]
        both = [one or other for one, other in zip(by_model, by_rules, strict=True)]
        result[half] = {"rules": _shares(judged, by_rules), "rules and model": _shares(judged, both)}
        result[half]["wrong"] = [row["turn"] for row, said in zip(judged, both, strict=True) if said == row["asks"]]
    write(given.out, {**setting(), **result})


if __name__ == "__main__":
    main()
