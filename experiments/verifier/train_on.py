"""Train the shipped second reading on: plain questions of yes or no, and which words of a statement answer.

    python experiments/verifier/train_on.py OUT PACK … --minutes N [--learned NAME …] [--questions "open=2" …]

Packs are of `packed.py`: sets of plain questions of yes or no, others of yes or no, `words NAME` of several sets (of `like-words` more are
taken), and sets of open questions, whose statements go on being read as they are: cross entropy with what the shipped weights say of them,
but those named as learned, of which the statement that answers is told. What has no pack is passed over.
Losses else are `train_packed.py`'s; the word embeddings and the lower layers stay. OUT holds `last.pt` and `curve.jsonl`, a line every
`EVERY` seconds: of held-back questions of each set the area of yes over no, the share with the right sign, the area of decided over open
ones and their number, or how often the first is right.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from judging import area
from network import VerifierNetwork, load, read
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from train_packed import DECAY, Averaged, Chosen, Packs, Turns, batch_loss, precision, updated
from weights import shipped_weights

SHIPPED = Path(__file__).parents[2] / "src" / "decoct" / "reading" / "verifier" / "model.onnx"
FIRST, WORDS, LIKE = "plain-yes-no", "words-", "words-like-words"
EVERY = 1500.0  # seconds
LOWER = 4  # layers that stay
AVERAGED = 0.98  # of the mean of the weights, at an update
MOST_YES_NO, MOST_OPEN = 100, 40  # held-back questions of a set
BATCH = {  # questions, and statements of each
    "first": (14, 2),
    "yes or no": (1, 2),
    "words": (2, 4),
    "like words": (8, 4),
    "learned": (8, 4),
    "open": (3, 3),
}


@torch.no_grad()  # type: ignore[untyped-decorator] # torch is not there where types are checked
def said_of(model: VerifierNetwork, packs: Packs, asked: NDArray[np.int64], most: int) -> Tensor:
    """Log-odds of the first `most` statements of each question, questions × most × 3."""
    parts = []
    for low in range(0, len(asked), 8):
        questions = torch.as_tensor(asked[low : low + 8])
        rows = packs.table[questions][:, :most]
        beside = questions[:, None].expand_as(rows).reshape(-1)
        with precision("cpu"):
            said = model(*packs.inputs(beside, rows.clamp(min=0).reshape(-1)))
        parts.append(said.float().view(*rows.shape, 3).masked_fill(rows[..., None] < 0, -99.0))
    return torch.cat(parts)


def judged(model: VerifierNetwork, packs: Packs) -> dict[str, list[float]]:
    """The figures of held-back questions, by set."""
    model.eval()
    told: dict[str, list[float]] = {}
    for source, name in enumerate(packs.names):
        held = np.flatnonzero((packs.source == source) & packs.held)
        judge = packs.verdict[held] >= 0
        if len(asked := held[judge][:MOST_YES_NO]):
            said, verdict = said_of(model, packs, asked, 1)[:, 0].numpy(), packs.verdict[asked]
            leaning, decided = said[:, 1] - said[:, 2], verdict > 0
            yes = (verdict[decided] == 1).astype(float).tolist()
            right = float(np.mean((leaning[decided] > 0) == (verdict[decided] == 1)))
            areas = area(leaning[decided].tolist(), yes), area(said[:, 0].tolist(), decided.astype(float).tolist())
            told[name] = [*(round(one, 3) for one in (areas[0], right, areas[1])), len(asked)]
        if len(asked := held[~judge][:MOST_OPEN]):
            first = said_of(model, packs, asked, 8)[..., 0].argmax(1)
            right_ones = packs.right[torch.as_tensor(asked)][:, :8]
            hits = [float(row[at]) for row, at in zip(right_ones, first, strict=True) if row.sum()]
            told[f"{name}/open"] = [round(float(np.mean(hits)), 3), len(hits)]
    model.train()
    return told


def kept_loss(model: VerifierNetwork, shipped: VerifierNetwork, packs: Packs, chosen: Chosen, asked: Tensor) -> Tensor:
    """How far what is said of open questions' statements is from what the shipped weights say."""
    columns = chosen(asked, BATCH["open"][1])
    questions, columns = asked[:, None].expand_as(columns).reshape(-1), columns.reshape(-1)
    rows = packs.table[questions, columns]
    there = (rows >= 0).float()
    inputs = packs.inputs(questions, rows.clamp(min=0))
    with precision("cpu"):
        said = model(*inputs)
        with torch.no_grad():
            before = torch.sigmoid(shipped(*inputs))
    each = functional.binary_cross_entropy_with_logits(said, before, reduction="none").mean(1)
    return (each * there).sum() / there.sum()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("packs", type=Path, nargs="+")
    parser.add_argument("--start", type=Path, help="weights of a training to begin with instead of the shipped ones")
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--learned", nargs="*", default=[], help="sets of open questions that are learned from")
    parser.add_argument("--questions", nargs="*", default=[], metavar="KIND=N", help="questions of a kind in an update")
    parser.add_argument("--rate", type=float, default=6e-5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    torch.set_num_threads(given.threads)
    given.out.mkdir(parents=True, exist_ok=True)
    packs, weights = Packs(given.packs, "cpu"), shipped_weights(SHIPPED)
    model, shipped = VerifierNetwork(12), VerifierNetwork(12)
    load(model, weights if given.start is None else {**weights, **read(given.start)})
    load(shipped, weights)
    shipped.eval().requires_grad_(False)
    model.encoder.embeddings.requires_grad_(False)
    for layer in model.encoder.encoder["layer"]:
        layer.dropped = 0.0
    for layer in model.encoder.encoder["layer"][:LOWER]:
        layer.requires_grad_(False)
    free = [(name, one) for name, one in model.named_parameters() if one.requires_grad]
    sides = [[one for name, one in free if name.startswith("encoder") == encoder] for encoder in (True, False)]
    optimiser = torch.optim.AdamW([{"params": one} for one in sides], weight_decay=DECAY)
    judge, names = packs.verdict >= 0, np.array(packs.names)[packs.source]
    of_words, plain = np.char.startswith(names, WORDS), np.char.startswith(names, FIRST)
    pools = {  # of `BATCH`
        "first": judge & plain,
        "yes or no": judge & ~plain,
        "words": of_words & (names != LIKE),
        "like words": names == LIKE,
        "learned": np.isin(names, given.learned),
        "open": ~judge & ~of_words & ~np.isin(names, given.learned),
    }
    chance = np.random.default_rng(given.seed)
    many = {kind: questions for kind, (questions, _) in BATCH.items()}
    many |= {kind: int(number) for kind, _, number in (one.partition("=") for one in given.questions)}
    trained = {kind: np.flatnonzero(pool & ~packs.held) for kind, pool in pools.items()}
    turns = {kind: Turns(pool, many[kind], chance) for kind, pool in trained.items() if len(pool)}
    chosen = Chosen(packs, given.seed)

    def loss() -> Tensor:
        parts = [(torch.as_tensor(turn.next()), BATCH[kind][1]) for kind, turn in turns.items() if kind != "open"]
        kept = kept_loss(model, shipped, packs, chosen, torch.as_tensor(turns["open"].next()))
        return batch_loss(model, packs, chosen, parts) + kept

    averaged = Averaged(model, packs, given.out, judged, AVERAGED)
    updated(averaged, optimiser, (given.rate, 3 * given.rate), given.minutes, loss, every=EVERY)


if __name__ == "__main__":
    main()
