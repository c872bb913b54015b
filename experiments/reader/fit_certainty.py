"""Fit how sure a claim is (`decoct.answer.certainty`), each set of documents left out once, then on all of them.

    python experiments/reader/fit_certainty.py collect NAME QUESTIONS LIBRARY      # adds lines to certainty-rows.jsonl
    python experiments/reader/fit_certainty.py fit [--write]

`collect` asks the questions of a library (`question`, `answers`, `documents` a line, as in benchmarks/organisations) and keeps
the evidence of the likeliest claims with whether they are right, no text. `fit` prints for each left-out set how often the first claim, and
one of the first three, is right, the area, the calibration error and how much can be claimed at .8 right, and the same without each part;
the result is benchmarks/results/certainty.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ROWS = HERE / "certainty-rows.jsonl"
sys.path.insert(0, str(ROOT / "benchmarks"))

from organisations import among, off_by, says, stands  # noqa: E402

from decoct import Library  # noqa: E402
from decoct.answer.certainty import FITTED, OFFSETS, PARTS, SURE_PARTS  # noqa: E402
from decoct.answer.claim_evidence import ClaimEvidence  # noqa: E402
from decoct.answer.decision import COMPARED, ClaimCandidate, usual  # noqa: E402
from decoct.answer.short_answers import ShortAnswers  # noqa: E402
from decoct.text.questions import asks_for_several  # noqa: E402
from decoct.text.words import words as folded  # noqa: E402

RIDGE, SHRUNK = 0.003, 0.01  # the least log loss over organisations left out (of .003, .01, .03 and .005 to .04)
LOOKED_AT = 3  # claims of a question that the calibrator learns from
TARGET = 0.8
JUDGED = frozenset(
    {"dev-manuals"}
)  # a kind that nothing is fitted on: with it organisations' claims are told as less sure than they are
FORMS = sorted(set(OFFSETS.values()))
FIELDS = [one.name for one in fields(ClaimEvidence) if one.name not in ("margin", "near_above", "entailed_above")]
NEAR, ENTAILED = list(PARTS).index("near"), list(PARTS).index("entailed")
SURE_NAMES = [*SURE_PARTS, *FORMS]
Row = dict[str, Any]
Numbers = NDArray[np.float64]


def collect(name: str, questions: Path, folder: Path) -> None:
    """The evidence of the likeliest claims of each question, and whether they are right."""
    reader = ShortAnswers()
    with Library.open(folder) as library, ROWS.open("a", encoding="utf-8") as rows:
        for line in questions.read_text("utf-8").splitlines():
            question = json.loads(line)
            claims = reader.candidates(library.context(question["question"]))
            rows.write(json.dumps(row_of(name, question, claims, lambda doc: library.document(doc).source)) + "\n")
            rows.flush()


def row_of(name: str, question: Row, claims: Sequence[ClaimCandidate], source: Callable[[str], str]) -> Row:
    """A question's line: which claims are right, and every number of their evidence."""
    kept = [one for one in claims if not one.evidence.is_of_another][:COMPARED]
    held = [asdict(one.evidence) for one in kept]
    return {
        "set": name,
        "id": question["id"],
        "group": question.get("group", question["id"]),
        "answerable": bool(question["answers"]),
        "said": _same_words([one.found.words for one in kept]),
        "right": [int(_right(question, one, source)) for one in kept],
        "evidence": {key: [_short(one[key]) for one in held] for key in FIELDS},
    }


def _same_words(words: Sequence[str]) -> list[int]:
    """Of each claim the first that says the same."""
    told = [tuple(folded(one)) for one in words]
    return [told.index(one) for one in told]


def _short(value: float | str | None) -> float | str | None:
    return round(value, 4) if isinstance(value, float) else value


def _right(question: Row, claim: ClaimCandidate, source: Callable[[str], str]) -> bool:
    names = {name for span in claim.found.read.passage.support for name in (span.doc_id, source(span.doc_id))}
    if claim.evidence.form == "verdict":
        return claim.found.words in question["answers"]
    held = any(among(name, question["documents"]) for name in names) and stands(question["answers"], claim.found.quote)
    return held and (_is_whole(question, claim) or says(question["answers"], claim.found.words))


def _is_whole(question: Row, claim: ClaimCandidate) -> bool:
    """Whether sentences answer rather than words: steps, entries, lists."""
    return claim.evidence.form in ("steps", "entry") or asks_for_several(question["question"])


