"""Train how the bundled embedder reads questions on the written questions, while what it makes of texts stays as it is.

    python experiments/embedder/question_side.py gather DOCS --work DIR        # libraries, and where each question is answered
    python experiments/embedder/question_side.py train --work DIR [--resume]   # needs the extra `train`
    python experiments/embedder/question_side.py mix --work DIR                # the share of the trained weights, by the held-back part
    python experiments/embedder/question_side.py export --work DIR --share S --out FOLDER

DOCS has a folder a Debian package, as for `experiments/reader/manual_questions.py`. Nothing else is read: no public set, and nothing of
`manuals`, RAMDocs, WikiContradict, ConflictQA or the organisations of benchmarks. A question is right at the chunks that hold the sentence
which answers it, or at the passages of a small world that it needs, where a vector can find them; held back (for choosing the share) are
packages, documents and worlds by the digest of their names.

Since vectors of chunks do not change, a question is told from every chunk of its library at once, at the cost of encoding a question.
Chunks that touch the right one are passed over, everyday documents that say another value of the same thing, and, among manuals and
papers of organisations, whatever lies nearer than .95 of the right one (Moreira et al. 2024, "NV-Retriever"): it may answer too.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from decoct import Library
from decoct.data import Document
from decoct.embed.minilm import MiniLM
from decoct_lab.train.reader.example import part_of

sys.path.insert(0, str(Path(__file__).parents[1] / "reader"))
from manual_questions import digest, passages

WRITTEN = Path(__file__).parents[1] / "reader"
LONGEST_FILE = 45_000  # bytes; a longer manual has many chunks beside the few that were asked about
BRIDGE = 0.75  # of several passages that are needed, those so near the question as the nearest: no vector finds a second step
SAFE = 0.95
TEMPERATURE = 0.05
RATE, EPOCHS, BATCH, WARMUP, SAVE_EVERY = 3e-5, 2, 128, 0.1, 20
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
Row = dict[str, Any]


# -- gather -------------------------------------------------------------------------------------------------------------


def rows(name: str) -> Iterator[Row]:
    """The lines of a file of written questions."""
    with (WRITTEN / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def place_of(text: str, start: int, end: int, asked: Row) -> tuple[int, int] | None:
    """Where the sentence, else the answer, stands in this part of the text; white space counts alike."""
    for one in (asked.get("sentence"), asked.get("answer")):
        said = one[0] if isinstance(one, list) and one else one
        if isinstance(said, str) and said.split():
            found = re.search(r"\s+".join(map(re.escape, said.split())), text[start:end], re.IGNORECASE)
            if found:
                return start + found.start(), start + found.end()
    return None


def passages_of(text: str) -> Iterator[tuple[int, int]]:
    """Where the passages of `manual_questions` stand."""
    at = 0
    for passage in passages(text):
        found = re.search(r"[ \t]+".join(map(re.escape, re.split(r"[ \t]+", passage))), text[at:])
        if found:
            yield at + found.start(), at + found.end()
            at += found.start() + 1


def manuals(library: Library, docs: Path) -> Iterator[Row]:
    """Each answered question at its place; it is split by its package."""
    asked = {row["passage"]: row for row in rows("manual-questions.jsonl")}
    if not library.status().documents:
        named = {row["document"] for row in asked.values()}
        library.add([file for file in sorted(docs.rglob("*")) if file.is_file() and is_asked(file, docs, named)])
    for info in library.store.documents():
        text = library.store.document(info.id).text
        for start, end in passages_of(text):
            row = asked.get(digest(re.sub(r"[ \t]+", " ", text[start:end].strip())))
            for one in row["questions"] if row else ():
                if one["answer"] is not None and (place := place_of(text, start, end, one)):
                    yield {
                        "question": one["question"],
                        "places": [[info.id, *place]],
                        "part": part_of(row["document"].split("/")[0]),
                        "kind": "manuals",
                    }


def is_asked(file: Path, docs: Path, wanted: set[str]) -> bool:
    """Whether questions were written on the file, and it is no long one."""
    package, *rest = file.relative_to(docs).parts
    name = "_".join(rest)
    named = {f"{package}/{name}", f"{package}/{name.removesuffix('.gz')}"}
    return bool(named & wanted) and file.stat().st_size < LONGEST_FILE


def short(library: Library) -> Iterator[Row]:
    """Documents of everyday, of organisations and of worlds with their answered questions."""
    documents: dict[str, Document] = {}
    asked: list[Row] = []

    def ask(question: str, kind: str, group: str, *places: tuple[Document, Row]) -> None:
        found = [
            [document.id, *(place_of(document.text, 0, len(document.text), one) or (0, len(document.text)))]
            for document, one in places
        ]
        asked.append({"question": question, "places": found, "part": part_of(f"{kind} {group}"), "kind": kind, "group": group})

    for at, row in enumerate(rows("domain-questions.jsonl")):
        documents[f"domain/{at}"] = document = Document(f"domain/{at}", row["text"], row["title"])
        for one in row["questions"]:
            if one["answer"] is not None:
                ask(one["question"], "domain", row["document"], (document, one))
    alike: dict[str, list[str]] = {}
    for at, row in enumerate(rows("everyday-questions.jsonl")):
        documents[f"everyday/{at}"] = document = Document(f"everyday/{at}", row["text"], row["title"])
        alike.setdefault(row["document"], []).append(document.id)
        if row["answer"] is not None:
            ask(row["question"], "everyday", row["document"], (document, row))
            asked[-1]["alike"] = alike[row["document"]]
    for row in rows("worlds.jsonl"):
        for entry in row.get("entries", ()):
            id_ = f"world/{row['w']}/{entry['title']}"
            documents.setdefault(id_, Document(id_, entry["text"], entry["title"]))
        needed = [documents.get(f"world/{row.get('w')}/{title}") for title in row.get("need") or ()]
        here = [one for one in needed if one is not None]
        if row.get("a") is not None and here:
            said = row.get("s") or []
            ask(row["q"], "worlds", str(row["w"]), *((one, {"sentence": [s for s in said if s in one.text]}) for one in here))
    if not library.status().documents:
        library.add(list(documents.values()))
    yield from asked


def gather(work: Path, docs: Path) -> None:
    """`work`/NAME.npz and NAME.jsonl: chunk vectors with document and place, and the questions with their right chunks."""
    for name in ("short", "manuals"):
        with Library.open(work / "lib" / name) as library:
            asked = list(short(library) if name == "short" else manuals(library, docs))
            places: list[tuple[str, int, int]] = []
            parts = []
            for info in library.store.documents():
                keys = library.store.chunk_keys(info.id)
                places += [(info.id, chunk.span.start, chunk.span.end) for chunk in library.store.chunks(keys)]
                parts.append(library.store.vectors(keys))
        of_document: dict[str, list[int]] = {}
        for at, (id_, _, _) in enumerate(places):
            of_document.setdefault(id_, []).append(at)
        with (work / f"{name}.jsonl").open("w", encoding="utf-8") as lines:
            for row in asked:
                right, touched = [], []
                for id_, start, end in row["places"]:
                    over = {at: min(places[at][2], end) - max(places[at][1], start) for at in of_document.get(id_, ())}
                    most = max(over.values(), default=0)
                    right += [at for at, much in over.items() if much == most > 0]
                    touched += [at for at, much in over.items() if 0 < much < most]
                touched += [at for id_ in row.get("alike", ()) for at in of_document[id_] if at not in right]
                if right:
                    kept = {key: row[key] for key in ("question", "part", "kind")}
                    lines.write(json.dumps({**kept, "right": right, "touched": touched}, ensure_ascii=False) + "\n")
        np.savez(work / f"{name}.npz", vectors=np.concatenate(parts).astype(np.float32))
        print(name, len(places), "chunks", len(asked), "questions", flush=True)


# -- train --------------------------------------------------------------------------------------------------------------


class Asked:
    """The questions of one library: their vectors before training, and what each is told from."""

    def __init__(self, work: Path, name: str) -> None:
        self.rows = [json.loads(line) for line in (work / f"{name}.jsonl").read_text("utf-8").splitlines()]
        self.chunks = np.load(work / f"{name}.npz")["vectors"]
        kept = work / f"{name}-questions.npy"
        if not kept.is_file():
            np.save(kept, MiniLM(threads=1).embed([row["question"] for row in self.rows], "query"))
        self.before = np.load(kept)

    def part(self, name: str) -> list[int]:
        """Which rows lie on one side of the split."""
        return [at for at, row in enumerate(self.rows) if row["part"] == name]

    def wanted_and_passed(self, at: int) -> tuple[list[int], Any]:
        """The right chunks that a vector can find, and which others are passed over."""
        row = self.rows[at]
        cosines = self.chunks @ self.before[at]
        own = cosines[row["right"]]
        wanted = [key for key, cosine in zip(row["right"], own, strict=True) if cosine >= BRIDGE * own.max()]
        passed = cosines >= SAFE * own.max() if row["kind"] in ("manuals", "domain") else np.zeros(len(cosines), bool)
        passed[row["touched"]] = True
        passed[row["right"]] = True
        passed[wanted] = False
        return wanted, passed


def loss_of(encoder: Any, tokenizer: Any, asked: Asked, batch: list[int]) -> Any:  # noqa: ANN401 - torch
    """Cross entropy over all chunks of the library (Karpukhin et al. 2020, equation 2, with cosines)."""
    import torch
    from torch.nn import functional

    questions = embedded(encoder, tokenizer, [asked.rows[at]["question"] for at in batch])
    scores = questions @ torch.from_numpy(asked.chunks).T / TEMPERATURE
    told = [asked.wanted_and_passed(at) for at in batch]
    scores = scores.masked_fill(torch.from_numpy(np.stack([passed for _, passed in told])), float("-inf"))
    logs = functional.log_softmax(scores, dim=1)
    return -torch.stack([logs[row, wanted].mean() for row, (wanted, _) in enumerate(told)]).mean()


def embedded(encoder: Any, tokenizer: Any, texts: list[str]) -> Any:  # noqa: ANN401
    """Unit rows: the mean over the tokens, as the exported model pools."""
    import torch
    from torch.nn import functional

    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    found = []
    for start in range(0, len(order), 32):
        part = [texts[at] for at in order[start : start + 32]]
        given = tokenizer(part, padding=True, truncation=True, max_length=64, return_tensors="pt")
        with torch.autocast("cpu", dtype=torch.bfloat16):
            states = encoder(input_ids=given["input_ids"], attention_mask=given["attention_mask"]).last_hidden_state
        mask = given["attention_mask"].unsqueeze(-1)
        found.append(functional.normalize((states.float() * mask).sum(1) / mask.sum(1), dim=1))
    return torch.cat(found)[torch.tensor(order).argsort()]


def batches(asked: dict[str, Asked]) -> Iterator[tuple[str, list[int]]]:
    """Every question once an epoch, a batch of one library."""
    for epoch in range(EPOCHS):
        chance = np.random.default_rng(epoch)
        made = []
        for name, one in asked.items():
            order = chance.permutation(one.part("train")).tolist()
            made += [(name, order[at : at + BATCH]) for at in range(0, len(order) - BATCH // 2, BATCH)]
        yield from (made[at] for at in chance.permutation(len(made)))


def train(work: Path, resume: bool) -> None:
    """Weights to `work`/run/progress.pt, the curve beside them."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    from decoct_lab.train.checkpoint import restored_step, save_checkpoint, share_of_rate, take_step
    from decoct_lab.train.embedder.recover_minilm import recover

    torch.manual_seed(0)
    torch.set_num_threads(1)
    base = work / "base"
    if not base.is_dir():
        recover(base)
    encoder, tokenizer = AutoModel.from_pretrained(base, add_pooling_layer=False), AutoTokenizer.from_pretrained(base)
    encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    weights = [one for one in encoder.parameters() if one.requires_grad]
    asked = {name: Asked(work, name) for name in ("short", "manuals")}
    order = list(batches(asked))
    optimiser = torch.optim.AdamW(weights, lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: share_of_rate(step, len(order), WARMUP))
    out = work / "run"
    out.mkdir(exist_ok=True)
    done = (restored_step(out, encoder, optimiser, schedule) or 0) if resume else 0
    encoder.train()
    with (out / "curve.jsonl").open("a", encoding="utf-8") as curve:
        for step, (name, batch) in enumerate(order, 1):
            if step <= done:
                continue
            loss = loss_of(encoder, tokenizer, asked[name], batch)
            take_step(loss, weights, optimiser, schedule)
            curve.write(json.dumps({"step": step, "of": len(order), "library": name, "loss": round(loss.item(), 4)}) + "\n")
            curve.flush()
            print(time.strftime("%H:%M:%S"), step, len(order), name, round(loss.item(), 3), flush=True)
            if step % SAVE_EVERY == 0 or step == len(order):
                save_checkpoint(out, encoder, optimiser, schedule, step)


