"""Train the bundled embedder on both sides, questions and chunks, by all written questions, and judge what comes of it.

    python experiments/embedder/both_sides.py gather DOCS --work DIR     # libraries, and where each question is answered
    python experiments/embedder/both_sides.py train --work DIR --minutes N [--resume]
    python experiments/embedder/both_sides.py mix --work DIR             # the share of the trained weights, by the held-back part
    python experiments/embedder/both_sides.py export --work DIR --share S --out FOLDER
    python experiments/embedder/both_sides.py judge --work DIR --model FOLDER --data DATA --libraries DIR --out FILE

DOCS is as for `question_side.py`, whose reading of the written questions this uses; the trades of `experiments/verifier/organisations` come
beside them. No public set is read, nothing of `manuals`, RAMDocs, WikiContradict, ConflictQA or the organisations of benchmarks. Held back
(for choosing the share) are documents, packages and worlds by the digest of their names.

A step compares the questions of chunks of one library (`CHUNKS` of them, at most `EACH` questions each) with all chunks of the step, and
each of `NEAR` further ones that stand high for one of these questions: InfoNCE (Karpukhin et al. 2020, equation 2, with cosines). Chunks
that touch a right one are passed over, and whatever lay nearer than .95 of it before (Moreira et al. 2024, "NV-Retriever"). So that
cosines stay what thresholds of the engine were fitted on, those of chunks among themselves are drawn to what they were.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from decoct import Library
from decoct.data import Document
from decoct.embed.minilm import MiniLM
from decoct.ingest import search_text

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "verifier")]
from material import TRADES, held_back, material  # noqa: E402 - their folders were named above
from question_side import (  # noqa: E402
    HARBOUR,
    JUDGED,
    at_chunks,
    differences,
    embedded,
    figures,
    manuals,
    mixed,
    organisation,
    place_of,
    public,
    short,
)

from decoct_lab.train.reader.example import part_of  # noqa: E402

CHUNKS, EACH, NEAR, AMONG = 40, 4, 24, 12
SAFE, TEMPERATURE, STEADY = 0.95, 0.05, 10.0
RATE, WARMUP, SAVE_EVERY = 5e-5, 0.05, 20
LONGEST_CHUNK, LONGEST_QUESTION = 128, 32
BATCH = 16  # texts at a time, of like length
LONGEST_FILE = 250_000  # bytes of a manual
SHARES = (0.0, 0.3, 0.5, 0.7, 1.0)
SETS = ("short", "manuals", "manuals-2", "manuals-3", *TRADES)
WRITTEN_ON = {"manuals": "manual-questions.jsonl"} | {f"manuals-{at}": f"manual-questions-{at}.jsonl" for at in (2, 3)}
START = MiniLM()  # what the training begins with; the first round began with the published weights (`FIRST`)
Row = dict[str, Any]


# -- gather -------------------------------------------------------------------------------------------------------------


def trade(library: Library, name: str) -> Iterator[Row]:
    """The answered questions of a trade at the sentence that answers."""
    held = material(name, Path(), Path())
    documents = [Document(f"{name}/{at}", text, title) for at, (title, text) in enumerate(held.passages)]
    if not library.status().documents:
        library.add(documents)
    for one in held.asked:
        for at in one.gold:
            text = documents[at].text
            if one.sentence and (place := place_of(text, 0, len(text), {"sentence": one.sentence})):
                part = part_of(f"{name} {at}")
                yield {"question": one.question, "places": [[documents[at].id, *place]], "part": part, "kind": name}


def questions(library: Library, name: str, docs: Path) -> Iterator[Row]:
    """Those of a set; of manuals the packages are held back that the second reading holds back."""
    if name == "short":
        yield from short(library)
    elif name in WRITTEN_ON:
        for row in manuals(library, docs, LONGEST_FILE, WRITTEN_ON[name]):
            yield {**row, "part": "dev" if held_back("manuals", row["group"]) else "train"}
    else:
        yield from trade(library, name)


def gather(work: Path, docs: Path) -> None:
    """`work`/NAME.npz, NAME.texts.json and NAME.jsonl: vectors and search texts of chunks, and the questions with their right ones."""
    for name in SETS:
        if (work / f"{name}.npz").is_file():
            continue
        with Library.open(work / "lib" / name, embedder=START) as library:
            asked = list(questions(library, name, docs))
            places: list[tuple[str, int, int]] = []
            parts, texts = [], []
            for info in library.store.documents():
                keys = library.store.chunk_keys(info.id)
                chunks = library.store.chunks(keys)
                places += [(info.id, chunk.span.start, chunk.span.end) for chunk in chunks]
                texts += [search_text(chunk) for chunk in chunks]
                parts.append(library.store.vectors(keys))
        lines = list(at_chunks(asked, places))
        (work / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
        (work / f"{name}.texts.json").write_text(json.dumps(texts, ensure_ascii=False), "utf-8")
        np.savez(work / f"{name}.npz", vectors=np.concatenate(parts).astype(np.float32))
        print(name, len(places), "chunks", len(lines), "questions", flush=True)


# -- train --------------------------------------------------------------------------------------------------------------


class Asked:
    """The questions of one library, with the vectors before training; `of_chunk` has the training questions by their first right chunk."""

    def __init__(self, work: Path, name: str) -> None:
        self.rows: list[Row] = [json.loads(line) for line in (work / f"{name}.jsonl").read_text("utf-8").splitlines()]
        self.texts: list[str] = json.loads((work / f"{name}.texts.json").read_text("utf-8"))
        self.chunks = np.load(work / f"{name}.npz")["vectors"]
        kept = work / f"{name}-questions.npy"
        if not kept.is_file():
            np.save(kept, START.embed([row["question"] for row in self.rows], "query"))
        self.before = np.load(kept)
        self.of_chunk: dict[int, list[int]] = {}
        for at, row in enumerate(self.rows):
            if row["part"] == "train":
                self.of_chunk.setdefault(row["right"][0], []).append(at)

    def passed(self, at: int) -> Any:  # noqa: ANN401
        """Which chunks a question is not told from."""
        row, cosines = self.rows[at], self.chunks @ self.before[at]
        found = cosines >= SAFE * max(cosines[row["right"]].max(), 0.0)
        found[row["touched"]] = True
        found[row["right"]] = False
        return found

    def near(self, at: int, chance: np.random.Generator) -> int | None:
        """One of the nearest chunks that do not answer."""
        row = self.rows[at]
        cosines = np.where(self.passed(at), -1.0, self.chunks @ self.before[at])
        cosines[row["right"]] = -1.0
        order = np.argsort(-cosines)[:AMONG]
        order = order[cosines[order] > 0]
        return int(chance.choice(order)) if len(order) else None


def gathered(work: Path) -> dict[str, Asked]:
    """The sets that are gathered."""
    return {name: Asked(work, name) for name in SETS if (work / f"{name}.npz").is_file()}


def steps(asked: dict[str, Asked], seed: int) -> Iterator[tuple[str, list[int], list[int]]]:
    """Without end: a library, questions of it, and further chunks; libraries by how many chunks were asked about."""
    chance = np.random.default_rng(seed)
    while True:
        made: list[tuple[str, list[int]]] = []
        for name, one in asked.items():
            order = chance.permutation(list(one.of_chunk)).tolist()
            made += [(name, order[at : at + CHUNKS]) for at in range(0, max(1, len(order) - CHUNKS // 2), CHUNKS)]
        for place in chance.permutation(len(made)).tolist():
            name, chunks = made[place]
            one = asked[name]
            questions = []
            for chunk in chunks:
                own = one.of_chunk[chunk]
                questions += chance.choice(own, min(EACH, len(own)), replace=False).tolist()
            near = {one.near(at, chance) for at in chance.choice(questions, min(NEAR, len(questions)), replace=False)}
            yield name, questions, sorted(near - {None} - set(chunks))  # type: ignore[arg-type]


def loss_of(encoder: Any, tokenizer: Any, one: Asked, questions: list[int], near: list[int]) -> tuple[Any, Any]:  # noqa: ANN401
    """Cross entropy over the chunks of the step, and how far chunks moved among themselves."""
    import torch
    from torch.nn import functional

    keys = list(dict.fromkeys([*(key for at in questions for key in one.rows[at]["right"]), *near]))
    place = {key: at for at, key in enumerate(keys)}
    chunks = embedded(encoder, tokenizer, [one.texts[key] for key in keys], LONGEST_CHUNK, BATCH)
    asked = embedded(encoder, tokenizer, [one.rows[at]["question"] for at in questions], LONGEST_QUESTION, BATCH)
    scores = asked @ chunks.T / TEMPERATURE
    passed = torch.from_numpy(np.stack([one.passed(at)[keys] for at in questions]))
    logs = functional.log_softmax(scores.masked_fill(passed, float("-inf")), dim=1)
    right = [[place[key] for key in one.rows[at]["right"]] for at in questions]
    told = -torch.stack([torch.logsumexp(logs[row, wanted], 0) for row, wanted in enumerate(right)]).mean()
    before = torch.from_numpy(one.chunks[keys])
    steady = ((chunks @ chunks.T - before @ before.T) ** 2).mean()
    return told, steady


def train(work: Path, minutes: float, threads: int, seed: int, resume: bool) -> None:
    """Weights to `work`/run/progress.pt, the curve beside them; the rate falls with the time, not with the steps."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    from decoct_lab.train.checkpoint import restored_step, save_checkpoint, share_of_rate, take_step
    from decoct_lab.train.embedder.recover_minilm import recover

    torch.manual_seed(0)
    torch.set_num_threads(threads)
    base = work / "base"
    if not base.is_dir():
        recover(base, START.weights.folder)
    asked = gathered(work)
    plain = {"attn_implementation": "eager", "attention_probs_dropout_prob": 0.0, "hidden_dropout_prob": 0.0}  # faster
    encoder = AutoModel.from_pretrained(base, add_pooling_layer=False, **plain)
    tokenizer = AutoTokenizer.from_pretrained(base)
    encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    weights = [one for one in encoder.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=RATE, weight_decay=0.01)
    out = work / "run"
    out.mkdir(exist_ok=True)
    spent = [0.0]
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda _: share_of_rate(round(1000 * spent[0] / minutes), 1000, WARMUP)
    )
    done = (restored_step(out, encoder, optimiser, schedule) or 0) if resume else 0
    start = float((out / "minutes").read_text("utf-8")) if done else 0.0
    begun = time.monotonic()
    encoder.train()
    with (out / "curve.jsonl").open("a", encoding="utf-8") as curve:
        for step, (name, questions, near) in enumerate(steps(asked, seed), 1):
            if step <= done:
                continue
            told, steady = loss_of(encoder, tokenizer, asked[name], questions, near)
            spent[0] = start + (time.monotonic() - begun) / 60
            take_step(told + STEADY * steady, weights, optimiser, schedule)
            line = {"step": step, "minutes": round(spent[0], 2), "library": name, "questions": len(questions)}
            curve.write(json.dumps({**line, "loss": round(told.item(), 4), "moved": round(steady.item(), 5)}) + "\n")
            curve.flush()
            last = spent[0] >= minutes
            if step % SAVE_EVERY == 0 or last:
                save_checkpoint(out, encoder, optimiser, schedule, step)
                (out / "minutes").write_text(str(spent[0]), "utf-8")
                print(time.strftime("%H:%M:%S"), step, name, round(told.item(), 3), round(steady.item(), 5), flush=True)
            if last:
                return


