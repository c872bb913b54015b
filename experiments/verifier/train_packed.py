"""Train the second reading on packed questions (`packed.py`), on an accelerator or without.

    python experiments/verifier/train_packed.py OUT PACK … --start WEIGHTS --minutes N [--layers 12] [--device cuda] [--compile]

Every question is read beside a few of its statements: the one that answers and others, those that the network thinks likeliest as often as
any (what it was wrong about is read again). Loss: cross entropy of what is said of each statement (`network.SAID`; of yes and no for
questions of that kind, and which of the two it says), and of a question's right statement against its others. Rates rise and fall with the
time that is given; what is kept is the mean of the weights over some thousand updates. OUT holds `last.pt` and `curve.jsonl`, a line every
`EVERY` seconds: of held-back questions of each set how often the first statement is right, the area over statements, that over first
ones, and of statements that decide the area of yes over no. The word embeddings stay as they are.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from judging import area
from network import BEGIN, CLS, END, LONG, SEP, VerifierNetwork, load, read
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

SMOOTH, LISTED, DECIDED = 0.03, 0.5, 0.5
WARM, AVERAGED, DECAY = 0.05, 0.999, 0.01
EVERY = 60.0  # seconds
MOST_HELD = 150  # held-back questions of a set that are judged
OPEN_ROWS, YES_NO_ROWS = 8, 3  # statements of a question


@dataclass
class Packs:
    """All packs as one, on a device: the arrays of `packed.py`, statements and questions counted through."""

    files: list[Path]
    device: str

    def __post_init__(self) -> None:
        parts = [np.load(file) for file in self.files]
        self.names = [str(one["name"]) for one in parts]

        def put(values: object, kind: torch.dtype = torch.int32) -> Tensor:
            return torch.as_tensor(np.asarray(values), dtype=kind, device=self.device)

        self.ids = {part: put(np.concatenate([one[part] for one in parts]).astype(np.int32)) for part in _PARTS}
        self.at = {part: put(_begins([one[f"{part}_at"] for one in parts])) for part in _PARTS}
        self.first = put(np.concatenate([one["bodies_from"] for one in parts]).astype(np.int32))
        self.last = put(np.concatenate([one["bodies_to"] for one in parts]).astype(np.int32))
        before = np.cumsum([0, *(len(one["bodies_from"]) for one in parts)])
        rows = [one["rows"] + low for one, low in zip(parts, before, strict=False)]
        sizes = np.concatenate([np.diff(one["rows_at"]) for one in parts])
        width = int(sizes.max())
        held = np.arange(width)[None] < sizes[:, None]
        table, right = np.full(held.shape, -1), np.zeros(held.shape)
        table[held], right[held] = np.concatenate(rows), np.concatenate([one["right"] for one in parts])
        self.table, self.right = put(table), put(right, torch.float32)
        self.verdict = np.concatenate([one["verdict"] for one in parts])
        self.held = np.concatenate([one["held"] for one in parts])
        self.source = np.repeat(np.arange(len(parts)), [len(one["verdict"]) for one in parts])
        self.verdicts = put(self.verdict)

    def inputs(self, questions: Tensor, rows: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Ids, attention, kinds and marked of statements beside questions, as `decoct.reading.verifier` makes them, `LONG` wide."""
        n = len(rows)
        starts = {"questions": questions, "titles": rows, "bodies": rows}
        begin = {part: self.at[part][one] for part, one in starts.items()}
        size = {part: self.at[part][one + 1] - begin[part] for part, one in starts.items()}
        asked, title = size["questions"], size["titles"]
        front = asked + title + 4
        room = LONG - front - 3
        span = torch.minimum(self.last[rows] - self.first[rows], room)
        first, last = self.first[rows], self.first[rows] + span
        spare = room - span
        right = torch.minimum(size["bodies"] - last, spare - torch.minimum(first, spare // 2))
        left = torch.minimum(first, spare - right)
        place = torch.arange(LONG, device=self.device, dtype=torch.int32).expand(n, LONG)
        whole = front + left + span + right + 3
        ids = torch.zeros_like(place)

        def word(part: str, at: Tensor, inside: Tensor) -> None:
            taken = (begin[part][:, None] + at).clamp(0, len(self.ids[part]) - 1)
            ids.copy_(torch.where(inside, self.ids[part][taken], ids))

        def mark(number: int, at: Tensor) -> None:
            ids.copy_(torch.where(place == at[:, None], number, ids))

        a, t, f = asked[:, None], title[:, None], front[:, None]
        word("questions", place - 1, (place >= 1) & (place < 1 + a))
        word("titles", place - 3 - a, (place >= 3 + a) & (place < 3 + a + t))
        opened = f + left[:, None]  # where the mark before the statement stands
        closed = opened + 1 + span[:, None]
        word("bodies", place - f + (first - left)[:, None], (place >= f) & (place < opened))
        word("bodies", place - opened - 1 + first[:, None], (place > opened) & (place < closed))
        word("bodies", place - closed - 1 + last[:, None], (place > closed) & (place < whole[:, None] - 1))
        zero = torch.zeros_like(asked)
        for number, at in (
            (CLS, zero),
            (BEGIN, asked + 1),
            (SEP, asked + 2),
            (SEP, front - 1),
            (BEGIN, opened[:, 0]),
            (END, closed[:, 0]),
            (SEP, whole - 1),
        ):
            mark(number, at)
        known = (place < whole[:, None]).long()
        kinds = ((place >= 3 + a) & (place < whole[:, None])).long()
        marked = ((place >= opened) & (place <= closed)).long()
        return ids.long(), known, kinds, marked


_PARTS = ("questions", "titles", "bodies")


def precision(device: str) -> torch.autocast:
    """bfloat16, but float32 on a processor that would have to imitate it, some ten times slower."""
    imitated = device == "cpu" and torch.backends.cpu.get_cpu_capability() in ("DEFAULT", "AVX2")
    return torch.autocast(device, torch.bfloat16, enabled=not imitated)


def _begins(parts: list[Any]) -> NDArray[np.int64]:
    """Where each one begins, over several arrays one behind another."""
    made, low = [np.zeros(1, np.int64)], 0
    for one in parts:
        made.append(one[1:].astype(np.int64) + low)
        low += int(one[-1])
    return np.concatenate(made)


class Chosen:
    """Which statements of a question are read: the right one, and others by what was last said of them."""

    def __init__(self, packs: Packs, seed: int) -> None:
        self.packs = packs
        places = torch.arange(packs.table.shape[1], device=packs.device)
        self.scores = (1.0 - 0.15 * places).expand(packs.table.shape).clone()
        self.chance = torch.Generator(packs.device).manual_seed(seed)

    def __call__(self, questions: Tensor, most: int) -> Tensor:
        """Columns of the table, questions × most; those without a statement last."""
        table, right = self.packs.table[questions], self.packs.right[questions]
        shape = table.shape
        drawn = -torch.log(
            -torch.log(torch.rand(shape, device=table.device, generator=self.chance).clamp(1e-6, 1 - 1e-6))
        )
        hard = (torch.rand(shape[0], 1, device=table.device, generator=self.chance) < 0.6).float()
        keys = drawn + 1.5 * hard * self.scores[questions]
        keys = keys + 100 * right
        keys[:, 0] += 100 * (self.packs.verdicts[questions] >= 0)  # what is asked about, though it may not decide
        keys = keys.masked_fill(table < 0, -1000)
        return keys.topk(most, dim=1).indices


def batch_loss(model: nn.Module, packs: Packs, chosen: Chosen, parts: list[tuple[Tensor, int]]) -> Tensor:
    """Of open questions and of those of yes or no together."""
    questions, columns, shapes = [], [], []
    for asked, most in parts:
        picked = chosen(asked, most)
        questions.append(asked[:, None].expand_as(picked).reshape(-1))
        columns.append(picked.reshape(-1))
        shapes.append(picked.shape)
    q, c = torch.cat(questions), torch.cat(columns)
    rows = packs.table[q, c]
    there = (rows >= 0).float()
    rows = rows.clamp(min=0)
    right = packs.right[q, c] * there
    with precision(packs.device):
        said = model(*packs.inputs(q, rows))
    verdict = packs.verdicts[q]
    wanted = torch.stack([right, right * (verdict == 1), right * (verdict == 2)], 1)
    known = torch.stack([torch.ones_like(right), (verdict >= 0).float(), (verdict >= 0).float()], 1) * there[:, None]
    each = functional.binary_cross_entropy_with_logits(said, wanted * (1 - 2 * SMOOTH) + SMOOTH, reduction="none")
    loss = (each * known).sum() / there.sum()
    chosen.scores[q, c] = said[:, 0].detach().float().clamp(-6, 6)
    low = 0
    for n, most in shapes:
        scores = said[low : low + n * most, 0].masked_fill(there[low : low + n * most] == 0, -1e4).view(n, most)
        answers = right[low : low + n * most].view(n, most)
        some = (answers.sum(1) > 0).float()
        listed = torch.logsumexp(scores, 1) - torch.logsumexp(scores.masked_fill(answers == 0, -1e4), 1)
        loss = loss + LISTED * (listed * some).sum() / some.sum().clamp(min=1) * (n * most / len(q))
        low += n * most
    above = (said[:, 1] - said[:, 2]) * (wanted[:, 1] - wanted[:, 2])
    decided = wanted[:, 1] + wanted[:, 2]
    return loss + DECIDED * (functional.softplus(-above) * decided).sum() / decided.sum().clamp(min=1)


@torch.no_grad()  # type: ignore[untyped-decorator] # torch is not there where types are checked
def judged(model: nn.Module, packs: Packs) -> dict[str, list[float]]:
    """Of each set: first statement right, area over statements, over first ones, of yes over no; number of questions."""
    model.eval()
    told: dict[str, list[tuple[Any, Any, int]]] = {}
    for source, name in enumerate(packs.names):
        asked = np.flatnonzero((packs.source == source) & packs.held)[:MOST_HELD]
        for low in range(0, len(asked), 32):
            some = torch.as_tensor(asked[low : low + 32], device=packs.device)
            rows = packs.table[some]
            q = some[:, None].expand_as(rows)
            with precision(packs.device):
                said = model(*packs.inputs(q.reshape(-1), rows.clamp(min=0).reshape(-1)))
            said = said.view(*rows.shape, 3).float().cpu().numpy()
            there, right = (rows >= 0).cpu().numpy(), packs.right[some].cpu().numpy()
            for one, (held, wanted, number) in zip(
                said, zip(there, right, asked[low : low + 32], strict=True), strict=True
            ):
                told.setdefault(name, []).append((one[held], wanted[held], int(packs.verdict[number])))
    model.train()
    return {name: _figures(held) for name, held in told.items()}


def _figures(held: list[tuple[Any, Any, int]]) -> list[float]:
    scores, right = [said[:, 0] for said, _, _ in held], [wanted for _, wanted, _ in held]
    first = [(float(s.max()), float(y[int(s.argmax())])) for s, y in zip(scores, right, strict=True)]
    hits = [hit for (_, hit), y in zip(first, right, strict=True) if y.any()]
    every = area(np.concatenate(scores).tolist(), np.concatenate(right).tolist())
    decided = [(float(said[0, 1] - said[0, 2]), float(v == 1)) for said, y, v in held if v > 0 and y[0]]
    yes = area(*map(list, zip(*decided, strict=True))) if decided else float("nan")
    found = [float(np.mean(hits)) if hits else float("nan"), every, area(*map(list, zip(*first, strict=True))), yes]
    return [*(round(one, 3) for one in found), len(held)]


@dataclass
class Averaged:
    """The mean of a network's weights over its last updates, which is what is judged and kept."""

    model: VerifierNetwork
    packs: Packs
    out: Path
    judge: Callable[[VerifierNetwork, Packs], dict[str, list[float]]] = judged
    most: float = AVERAGED

    def __post_init__(self) -> None:
        self.weights = [one for one in self.model.parameters() if one.requires_grad]
        self.mean = [one.detach().clone() for one in self.weights]
        self.began, self.updates, self.losses = time.time(), 0, list[Tensor]()

    def take(self, loss: Tensor) -> None:
        """One update more."""
        self.updates += 1
        self.losses.append(loss.detach())
        share = 1 - min(self.most, self.updates / (self.updates + 20))
        torch._foreach_lerp_(self.mean, [one.detach() for one in self.weights], share)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def note(self) -> None:
        """The mean as `last.pt`, and a line of the curve about it."""
        own = [one.detach().clone() for one in self.weights]
        torch._foreach_copy_([one.data for one in self.weights], self.mean)
        held = {name: one.half().cpu() for name, one in self.model.state_dict().items() if "word_emb" not in name}
        torch.save(held, self.out / "last.pt")
        loss = round(float(torch.stack(self.losses).mean()), 4) if self.losses else None
        line = {"update": self.updates, "loss": loss, **self.judge(self.model, self.packs)}
        told = json.dumps({**line, "seconds": round(time.time() - self.began)})
        with (self.out / "curve.jsonl").open("a") as curve:
            curve.write(told + "\n")
        print(self.out.name, told, flush=True)
        torch._foreach_copy_([one.data for one in self.weights], own)
        self.losses = []


@dataclass
class Turns:
    """Questions in a random order, each once before any comes again."""

    pool: NDArray[np.int64]
    most: int
    chance: np.random.Generator

    def __post_init__(self) -> None:
        self.order, self.at = self.chance.permutation(self.pool), 0

    def next(self) -> NDArray[np.int64]:
        """The next `most`."""
        if self.at + self.most > len(self.order):
            self.order, self.at = self.chance.permutation(self.pool), 0
        self.at += self.most
        return self.order[self.at - self.most : self.at]


def train(model: VerifierNetwork, packs: Packs, given: argparse.Namespace) -> None:
    """Until the time is over."""
    named = [(name, one) for name, one in model.named_parameters() if one.requires_grad]
    rates = [given.rate, 3 * given.rate]
    sides = [
        {"params": [one for name, one in named if name.startswith("encoder") == encoder], "lr": rate}
        for encoder, rate in zip((True, False), rates, strict=True)
    ]
    optimiser = torch.optim.AdamW(sides, weight_decay=DECAY, fused=packs.device == "cuda")
    run = torch.compile(model) if given.compile else model
    chosen, chance = Chosen(packs, given.seed), np.random.default_rng(given.seed)
    kinds = ((False, given.open, OPEN_ROWS), (True, given.yes_no, YES_NO_ROWS))
    turns = [
        (Turns(np.flatnonzero(~packs.held & ((packs.verdict >= 0) == judge)), many, chance), most)
        for judge, many, most in kinds
    ]
    kept = Averaged(model, packs, given.out)

    def loss() -> Tensor:
        parts = [(torch.as_tensor(turn.next(), device=packs.device), most) for turn, most in turns if len(turn.pool)]
        return batch_loss(run, packs, chosen, parts)

    updated(kept, optimiser, rates, given.minutes, loss)


def updated(
    kept: Averaged,
    optimiser: torch.optim.Optimizer,
    rates: Sequence[float],
    minutes: float,
    loss_of: Callable[[], Tensor],
    *,
    every: float = EVERY,
) -> None:
    """Update by `loss_of` until the minutes are over, with rates that rise and fall; a line of the curve `every` so many seconds."""
    told = time.time()
    while (spent := (time.time() - kept.began) / (60 * minutes)) < 1:
        share = min(1.0, (spent + 1e-3) / WARM) * (1 - spent)
        for side, rate in zip(optimiser.param_groups, rates, strict=True):
            side["lr"] = rate * share
        loss = loss_of()
        loss.backward()
        nn.utils.clip_grad_norm_(kept.weights, 1.0)
        optimiser.step()
        optimiser.zero_grad()
        kept.take(loss)
        if time.time() - told > every:
            kept.note()
            told = time.time()
    kept.note()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("packs", type=Path, nargs="+")
    parser.add_argument(
        "--start", type=Path, nargs="+", required=True, help="files of weights, the later over the earlier"
    )
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--open", type=int, default=48, help="open questions of a batch")
    parser.add_argument("--yes-no", type=int, default=64, help="questions of yes or no of a batch")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    given.out.mkdir(parents=True, exist_ok=True)
    packs = Packs(given.packs, given.device)
    model = VerifierNetwork(given.layers)
    load(model, {name: one for file in given.start for name, one in read(file).items()})
    model.encoder.embeddings.requires_grad_(False)
    model.to(given.device)
    print(given.out.name, len(packs.verdict), "questions", json.dumps(judged(model, packs)), flush=True)
    train(model, packs, given)


if __name__ == "__main__":
    main()
