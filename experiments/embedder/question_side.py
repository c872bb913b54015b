"""Train how the bundled embedder reads questions on the written questions, while what it makes of texts stays as it is.

    python experiments/embedder/question_side.py gather DOCS --work DIR        # libraries, and where each question is answered
    python experiments/embedder/question_side.py train --work DIR [--resume]   # needs the extra `train`
    python experiments/embedder/question_side.py mix --work DIR                # the share of the trained weights, by the held-back part
    python experiments/embedder/question_side.py judge --work DIR --data DATA --libraries DIR --share S --out FILE
    python experiments/embedder/question_side.py export --work DIR --share S --out FOLDER

DOCS has a folder a Debian package, as for `experiments/reader/manual_questions.py`. Nothing else is read: no public set, and nothing of
`manuals`, RAMDocs, WikiContradict, ConflictQA or the organisations of benchmarks. A question is right at the chunks that hold the sentence
which answers it, or at the passages of a small world that it needs, where a vector can find them; held back (for choosing the share) are
packages, documents and worlds by the digest of their names.

Since vectors of chunks do not change, a question is told from every chunk of its library at once, at the cost of encoding a question.
Chunks that touch the right one are passed over, everyday documents that say another value of the same thing, and, among manuals and
papers of organisations, whatever lies nearer than .95 of the right one (Moreira et al. 2024, "NV-Retriever"): it may answer too.

`judge` asks 150 questions each of public sets, of whose passages a library (made where it is missing) holds those of the questions and
900 others, and those of an organisation: vectors alone, documents by their first chunk.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from decoct import Library
from decoct.data import Document
from decoct.embed.minilm import FIRST, MiniLM
from decoct_lab.dataset import Question, load
from decoct_lab.train.reader.example import part_of

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "experiments" / "reader"), str(ROOT / "benchmarks")]
from fit_fusion import holds  # noqa: E402 - its folder was named above
from manual_questions import digest, passages  # noqa: E402

WRITTEN = ROOT / "experiments" / "reader"
HARBOUR = ROOT / "benchmarks" / "organisations" / "dev-harbour"
LONGEST_FILE = 45_000  # bytes; a longer manual has many chunks beside the few that were asked about
BRIDGE = 0.75  # of several passages that are needed, those so near the question as the nearest: no vector finds a second step
SAFE = 0.95
TEMPERATURE = 0.05
RATE, EPOCHS, BATCH, WARMUP, SAVE_EVERY = 5e-5, 1, 128, 0.1, 7
STEPS = 56  # at most: what an hour of a busy machine allowed
SHARES = (0.0, 0.5, 1.0)
START = MiniLM(weights=FIRST)  # what the training begins with
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


def manuals(
    library: Library, docs: Path, longest: int = LONGEST_FILE, written: str = "manual-questions.jsonl"
) -> Iterator[Row]:
    """Each answered question of `written` at its place; it is split by its package. Files of `longest` bytes and more are left out."""
    asked = {row["passage"]: row for row in rows(written)}
    if not library.status().documents:
        named = {row["document"] for row in asked.values()}
        library.add(
            [file for file in sorted(docs.rglob("*")) if file.is_file() and is_asked(file, docs, named, longest)]
        )
    for info in library.store.documents():
        text = library.store.document(info.id).text
        for start, end in passages_of(text):
            row = asked.get(digest(re.sub(r"[ \t]+", " ", text[start:end].strip())))
            if row is None:
                continue
            for one in row["questions"]:
                if one["answer"] is not None and (place := place_of(text, start, end, one)):
                    yield {
                        "question": one["question"],
                        "places": [[info.id, *place]],
                        "part": part_of(row["document"].split("/")[0]),
                        "kind": "manuals",
                        "group": row["document"].split("/")[0],
                    }


def is_asked(file: Path, docs: Path, wanted: set[str], longest: int) -> bool:
    """Whether questions were written on the file, and it is no long one."""
    package, *rest = file.relative_to(docs).parts
    name = "_".join(rest)
    named = {f"{package}/{name}", f"{package}/{name.removesuffix('.gz')}"}
    return bool(named & wanted) and file.stat().st_size < longest


def short(library: Library) -> Iterator[Row]:
    """Documents of everyday, of organisations and of worlds with their answered questions."""
    documents: dict[str, Document] = {}
    asked: list[Row] = []

    def ask(question: str, kind: str, group: str, *places: tuple[Document, Row]) -> None:
        found = [
            [document.id, *(place_of(document.text, 0, len(document.text), one) or (0, len(document.text)))]
            for document, one in places
        ]
        asked.append(
            {"question": question, "places": found, "part": part_of(f"{kind} {group}"), "kind": kind, "group": group}
        )

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
            ask(
                row["q"],
                "worlds",
                str(row["w"]),
                *((one, {"sentence": [s for s in said if s in one.text]}) for one in here),
            )
    if not library.status().documents:
        library.add(list(documents.values()))
    yield from asked


def gather(work: Path, docs: Path) -> None:
    """`work`/NAME.npz and NAME.jsonl: chunk vectors with document and place, and the questions with their right chunks."""
    for name in ("short", "manuals"):
        with Library.open(work / "lib" / name, embedder=START) as library:
            asked = list(short(library) if name == "short" else manuals(library, docs))
            places: list[tuple[str, int, int]] = []
            parts = []
            for info in library.store.documents():
                keys = library.store.chunk_keys(info.id)
                places += [(info.id, chunk.span.start, chunk.span.end) for chunk in library.store.chunks(keys)]
                parts.append(library.store.vectors(keys))
        (work / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in at_chunks(asked, places)), "utf-8")
        np.savez(work / f"{name}.npz", vectors=np.concatenate(parts).astype(np.float32))
        print(name, len(places), "chunks", len(asked), "questions", flush=True)


def at_chunks(asked: list[Row], places: list[tuple[str, int, int]]) -> Iterator[str]:
    """A line a question that a chunk answers: the chunks with most of its places are right, others that touch one are told."""
    of_document: dict[str, list[int]] = {}
    for at, (id_, _, _) in enumerate(places):
        of_document.setdefault(id_, []).append(at)
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
            yield json.dumps({**kept, "right": right, "touched": touched}, ensure_ascii=False)


# -- train --------------------------------------------------------------------------------------------------------------


class Asked:
    """The questions of one library: their vectors before training, and what each is told from."""

    def __init__(self, work: Path, name: str, safe: float = SAFE) -> None:
        self.safe = safe
        self.rows = [json.loads(line) for line in (work / f"{name}.jsonl").read_text("utf-8").splitlines()]
        self.chunks = np.load(work / f"{name}.npz")["vectors"]
        kept = work / f"{name}-questions.npy"
        if not kept.is_file():
            np.save(kept, START.embed([row["question"] for row in self.rows], "query"))
        self.before = np.load(kept)

    def part(self, name: str) -> list[int]:
        """Which rows lie on one side of the split."""
        return [at for at, row in enumerate(self.rows) if row["part"] == name]

    def wanted_and_passed(self, at: int) -> tuple[list[int], Any]:
        """The right chunks that a vector can find, and which others are passed over."""
        row = self.rows[at]
        cosines = self.chunks @ self.before[at]
        own = cosines[row["right"]]
        least = min(BRIDGE * own.max(), own.max())  # of a cosine below 0 itself
        wanted = [key for key, cosine in zip(row["right"], own, strict=True) if cosine >= least]
        passed = (
            cosines >= self.safe * own.max() if row["kind"] in ("manuals", "domain") else np.zeros(len(cosines), bool)
        )
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


def embedded(encoder: Any, tokenizer: Any, texts: list[str], longest: int = 64, batch: int = 32) -> Any:  # noqa: ANN401
    """Unit rows: the mean over the tokens, at most `longest`, as the exported model pools."""
    import torch
    from torch.nn import functional

    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    found = []
    for start in range(0, len(order), batch):
        part = [texts[at] for at in order[start : start + batch]]
        given = tokenizer(part, padding=True, truncation=True, max_length=longest, return_tensors="pt")
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


def train(work: Path, run: str, safe: float, resume: bool) -> None:
    """Weights to `work`/`run`/progress.pt, the curve beside them."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    from decoct_lab.train.checkpoint import restored_step, save_checkpoint, share_of_rate, take_step
    from decoct_lab.train.embedder.recover_minilm import recover

    torch.manual_seed(0)
    torch.set_num_threads(1)
    base = work / "base"
    if not base.is_dir():
        recover(base, FIRST.folder)
    encoder, tokenizer = AutoModel.from_pretrained(base, add_pooling_layer=False), AutoTokenizer.from_pretrained(base)
    encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    weights = [one for one in encoder.parameters() if one.requires_grad]
    asked = {name: Asked(work, name, safe) for name in ("short", "manuals")}
    order = list(batches(asked))[:STEPS]
    optimiser = torch.optim.AdamW(weights, lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: share_of_rate(step, len(order), WARMUP))
    out = work / run
    out.mkdir(exist_ok=True)
    done = (restored_step(out, encoder, optimiser, schedule) or 0) if resume else 0
    encoder.train()
    with (out / "curve.jsonl").open("a", encoding="utf-8") as curve:
        for step, (name, batch) in enumerate(order, 1):
            if step <= done:
                continue
            loss = loss_of(encoder, tokenizer, asked[name], batch)
            take_step(loss, weights, optimiser, schedule)
            curve.write(
                json.dumps({"step": step, "of": len(order), "library": name, "loss": round(loss.item(), 4)}) + "\n"
            )
            curve.flush()
            print(time.strftime("%H:%M:%S"), step, len(order), name, round(loss.item(), 3), flush=True)
            if step % SAVE_EVERY == 0 or step == len(order):
                save_checkpoint(out, encoder, optimiser, schedule, step)