# -- mix, export, judge -------------------------------------------------------------------------------------------------


def mix(work: Path, shares: tuple[float, ...]) -> None:
    """For each share, over the held-back questions by library: how many have a right chunk first, among five, among twenty."""
    import torch

    asked = gathered(work)
    for share in shares:
        encoder, tokenizer = mixed(work, "run", share)
        line: dict[str, list[float]] = {}
        for name, one in asked.items():
            held = [at for at, row in enumerate(one.rows) if row["part"] != "train"][:400]
            if not held:
                continue
            with torch.no_grad():
                chunks = embedded(encoder, tokenizer, one.texts, 256, BATCH).numpy()
                scores = (
                    embedded(encoder, tokenizer, [one.rows[at]["question"] for at in held], 64, BATCH).numpy()
                    @ chunks.T
                )
            places = np.array(
                [(own > own[one.rows[at]["right"]].max()).sum() for at, own in zip(held, scores, strict=True)]
            )
            line[name] = [len(held), *(round(float((places < k).mean()), 4) for k in (1, 5, 20))]
        total = np.mean([one[1:] for one in line.values()], axis=0).round(4).tolist()
        print(share, total, json.dumps(line), flush=True)


def export_mixed(work: Path, share: float, out: Path) -> None:
    """`out`/model.onnx as the bundled one is made."""
    from decoct_lab.train.embedder.export_minilm import export

    encoder, tokenizer = mixed(work, "run", share)
    encoder.save_pretrained(work / "float32")
    tokenizer.save_pretrained(work / "float32")
    print(export(str(work / "float32"), out))


