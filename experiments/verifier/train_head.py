"""Teach the second reading's head to judge statements, its encoder left as it is.

    python experiments/verifier/train_head.py features FOLDER OUT --groups FILE …      # FOLDER: model.onnx and tokenizer.json
    python experiments/verifier/train_head.py train OUT WEIGHTS NEW [--epochs 6]

`features` runs the encoder once over groups of `statement_claims.py` (`MOST` a set) and keeps what the head reads; it goes on where it was.
`train` fits the head on them, beginning with that of WEIGHTS, and prints what held-back groups say: how often the first statement is right,
the area over statements, and that over first ones. Loss: cross entropy of each statement, and of a group's right one against its others.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from network import VerifierNetwork, load
from numpy.typing import NDArray
from torch import Tensor, nn
from train import area

from decoct.embed.onnx import session, side_by_side
from decoct.reading.second import ClaimToRead
from decoct.reading.verifier import Verifier

MOST = {"domain": (650, 70), "everyday": (90, 15), "nq-gold": (150, 30), "covidqa": (70, 10), "manuals": (150, 15)}
SEEN = "/Concat_output_0"  # what the head reads
BATCH, RATE, DECAY, SMOOTH, LISTED = 16, 3e-4, 0.02, 0.03, 0.5
Row = dict[str, Any]


def drawn(files: Sequence[Path]) -> list[Row]:
    """Groups to learn from and held-back ones, in one random order."""
    chance, groups = random.Random(7), list[Row]()
    for file in files:
        found = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        chance.shuffle(found)
        for held, most in zip((False, True), MOST[file.stem], strict=True):
            groups += [one for one in found if one["held"] == held][:most]
    chance.shuffle(groups)
    return groups


def features(folder: Path, out: Path, files: Sequence[Path]) -> None:
    """What the head reads of every statement, a pickled group behind the other."""
    opened = out.parent / f"{out.name}-model"
    opened.mkdir(exist_ok=True)
    model = onnx.load(str(folder / "model.onnx"))
    model.graph.output.append(onnx.helper.make_tensor_value_info(SEEN, onnx.TensorProto.FLOAT, None))
    onnx.save(model, str(opened / "model.onnx"))
    (opened / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    reader = Verifier(opened)

    def seen(claim: ClaimToRead) -> NDArray[np.float16]:
        said: NDArray[np.float16] = session(opened).run([SEEN], reader.inputs(claim))[0][0].astype(np.float16)
        return said

    done = len(list(groups_in(out))) if out.exists() else 0
    with out.open("ab") as told:
        for one in drawn(files)[done:]:
            claims = [ClaimToRead(one["q"], "", row["text"], row["a"], row["b"], row["title"]) for row in one["rows"]]
            said = np.array(side_by_side(seen, claims))
            pickle.dump((one["src"], one["held"], [row["right"] for row in one["rows"]], said), told)


def groups_in(file: Path) -> Iterator[tuple[str, bool, list[int], Any]]:
    """The groups of a file of features."""
    with file.open("rb") as told:
        while True:
            try:
                yield pickle.load(told)  # noqa: S301 # our own
            except EOFError:
                return


def judged(head: nn.Module, groups: Sequence[tuple[Tensor, Tensor]]) -> dict[str, float]:
    """See the module."""
    with torch.no_grad():
        said = [(head(x).squeeze(-1).numpy(), y.numpy()) for x, y in groups]
    first = [int(y[s.argmax()]) for s, y in said]
    every = np.concatenate([s for s, _ in said]).tolist()
    return {
        "first": round(float(np.mean([one for one, (_, y) in zip(first, said, strict=True) if y.any()])), 3),
        "area": round(area(every, np.concatenate([y for _, y in said]).astype(int).tolist()), 3),
        "of first": round(area([float(s.max()) for s, _ in said], first), 3),
    }


def train(out: Path, weights: Path, new: Path, epochs: int) -> None:
    """The head, fitted."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = VerifierNetwork()
    load(model, weights)
    head = nn.Sequential(model.pooled, model.out)
    sides: dict[bool, list[tuple[Tensor, Tensor]]] = {False: [], True: []}
    for _, held, right, seen in groups_in(out):
        sides[held].append((torch.tensor(seen.astype(np.float32)), torch.tensor(right, dtype=torch.float32)))
    groups, drop = sides[False], nn.Dropout(0.2)
    print(len(groups), len(sides[True]), judged(head, sides[True]))
    optimiser = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=DECAY)
    planned = [(epoch, low) for epoch in range(epochs) for low in range(0, len(groups), BATCH)]
    for step, (epoch, low) in enumerate(planned):
        if low == 0:
            random.Random(epoch).shuffle(groups)
        batch = groups[low : low + BATCH]
        optimiser.param_groups[0]["lr"] = RATE * max(0.02, 1 - step / len(planned))
        said = head(drop(torch.cat([x for x, _ in batch]))).squeeze(-1)
        right = torch.cat([y for _, y in batch])
        loss = nn.functional.binary_cross_entropy_with_logits(said, right * (1 - 2 * SMOOTH) + SMOOTH)
        parts = zip(said.split([len(y) for _, y in batch]), (y for _, y in batch), strict=True)
        listed = [torch.logsumexp(s, 0) - torch.logsumexp(s[y > 0], 0) for s, y in parts if y.any()]
        if listed:
            loss = loss + LISTED * torch.stack(listed).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if low + BATCH >= len(groups):
            print(epoch, judged(head, sides[True]), flush=True)
    torch.save(model.state_dict(), new)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    reading = commands.add_parser("features")
    reading.add_argument("folder", type=Path)
    reading.add_argument("out", type=Path)
    reading.add_argument("--groups", type=Path, nargs="+", required=True)
    training = commands.add_parser("train")
    for name in ("out", "weights", "new"):
        training.add_argument(name, type=Path)
    training.add_argument("--epochs", type=int, default=6)
    given = parser.parse_args()
    if given.command == "features":
        features(given.folder, given.out, given.groups)
    else:
        train(given.out, given.weights, given.new, given.epochs)


if __name__ == "__main__":
    main()
