"""Train the upper layers of the second reading on a processor: what the lower ones make of each statement is computed once and kept.

    python experiments/verifier/train_upper.py OUT PACK … --onnx MODEL --start WEIGHTS … --minutes N [--first NAME …] [--layers 6]

The lower layers are those of the int8 file that is shipped, so that the upper ones learn from exactly what they will read. Of a question of
yes or no what it asks about is read, in sets that are not named by `--first` one other statement beside it; of an open one the right
statement and three others. Losses, rates and what is kept are `train_packed.py`'s. A line of `curve.jsonl` every `EVERY` seconds:
of held-back questions of each set the area of yes over no, that of decided over undecided questions, how often the first of an open
question's statements is right, and the number of questions.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from judging import area
from network import LONG, WIDTH, VerifierNetwork, load, read
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel
from train_packed import DECAY, DECIDED, LISTED, SMOOTH, WARM, Averaged, Packs, Turns

EVERY = 400.0  # seconds
MOST_OPEN, MOST_YES_NO, MOST_HELD = 6000, 10000, 60  # questions of all sets that are not first; held back of each
BATCH = {1: 72, 2: 16, 4: 8}  # questions of a batch by their number of statements
CUT = "/encoder/layer.{}/LayerNorm_1/LayerNormalization_output_0"


@dataclass
class Asked:
    """Questions that are read with equally many statements: which they are, their columns of the table, where their rows are kept."""

    questions: NDArray[np.int64]
    columns: NDArray[np.int64]
    begin: int

    def rows(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Numbers of kept rows, questions × statements."""
        width = self.columns.shape[1]
        numbers: NDArray[np.int64] = self.begin + chosen[:, None] * width + np.arange(width)[None]
        return numbers


def asked_of(packs: Packs, first: set[str], held: bool, chance: np.random.Generator) -> list[Asked]:
    """The questions that are learned from (or held back), by their number of statements."""
    table, right = packs.table.numpy(), packs.right.numpy()
    named = np.isin(packs.source, [at for at, name in enumerate(packs.names) if name in first])
    judge = packs.verdict >= 0
    dev = np.isin(packs.source, [at for at, name in enumerate(packs.names) if name.startswith("dev-")])
    made, begin = [], 0
    for width, wanted, most in (
        (1, judge & named, None),
        (2, judge & ~named, MOST_YES_NO),
        (4, ~judge & (table[:, 3] >= 0), MOST_OPEN),
    ):
        pool = np.flatnonzero(wanted & (packs.held == held) & (held | ~dev))
        if held:
            limits = {at: 1200 if name in first else MOST_HELD for at, name in enumerate(packs.names)}
            pool = np.concatenate([pool[packs.source[pool] == at][:limit] for at, limit in limits.items()])
        elif most is not None and len(pool) > most:
            pool = np.sort(chance.choice(pool, most, replace=False))
        columns = np.zeros((len(pool), width), np.int64)
        for at, question in enumerate(pool):
            there = np.flatnonzero(table[question] >= 0)
            if judge[question]:
                others = there[1:9]
                columns[at, 1:] = chance.choice(others, width - 1) if len(others) and width > 1 else 0
            else:
                answers = there[right[question, there] > 0]
                one = answers[0] if len(answers) else there[0]
                others = there[(right[question, there] == 0) & (there != one)][:10]
                columns[at] = [one, *chance.choice(others, width - 1, replace=len(others) < width - 1)]
        made.append(Asked(pool, columns, begin))
        begin += columns.size
    return made


