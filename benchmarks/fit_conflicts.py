"""Fit the weights of CASC's reading to a reader: run this after every new reader, then run the conflict benchmarks again.

    python benchmarks/fit_conflicts.py --examples DIR/dev.jsonl --data ../shared/data --write

DIR is where `decoct train reader` wrote its examples; `dev.jsonl` holds those of documents that the reader was not trained on. Read with
them are the worlds (dev) and everyday-conflicts, all development sets; RAMDocs, WikiContradict, ConflictQA and manuals never are.
Fitted are the order of candidates in a document (a conditional logit), the probability that the best one answers (a logistic regression),
and the thresholds of the check, chosen on everyday-conflicts. Without --write the result is printed only. --readings keeps what was read,
so that a second fit takes seconds.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from everyday_conflicts import documents, holds, judged
from scipy.optimize import minimize
from setting import command_line

from decoct.context.casc import extract_reader, weighing
from decoct.context.casc.candidates import Read, candidates_of_pieces
from decoct.context.casc.check import check
from decoct.context.casc.extract_reader import read_claims
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.context.casc.synthesise import synthesise
from decoct.context.casc.weighing import CLAIM, RANK, Weighing, Weights
from decoct.data import Document, Passage
from decoct.reading.base import Readable, Reading, log_odds
from decoct.reading.common_names import CommonNamesReader
from decoct.reading.small import SmallReader
from decoct.text.equality import known_equal
from decoct_lab.train.reader.example import ReaderExample, read
from decoct_lab.worlds.generate import worlds

SETS = ("nq-gold", "hotpotqa", "2wikimultihopqa", "musique", "covidqa", "xquad", "squad2")
OURS = Path(weighing.__file__).with_name("calibration.json")
OWN = "everyday-conflicts"
_LONG = 60  # characters: longer answers of the public sets are clauses, and no values
SETTLES = (0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
_PRIOR = 0.5  # strength of the weights' prior
Gold = Mapping[str, Sequence[Any]]
Array = np.ndarray[Any, Any]


class Kept:
    """A reader whose readings are kept in a file."""

    def __init__(self, file: Path | None) -> None:
        self.reader = CommonNamesReader(SmallReader(threads=1))
        self.fingerprint = self.reader.fingerprint
        self._file = file
        self._held: dict[tuple[str, ...], Reading] = {}
        if file is not None and file.exists():
            self._held = pickle.loads(file.read_bytes())  # written by this program

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        """As the reader itself."""
        keys = [(self.fingerprint, question, p.title, p.text) for p in passages]
        todo = [(key, p) for key, p in zip(keys, passages, strict=True) if key not in self._held]
        for (key, _), got in zip(todo, self.reader.read(question, [p for _, p in todo]), strict=True):
            self._held[key] = got
        return [self._held[key] for key in keys]

    def keep(self) -> None:
        if self._file is not None:
            self._file.write_bytes(pickle.dumps(self._held))


@dataclass(frozen=True)
class Piece:
    """A document's candidates as rows of `RANK`, which of them are right, what is known of the document, and whether it answers."""

    origin: str
    rows: Array
    right: Array
    differs: Array
    own: tuple[float, ...]
    answers: bool
    document: str


def pieces(origin: str, question: str, given: Sequence[Document], gold: Gold, reader: Kept) -> list[Piece]:
    """The documents of a question that `gold` tells of: spans or values that answer, none where it does not."""
    parts = focuses(question)
    if len(parts) > 1 or parts[0].target == "truth":
        return []
    sources = handed_over(given)
    flat = [(source, span, text) for source in sources for span, text in source.pieces]
    got = reader.read(question, [Passage(text, (span,), title=source.title) for source, span, text in flat])
    reads = [Read(source, span, text, reading) for (source, span, text), reading in zip(flat, got, strict=True)]
    every = candidates_of_pieces(reads, parts[0])
    weigh = Weighing(reads, every, parts[0])
    found = []
    for at, one in enumerate(reads):
        wanted = gold.get(one.source.doc_id)
        if wanted is None or not every[at]:
            continue
        right = [any(_is(c.value.raw, c.value.start, c.value.end, w) for w in wanted) for c in every[at]]
        differs = [[not known_equal(a.value, b.value) for b in every[at]] for a in every[at]]
        found.append(
            Piece(
                origin,
                weigh.rows(at),
                np.array(right),
                np.array(differs),
                weigh.document(at),
                bool(wanted),
                one.source.doc_id,
            )
        )
    return found