@dataclass
class Asked:
    """One question's claims as numbers: parts and forms a row a claim; and which are right."""

    name: str
    answerable: bool
    parts: Numbers
    right: Numbers
    said: list[int]
    whole: NDArray[np.bool_]
    worded: NDArray[np.bool_]

    def in_words(self) -> Asked:
        """The claims of which the words were read too."""
        at = self.worded
        said = [one for one, read in zip(self.said, at, strict=True) if read]
        return replace(self, parts=self.parts[at], right=self.right[at], said=said, whole=self.whole[at], worded=at[at])


def asked(row: Row) -> Asked | None:
    """A line as numbers; None where nothing was found, or it is a question of yes or no, whose verdicts have a fit of their own."""
    if "verdict" in row["evidence"].get("form", ()):
        return None
    held = [
        ClaimEvidence(**{name: value for name, value in zip(row["evidence"], values, strict=True) if name in FIELDS})
        for values in zip(*row["evidence"].values(), strict=True)
    ]
    if not held:
        return None
    parts = [
        [*(part(one) for part in PARTS.values()), *(float(OFFSETS[one.form] == name) for name in FORMS)] for one in held
    ]
    whole = np.array([one.is_whole for one in held])
    worded = np.array([one.worded is not None for one in held])
    if not worded.any():
        return None
    right = np.array(row["right"], float)
    return Asked(row["set"], row["answerable"], np.array(parts), right, row["said"], whole, worded)


def ranking(rows: Sequence[Asked], without: Sequence[str] = ()) -> Numbers:
    """Weights of parts (at nought or above) and offsets of forms that set right claims before others; each set counts alike."""
    names = [one.name for one in rows]
    told = [(one, 1 / names.count(one.name)) for one in rows if 0 < one.right.sum() < len(one.right)]
    free = len(PARTS)

    def loss(w: Numbers) -> tuple[float, Numbers]:
        value, slope = RIDGE * float(w @ w), 2 * RIDGE * w
        for one, share in told:
            z = one.parts @ w
            odds = np.exp(z - z.max())
            own = odds * one.right
            value += share * float(np.log(odds.sum()) - np.log(own.sum()))
            slope = slope + share * (one.parts.T @ (odds / odds.sum() - own / own.sum()))
        return value, slope

    bounds = [(0.0, 0.0 if name in without else None) for name in PARTS] + [(None, None)] * len(FORMS)
    start = np.zeros(free + len(FORMS))
    return np.asarray(minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x)


def claims_of(one: Asked, weights: Numbers, most: int) -> Numbers:
    """What the calibrator sees of the first claims of a question (`SURE_NAMES`), and 1; a row each, likeliest first."""
    z = one.parts @ weights
    parts = one.parts.copy()
    parts[:, NEAR] -= usual(parts[:, NEAR].tolist())
    entailed = parts[:, ENTAILED] - usual(parts[:, ENTAILED].tolist())
    order = np.argsort(-z, kind="stable")
    rows = []
    for at in order[:most]:
        other = next((z[n] for n in order if one.said[n] != one.said[at]), None)
        margin = 6.0 if other is None else float(np.clip(z[at] - other, -6, 6))
        rows.append([margin, entailed[at], *parts[at], 1.0])
    return np.array(rows)


def calibrator(rows: Sequence[Asked], weights: Numbers, without: Sequence[str] = ()) -> Numbers:
    """Weights of the margin, the parts and forms (at nought or above), and an offset: log-odds that one of the first claims is right."""
    names = [one.name for one in rows]
    x = np.vstack([claims_of(one, weights, LOOKED_AT) for one in rows])
    y = np.concatenate([one.right[np.argsort(-(one.parts @ weights), kind="stable")[:LOOKED_AT]] for one in rows])
    share = np.concatenate([[1 / names.count(one.name)] * min(LOOKED_AT, len(one.right)) for one in rows])
    share /= len(set(names)) * LOOKED_AT
    middle, spread = x[:, :-1].mean(0), x[:, :-1].std(0) + 1e-9
    z = np.hstack([(x[:, :-1] - middle) / spread, x[:, -1:]])

    def loss(w: Numbers) -> tuple[float, Numbers]:
        p = 1 / (1 + np.exp(-np.clip(z @ w, -30, 30)))
        value = -np.sum(share * (y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12)))
        free = np.append(w[:-1], 0.0)
        return float(value + SHRUNK * free @ free), z.T @ (share * (p - y)) + 2 * SHRUNK * free

    bounds = [(0.0, 0.0 if name in without else None) for name in SURE_NAMES] + [(None, None)]
    w = np.asarray(minimize(loss, np.zeros(z.shape[1]), jac=True, bounds=bounds, method="L-BFGS-B").x)
    return np.append(w[:-1] / spread, w[-1] - float((w[:-1] * middle / spread).sum()))