def lower_layers(model: Path, layers: int, file: Path) -> onnxruntime.InferenceSession:
    """The first `layers` of the shipped file."""
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    onnx.utils.extract_model(str(model), str(file), inputs, [CUT.format(layers - 1)], check_model=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


@dataclass
class Kept:
    """What the lower layers made of each row, in half precision, and the marks of its tokens."""

    hidden: NDArray[np.float16]
    marks: NDArray[np.uint8]
    layers: int

    def batch(self, rows: NDArray[np.int64]) -> tuple[Tensor, ...]:
        """Hidden, known, kinds, marked."""
        marks = torch.from_numpy(self.marks[rows]).long()
        return torch.from_numpy(self.hidden[rows]).bfloat16(), *marks.unbind(1)


def kept_rows(
    packs: Packs, groups: list[Asked], session: onnxruntime.InferenceSession, layers: int, file: Path
) -> Kept:
    """Computed once and written to `file`; what it holds already is taken."""
    questions = np.concatenate([np.repeat(one.questions, one.columns.shape[1]) for one in groups])
    columns = np.concatenate([one.columns.reshape(-1) for one in groups])
    known_before = file.exists()
    shape = (len(questions), LONG, WIDTH)
    hidden = np.lib.format.open_memmap(file, *(("r",) if known_before else ("w+", np.float16, shape)))
    if hidden.shape != shape:
        raise ValueError(f"{file} holds other rows, {hidden.shape} for {shape}: give another folder")
    marks = np.zeros((len(questions), 3, LONG), np.uint8)
    began = time.time()
    for low in range(0, len(questions), 64):
        q = torch.from_numpy(questions[low : low + 64])
        ids, known, kinds, marked = packs.inputs(
            q, packs.table[q, torch.from_numpy(columns[low : low + 64])].clamp(min=0)
        )
        named = {"input_ids": ids.numpy(), "attention_mask": known.numpy(), "token_type_ids": kinds.numpy()}
        if not known_before:
            (hidden[low : low + 64],) = session.run(None, named)
        marks[low : low + 64] = torch.stack([known, kinds, marked], 1).numpy()
        if low % 6400 == 0:
            print(low, len(questions), round(time.time() - began), flush=True)
    return Kept(hidden, marks, layers)


def verdict_logits(model: VerifierNetwork, kept: Kept, rows: NDArray[np.int64]) -> Tensor:
    """The upper layers' log-odds of rows, rows × 3."""
    hidden, known, kinds, marked = kept.batch(rows)
    with sdpa_kernel(SDPBackend.MATH), torch.autocast("cpu", torch.bfloat16):
        for layer in model.encoder.encoder["layer"][kept.layers :]:
            hidden = layer(hidden, known)
        logits: Tensor = model.said(hidden, known, kinds, marked)
    return logits


def batch_loss(
    model: VerifierNetwork, packs: Packs, kept: Kept, parts: list[tuple[Asked, NDArray[np.int64]]]
) -> Tensor:
    """As `train_packed.batch_loss`, of kept rows."""
    found = verdict_logits(model, kept, np.concatenate([group.rows(chosen).reshape(-1) for group, chosen in parts]))
    right, verdict = list[Tensor](), list[Tensor]()
    for group, chosen in parts:
        asked = torch.from_numpy(group.questions[chosen])
        columns = torch.from_numpy(group.columns[chosen])
        right.append(packs.right[asked[:, None], columns].reshape(-1))
        verdict.append(packs.verdicts[asked][:, None].expand_as(columns).reshape(-1))
    answers, word = torch.cat(right), torch.cat(verdict)
    wanted = torch.stack([answers, answers * (word == 1), answers * (word == 2)], 1)
    known = torch.stack([torch.ones_like(answers), (word >= 0).float(), (word >= 0).float()], 1)
    each = functional.binary_cross_entropy_with_logits(found, wanted * (1 - 2 * SMOOTH) + SMOOTH, reduction="none")
    loss, low = (each * known).sum() / len(answers), 0
    for group, chosen in parts:
        n, width = len(chosen), group.columns.shape[1]
        if width > 1:
            scores, own = (one[low : low + n * width].view(n, width) for one in (found[:, 0], answers))
            some = (own.sum(1) > 0).float()
            listed = torch.logsumexp(scores, 1) - torch.logsumexp(scores.masked_fill(own == 0, -1e4), 1)
            loss = loss + LISTED * (listed * some).sum() / some.sum().clamp(min=1) * (n * width / len(answers))
        low += n * width
    above = (found[:, 1] - found[:, 2]) * (wanted[:, 1] - wanted[:, 2])
    decided = wanted[:, 1] + wanted[:, 2]
    return loss + DECIDED * (functional.softplus(-above) * decided).sum() / decided.sum().clamp(min=1)


@dataclass
class Judged:
    """Held-back questions of each set."""

    packs: Packs
    groups: list[Asked]
    kept: Kept

    @torch.no_grad()  # type: ignore[untyped-decorator] # torch is not there where types are checked
    def __call__(self, model: VerifierNetwork, _: Packs) -> dict[str, list[float]]:
        """Area of yes over no, area of decided over undecided, first right of open ones, questions."""
        model.eval()
        told = dict[str, list[float]]()
        for group in self.groups:
            rows = group.rows(np.arange(len(group.questions)))
            parts = np.array_split(rows, max(1, len(rows) // 32))
            every = [verdict_logits(model, self.kept, part.reshape(-1)).view(*part.shape, 3) for part in parts]
            found = torch.cat(every).numpy()
            for source, name in enumerate(self.packs.names):
                own = np.flatnonzero(self.packs.source[group.questions] == source)
                if len(own):
                    key = f"{name}/{'open' if rows.shape[1] == 4 else 'yes-no'}"
                    told[key] = self._figures(group.questions[own], group.columns[own], found[own])
        model.train()
        return told

    def _figures(
        self, questions: NDArray[np.int64], columns: NDArray[np.int64], found: NDArray[np.float32]
    ) -> list[float]:
        right = self.packs.right.numpy()[questions[:, None], columns]
        word = self.packs.verdict[questions]
        answered = right[:, 0] > 0
        yes = area((found[:, 0, 1] - found[:, 0, 2])[answered].tolist(), (word == 1)[answered].tolist())
        decided = area(found[:, 0, 0].tolist(), answered.tolist())
        first = float((found[answered, :, 0].argmax(1) == 0).mean()) if answered.any() else float("nan")
        return [*(round(one, 3) for one in (yes, decided, first)), len(questions)]


def train(model: VerifierNetwork, kept: Kept, groups: list[Asked], judged: Judged, given: argparse.Namespace) -> None:
    """Until the time is over."""
    packs = judged.packs
    upper = [(name, one) for name, one in model.named_parameters() if one.requires_grad]
    rates = (given.rate, 3 * given.rate)
    sides = [
        {"params": [one for name, one in upper if name.startswith("encoder") == encoder], "lr": rate}
        for encoder, rate in zip((True, False), rates, strict=True)
    ]
    optimiser = torch.optim.AdamW(sides, weight_decay=DECAY)
    chance = np.random.default_rng(given.order)
    turns = [(one, Turns(np.arange(len(one.questions)), BATCH[one.columns.shape[1]], chance)) for one in groups]
    averaged = Averaged(model, packs, given.out, judged)
    told = time.time()
    while (spent := (time.time() - averaged.began) / (60 * given.minutes)) < 1:
        share = min(1.0, (spent + 1e-3) / WARM) * (1 - spent)
        for side, rate in zip(optimiser.param_groups, rates, strict=True):
            side["lr"] = rate * share
        loss = batch_loss(model, packs, kept, [(group, turn.next()) for group, turn in turns if len(group.questions)])
        loss.backward()
        nn.utils.clip_grad_norm_([one for _, one in upper], 1.0)
        optimiser.step()
        optimiser.zero_grad()
        averaged.take(loss)
        if time.time() - told > EVERY:
            averaged.note()
            told = time.time()
    averaged.note()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("packs", type=Path, nargs="+")
    parser.add_argument("--onnx", type=Path, required=True, help="the int8 file whose lower layers stay")
    parser.add_argument(
        "--start", type=Path, nargs="+", required=True, help="the same weights before they were made int8"
    )
    parser.add_argument("--first", nargs="*", default=[], help="sets whose questions of yes or no come most")
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--layers", type=int, default=6, help="how many are trained")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0, help="of which questions are drawn")
    parser.add_argument("--order", type=int, default=0, help="of the order in which they come")
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    torch.set_num_threads(given.threads)
    given.out.mkdir(parents=True, exist_ok=True)
    packs = Packs(given.packs, "cpu")
    weights = {name: one for file in given.start for name, one in read(file).items()}
    model = VerifierNetwork(12)
    load(model, weights)
    lower = len(model.encoder.encoder["layer"]) - given.layers
    session = lower_layers(given.onnx, lower, given.out / "lower.onnx")
    chance = np.random.default_rng(given.seed)
    groups = asked_of(packs, set(given.first), False, chance)
    back = asked_of(packs, set(given.first), True, chance)
    print([(len(one.questions), one.columns.shape[1]) for one in (*groups, *back)], flush=True)
    judged = Judged(packs, back, kept_rows(packs, back, session, lower, given.out / "held.npy"))
    kept = kept_rows(packs, groups, session, lower, given.out / "rows.npy")
    model.encoder.embeddings.requires_grad_(False)
    for layer in model.encoder.encoder["layer"]:
        layer.dropped = 0.0
    for layer in model.encoder.encoder["layer"][:lower]:
        layer.requires_grad_(False)
    train(model, kept, groups, judged, given)


if __name__ == "__main__":
    main()