def _is(raw: str, start: int, end: int, wanted: str | tuple[int, int]) -> bool:
    if isinstance(wanted, str):
        return holds(raw, wanted)
    low, high = wanted
    shared = min(end, high) - max(start, low)
    return bool(shared > 0 and shared >= 0.5 * max(high - low, end - start))


def collected(chosen: argparse.Namespace, everyday: Sequence[dict[str, Any]], reader: Kept) -> list[Piece]:
    """All pieces of all sets."""
    made: list[Piece] = []
    for case in everyday:
        gold: defaultdict[str, list[str]] = defaultdict(list)
        for claim in case["claims"]:
            gold[claim["doc_id"]] += [claim["value"]] if claim["value"] else []
        made += pieces(OWN, case["question"], documents(case), gold, reader)
    for record in generated(chosen.worlds):
        said = record["notes"]["said"]
        held = _documents(record)
        gold_of = {d.id: [said[d.id]] if d.id in said else [] for d in held}
        made += pieces("worlds-dev", record["question"], held, gold_of, reader)
    grouped: defaultdict[tuple[str, str], list[ReaderExample]] = defaultdict(list)
    for example in read(chosen.examples):
        long = any(end - start > _LONG for start, end in example.spans)
        if example.origin in SETS and example.answers is not None and example.verdict is None and not long:
            grouped[example.origin, example.question].append(example)
    keys = sorted(grouped)
    random.Random(1).shuffle(keys)
    count = Counter[str]()
    for origin, question in keys:
        count[origin] += 1
        if count[origin] > chosen.questions:
            continue
        some = grouped[origin, question][:3]
        held = [Document(f"d{i}", one.text, one.title) for i, one in enumerate(some)]
        spans = {f"d{i}": list(one.spans) if one.answers else [] for i, one in enumerate(some)}
        made += pieces(origin, question, held, spans, reader)
    reader.keep()
    return made


def generated(most: int) -> list[dict[str, Any]]:
    """Worlds whose documents say one value each."""
    return [r for r in worlds(7, most, "dev") if r["notes"]["kind"] in ("lookup", "temporal", "conditional")]


def _documents(record: Mapping[str, Any]) -> list[Document]:
    return [
        Document(d["id"], d["text"], d["title"], metadata={key: d[key] for key in ("date", "kind", "venue")})
        for d in record["documents"]
    ]


# -- fitting -----------------------------------------------------------------------------------------------------------
def descended(loss: Callable[[Array], tuple[float, Array]], start: Array) -> Array:
    """The minimum of a smooth convex function."""
    found: Array = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return found


def shares(found: Sequence[Piece]) -> dict[str, float]:
    """What a piece of each set weighs: a set as the root of its size; what people hand over (everyday-conflicts) as all others together."""
    sizes = Counter(piece.origin for piece in found)
    weight = {origin: n**-0.5 for origin, n in sizes.items()}
    if OWN in sizes and len(sizes) > 1:
        others = sum(n**0.5 for origin, n in sizes.items() if origin != OWN)
        weight[OWN] = others / sizes[OWN]
    return weight


def rank_fitted(found: Sequence[Piece]) -> Array:
    """The weights of `RANK`."""
    told = [piece for piece in found if piece.right.any()]
    weight = shares(told)
    scale = np.concatenate([piece.rows for piece in told]).std(0) + 1e-6

    def loss(beta: Array) -> tuple[float, Array]:
        total, slope = _PRIOR * float(beta @ beta), 2 * _PRIOR * beta
        for piece in told:
            rows = piece.rows / scale
            scores = rows @ beta
            share = np.exp(scores - scores.max())
            share /= share.sum()
            right = share * piece.right
            p = max(float(right.sum()), 1e-12)
            total -= weight[piece.origin] * float(np.log(p))
            slope = slope - weight[piece.origin] * (rows.T @ (right / p) - rows.T @ share)
        return total, slope

    fitted: Array = descended(loss, np.zeros(len(RANK))) / scale
    return fitted