def judge(folder: Path, data: Path, libraries: Path, out: Path) -> None:
    """First and among five, with the vectors before and with `folder`'s on both sides; differences with 95 % intervals; added to `out`."""
    from decoct.embed.onnx import OnnxEmbedder

    other = OnnxEmbedder(folder)
    result = json.loads(out.read_text("utf-8")) if out.is_file() else {}
    for name in (*JUDGED, HARBOUR.name, "dev-coop", "dev-foundry"):
        one = (
            organisation(HARBOUR.parent / name, libraries) if name.startswith("dev-") else public(name, data, libraries)
        )
        asked, right, _, held = one
        with Library.open(libraries / name) as library:
            texts = [
                search_text(chunk)
                for info in library.store.documents()
                for chunk in library.store.chunks(library.store.chunk_keys(info.id))
            ]
        old, new = (
            figures(model.embed(asked, "query"), right, model.embed(texts, "passage"), held) for model in (START, other)
        )
        told = differences(old, new)
        before, after = old.mean(0).round(4).tolist(), new.mean(0).round(4).tolist()
        result[name] = {"n": len(asked), "chunks": len(texts), "before": before, "trained": after, "differences": told}
        print(name, json.dumps(result[name]), flush=True)
        out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("gather", "train", "mix", "judge", "export"))
    parser.add_argument("docs", type=Path, nargs="?")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--libraries", type=Path)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    match given.what:
        case "gather":
            gather(given.work, given.docs)
        case "train":
            train(given.work, given.minutes, given.threads, given.seed, given.resume)
        case "mix":
            mix(given.work, SHARES)
        case "judge":
            judge(given.model, given.data, given.libraries, given.out)
        case _:
            export_mixed(given.work, given.share, given.out)


if __name__ == "__main__":
    main()
