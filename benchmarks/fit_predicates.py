"""Whether a word is a predicate ("built", "warm") or part of a name: fits the model of decoct.conversation.predicates, and judges it.

    python benchmarks/fit_predicates.py [--write] [--out FILE]

Fitted on benchmarks/follow-ups/predicates-fit.jsonl, words written for it; told are ten folds of them, by their kind: the share told to be
a predicate (learned, or by "ed"), and for comparison the share by the endings "ed" and "en". 95 % intervals by Wilson. --write replaces the
weights.
"""

from __future__ import annotations

from argparse import ArgumentParser

import numpy as np
from fit_turn_kinds import fitted, said_in_folds, ten_folds, turns_written
from setting import command_line, setting, share, write

from decoct.conversation import predicates

_STRENGTH = 0.1  # of the penalty on the weights; chosen with the folds


def main() -> None:
    """The command line."""
    parser: ArgumentParser = command_line(__doc__, out="")
    parser.add_argument("--write", action="store_true", help="replaces the weights")
    given = parser.parse_args()
    rows = turns_written("predicates-fit.jsonl")
    features = np.array([predicates.predicate_features(row["word"]) for row in rows], dtype=np.float64)
    says = np.array([row["says"] for row in rows], dtype=np.float64)
    if given.write:
        np.save(predicates.WEIGHTS, fitted(features, says, _STRENGTH).astype(np.float16))
    told = said_in_folds(features, says, ten_folds(len(rows)), _STRENGTH) > 0
    told |= np.array([row["word"].endswith("ed") for row in rows])
    kinds = {
        kind: {
            "learned": share([bool(one) for row, one in zip(rows, told, strict=True) if row["kind"] == kind]),
            "endings": share([row["word"].endswith(("ed", "en")) for row in rows if row["kind"] == kind]),
        }
        for kind in ("regular", "irregular", "adjective", "noun")
    }
    write(given.out, {**setting(), "folds": kinds})


if __name__ == "__main__":
    main()