def claim_rows(found: Sequence[Piece], rank: Array) -> tuple[Array, Array]:
    """For each piece its best candidate's row of `CLAIM`, and whether it is right."""
    rows, right = [], []
    for piece in found:
        scores = piece.rows @ rank
        best = int(np.argmax(scores))
        others = scores[piece.differs[best]]
        margin = float(scores[best] - others.max()) if len(others) else 20.0
        rows.append([*piece.rows[best], max(-20.0, min(20.0, margin)), *piece.own])
        right.append(float(piece.right[best]))
    return np.asarray(rows), np.asarray(right)


def claim_fitted(found: Sequence[Piece], rank: Array) -> tuple[Array, float]:
    """The weights of `CLAIM` and the offset."""
    rows, right = claim_rows(found, rank)
    weight = np.asarray([shares(found)[piece.origin] for piece in found])
    middle, scale = rows.mean(0), rows.std(0) + 1e-6
    design = np.c_[(rows - middle) / scale, np.ones(len(rows))]

    def loss(beta: Array) -> tuple[float, Array]:
        odds = design @ beta
        total = float(weight @ (np.logaddexp(0, odds) - right * odds)) + _PRIOR * float(beta[:-1] @ beta[:-1])
        slope = design.T @ (weight * (1 / (1 + np.exp(-odds)) - right))
        slope[:-1] += 2 * _PRIOR * beta[:-1]
        return total, slope

    beta = descended(loss, np.zeros(design.shape[1]))
    claim = beta[:-1] / scale
    return claim, float(beta[-1] - claim @ middle)


# -- figures -----------------------------------------------------------------------------------------------------------
def figures(found: Sequence[Piece], rank: Array, claim: Array, offset: float) -> dict[str, Any]:
    """By set: the best candidate right, a right one among them, and the area under the curve of the claim's probability."""
    rows, right = claim_rows(found, rank)
    odds = rows @ claim + offset
    made = {}
    for origin in sorted({piece.origin for piece in found}):
        mine = np.asarray([piece.origin == origin for piece in found])
        answering = np.asarray([piece.origin == origin and piece.answers for piece in found])
        made[origin] = {
            "n": int(mine.sum()),
            "answering": int(answering.sum()),
            "right": round(float(right[answering].mean()), 3),
            "at best": round(float(np.mean([p.right.any() for p, a in zip(found, answering, strict=True) if a])), 3),
            "area": area(odds[mine], right[mine]),
        }
    return made


def area(scores: Array, right: Array) -> float | None:
    """The area under the curve; None where all are of one kind."""
    up, down = scores[right > 0], scores[right == 0]
    if not len(up) or not len(down):
        return None
    return round(float(((up[:, None] > down[None, :]) + 0.5 * (up[:, None] == down[None, :])).mean()), 3)


def used(weights: Weights) -> None:
    """Let the package read with these weights."""
    others = weighing.weights_of("spans")
    vars(extract_reader)["weights_of"] = lambda kind: weights if kind == "places" else others


def fitted(found: Sequence[Piece]) -> Weights:
    """Both models."""
    rank = rank_fitted(found)
    return Weights(rank, *claim_fitted(found, rank))


def heard_in(everyday: Sequence[dict[str, Any]], reader: Kept, weights: Weights) -> list[tuple[Any, ...]]:
    """Cases with their sources, parts and claims, however unlikely."""
    used(weights)
    made = []
    for case in everyday:
        sources, parts = handed_over(documents(case)), focuses(case["question"])
        made.append((case, sources, parts, read_claims(reader, case["question"], sources, parts, 0.02).claims))
    return made


def sums(read_: Sequence[tuple[Any, ...]], tried: Mapping[str, float]) -> Counter[str]:
    """How many ends are as expected, sides found and "agreed" said falsely under these thresholds."""
    total = Counter[str]()
    for case, sources, parts, claims in read_:
        kept = [claim for claim in claims if claim.sure >= tried["heard"]]
        made = synthesise(check(case["question"], sources, parts, kept, limits=tried))
        total.update({key: int(value) for key, value in judged(case, made).items()})
    return total


