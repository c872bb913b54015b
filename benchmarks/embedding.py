"""How fast and how steady the bundled embedder and the chunkers are: `python benchmarks/embedding.py [--json FILE]`.

Texts are seeded random words of the embedder's vocabulary, so that any machine can repeat it. Two ways to embed the same weights race in
one process, in turns:

- decoct: one text a run without padding, on as many threads as cores;
- batches of 32 sorted by length, padded, with onnxruntime's own threads inside each operator (the usual way).

Absolute times depend on the machine and its load; compare the ratios. `cpu` is the work of all cores, waiting threads that spin included.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from setting import setting, write
from tokenizers import Tokenizer

from decoct.chunking.base import Chunker
from decoct.chunking.fixed import Fixed
from decoct.chunking.recursive import Recursive
from decoct.chunking.sentence import SentencePacked
from decoct.data import Document
from decoct.embed.minilm import MAX_TOKENS, MiniLM
from decoct.embed.minilm.weights import FOLDER, TOKENIZER
from decoct.embed.onnx import default_threads
from decoct.embed.tokenizer import WordPieceTokenizer

ROUNDS = 5
TOKENS = 163  # a chunk of 150 tokens with the title and special tokens that an index may add


def words(count: int, seed: int) -> list[str]:
    """Random whole words of the vocabulary."""
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    known = sorted(word for word in tokenizer.get_vocab() if word.isalpha() and word.isascii() and len(word) > 2)
    return random.Random(seed).choices(known, k=count)


class Batches:
    """The usual way: sorted by length, padded, 32 at a time, threads inside the operators."""

    def __init__(self) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = default_threads()
        self.session = onnxruntime.InferenceSession(
            str(FOLDER / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self.tokenizer = Tokenizer.from_file(str(TOKENIZER))
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.tokenizer.enable_padding()

    def embed(self, texts: list[str]) -> NDArray[np.float32]:
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        rows = np.empty((len(texts), 384), dtype=np.float32)
        for at in range(0, len(order), 32):
            part = order[at : at + 32]
            encoded = self.tokenizer.encode_batch([texts[i] for i in part])
            ids = np.array([e.ids for e in encoded], dtype=np.int64)
            mask = np.array([e.attention_mask for e in encoded], dtype=np.int64)
            rows[part] = self.session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        return rows


@dataclass(frozen=True)
class Times:
    """Seconds of each call: by the clock, and of all cores' work."""

    wall: list[float]
    work: list[float]

    def milliseconds(self, calls: int = 1) -> dict[str, float]:
        """Median and least by the clock, median of work, for one of `calls`."""
        found = {"median": statistics.median(self.wall), "least": min(self.wall), "cpu": statistics.median(self.work)}
        return {name: round(1000 * value / calls, 2) for name, value in found.items()}


def race(runners: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, Times]:
    """The times of each runner; they take turns, so that a change of load meets all of them."""
    times = {name: Times([], []) for name in runners}
    for _ in range(rounds):
        for name, run in runners.items():
            wall, work = time.perf_counter(), time.process_time()
            run()
            times[name].work.append(time.process_time() - work)
            times[name].wall.append(time.perf_counter() - wall)
    return times


def embedding() -> dict[str, object]:
    """Throughput, query time and steadiness."""
    rng = random.Random(1)
    stream = words(40_000, seed=0)
    texts = [" ".join(stream[i * TOKENS : i * TOKENS + rng.randrange(TOKENS - 32, TOKENS + 29)]) for i in range(192)]
    query = "When did military instruction start at the place where Larry Alcala was educated?"
    ours, usual = MiniLM(), Batches()
    ours.embed(texts[:2], "passage"), usual.embed(texts[:2])
    speed = race({"decoct": lambda: ours.embed(texts, "passage"), "batches_of_32": lambda: usual.embed(texts)})
    # Forty at a time: after a run the usual way's threads spin for a while and would slow whoever comes next.
    many = range(40)
    asked = race(
        {
            "decoct": lambda: [ours.embed([query], "query") for _ in many],
            "batches_of_32": lambda: [usual.embed([query]) for _ in many],
        }
    )
    one = np.concatenate([ours.embed([text], "passage") for text in texts])
    alone = np.concatenate([usual.embed([text]) for text in texts])
    drift = (usual.embed(texts) * alone).sum(axis=1)
    return {
        "texts": len(texts),
        "mean_tokens": round(statistics.mean(WordPieceTokenizer().counts(texts)) + 2, 1),
        "chunks_per_second": {
            name: round(len(texts) / statistics.median(taken.wall), 1) for name, taken in speed.items()
        },
        "milliseconds_per_chunk": {name: taken.milliseconds(len(texts)) for name, taken in speed.items()},
        "speed_ratio": {
            "clock": round(statistics.median(speed["batches_of_32"].wall) / statistics.median(speed["decoct"].wall), 2),
            "cpu": round(statistics.median(speed["batches_of_32"].work) / statistics.median(speed["decoct"].work), 2),
        },
        "milliseconds_per_query": {name: taken.milliseconds(len(many)) for name, taken in asked.items()},
        "same_bits_alone_and_together": {
            "decoct": bool(np.array_equal(one, ours.embed(texts, "passage"))),
            "batches_of_32": bool(np.array_equal(alone, usual.embed(texts))),
        },
        "cosine_of_batch_to_alone": {"mean": round(float(drift.mean()), 4), "least": round(float(drift.min()), 4)},
    }


def chunking() -> dict[str, object]:
    """Milliseconds for one text of a megabyte: counting, offsets and the chunkers that need no model."""
    tokenizer = WordPieceTokenizer()
    stream = words(170_000, seed=2)
    text = ". ".join(" ".join(stream[at : at + 18]).capitalize() for at in range(0, len(stream), 18))[:1_000_000]
    pieces = [text[at : at + 800] for at in range(0, len(text), 800)]
    document = Document("megabyte", text)
    chunkers: dict[str, Chunker] = {
        "fixed": Fixed(tokenizer),
        "sentence": SentencePacked(tokenizer),
        "recursive_tokens": Recursive(tokenizer),
        "recursive_350_100": Recursive(tokenizer, 350, 100, "characters"),
    }
    taken = race(
        {
            "count": lambda: tokenizer.count(text),
            "counts_of_1250_pieces": lambda: tokenizer.counts(pieces),
            "offsets": lambda: tokenizer.offsets(text),
            **{f"chunk_{name}": lambda chunker=chunker: chunker.chunk(document) for name, chunker in chunkers.items()},  # type: ignore[misc]
        }
    )
    tokens = tokenizer.count(text)
    return {
        "characters": len(text),
        "tokens": tokens,
        "milliseconds": {name: found.milliseconds() for name, found in taken.items()},
        "chunks": {name: len(chunker.chunk(document)) for name, chunker in chunkers.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", type=Path, help="write the results to this file")
    target = parser.parse_args().json
    report = {**setting(), "threads": default_threads(), "embedding": embedding(), "chunking": chunking()}
    write(target, report)


if __name__ == "__main__":
    main()
