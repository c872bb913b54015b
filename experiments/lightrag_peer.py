"""The original LightRAG beside ours: one corpus, one embedder, one scripted model; which chunks each ranks first, and what differs.

    python -m venv peer && peer/bin/pip install lightrag-hku==1.5.7 -e '.[structured]'
    peer/bin/python experiments/lightrag_peer.py --data ../shared/data

No part of the product imports this. The scripted model reads every passage by rules (names are runs of capitalised words, a relation is two
names that follow each other in a sentence) and answers each system in the form that it asks for, so that what differs is not the
extraction but what is made of it. Both embed with the bundled model, every passage is one chunk of both, no gleaning, no reranking.
The corpus is small: the gold passages of some questions of MuSiQue and 2WikiMultiHopQA that fit into one chunk, and others.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from decoct import Document, Library
from decoct.data import Floats, Query
from decoct.llm.base import Request
from decoct.text.names import is_common, question_runs, runs
from decoct.text.sentences import sentences
from decoct.text.words import is_stop
from decoct_lab.dataset import Question, load
from decoct_lab.reproduce.tellable import kendall
from decoct_testing.scripted import ScriptedLLM

MODES = ("local", "global", "hybrid", "mix")
SETS = ("musique", "2wikimultihopqa")
# A relation's keywords: longer words of the sentence between its names.
_WORDS = 3


@dataclass(frozen=True)
class Extracted:
    """What the scripted model says of a passage: names with a sentence each, and pairs of names with keywords and a sentence."""

    names: dict[str, str] = field(default_factory=dict)
    pairs: tuple[tuple[str, str, str, str], ...] = ()


def extracted(passage: str) -> Extracted:
    """What the rules find in a passage."""
    names: dict[str, str] = {}
    pairs: dict[tuple[str, str], tuple[str, str, str, str]] = {}
    for start, end in sentences(passage):
        sentence = passage[start:end]
        inside = [sentence[a:b].removeprefix("The ") for name, a, b in runs(sentence) if not is_common(name)]
        for name in inside:
            names.setdefault(name, sentence)
        for a, b in pairwise(inside):
            if a.casefold() != b.casefold():
                between = re.findall(r"[a-z]{4,}", sentence)[:_WORDS]
                pairs.setdefault((a, b), (a, b, ", ".join(between) or "related", sentence))
    return Extracted(names, tuple(pairs.values()))


def asked_for(question: str) -> tuple[list[str], list[str]]:
    """High-level and low-level keywords of a question."""
    low = list(question_runs(question))
    named = {word for run in low for word in run.casefold().split()}
    high = [
        word for word in re.findall(r"[^\W\d_]{4,}", question.casefold()) if word not in named and not is_stop(word)
    ]
    return high or [question], low


def ours_says(request: Request) -> str:
    """The scripted model, as our prompts ask."""
    said = request.messages[-1].content
    if found := re.search(r"<question>(.*)</question>", said, re.DOTALL):
        high, low = asked_for(found[1])
        return json.dumps({"high": high[:8], "low": low[:8]})
    passage = re.search(r"<passage>(.*)</passage>", said, re.DOTALL)
    told = extracted(passage[1] if passage else "")
    return json.dumps(
        {
            "entities": [
                {"name": n, "type": "other", "description": d[:400]} for n, d in list(told.names.items())[:30]
            ],
            "relations": [
                {"source": a, "target": b, "description": d[:400], "keywords": k.split(", ")[:5], "strength": 1}
                for a, b, k, d in told.pairs[:30]
            ],
        }
    )


async def theirs_says(prompt: str, system_prompt: str | None = None, **_: object) -> str:
    """The same as the original asks."""
    if found := re.search(r"---Real Data---\s*User Query: (.*?)\n\n---Output---", prompt, re.DOTALL):
        high, low = asked_for(found[1])
        return json.dumps({"high_level_keywords": high[:8], "low_level_keywords": low[:8]})
    passage = re.search(r"---Input Text---\s*```\n(.*)\n```", prompt, re.DOTALL)
    told = extracted(passage[1] if passage else "")
    rows = [f"entity<|#|>{n}<|#|>other<|#|>{d[:400]}" for n, d in list(told.names.items())[:30]]
    rows += [f"relation<|#|>{a}<|#|>{b}<|#|>{k}<|#|>{d[:400]}" for a, b, k, d in told.pairs[:30]]
    return "\n".join([*rows, "<|COMPLETE|>"])


class Words:
    """A tokenizer as the original wants one: words with the white space behind them. Nothing is cut, as every passage is one chunk."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.words: list[str] = []

    def encode(self, content: str) -> list[int]:
        """The words' numbers."""
        found = []
        for word in re.findall(r"\s*\S+\s*", content):
            if word not in self.numbers:
                self.numbers[word] = len(self.words)
                self.words.append(word)
            found.append(self.numbers[word])
        return found

    def decode(self, tokens: Sequence[int]) -> str:
        """The words of these numbers."""
        return "".join(self.words[one] for one in tokens)

    def __deepcopy__(self, memo: object) -> Words:
        return self


