"""Fit how sure a claim is (`decoct.answer.certainty`), each set of documents left out once, then on all of them.

    python experiments/reader/fit_certainty.py collect NAME QUESTIONS LIBRARY      # adds rows to certainty-rows.jsonl
    python experiments/reader/fit_certainty.py fit [--write]

`collect` asks the questions of a library (`question`, `answers`, `documents` a line, as in benchmarks/organisations) and keeps
the evidence of the likeliest claims with whether they are right, no text. `fit` prints for each left-out set the area, the calibration
error and how much can be claimed at .8 right, beside the reader's own weight; the result is benchmarks/results/certainty.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ROWS = HERE / "certainty-rows.jsonl"
sys.path.insert(0, str(ROOT / "benchmarks"))

from organisations import among, stands  # noqa: E402

from decoct import Library  # noqa: E402
from decoct.answer.certainty import FITTED, PARTS  # noqa: E402
from decoct.answer.claim_evidence import CLAIM_FORMS, ClaimEvidence  # noqa: E402
from decoct.answer.decision import ClaimCandidate  # noqa: E402
from decoct.answer.short_answers import ShortAnswers  # noqa: E402
from decoct.reading.verifier import Verifier  # noqa: E402

RIDGE = 0.003
KEPT = 3  # claims of a question that are looked at
TARGET = 0.8
Row = dict[str, Any]


def collect(name: str, questions: Path, folder: Path) -> None:
    """The evidence of the likeliest claims of each question, and whether they are right."""
    reader = ShortAnswers(second=Verifier())
    with Library.open(folder) as library, ROWS.open("a", encoding="utf-8") as rows:
        for line in questions.read_text("utf-8").splitlines():
            question = json.loads(line)
            context = library.context(question["question"])
            for place, claim in enumerate(reader.candidates(context)[:KEPT]):
                if claim.evidence.is_of_another:
                    continue
                row = {"set": name, "id": question["id"], "place": place, "right": _right(question, claim, library)}
                rows.write(json.dumps({**row, "evidence": asdict(claim.evidence)}) + "\n")
            rows.flush()


def _right(question: Row, claim: ClaimCandidate, library: Library) -> bool:
    found = claim.found
    sources = {span.doc_id for span in found.read.passage.support}
    held = any(among(name, question["documents"]) for one in sources for name in (one, library.document(one).source))
    said = found.words if claim.evidence.form == "verdict" else found.quote
    return held and stands(question["answers"], said)


def matrix(rows: list[Row]) -> tuple[np.ndarray, np.ndarray]:
    """Parts and forms, a row a claim; and which are right."""
    evidence = [ClaimEvidence(**row["evidence"]) for row in rows]
    parts = [[part(one) for part in PARTS.values()] for one in evidence]
    forms = [[float(one.form == form) for form in CLAIM_FORMS] for one in evidence]
    return np.hstack([parts, forms]), np.array([float(row["right"]) for row in rows])


def fitted(rows: list[Row]) -> np.ndarray:
    """Weights of parts (at nought or above), then offsets of forms; each set counts alike."""
    x, y = matrix(rows)
    sets = [row["set"] for row in rows]
    share = np.array([1 / sets.count(name) for name in sets]) / len(set(sets))

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        z = x @ w
        p = 1 / (1 + np.exp(-np.clip(z, -30, 30)))
        value = -np.sum(share * (y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12)))
        free = w.copy()
        return float(value + RIDGE * free @ free), x.T @ (share * (p - y)) + 2 * RIDGE * free

    bounds = [(0, None)] * len(PARTS) + [(None, None)] * len(CLAIM_FORMS)
    return np.asarray(minimize(loss, np.zeros(x.shape[1]), jac=True, bounds=bounds, method="L-BFGS-B").x)


def area(score: np.ndarray, right: np.ndarray) -> float:
    """The probability that a right claim stands above a wrong one."""
    order = np.argsort(np.argsort(score, kind="stable"))
    n = right.sum()
    if not 0 < n < len(right):
        return float("nan")
    return float((order[right == 1].sum() - n * (n - 1) / 2) / (n * (len(right) - n)))


def judged(score: np.ndarray, right: np.ndarray) -> Row:
    """Area; the mean distance of shown and true share over five bins; how much is claimed at `TARGET` and how much of it is right."""
    bins = np.clip((score * 5).astype(int), 0, 4)
    error = sum(abs(score[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean() for b in set(bins))
    claims = score >= TARGET
    order = np.argsort(-score, kind="stable")
    so_far = np.cumsum(right[order]) / np.arange(1, len(right) + 1)
    reach = max((n + 1 for n in range(9, len(right)) if so_far[n] >= TARGET), default=0)
    return {
        "n": len(right),
        "right": round(float(right.mean()), 3),
        "area": round(area(score, right), 3),
        "error": round(float(error), 3),
        f"claimed at {TARGET}": int(claims.sum()),
        "right of these": round(float(right[claims].mean()), 3) if claims.any() else None,
        f"could be claimed at {TARGET} right": int(reach),
    }


def first(rows: list[Row], weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Score and rightness of the likeliest claim of each question."""
    x, y = matrix(rows)
    p = 1 / (1 + np.exp(-(x @ weights)))
    best: dict[tuple[str, str], int] = {}
    for at, row in enumerate(rows):
        key = row["set"], row["id"]
        if key not in best or p[at] > p[best[key]]:
            best[key] = at
    kept = list(best.values())
    return p[kept], y[kept]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    asked = commands.add_parser("collect")
    asked.add_argument("name")
    asked.add_argument("questions", type=Path)
    asked.add_argument("library", type=Path)
    commands.add_parser("fit").add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.command == "collect":
        collect(given.name, given.questions, given.library)
        return
    rows = [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]
    result: Row = {}
    for name in sorted({row["set"] for row in rows}):
        own = [row for row in rows if row["set"] == name]
        weights = fitted([row for row in rows if row["set"] != name])
        score, right = first(own, weights)
        without = fitted(
            [{**row, "evidence": {**row["evidence"], "entailed": 0.5}} for row in rows if row["set"] != name]
        )
        blind = [{**row, "evidence": {**row["evidence"], "entailed": 0.5}} for row in own]
        alone = np.array([0.0] * len(PARTS) + [0.0] * len(CLAIM_FORMS))
        alone[0] = 1.0
        result[name] = {
            "left out": judged(score, right),
            "without the second reading": judged(*first(blind, without)),
            "the reader's weight alone": judged(*first(own, alone)),
        }
        print(name, json.dumps(result[name], indent=1))
    weights = fitted(rows)
    held = {
        "weights": {name: round(float(w), 4) for name, w in zip(PARTS, weights, strict=False) if w > 0},
        "offsets": {form: round(float(w), 4) for form, w in zip(CLAIM_FORMS, weights[len(PARTS) :], strict=True)},
    }
    print(json.dumps(held, indent=1))
    if given.write:
        FITTED.write_text(json.dumps(held, indent=1) + "\n", "utf-8")
        (ROOT / "benchmarks" / "results" / "certainty.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
