"""Whether a question leans on what was spoken of before it: fits the model of decoct.conversation.leaning, and judges it.

    python benchmarks/fit_leaning.py [--write] [--out FILE]

Fitted on benchmarks/follow-ups/leaning-fit.jsonl, questions written for it; told are ten folds of them (found: of those that lean the share
that is told so; lost: of those that stand alone the share that is told to lean), and the last turns without a name of the conversations
that were run and not read (`development-kept`: bare, and new). 95 % intervals by Wilson. --write replaces the weights.
"""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

import numpy as np
from fit_turn_kinds import fitted, said_in_folds, ten_folds, turns_written
from setting import command_line, setting, share, write

from decoct.conversation import leaning
from decoct.conversation.leaning import LEANS
from decoct.conversation.mentions import names

_STRENGTH = 0.3  # of the penalty on the weights; chosen with the folds


def _shares(leans: list[bool], says: list[bool]) -> dict[str, Any]:
    pairs = list(zip(leans, says, strict=True))
    return {
        "found": share([said for one, said in pairs if one]),
        "lost": share([said for one, said in pairs if not one]),
    }


def main() -> None:
    """The command line."""
    parser: ArgumentParser = command_line(__doc__, out="")
    parser.add_argument("--write", action="store_true", help="replaces the weights")
    given = parser.parse_args()
    rows = turns_written("leaning-fit.jsonl")
    features = np.array([leaning.leaning_features(row["turn"]) for row in rows], dtype=np.float64)
    leans = np.array([row["leans"] for row in rows], dtype=np.float64)
    if given.write:
        np.save(leaning.WEIGHTS, fitted(features, leans, _STRENGTH).astype(np.float16))
    says = 1 / (1 + np.exp(-said_in_folds(features, leans, ten_folds(len(rows)), _STRENGTH))) > LEANS
    judged = [
        (case["turns"][-1][0], case["kind"] == "bare")
        for case in turns_written("development-kept.jsonl")
        if case["kind"] in ("bare", "new")
    ]
    judged = [(turn, bare) for turn, bare in judged if not names(turn)]
    kept = _shares([bare for _, bare in judged], [leaning.leaning(turn) > LEANS for turn, _ in judged])
    write(given.out, {**setting(), "folds": _shares([row["leans"] for row in rows], says.tolist()), "kept": kept})


if __name__ == "__main__":
    main()