# -- mix and export -----------------------------------------------------------------------------------------------------


def mixed(work: Path, run: str, share: float) -> tuple[Any, Any]:
    """The encoder whose weights lie so far from the given to the trained ones (Wortsman et al. 2022), and its tokenizer."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    encoder = AutoModel.from_pretrained(work / "base", add_pooling_layer=False)
    state = torch.load(work / run / "progress.pt", map_location="cpu", weights_only=True)["weights"]
    given = encoder.state_dict()
    encoder.load_state_dict(
        {
            name: value + share * (state[name] - value) if value.is_floating_point() else value
            for name, value in given.items()
        }
    )
    return encoder.eval(), AutoTokenizer.from_pretrained(work / "base")


def mix(work: Path, run: str) -> None:
    """For each share, over the held-back questions by kind: how many have a right chunk first and among five."""
    import torch

    asked = {name: Asked(work, name) for name in ("short", "manuals")}
    for share in SHARES:
        encoder, tokenizer = mixed(work, run, share)
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


JUDGED = ("nq-gold", "covidqa", "clapnq", "pubmedqa", "musique", "hotpotqa", "2wikimultihopqa")
QUESTIONS, OTHERS = 150, 900
Judged = tuple[list[str], list[set[str]], Any, list[str]]


def drawn(name: str, data: Path) -> tuple[list[Question], list[Document]]:
    """Questions of a public set, and the passages of its small library: theirs and `OTHERS`."""
    dataset = load(name, data)
    asked = [one for one in dataset.questions if one.supporting_ids]
    random.Random(7).shuffle(asked)
    asked = asked[:QUESTIONS]
    documents = {document.id: document for document in dataset.documents()}
    kept = {id_ for one in asked for id_ in (*one.supporting_ids, *one.candidate_ids) if id_ in documents}
    others = [id_ for id_ in documents if id_ not in kept]
    random.Random(7).shuffle(others)
    return asked, [documents[id_] for id_ in sorted(kept | set(others[:OTHERS]))]


def public(name: str, data: Path, folder: Path) -> Judged:
    """Questions, what supports each, and the vectors of the library with the document of each."""
    asked, documents = drawn(name, data)
    with Library.open(folder / name, embedder=START) as library:
        if not library.status().documents:
            library.add(documents)
        vectors, held = vectors_of(library)
    return (
        [one.question for one in asked],
        [set(one.supporting_ids) for one in asked],
        vectors,
        [id_ for id_, _ in held],
    )


def organisation(folder: Path, libraries: Path) -> Judged:
    """The same of the questions of `folder`; a chunk is right if it holds half of a sentence of evidence in a document that has it."""
    rows_ = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    asked = [row for row in rows_ if row.get("evidence") and row.get("documents")]
    with Library.open(libraries / folder.name, embedder=START) as library:
        if not library.status().documents:
            library.add([folder / "documents"])
        vectors, held = vectors_of(library)
    right = [
        {
            str(at)
            for at, (id_, text) in enumerate(held)
            if any(id_.endswith(one) for one in row["documents"]) and any(holds(text, one) for one in row["evidence"])
        }
        for row in asked
    ]
    return [row["question"] for row in asked], right, vectors, [str(at) for at in range(len(held))]


def vectors_of(library: Library) -> tuple[Any, list[tuple[str, str]]]:
    """The vectors of all chunks, with the document and the text of each."""
    parts, held = [], []
    for info in library.store.documents():
        keys = library.store.chunk_keys(info.id)
        parts.append(library.store.vectors(keys))
        held += [(info.id, chunk.text) for chunk in library.store.chunks(keys)]
    return np.concatenate(parts).astype(np.float32), held


def judge(work: Path, weights: tuple[str, float], data: Path, libraries: Path, out: Path) -> None:
    """First and among five, before and after, with the differences and their 95 % intervals (paired bootstrap); added to `out`."""
    import torch

    torch.set_num_threads(1)
    encoder, tokenizer = mixed(work, *weights)
    result = json.loads(out.read_text("utf-8")) if out.is_file() else {}
    for name in (*JUDGED, "dev-harbour"):
        asked, right, vectors, held = (
            organisation(HARBOUR, libraries) if name == HARBOUR.name else public(name, data, libraries)
        )
        with torch.no_grad():
            after = embedded(encoder, tokenizer, asked).numpy()
        old, new = (figures(one, right, vectors, held) for one in (START.embed(asked, "query"), after))
        result.setdefault(name, {"n": len(asked), "chunks": len(vectors), "bundled": old.mean(0).round(4).tolist()})
        told = differences(old, new)
        result[name]["{} {}".format(*weights)] = {"first and R@5": new.mean(0).round(4).tolist(), "differences": told}
        print(name, json.dumps(result[name]), flush=True)
        out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


def differences(old: Any, new: Any) -> list[list[float]]:  # noqa: ANN401
    """Each column's gain with its 95 % interval by paired bootstrap."""
    rows = np.random.default_rng(0).choice(len(old), (4000, len(old)))
    edges = np.percentile((new - old)[rows].mean(axis=1), [2.5, 97.5], axis=0).T.round(4).tolist()
    return [[round(float(gain), 4), *edge] for gain, edge in zip((new - old).mean(0), edges, strict=True)]