def corpus(data: str, questions: int, others: int) -> tuple[list[Question], list[Document]]:
    """Questions whose gold passages are short, their passages without titles, and others."""
    asked: list[Question] = []
    documents: dict[str, Document] = {}
    for name in SETS:
        dataset = load(name, data)
        short = {one.id: Document(one.id, one.text) for one in dataset.documents() if len(one.text) < 450}
        able = [one for one in dataset.questions if one.supporting_ids and {*one.supporting_ids} <= {*short}]
        random.Random(0).shuffle(able)
        asked += able[:questions]
        gold = [doc_id for one in able[:questions] for doc_id in one.supporting_ids]
        more = sorted({*short} - {*gold})
        random.Random(0).shuffle(more)
        documents |= {doc_id: short[doc_id] for doc_id in (*gold, *more[:others])}
    return asked, list(documents.values())


def ours(library: Library, asked: Sequence[Question], mode: str, depth: int) -> list[list[str]]:
    """Our rankings, by passage."""
    pipeline = library.pipeline("lightrag" if mode == "mix" else f"lightrag-{mode}")
    found = [pipeline.retrieval.search(Query(one.question), depth) for one in asked]
    return [list(dict.fromkeys(hit.chunk.span.doc_id for hit in hits)) for hits in found]


async def theirs(
    folder: Path, library: Library, documents: Sequence[Document], asked: Sequence[Question], pick: str
) -> tuple[dict[str, list[list[str]]], dict[str, int]]:
    """The original's rankings, by mode, and the size of its graph; `pick` is its way to choose the chunks of what was found."""
    from lightrag import LightRAG, QueryParam  # type: ignore[import-not-found]
    from lightrag.utils import EmbeddingFunc, Tokenizer  # type: ignore[import-not-found]

    for name in ("lightrag", "nano-vectordb"):
        logging.getLogger(name).setLevel(logging.ERROR)

    async def embed(texts: list[str], **_: object) -> Floats:
        return np.asarray(library.embedder.embed(list(texts), "passage"), np.float32)

    rag = LightRAG(
        working_dir=str(folder),
        llm_model_func=theirs_says,
        embedding_func=EmbeddingFunc(embedding_dim=library.embedder.dimension, max_token_size=8192, func=embed),
        tokenizer=Tokenizer("bundled", Words()),
        entity_extract_max_gleaning=0,
        enable_llm_cache=False,
        kg_chunk_pick_method=pick,
    )
    await rag.initialize_storages()
    await rag.ainsert(
        [one.text for one in documents], ids=[one.id for one in documents], file_paths=[one.id for one in documents]
    )
    by_text = {" ".join(one.text.split()): one.id for one in documents}
    found: dict[str, list[list[str]]] = {}
    for mode in MODES:
        found[mode] = []
        for one in asked:
            data = await rag.aquery_data(one.question, QueryParam(mode=mode, enable_rerank=False))
            chunks = data.get("data", {}).get("chunks", [])
            found[mode].append(list(dict.fromkeys(by_text[" ".join(chunk["content"].split())] for chunk in chunks)))
    graph = rag.chunk_entity_relation_graph._graph
    size = {"entities": graph.number_of_nodes(), "relations": graph.number_of_edges()}
    await rag.finalize_storages()
    return found, size