def area(score: Numbers, right: Numbers) -> float:
    """The probability that a right claim stands above a wrong one."""
    order = np.argsort(np.argsort(score, kind="stable"))
    n = right.sum()
    return (
        float((order[right == 1].sum() - n * (n - 1) / 2) / (n * (len(right) - n)))
        if 0 < n < len(right)
        else float("nan")
    )


def judged(rows: Sequence[Asked], weights: Numbers, fitted: Numbers, sure: float) -> Row:
    """What the first claims are worth: see the module."""
    x = np.vstack([claims_of(one, weights, 1) for one in rows])
    right = np.array([one.right[np.argmax(one.parts @ weights)] for one in rows])
    score = 1 / (1 + np.exp(-(x @ fitted)))
    answerable = np.array([one.answerable for one in rows])
    three = [one.right[np.argsort(-(one.parts @ weights), kind="stable")[:3]].any() for one in rows if one.answerable]
    order = np.argsort(-score, kind="stable")
    so_far = np.cumsum(right[order]) / np.arange(1, len(right) + 1)
    reach = max((n + 1 for n in range(9, len(right)) if so_far[n] >= TARGET), default=0)
    whole = np.array([one.whole[np.argmax(one.parts @ weights)] for one in rows])
    claims = (score >= sure) & whole
    return {
        "n": len(rows),
        "answerable": int(answerable.sum()),
        "first is right": round(float(right[answerable].mean()), 3),
        "one of three is right": round(float(np.mean(three)), 3),
        "area": round(area(score, right), 3),
        "error": round(off_by(score, right), 3),
        "claimed": int(claims.sum()),
        "unanswerable of these": int(claims[~answerable].sum()),
        "right of these": round(float(right[claims].mean()), 3) if claims.any() else None,
        f"could be claimed at {TARGET} right": int(reach),
    }


def _named(names: Sequence[str], weights: Numbers) -> dict[str, float]:
    return {name: round(float(w), 4) for name, w in zip(names, weights, strict=True) if abs(w) >= 5e-5}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect")
    collecting.add_argument("name")
    collecting.add_argument("questions", type=Path)
    collecting.add_argument("library", type=Path)
    commands.add_parser("fit").add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.command == "collect":
        collect(given.name, given.questions, given.library)
        return
    every = [one for text in ROWS.read_text("utf-8").splitlines() if (one := asked(json.loads(text))) is not None]
    sure = ShortAnswers().sure
    result: Row = {"sure": sure}
    rows = [row.in_words() for row in every]
    fitted = [row for row in rows if row.name not in JUDGED]
    for name in sorted({row.name for row in rows}):
        own, others = [row for row in rows if row.name == name], [row for row in fitted if row.name != name]
        weights = ranking(others)
        result[name] = {"left out": judged(own, weights, calibrator(others, weights), sure)}
        for part in PARTS:
            less = ranking(others, [part])
            if not np.allclose(less, weights, atol=1e-4):
                result[name][f"without {part}"] = judged(own, less, calibrator(others, less, [part]), sure)
        print(name, json.dumps(result[name], indent=1))
    ranked = [row for row in every if row.name not in JUDGED]
    unread = ["worded", "lead"]  # what is known once the words are read
    before, weights, worded = ranking(ranked, ["entailed", *unread]), ranking(ranked, unread), ranking(fitted)
    names = [*PARTS, *FORMS]
    held = {
        "before": _named(names, before),
        "weights": _named(names, weights),
        "worded": _named(names, worded),
        "sure": _named([*SURE_NAMES, "offset"], calibrator(fitted, worded)),
    }
    print(json.dumps(held, indent=1))
    if given.write:
        FITTED.write_text(json.dumps(held, indent=1) + "\n", "utf-8")
        (ROOT / "benchmarks" / "results" / "certainty.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