def figures(questions: Any, right: list[set[str]], vectors: Any, held: list[str]) -> Any:  # noqa: ANN401
    """First, and the share of what is right among the first five (of chunks: whether one is); shape (questions, 2)."""
    found = []
    for question, wanted in zip(questions, right, strict=True):
        first = list(dict.fromkeys(held[at] for at in np.argsort(-(vectors @ question), kind="stable")[:100]))
        among = len(wanted & set(first[:5]))
        chunks = held[-1] == str(len(held) - 1)
        found.append((float(first[0] in wanted), float(among > 0) if chunks else among / len(wanted)))
    return np.array(found)


def export_mixed(work: Path, run: str, share: float, out: Path) -> None:
    """`out`/model.onnx as the bundled one is made."""
    from decoct_lab.train.embedder.export_minilm import export

    encoder, tokenizer = mixed(work, run, share)
    encoder.save_pretrained(work / "float32")
    tokenizer.save_pretrained(work / "float32")
    print(export(str(work / "float32"), out))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("gather", "train", "mix", "judge", "export"))
    parser.add_argument("docs", type=Path, nargs="?")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--run", default="run", help="a folder of DIR, for the weights")
    parser.add_argument(
        "--safe", type=float, default=SAFE, help="1000: whatever does not touch the right chunk is told from it"
    )
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--libraries", type=Path)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    match given.what:
        case "gather":
            gather(given.work, given.docs)
        case "train":
            train(given.work, given.run, given.safe, given.resume)
        case "mix":
            mix(given.work, given.run)
        case "judge":
            judge(given.work, (given.run, given.share), given.data, given.libraries, given.out)
        case _:
            export_mixed(given.work, given.run, given.share, given.out)


if __name__ == "__main__":
    main()
