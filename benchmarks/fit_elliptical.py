"""Whether an elliptical question asks for yes or no: fits the model of decoct.text.elliptical, and judges it.

    python benchmarks/fit_elliptical.py [--write] [--out FILE]

Fitted on the questions without a question word that no auxiliary verb begins, of the sets written for the second reading
(experiments/verifier/organisations; what asks for yes or no their writers said), those without a question mark as if they had one, and, as
few that ask for a thing are written with a mark, on the rest of questions that begin with "what is" and the like ("What is the width of one
pass?": "width of one pass?"). Told are five folds by set: the share told to ask for yes or no, of those that do and of those that do not,
the same of those that were written with a mark and of the rests, and for the kept organisations (by their kinds alone) what is told of all
questions of yes or no and of all others, by the grammar and with the model. 95 % intervals by Wilson. --write replaces the weights.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from fit_turn_kinds import fitted, rows_of, said_in_folds
from scipy.sparse import csr_matrix
from setting import HERE, command_line, setting, share, write

from decoct.text import elliptical
from decoct.text.questions import asks_by_grammar, asks_yes_or_no

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
_SETS = HERE.parent / "experiments" / "verifier" / "organisations"
_KEPT = HERE / "organisations"
_STRENGTH = 2.0  # of the penalty on the weights; chosen with the folds, as the number of places was (2,048 to 16,384)
_FOLDS = 5
_ASKED = re.compile(
    r"^(?:what|who|how much)(?: (?:is|are|was|were)|['’]s) (?=\w)(?P<article>(?:the|a|an) )?", re.IGNORECASE
)


def says_yes_or_no(row: dict[str, Any]) -> bool:
    return str(row["kind"]).startswith("yesno")


def features(questions: Sequence[str]) -> csr_matrix:
    """A row of ones a question, with one more at its end for the offset."""
    places = [[*elliptical.elliptical_features(one), elliptical.SIZE] for one in questions]
    ends = np.cumsum([0, *map(len, places)])
    return csr_matrix(
        (np.ones(ends[-1]), np.concatenate(places), ends), shape=(len(questions), elliptical.SIZE + 1), dtype=np.float64
    )


def shares_told(asks: Numbers, said: Numbers) -> dict[str, Any]:
    return {"of yes or no": share(said[asks].tolist()), "of others": share(said[~asks].tolist())}


def main() -> None:
    """The command line."""
    parser: ArgumentParser = command_line(__doc__, out="")
    parser.add_argument("--write", action="store_true", help="replaces the weights")
    given = parser.parse_args()
    held = sorted(_SETS.glob("*/questions.jsonl*"))
    rows = {
        row["question"]: (number % _FOLDS, says_yes_or_no(row), row["question"].rstrip().endswith("?"))
        for number, file in enumerate(held)
        for row in rows_of(file)
    }
    written = [one if mark else f"{one.rstrip(' .')}?" for one, (_, _, mark) in rows.items()]
    meant = np.array(
        [elliptical.is_elliptical(new) and not asks_by_grammar(one) for one, new in zip(rows, written, strict=True)]
    )
    fold, asks, mark = (np.array(column)[meant] for column in zip(*rows.values(), strict=True))
    asked = [(one, at) for one, (at, yes_or_no, _) in rows.items() if not yes_or_no and _ASKED.match(one)]
    rests = [(_ASKED.sub(r"\g<article>" if len(one) % 3 == 0 else "", one), at) for one, at in asked]
    rests = [(one, at) for one, at in rests if elliptical.is_elliptical(one)]
    own = len(asks)
    given_features = features(
        [*(one for one, take in zip(written, meant, strict=True) if take), *(one for one, _ in rests)]
    )
    asks, fold = np.append(asks, np.zeros(len(rests), dtype=bool)), np.append(fold, [at for _, at in rests])
    said = said_in_folds(given_features, asks, fold, _STRENGTH, balanced=True) > elliptical.BAR
    if given.write:
        np.save(elliptical.WEIGHTS, fitted(given_features, asks, _STRENGTH, balanced=True).astype(np.float16))
    kept = [row for folder in sorted(_KEPT.glob("kept-*")) for row in rows_of(folder / "questions.jsonl")]
    theirs = np.array([says_yes_or_no(row) for row in kept])
    write(
        given.out,
        {
            **setting(),
            "folds": shares_told(asks[:own], said[:own]),
            "folds, written with a mark": shares_told(asks[:own][mark], said[:own][mark]),
            "folds, rests": share(said[own:].tolist()),
            "kept, by grammar": shares_told(theirs, np.array([asks_by_grammar(row["question"]) for row in kept])),
            "kept, with the model": shares_told(theirs, np.array([asks_yes_or_no(row["question"]) for row in kept])),
        },
    )


if __name__ == "__main__":
    main()
