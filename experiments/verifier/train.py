"""Train the second reading on claims and on the writers' marks.

    python experiments/verifier/train.py NAMES OUT --claims FOLDER [--start WEIGHTS] [--rate 6e-5] [--most N] [--gold N] [--a-kind N]

NAMES are sets, by commas. Of a question's claims at most two right and three wrong ones are learned from. Every 350 updates: the area of
the held-back questions' surest claims, by set, beside the first reader's score. OUT holds `last.pt` and `curve.jsonl`.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import torch
from fitting import fit
from gold import gold_claims
from judging import area
from material import held_back, material
from network import Encoded, VerifierNetwork, encoded, load, stacked
from torch import nn
from weights import encoder_weights

from decoct.reading.small import BUNDLED

Row = dict[str, Any]
BATCH, EVERY, SMOOTH = 16, 350, 0.04
MOST_DEVELOPED = 100  # held-back questions of a set


def sides(given: argparse.Namespace) -> tuple[list[Row], list[Row]]:
    """What is trained on, and what is held back."""
    by_question: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for name in given.names:
        for line in (given.claims / f"claims-{name}.jsonl").read_text("utf-8").splitlines():
            if (row := json.loads(line))["right"] >= 0:
                by_question[row["src"], row["n"]].append(row)
    train: list[Row] = []
    kept: dict[str, list[list[Row]]] = defaultdict(list)
    for (name, _), rows in sorted(by_question.items()):
        rows.sort(key=lambda row: -row["score"])
        if held_back(name, str(rows[0]["group"])):
            kept[name].append([{**row, "first": place == 0} for place, row in enumerate(rows[:6])])
        else:
            right = [row for row in rows if row["right"]][:2]
            train += [*right, *[row for row in rows if not row["right"]][: 3 if right else 2]]
    chance, kinds = random.Random(given.seed), Counter[tuple[Any, ...]]()
    marked = [row for name in given.names for row in gold_claims(material(name, given.data, given.manuals), given.seed)]
    marked = [row for row in marked if not held_back(row["src"], str(row["group"]))]
    chance.shuffle(marked)
    for row in marked:
        kind = row["src"], row["claim"] in ("yes", "no"), row["right"]
        kinds[kind] += 1
        row["taken"] = kinds[kind] <= given.a_kind
    train += [row for row in marked if row["taken"]][: given.gold]
    chance.shuffle(train)
    for several in kept.values():
        random.Random(0).shuffle(several)
    return train[: given.most], [row for several in kept.values() for one in several[:MOST_DEVELOPED] for row in one]


def judged(model: VerifierNetwork, rows: list[tuple[Encoded, Row]]) -> dict[str, list[float]]:
    """For each set: area of the second reading and of the first reader's score."""
    model.eval()
    scored: list[tuple[Row, float]] = []
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for low in range(0, len(rows), 32):
            part = rows[low : low + 32]
            scored += zip(
                [row for _, row in part], model(*stacked([one for one, _ in part]))[:, 0].tolist(), strict=True
            )
    model.train()
    first = [(row, score) for row, score in scored if row["first"]]
    found = {}
    for name in sorted({row["src"] for row, _ in first}):
        own = [(row, score) for row, score in first if row["src"] == name]
        right = [row["right"] for row, _ in own]
        found[name] = [area([score for _, score in own], right), area([row["score"] for row, _ in own], right)]
    return found


def batches(rows: list[tuple[Encoded, Row]], chance: random.Random) -> list[list[tuple[Encoded, Row]]]:
    """In a random order, rows of about one length together."""
    chance.shuffle(rows)
    made: list[list[tuple[Encoded, Row]]] = []
    for low in range(0, len(rows), BATCH * 20):
        near = sorted(rows[low : low + BATCH * 20], key=lambda pair: len(pair[0][0]))
        cut = [near[at : at + BATCH] for at in range(0, len(near), BATCH)]
        chance.shuffle(cut)
        made += cut
    return made


def loss_of(model: VerifierNetwork, batch: list[tuple[Encoded, Row]]) -> torch.Tensor:
    """Cross entropy of what is said of each claim."""
    right = torch.tensor([float(row["right"]) for _, row in batch]) * (1 - SMOOTH) + SMOOTH / 2
    with torch.autocast("cpu", torch.bfloat16):
        said = model(*stacked([one for one, _ in batch]))[:, 0]
    return nn.functional.binary_cross_entropy_with_logits(said, right)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", type=lambda text: text.split(","))
    parser.add_argument("out", type=Path)
    parser.add_argument("--claims", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--manuals", type=Path, default=Path("manuals-held.json"))
    parser.add_argument("--start", type=Path)
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--gold", type=int, default=13_000)
    parser.add_argument("--a-kind", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    torch.set_num_threads(1)
    given.out.mkdir(parents=True, exist_ok=True)
    train, kept = sides(given)
    rows, development = [(encoded(row), row) for row in train], [(encoded(row), row) for row in kept]
    model = VerifierNetwork()
    if given.start:
        load(model, given.start)
    else:
        model.encoder.load_state_dict(encoder_weights(BUNDLED / "model.onnx"), strict=False)
    model.encoder.embeddings.requires_grad_(False)
    planned = batches(rows, random.Random(given.seed))
    rates = given.rate, 5 * given.rate
    fit(model, planned, loss_of, rates, given.out, every=EVERY, judged=lambda one: judged(one, development))


if __name__ == "__main__":
    main()