def alike(a: Sequence[Sequence[str]], b: Sequence[Sequence[str]], asked: Sequence[Question]) -> dict[str, float]:
    """How alike two rankings are, as far as the original's goes, and what each finds: means over the questions."""
    a = [x[: len(y)] for x, y in zip(a, b, strict=True)]

    def overlap(k: int) -> float:
        return mean(len({*x[:k]} & {*y[:k]}) / max(1, len({*x[:k]} | {*y[:k]})) for x, y in zip(a, b, strict=True))

    def recall(found: Sequence[Sequence[str]]) -> float:
        return mean(
            len({*one.supporting_ids} & {*docs[:5]}) / len(one.supporting_ids)
            for one, docs in zip(asked, found, strict=True)
        )

    taus = []
    for x, y in zip(a, b, strict=True):
        both = [doc for doc in x[:20] if doc in y[:20]]
        if len(both) > 2:
            taus.append(kendall([-x.index(doc) for doc in both], [-y.index(doc) for doc in both]))
    return {
        "same first": round(mean(x[:1] == y[:1] for x, y in zip(a, b, strict=True)), 3),
        "overlap at 5": round(overlap(5), 3),
        "overlap at 10": round(overlap(10), 3),
        "Kendall's tau of what is in both first 20": round(mean(taus), 3) if taus else 0.0,
        "passages theirs": round(mean(len(y) for y in b), 1),
        "R@5 ours": round(recall(a), 3),
        "R@5 theirs": round(recall(b), 3),
    }


def main() -> None:
    """Build both, ask both, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--questions", type=int, default=10, help="of each set")
    parser.add_argument("--others", type=int, default=30, help="passages of each set beside the gold ones")
    # One a run: the original keeps the state of its storages for the whole process.
    parser.add_argument(
        "--pick", choices=("VECTOR", "WEIGHT"), default="VECTOR", help="the original's kg_chunk_pick_method"
    )
    parser.add_argument("--out", default="")
    arguments = parser.parse_args()
    asked, documents = corpus(arguments.data, arguments.questions, arguments.others)
    with (
        tempfile.TemporaryDirectory() as home,
        Library.open(Path(home) / "ours", llm=ScriptedLLM(ours_says)) as library,
    ):
        library.add(documents)
        if library.status().chunks != len(documents):
            raise SystemExit("a passage has several chunks: the rankings could not be compared")
        library.structure("lightrag", {"gleaning": 0}).run()
        rankings = {mode: ours(library, asked, mode, len(documents)) for mode in MODES}
        told: dict[str, Any] = {"questions": len(asked), "documents": len(documents)}
        found, size = asyncio.run(theirs(Path(home) / "theirs", library, documents, asked, arguments.pick))
        told[f"theirs, {arguments.pick}"] = {
            "graph": size,
            **{mode: alike(rankings[mode], found[mode], asked) for mode in MODES},
        }
        structures = Path(home) / "ours" / "structures" / "lightrag"
        [pairs] = [np.load(path)["pairs"] for path in structures.glob("made-*/relations.npz")]
        [names] = [json.loads(path.read_text("utf-8"))["about"] for path in structures.glob("made-*/entities.json")]
        told["our graph"] = {"entities": len(names), "relations": len(pairs)}
    print(json.dumps(told, indent=1))
    if arguments.out:
        Path(arguments.out).write_text(json.dumps(told, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
