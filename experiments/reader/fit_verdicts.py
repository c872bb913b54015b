"""Fit how sure a yes or no is (`decoct.answer.verdicts`) on questions of yes or no, and judge it on others.

    python experiments/reader/fit_verdicts.py collect NAME FOLDER LIBRARY --out ROWS   # FOLDER as in benchmarks/organisations
    python experiments/reader/fit_verdicts.py fit ROWS --judge NAME [--write]

A verdict is right if its word is the answer and its sentence stands in a document with the evidence. Fitted on all sets of ROWS but
`--judge`; the result is benchmarks/results/verdicts.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from organisations import among, off_by

from decoct import Library
from decoct.answer.candidates import ClaimFinder
from decoct.answer.short_answers import ShortAnswers
from decoct.answer.verdicts import FITTED, VerdictFinder

ROOT = Path(__file__).parents[2]
GROUNDS = ("yes-same", "yes-said", "no-same", "no-said", "no-unmet", "no-other", "no-only", "yes-cell", "no-cell")
FEATURES = ("leaning", "near", "behind", "spoken", "relevance", "said")
RIDGE = 0.001
Row = dict[str, Any]


def collect(name: str, folder: Path, place: Path, out: Path) -> None:
    """What each of the nearest sentences of each question decides, its features, and whether it is right; no text."""
    reader = ShortAnswers()
    with Library.open(place) as library, out.open("a", encoding="utf-8") as rows:
        if not library.status().documents:
            library.add([folder / "documents"])
        for line in (folder / "questions.jsonl").read_text("utf-8").splitlines():
            question = json.loads(line)
            if not question["kind"].startswith("yesno") and folder.name not in ("verdicts", "judge"):
                continue
            asked = question["question"]
            context = library.context(asked)
            read = reader._readings(asked, reader._quotes(context))
            finder = VerdictFinder(ClaimFinder(asked, read, reader.related), reader.reader, reader.second)
            found = []
            for verdict in finder.verdicts():
                source = library.document(verdict.compared.read.passage.support[0].doc_id).source
                right = question["answers"] == [verdict.word] and among(source, question["documents"])
                found.append({"ground": f"{verdict.word}-{verdict.ground}", "right": right, **verdict.features()})
            rows.write(json.dumps({"set": name, "id": question["id"], "kind": question["kind"], "found": found}) + "\n")
            rows.flush()


def vector(found: Row) -> list[float]:
    """The features and the ground of a verdict as numbers."""
    return [*(found[name] for name in FEATURES), *(float(found["ground"] == ground) for ground in GROUNDS)]


def fitted(rows: list[Row]) -> np.ndarray:
    """Weights of the features (at nought or above) and offsets of the grounds, drawn to their mean, for each question's nearest."""
    found = [max(row["found"], key=lambda one: float(one["behind"])) for row in rows if row["found"]]
    x, y = np.array([vector(one) for one in found]), np.array([float(one["right"]) for one in found])
    many = len(FEATURES)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        off = w[many:] - w[many:].mean()
        value = -np.mean(y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12)) + RIDGE * (off @ off)
        slope = x.T @ (p - y) / len(y)
        slope[many:] += 2 * RIDGE * off
        return float(value), slope

    bounds = [(0, None)] * many + [(None, None)] * len(GROUNDS)
    return np.asarray(minimize(loss, np.zeros(x.shape[1]), jac=True, bounds=bounds, method="L-BFGS-B").x)


def probability(found: Row, weights: np.ndarray) -> float:
    """How likely a verdict is right."""
    return float(1 / (1 + np.exp(-np.dot(vector(found), weights))))


def _behind(found: Row) -> float:
    return -float(found["behind"])


def judged(rows: list[Row], weights: np.ndarray, sure: float) -> Row:
    """What would be claimed with `sure`, by kind of question, and the mean distance of score and share right over five bins."""
    table: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    scores, rights = [], []
    for row in rows:
        found = [
            (one["ground"].partition("-")[0], probability(one, weights)) for one in sorted(row["found"], key=_behind)
        ]
        if not found:
            table[row["kind"]][0] += 1
            continue
        word, score = found[0]
        against = max((sure for other, sure in found if other != word), default=0.5)
        odds = score / (1 - score) * min(1.0, (1 - against) / against)
        score = odds / (1 + odds)
        right = row["kind"] == {"yes": "yesno-true", "no": "yesno-false"}[word]
        scores.append(score)
        rights.append(right)
        kind = table[row["kind"]]
        kind[0] += 1
        kind[1] += score >= sure
        kind[2] += score >= sure and right
    s, r = np.array(scores), np.array(rights, dtype=float)
    claims = s >= sure
    return {
        "by kind: n, claimed, right": dict(table),
        "claimed": int(claims.sum()),
        "told of these": round(float(s[claims].mean()), 3),
        "right of these": round(float(r[claims].mean()), 3),
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
    fits.add_argument("--judge", default="")
    fits.add_argument("--sure", type=float, default=0.7)
    fits.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.command == "collect":
        collect(given.name, given.folder, given.library, given.out)
        return
    rows = [json.loads(line) for line in given.rows.read_text("utf-8").splitlines()]
    mine = [row for row in rows if row["set"] != given.judge]
    result: Row = {}
    for name in sorted({row["set"] for row in rows}):
        own = [row for row in rows if row["set"] == name]
        weights = fitted([row for row in mine if row["set"] != name])
        result[name] = judged(own, weights, given.sure)
    weights = fitted(mine)
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
