"""What a turn is that no passage can answer by itself: fits the models of decoct.reading.turn_kinds, and judges them.

    python benchmarks/fit_turn_kinds.py [--write] [--unseen] [--out FILE]

Fitted on two sets of 600 turns of five kinds, each by a writer of its own who saw no code (benchmarks/follow-ups/turns-a.jsonl, -b), on
asking-fit.jsonl (whether a turn asks for anything, in eight languages), on leaning-fit.jsonl (short questions; some lean on what was spoken
of) and on questions written for the second reading (experiments/verifier/organisations), those that begin with a pronoun left out: a
quarter as they stand, a quarter with a pronoun behind a word with meaning, a quarter by their words with meaning, as one writes for a
search box, a quarter by what stands before their first mark.
Told of each kind: found (of the turns of the kind the share that is told so) and right (of those told so the share that is); `folds`: each
of the two sets by models without it, the development organisations' questions by models that never see them, asking-fit by ten folds;
`kept`: turns-kept.jsonl, by a third writer, which nobody mends on; `judge`: asking-judge.jsonl, of which --unseen tells the half that was
not looked at. 95 % intervals by Wilson. --write replaces the weights.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from setting import HERE, command_line, setting, share, write

from decoct.reading import turn_kinds
from decoct.text.words import is_stop

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
Matrix: TypeAlias = Any  # sparse or not
Folds: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
_STRENGTH = 0.05  # of the penalty on the weights; chosen with the folds
_QUESTIONS = 1_500  # of each form
_SETS = HERE.parent / "experiments" / "verifier" / "organisations"


def rows_of(file: Path) -> list[dict[str, Any]]:
    data = file.read_bytes()
    return [
        json.loads(line) for line in (gzip.decompress(data) if file.suffix == ".gz" else data).decode().splitlines()
    ]


def turns_written(name: str) -> list[dict[str, Any]]:
    return rows_of(HERE / "follow-ups" / name)


def fitted(features: Matrix, says: Numbers, strength: float = 0.2, *, balanced: bool = False) -> Numbers:
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
    features: Matrix, says: Numbers, folds: Folds, strength: float = 0.2, *, balanced: bool = False
) -> Numbers:
    """The log-odds of each row by the model that is fitted on the other folds."""
    said = np.zeros(len(says))
    for fold in np.unique(folds):
        inside = folds == fold
        said[inside] = features[inside] @ fitted(features[~inside], says[~inside], strength, balanced=balanced)
    return said


def other_questions() -> list[str]:
    """Questions to documents as they stand, as for a search box, and what stands before a mark in them."""
    held = {row["question"] for file in sorted(_SETS.glob("*/questions.jsonl*")) for row in rows_of(file)}
    every = [one for one in sorted(held) if turn_kinds.pronoun(one) != "bare"]  # some of them refer back
    random.Random(1).shuffle(every)
    own = [[word for word in re.findall(r"[\w'’./-]+", one) if not is_stop(word.lower())] for one in every]
    sought = [" ".join(words[: 1 + len(one) % 5]) for one, words in zip(every, own, strict=True) if words]
    begun = [part for one in every if len((part := re.split(r"(?<=[,:;])\s", one)[0]).split()) > 3 and part != one]
    pointing = [one for one in every[2 * _QUESTIONS :] if turn_kinds.pronoun(one) == "behind"]
    return [*every[:_QUESTIONS], *sought[_QUESTIONS : 2 * _QUESTIONS], *begun[:_QUESTIONS], *pointing[:_QUESTIONS]]


def kinds_said(log_odds: Numbers) -> list[str]:
    """The kind of each row of log-odds, as `turn_kind` tells it."""
    return [turn_kinds.likeliest_kind(row) for row in log_odds.tolist()]


def told_by_kind(said: Sequence[str], kinds: Sequence[str]) -> dict[str, Any]:
    pairs = list(zip(said, kinds, strict=True))
    return {
        kind: {
            "found": share([one == kind for one, own in pairs if own == kind]),
            "right": share([own == kind for one, own in pairs if one == kind]),
        }
        for kind in (*turn_kinds.BARS, "question")
    }


def _asking_shares(rows: Sequence[dict[str, Any]], said: Sequence[str]) -> dict[str, Any]:
    nothing = [one in ("none", "order") for one in said]
    return {
        "found": share([one for row, one in zip(rows, nothing, strict=True) if not row["asks"]]),
        "lost": share([one for row, one in zip(rows, nothing, strict=True) if row["asks"]]),
        "wrong": [row["turn"] for row, one in zip(rows, nothing, strict=True) if one == row["asks"]],
    }


def main() -> None:
    parser: ArgumentParser = command_line(__doc__, out="")
    parser.add_argument("--write", action="store_true", help="replaces the weights")
    parser.add_argument("--unseen", action="store_true", help="tells the unseen half of asking-judge.jsonl")
    given = parser.parse_args()
    a, b, asking, leaning = map(
        turns_written, ("turns-a.jsonl", "turns-b.jsonl", "asking-fit.jsonl", "leaning-fit.jsonl")
    )
    questions = other_questions()
    turns = [*(row["turn"] for row in (*a, *b, *asking, *leaning)), *questions]
    kinds = np.array(
        [row["kind"] for row in (*a, *b)]
        + ["asks" if row["asks"] else "none" for row in asking]  # of those the kind is not known
        + ["asks"] * len(leaning)
        + ["question"] * len(questions)
    )
    part = np.repeat(
        ["a", "b", "asking", "leaning", "questions"], [len(one) for one in (a, b, asking, leaning, questions)]
    )
    features = csr_matrix(np.array([turn_kinds.turn_features(turn) for turn in turns]))
    told = dict.fromkeys(turn_kinds.BARS, part != "asking")  # which rows tell whether a turn is of the kind
    told |= {"none": np.ones(len(turns), dtype=bool), "refers-back": (part != "asking") & (part != "leaning")}

    def models(use: Any) -> Numbers:  # noqa: ANN401 - a mask
        rows = {kind: use & told[kind] for kind in turn_kinds.BARS}
        return np.array([fitted(features[own], kinds[own] == kind, _STRENGTH) for kind, own in rows.items()])

    def said_of(texts: Sequence[str], weights: Numbers) -> list[str]:
        return kinds_said(np.array([turn_kinds.turn_features(one) for one in texts]) @ weights.T)

    weights = models(np.ones(len(turns), dtype=bool))
    if given.write:
        np.save(turn_kinds.WEIGHTS, weights.astype(np.float16))
    by_writer = [one for name in ("a", "b") for one in kinds_said(features[part == name] @ models(part != name).T)]
    folds, by_fold = ten_folds(len(asking)), np.zeros((len(asking), len(turn_kinds.BARS)))
    for fold in range(10):
        use = part != "asking"
        use[part == "asking"] = folds != fold
        by_fold[folds == fold] = features[part == "asking"][folds == fold] @ models(use).T
    organisations = [
        row["question"]
        for file in sorted((HERE / "organisations").glob("dev-*"))
        for row in rows_of(file / "questions.jsonl")
    ]
    of_organisations = said_of(organisations, weights)
    kept = turns_written("turns-kept.jsonl")
    result: dict[str, Any] = {
        "folds": {
            "by writer": told_by_kind(by_writer, kinds[(part == "a") | (part == "b")].tolist()),
            "asking-fit": {
                key: one for key, one in _asking_shares(asking, kinds_said(by_fold)).items() if key != "wrong"
            },
            "development organisations": {
                "told": dict(Counter(of_organisations)),
                "other than questions": [
                    f"{one}: {kind}"
                    for one, kind in zip(organisations, of_organisations, strict=True)
                    if kind != "question"
                ],
            },
        },
        "kept": told_by_kind(said_of([row["turn"] for row in kept], weights), [row["kind"] for row in kept]),
    }
    for half in ["seen", *(["unseen"] if given.unseen else [])]:
        judged = [row for row in turns_written("asking-judge.jsonl") if row["half"] == half]
        result[f"judge, {half}"] = _asking_shares(judged, said_of([row["turn"] for row in judged], weights))
    write(given.out, {**setting(), **result})


if __name__ == "__main__":
    main()
