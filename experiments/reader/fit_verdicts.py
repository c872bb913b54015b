"""Fit how sure a yes or no is (`decoct.answer.verdicts`) on questions of yes or no, and judge it on others.

    python experiments/reader/fit_verdicts.py collect NAME FOLDER LIBRARY --out ROWS   # FOLDER as in benchmarks/organisations
    python experiments/reader/fit_verdicts.py fit ROWS [--write]

A verdict is right if its word is the answer and its statement stands in a document with the evidence. Each set of ROWS is judged by what is
fitted on the others; the result is benchmarks/results/verdicts.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any, get_args

import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from organisations import among, off_by

from decoct import Library
from decoct.answer.candidates import ClaimFinder
from decoct.answer.decision import ClaimCandidate
from decoct.answer.short_answers import ShortAnswers
from decoct.answer.verdicts import FITTED, ValueAgreement, VerdictFinder
from decoct.text.questions import asks_yes_or_no

ROOT = Path(__file__).parents[2]
GROUNDS = tuple(f"{word}-{agreement}" for word in ("yes", "no") for agreement in get_args(ValueAgreement))
FEATURES = ("leaning", "answers")
RIDGE, SHRUNK = 0.003, 0.001  # of offsets and of weights: the least log loss over organisations left out
Row = dict[str, Any]


def collect(name: str, folder: Path, place: Path, out: Path) -> None:
    """What speaks for yes and for no to each question of that kind, and which is right; no text."""
    reader = ShortAnswers()
    with Library.open(place) as library, out.open("a", encoding="utf-8") as rows:
        if not library.status().documents:
            library.add([folder / "documents"])
        for line in (folder / "questions.jsonl").read_text("utf-8").splitlines():
            question = json.loads(line)
            if not asks_yes_or_no(question["question"]):
                continue
            context = library.context(question["question"])
            finder = reader._finder(question["question"], reader._readings(context.question, reader._quotes(context)))
            told = finder.claims(reader._words(finder), reader.certainty, reader.second)
            documents = {one.support[0].doc_id for one in context.passages}
            sources = {doc: library.document(doc).source for doc in documents}
            rows.write(json.dumps(row_of(name, question, finder, told, sources)) + "\n")
            rows.flush()


def row_of(name: str, question: Row, finder: ClaimFinder, told: list[ClaimCandidate], sources: dict[str, str]) -> Row:
    """What speaks for each word, and whether it is right."""
    verdicts, found = VerdictFinder(finder), list[Row]()
    first = verdicts.deciding(told)
    if first is not None:
        stands = among(sources[first.found.read.passage.support[0].doc_id], question["documents"])
        for one in verdicts.verdicts(first, told):
            right = question["answers"] == [one.word] and stands
            found.append({"ground": f"{one.word}-{one.agreement}", "right": right, **one.features()})
    return {"set": name, "id": question["id"], "kind": question["kind"], "found": found}


def vector(found: Row) -> list[float]:
    """The features and the ground of a verdict as numbers."""
    return [*(found[name] for name in FEATURES), *(float(found["ground"] == ground) for ground in GROUNDS)]


def fitted(rows: list[Row]) -> np.ndarray:
    """Weights of the features (at nought or above) and offsets of the grounds, drawn to nought."""
    found = [one for row in rows for one in row["found"]]
    x, y = np.array([vector(one) for one in found]), np.array([float(one["right"]) for one in found])
    many = len(FEATURES)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        z = x @ w
        slope = x.T @ (1 / (1 + np.exp(-z)) - y) / len(y)
        drawn = np.repeat([SHRUNK, RIDGE], [many, len(GROUNDS)])
        return float(np.mean(np.logaddexp(0, z) - y * z) + drawn @ w**2), slope + 2 * drawn * w

    bounds = [(0, None)] * many + [(None, None)] * len(GROUNDS)
    return np.asarray(minimize(loss, np.zeros(x.shape[1]), jac=True, bounds=bounds, method="L-BFGS-B").x)


def probability(found: Row, weights: np.ndarray) -> float:
    """How likely a verdict is right."""
    return float(1 / (1 + np.exp(-np.dot(vector(found), weights))))


def judged(rows: list[Row], weights: np.ndarray, sure: float) -> Row:
    """What would be claimed with `sure`, by kind of question, and the mean distance of score and share right over five bins."""
    table: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    scores, rights = [], []
    for row in rows:
        kind = table[row["kind"]]
        kind[0] += 1
        if not row["found"]:
            continue
        score, right = max((probability(one, weights), one["right"]) for one in row["found"])
        scores.append(score)
        rights.append(right)
        kind[1] += score >= sure
        kind[2] += score >= sure and right
    s, r = np.array(scores), np.array(rights, dtype=float)
    claims = s >= sure
    return {
        "by kind: n, claimed, right": dict(table),
        "claimed": int(claims.sum()),
        "told of these": round(float(s[claims].mean()), 3) if claims.any() else None,
        "right of these": round(float(r[claims].mean()), 3) if claims.any() else None,
        "off by": round(off_by(s, r), 3),
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    asked = commands.add_parser("collect")
    asked.add_argument("name")
    asked.add_argument("folder", type=Path)
    asked.add_argument("library", type=Path)
    asked.add_argument("--out", type=Path, required=True)
    fits = commands.add_parser("fit")
    fits.add_argument("rows", type=Path)
    fits.add_argument("--sure", type=float, default=0.67)
    fits.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.command == "collect":
        collect(given.name, given.folder, given.library, given.out)
        return
    rows = [json.loads(line) for line in given.rows.read_text("utf-8").splitlines()]
    result: Row = {}
    for name in sorted({row["set"] for row in rows}):
        own = [row for row in rows if row["set"] == name]
        weights = fitted([row for row in rows if row["set"] != name])
        result[name] = judged(own, weights, given.sure)
    weights = fitted(rows)
    held = {
        "weights": {name: round(float(w), 4) for name, w in zip(FEATURES, weights, strict=False)},
        "offsets": {ground: round(float(w), 4) for ground, w in zip(GROUNDS, weights[len(FEATURES) :], strict=True)},
    }
    print(json.dumps(result, indent=1), json.dumps(held, indent=1))
    if given.write:
        FITTED.write_text(json.dumps(held, indent=1) + "\n", "utf-8")
        (ROOT / "benchmarks" / "results" / "verdicts.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