def thresholds(read_: Sequence[tuple[Any, ...]]) -> dict[str, float]:
    """The thresholds under which most cases end as expected and most sides are found; a false "agreed" costs three of them.

    Then `settles`, from which on a side may be believed: a wrong value preferred costs two cases that do not end as expected.
    """
    grid = product((0.2, 0.3), (0.2, 0.3, 0.4), (0.7,))
    names = ("heard", "differs", "sure", "settles")
    tried = [dict(zip(names, (*t, max(0.35, t[1])), strict=True)) for t in grid if t[1] >= t[0]]

    def worth(limits: Mapping[str, float]) -> int:
        total = sums(read_, limits)
        return total["sides"] + total["end"] - 3 * total["false_agreed"]

    best = max(tried, key=worth)

    def settled(limits: Mapping[str, float]) -> int:
        total = sums(read_, limits)
        return total["end"] - 2 * total["false_chosen"]

    # Of equal ones the strictest: to leave a conflict open is the smaller error.
    return max(({**best, "settles": t} for t in sorted(SETTLES, reverse=True) if t >= best["differs"]), key=settled)


# Readers that give no places: weights chosen by hand on everyday-conflicts and scidocs-conflicts, for the thresholds .4 and .7.
_PLAIN = {"offset": 1.6, "likely": 0.4, "evidence": 0.2, "in_words": -0.9, "another": -10.0}
_PLAIN_DIFFERS, _PLAIN_SURE = 0.4, 0.7


def plain(limits: Mapping[str, float]) -> dict[str, float]:
    """The weights of readers without places, so scaled that the same thresholds hold for them."""
    slope = (log_odds(limits["sure"]) - log_odds(limits["differs"])) / (
        log_odds(_PLAIN_SURE) - log_odds(_PLAIN_DIFFERS)
    )
    scaled = {name: round(slope * _PLAIN.get(name, 0.0), 4) for name in CLAIM}
    offset = log_odds(limits["sure"]) - slope * log_odds(_PLAIN_SURE) + slope * _PLAIN["offset"]
    return scaled | {"offset": round(offset, 4)}


def crossed(found: Sequence[Piece], everyday: Sequence[dict[str, Any]], reader: Kept, folds: int = 4) -> Counter[str]:
    """The sums over everyday-conflicts where each quarter is judged by weights and thresholds that were fitted without it."""
    total = Counter[str]()
    for fold in range(folds):
        out, rest = everyday[fold::folds], [c for n, c in enumerate(everyday) if n % folds != fold]
        ids = {d["id"] for case in out for d in case["documents"]}
        weights = fitted([piece for piece in found if piece.document not in ids])
        limits = thresholds(heard_in(rest, reader, weights))
        total += sums(heard_in(out, reader, weights), limits)
    return total


def main() -> None:
    """Fit, print and write."""
    parser = command_line(__doc__, data=True)
    parser.add_argument("--examples", type=Path, required=True, help="dev.jsonl as `decoct train reader` wrote it")
    parser.add_argument("--questions", type=int, default=60, help="at most so many of each public set")
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--readings", type=Path, help="keep readings in this file")
    parser.add_argument(
        "--crossed", action="store_true", help="also judge each quarter of everyday-conflicts by a fit without it"
    )
    parser.add_argument("--write", action="store_true", help="write the package's calibration.json")
    chosen = parser.parse_args()
    file = chosen.data / "everyday-conflicts" / "questions.jsonl"
    everyday = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    reader = Kept(chosen.readings)
    found = collected(chosen, everyday, reader)
    if chosen.crossed:
        print("each quarter fitted without:", dict(crossed(found, everyday, reader)), file=sys.stderr)
    weights = fitted(found)
    print(json.dumps(figures(found, weights.rank, weights.claim, weights.offset), indent=1), file=sys.stderr)
    read_ = heard_in(everyday, reader, weights)
    limits = thresholds(read_)
    print("fitted on all:", dict(sums(read_, limits)), limits, file=sys.stderr)
    ours = json.loads(OURS.read_text("utf-8"))
    ours["weights"]["places"] = {
        "rank": {name: round(float(w), 4) for name, w in zip(RANK, weights.rank, strict=True)},
        "claim": {name: round(float(w), 4) for name, w in zip(CLAIM, weights.claim, strict=True)}
        | {"offset": round(weights.offset, 4)},
    }
    ours["weights"]["spans"]["claim"] = plain(limits)
    ours["thresholds"] = limits
    ours["fitted_on"] = {
        "reader": reader.fingerprint,
        "pieces": len(found),
        "command": "python benchmarks/fit_conflicts.py --examples DIR/dev.jsonl --data DATA --write",
    }
    reader.keep()
    text = json.dumps(ours, indent=1, ensure_ascii=False)
    if chosen.write:
        OURS.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