# -- mix and export -----------------------------------------------------------------------------------------------------


def mixed(work: Path, share: float) -> tuple[Any, Any]:
    """The encoder whose weights lie so far from the given to the trained ones (Wortsman et al. 2022), and its tokenizer."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    encoder = AutoModel.from_pretrained(work / "base", add_pooling_layer=False)
    state = torch.load(work / "run" / "progress.pt", map_location="cpu", weights_only=True)["weights"]
    given = encoder.state_dict()
    encoder.load_state_dict(
        {name: value + share * (state[name] - value) if value.is_floating_point() else value for name, value in given.items()}
    )
    return encoder.eval(), AutoTokenizer.from_pretrained(work / "base")


def mix(work: Path) -> None:
    """For each share, over the held-back questions by kind: how many have a right chunk first and among five."""
    import torch

    asked = {name: Asked(work, name) for name in ("short", "manuals")}
    for share in SHARES:
        encoder, tokenizer = mixed(work, share)
        told: dict[str, list[int]] = {}
        for one in asked.values():
            held = one.part("dev")
            with torch.no_grad():
                scores = embedded(encoder, tokenizer, [one.rows[at]["question"] for at in held]).numpy() @ one.chunks.T
            for at, own in zip(held, scores, strict=True):
                best = own[one.rows[at]["right"]].max()
                told.setdefault(one.rows[at]["kind"], []).append(int((own > best).sum()))
        line = {
            kind: [len(places), *(round(float(np.mean(np.array(places) < k)), 4) for k in (1, 5, 20))]
            for kind, places in told.items()
        }
        print(share, json.dumps(line), flush=True)


def export_mixed(work: Path, share: float, out: Path) -> None:
    """`out`/model.onnx as the bundled one is made."""
    from decoct_lab.train.embedder.export_minilm import export

    encoder, tokenizer = mixed(work, share)
    encoder.save_pretrained(work / "float32")
    tokenizer.save_pretrained(work / "float32")
    print(export(str(work / "float32"), out))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("gather", "train", "mix", "export"))
    parser.add_argument("docs", type=Path, nargs="?")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    match given.what:
        case "gather":
            gather(given.work, given.docs)
        case "train":
            train(given.work, given.resume)
        case "mix":
            mix(given.work)
        case _:
            export_mixed(given.work, given.share, given.out)


if __name__ == "__main__":
    main()
