"""Fit whether a statement says yes or no (`decoct.reading.polarity`) on the written questions of yes or no, and judge it on sets left out.

    python experiments/verifier/fit_polarity.py [--write]

Each question that its passage decides is taken with the statement that decides it. Writers put what is so into other words and leave what
is not so in the document's, so that the same words lean to no; `contrasted` adds questions made of the statements themselves, over them as
they are and denied (contrast sets: Gardner et al. 2020). Questions that begin alike weigh as much for yes as for no. Left out are pairs of
sets, one after another; of each is told how often the sign is right and the area over yes and no of the written questions. With `--write`
the weights of all sets are shipped, and the figures go to benchmarks/results/verifier/polarity.json.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from gold import place_of
from judging import area
from material import TRADES, material
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from decoct.answer.demands import demands_of
from decoct.answer.statements import statements
from decoct.answer.verdicts import agreement_of, words_of
from decoct.reading.polarity import BUCKETS, FITTED, buckets
from decoct.reading.yes_no import AUXILIARIES

ROOT = Path(__file__).parents[2]
RIDGE = 5e-4
LEFT_OUT = (("yesno3", "utility"), ("yesno5", "hotel"), ("yesno4", "manuals2"), ("townhall", "outfitter", "hosting"))
SHORTENED = 0.7  # of the questions made of a statement ask for its first words alone
CONTRASTED = 8  # statements of a passage of which questions are made
AUXILIARY = re.compile(rf"^(?P<subject>[^,;:|]{{3,60}}?) (?P<verb>{AUXILIARIES}) (?!not\b)(?P<rest>[^?]+?)[.!]?$")
MOST = 3.0  # what a question weighs at the most
Pair = tuple[str, str, list[int], float]


def pairs_of(name: str) -> Iterator[Pair]:
    """Set, first word, buckets, and 1 for yes or 0 for no, of each decided question."""
    found = material(name, Path(), Path())
    told = {number: statements(text, title) for number, (title, text) in enumerate(found.passages)}
    for one in found.asked:
        if not one.yes_no or not one.gold or one.near is None or not one.sentence:
            continue
        title, text = found.passages[one.near]
        at = place_of(text, one.sentence, None)
        stated = next((s for s in told[one.near] if at and s.place[0] <= at[0] < s.place[1]), None)
        if stated is None:
            continue
        demands = demands_of(one.question, [f"{title}\n{text}"])
        named = [(each.start, each.end) for each in (*demands.identifiers, *demands.labels)]
        words = words_of(text, stated.place)
        agreement = agreement_of(one.question, named, words, stated.over)
        yield (
            name,
            first_word(one.question),
            buckets(one.question, words, agreement),
            float(one.gold[one.near] == ["yes"]),
        )


def contrasted(words: str, chance: random.Random) -> Iterator[tuple[str, str, bool]]:
    """Questions that a statement's own words make, each with the statement and whether that says yes."""
    found = AUXILIARY.match(words)
    if found is None:
        return
    subject, verb, rest = found["subject"], found["verb"], found["rest"]
    asked = rest.split()
    asked = asked[: chance.randint(min(3, len(asked)), len(asked))] if chance.random() < SHORTENED else asked
    question = f"{verb.capitalize()} {subject[:1].lower()}{subject[1:]} {' '.join(asked)}?"
    yield question, words, True
    yield question, f"{subject} {verb} not {rest}.", False


def contrasts_of(name: str) -> Iterator[Pair]:
    """The pairs that `contrasted` makes of some statements of each passage."""
    chance = random.Random(name)
    for title, text in material(name, Path(), Path()).passages:
        found = [one for one in statements(text, title) if "|" not in text[slice(*one.place)]]
        for one in chance.sample(found, min(CONTRASTED, len(found))):
            words = words_of(text, one.place).strip("-* ")
            for question, said, yes in contrasted(words, chance):
                agreement = agreement_of(question, [], said, one.over)
                yield name, f"{first_word(question)}, made", buckets(question, said, agreement), float(yes)


def matrix(pairs: list[Pair]) -> csr_matrix:
    """Pairs × buckets."""
    rows = np.repeat(np.arange(len(pairs)), [len(found) for *_, found, _ in pairs])
    columns = np.concatenate([found for *_, found, _ in pairs])
    return csr_matrix((np.ones(len(columns)), (rows, columns)), shape=(len(pairs), BUCKETS))


def first_word(question: str) -> str:
    """In lower case."""
    return question.lower().split()[0]


def balanced(pairs: list[Pair]) -> NDArray[np.float64]:
    """What each question weighs: of those with one first word yes and no weigh the same."""
    counted = Counter((first, right) for _, first, _, right in pairs)
    sides = [(counted[first, right], counted[first, 1 - right]) for _, first, _, right in pairs]
    return np.array([min(MOST, 0.5 * (own + other) / own) if other else 0.5 for own, other in sides])


def fitted(x: csr_matrix, y: NDArray[np.float64], weighs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights of a ridge logistic regression."""

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = x @ w
        slope = x.T @ (weighs * (1 / (1 + np.exp(-z)) - y)) / len(y) + 2 * RIDGE * w
        return float(np.mean(weighs * (np.logaddexp(0, z) - y * z)) + RIDGE * w @ w), slope

    return np.asarray(minimize(loss, np.zeros(BUCKETS), jac=True, method="L-BFGS-B", options={"maxiter": 100}).x)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    pairs = [one for name in (*TRADES, "yes-no") for one in pairs_of(name)]
    written = len(pairs)
    pairs += [one for name in TRADES for one in contrasts_of(name)]
    x, y, weighs = matrix(pairs), np.array([right for *_, right in pairs]), balanced(pairs)
    names = np.array([name for name, *_ in pairs])
    result: dict[str, Any] = {
        "written": written,
        "contrasted": len(pairs) - written,
        "yes": int(y.sum()),
        "left out": {},
    }
    for out in LEFT_OUT:
        held = np.isin(names, out)
        weights = fitted(x[~held], y[~held], weighs[~held])
        held[written:] = False
        scores = x[held] @ weights
        result["left out"][" and ".join(out)] = {
            "n": int(held.sum()),
            "right": round(float(np.mean((scores > 0) == y[held])), 3),
            "area": round(area(scores.tolist(), y[held].tolist()), 3),
        }
    print(json.dumps(result, indent=1))
    if given.write:
        np.save(FITTED, fitted(x, y, weighs).astype(np.float16))
        file = ROOT / "benchmarks" / "results" / "verifier" / "polarity.json"
        file.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
