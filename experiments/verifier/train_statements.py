"""Train the second reading whole, encoder and head, on groups of statements.

    python experiments/verifier/train_statements.py OUT --groups FILE … --start WEIGHTS [--rate 5e-5] [--wrong 4] [--share NAME=N …]

Groups are those of `statement_claims.py`. Loss: cross entropy of what is said of each statement (`network.SAID`; of yes and no for
questions of that kind, and which of the two it says), and of a group's right one against its others. Of some
questions a name or number is exchanged for another's (`exchanged`): then nothing answers, though the words are as near as before. Every
`EVERY` updates OUT holds `last.pt`, and `curve.jsonl` a line: on held-back groups how often the first statement is right, the area over
statements, that over first ones, and of statements that decide how often yes stands above no as it should. With `--verdicts` questions of
yes or no are all that is learned from, each with the one statement that it is about.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from fitting import fit
from judging import area
from network import Encoded, VerifierNetwork, encoded, load, stacked
from torch import nn

EVERY, SMOOTH, LISTED, DECIDED = 300, 0.03, 0.5, 0.5
EXCHANGED = 0.15  # of questions
MOST_OF_YES_NO = 1  # wrong statements of a question of yes or no
MOST_HELD = 40  # held-back groups of a set
NAMED = re.compile(r"\b(?:[A-Z][\w-]*\d[\w-]*|\d[\d.,:]*\d|\d|(?<=[a-z] )[A-Z][a-z]{2,})\b")
Row = dict[str, Any]
Said = tuple[int, int | None, int | None]  # answers, yes, no
Group = tuple[list[Encoded], list[Said], str]


def exchanged(question: str, others: list[str], chance: random.Random) -> str | None:
    """The question with one of its names or numbers exchanged for one of the same form in another question."""
    own = NAMED.findall(question)
    if not own:
        return None
    taken = chance.choice(own)

    def form(text: str) -> str:
        return re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "0", text))

    for _ in range(40):
        found = [one for one in NAMED.findall(chance.choice(others)) if form(one) == form(taken) and one not in own]
        if found:
            return re.sub(rf"(?<!\w){re.escape(taken)}(?!\w)", found[0], question, count=1)
    return None


def groups_of(
    files: list[Path], shares: dict[str, int], wrong: int, seed: int, part: tuple[int, int] = (0, 1)
) -> tuple[list[Row], list[Row]]:
    """What is learned from, and what is held back."""
    chance, train, held = random.Random(seed), list[Row](), list[Row]()
    for file in files:
        found = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        chance.shuffle(found)
        own = [one for one in found if not one["held"]][: shares.get(file.stem, 1_000_000)][part[0] :: part[1]]
        held += [one for one in found if one["held"]][:MOST_HELD]
        questions = [one["q"] for one in own]
        for one in own:
            right = [row for row in one["rows"] if row["right"]][:1]
            others = [row for row in one["rows"] if not row["right"]]
            nearest, rest = others[: (wrong + 1) // 2], others[(wrong + 1) // 2 :]
            chance.shuffle(rest)
            others = [*nearest, *rest]
            train.append({**one, "rows": [*right, *others[: min(wrong, MOST_OF_YES_NO) if one["yes_no"] else wrong]]})
            if (
                right
                and not one["yes_no"]
                and chance.random() < EXCHANGED
                and (asked := exchanged(one["q"], questions, chance))
            ):
                rows = [{**row, "right": 0} for row in [*right, *others[:1]]]
                train.append({**one, "q": asked, "rows": rows})
    return train, held


def ready(one: Row) -> Group:
    """A group as numbers."""
    rows = [encoded({**row, "q": one["q"], "claim": ""}) for row in one["rows"]]
    return rows, [targets(one, bool(row["right"])) for row in one["rows"]], one["src"]


def targets(one: Row, right: bool) -> Said:
    """What a statement says to a question; of yes and no None where that is not asked."""
    if not one["yes_no"]:
        return int(right), None, None
    return int(right), int(right and one["verdict"] == "yes"), int(right and one["verdict"] == "no")


def planned(groups: list[Group], chance: random.Random, most: int) -> list[list[Group]]:
    """Batches of whole groups of about one length, in a random order."""
    chance.shuffle(groups)
    made: list[list[Group]] = []
    for low in range(0, len(groups), 120):
        part: list[list[Group]] = [[]]
        for one in sorted(groups[low : low + 120], key=lambda one: max(len(row[0]) for row in one[0])):
            if sum(len(other[0]) for other in part[-1]) + len(one[0]) > most:
                part.append([])
            part[-1].append(one)
        chance.shuffle(part)
        made += part
    return made


def judged(model: VerifierNetwork, groups: list[Group]) -> dict[str, list[float]]:
    """Of each set: first statement right, area over statements, area over first ones."""
    model.eval()
    told: dict[str, list[tuple[list[list[float]], list[Said]]]] = defaultdict(list)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for rows, right, name in groups:
            told[name].append((model(*stacked(rows)).tolist(), right))
    model.train()
    found = {}
    for name, held in [*told.items(), ("all", [one for several in told.values() for one in several])]:
        single = [([row[0] for row in rows], [row[0] for row in right]) for rows, right in held]
        firsts = [(max(rows), right[int(np.argmax(rows))]) for rows, right in single]
        hit = float(np.mean([right for (_, right), (_, every) in zip(firsts, single, strict=True) if any(every)]))
        every = area([s for rows, _ in single for s in rows], [y for _, right in single for y in right])
        first = area([s for s, _ in firsts], [y for _, y in firsts])
        decided = [(row, y) for rows, right in held for row, y in zip(rows, right, strict=True) if y[1] or y[2]]
        verdicts = float(np.mean([(row[1] > row[2]) == bool(y[1]) for row, y in decided])) if decided else float("nan")
        found[name] = [round(x, 3) for x in (hit, every, first, verdicts)]
    return found


def loss_of(model: VerifierNetwork, batch: list[Group]) -> torch.Tensor:
    """What is said of each statement, and which of a group is first."""
    wanted = [y for _, told, _ in batch for y in told]
    right = torch.tensor([[float(y or 0) for y in one] for one in wanted])
    known = torch.tensor([[float(y is not None) for y in one] for one in wanted])
    with torch.autocast("cpu", torch.bfloat16):
        read = model(*stacked([row for rows, _, _ in batch for row in rows]))
    each = nn.functional.binary_cross_entropy_with_logits(read, right * (1 - 2 * SMOOTH) + SMOOTH, reduction="none")
    loss = (each * known).sum() / len(wanted)
    sizes = [len(told) for _, told, _ in batch]
    parts = zip(read[:, 0].split(sizes), right[:, 0].split(sizes), strict=True)
    listed = [torch.logsumexp(s, 0) - torch.logsumexp(s[y > 0], 0) for s, y in parts if y.any()]
    if listed:
        loss = loss + LISTED * torch.stack(listed).mean()
    decided = [at for at, y in enumerate(wanted) if y[1] or y[2]]
    if decided:
        above = (read[decided, 1] - read[decided, 2]) * (2 * right[decided, 1] - 1)
        loss = loss + DECIDED * nn.functional.softplus(-above).mean()
    return loss


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--groups", type=Path, nargs="+", required=True)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--wrong", type=int, default=4)
    parser.add_argument("--share", nargs="*", default=[])
    parser.add_argument("--fixed", type=int, default=0, help="layers from below that are left as they are")
    parser.add_argument("--rows", type=int, default=28, help="statements of a batch")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--verdicts", action="store_true")
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), help="which of so many parts of the groups")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    torch.set_num_threads(1)
    given.out.mkdir(parents=True, exist_ok=True)
    shares = {name: int(most) for name, _, most in (one.partition("=") for one in given.share)}
    learned, kept = groups_of(given.groups, shares, given.wrong, given.seed, (given.part[0], given.part[1]))
    if given.verdicts:
        learned, kept = (
            [{**one, "rows": one["rows"][:1]} for one in part if one["yes_no"]] for part in (learned, kept)
        )
    held, chance = [ready(one) for one in kept], random.Random(given.seed)
    groups = [ready(one) for one in learned]
    batches = [batch for _ in range(given.epochs) for batch in planned(groups, chance, given.rows)]
    model = VerifierNetwork()
    load(model, given.start)
    model.encoder.embeddings.requires_grad_(False)
    model.encoder.encoder.layer[: given.fixed].requires_grad_(False)
    rates = given.rate, 3 * given.rate
    fit(model, batches, loss_of, rates, given.out, every=EVERY, judged=lambda one: judged(one, held))


if __name__ == "__main__":
    main()
