"""The original HippoRAG 2 and HyperGraphRAG beside ours: one corpus, one embedder, one scripted model; which passages each ranks first.

    git clone https://github.com/OSU-NLP-Group/HippoRAG && git -C HippoRAG checkout c617143f01477243992a63b2e2151cc003dd3b21
    git clone https://github.com/LHRLAB/HyperGraphRAG && git -C HyperGraphRAG checkout a8048274936b08e55d09a85f032681e679df8943
    python -m venv peer && peer/bin/pip install -e '.[structured]'
    peer/bin/pip install igraph==1.0.0 nano-vectordb==0.0.4.3 tiktoken==0.14.0 networkx pandas pyarrow torch
    peer/bin/python experiments/graph_peers.py hipporag2 --source HippoRAG/src --data ../shared/data
    peer/bin/python experiments/graph_peers.py hypergraphrag --source HyperGraphRAG --data ../shared/data

No part of the product imports this. The corpus, the rules of the scripted model and the measures are those of `lightrag_peer.py`: what
differs is not the extraction but what is made of it. Each pair of names is a triple (HippoRAG 2); each sentence with its names is a
hyperedge with its entities (HyperGraphRAG, which reads questions in the same way). Recognition keeps, of the facts found, those that hold
a name of the question, or the first two. Every passage is one chunk of both; no gleaning. The programs are run as they stand; imports
of theirs that only serve models which are not used (`UNUSED`) are empty modules, and words stand for tiktoken's tokens, whose file is
not at hand.

The original HippoRAG embeds a triple as Python prints the tuple, the original HyperGraphRAG a mark and quotes with each hyperedge, and
names in capitals; `--texts words` has them embed the words alone, as ours does, so that what is left is the graph and what is made of it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any
from unittest.mock import MagicMock

import numpy as np
from lightrag_peer import Words, alike, corpus, extracted

from decoct import Document, Library
from decoct.data import Floats, Query
from decoct.llm.base import Request
from decoct.text.names import question_runs
from decoct_lab.dataset import Question
from decoct_testing.scripted import ScriptedLLM

UNUSED = (
    "transformers", "litellm", "boto3", "gritlm", "vllm", "sentence_transformers", "cohere", "outlines", "outlines.models",
    "outlines.generate", "aioboto3", "ollama",
)  # fmt: skip
_MOST_FACTS = 4


# -- the scripted model ------------------------------------------------------------------------------------------------
def triples(passage: str) -> list[tuple[str, str, str]]:
    """Each pair of names with words of the sentence between them."""
    return [(a, words.replace(",", ""), b) for a, b, words, _ in extracted(passage).pairs[:30]]


def segments(passage: str) -> list[tuple[str, list[str]]]:
    """Each sentence with two names or more, and those."""
    by_sentence: dict[str, list[str]] = {}
    for a, b, _, sentence in extracted(passage).pairs:
        by_sentence.setdefault(sentence, []).extend((a, b))
    return [(sentence[:500], list(dict.fromkeys(names))[:12]) for sentence, names in by_sentence.items()][:20]


def segments_of_question(question: str) -> list[tuple[str, list[str]]]:
    """The question as one segment over its names."""
    return [(question, list(question_runs(question)))]


def recognised(question: str, facts: Sequence[str]) -> list[int]:
    """Which of the facts hold a name of the question, else the first two."""
    names = [name.casefold() for name in question_runs(question)]
    kept = [n for n, fact in enumerate(facts) if any(name in fact.casefold() for name in names)]
    return (kept or list(range(len(facts)))[:2])[:_MOST_FACTS]


def ours_says(request: Request) -> str:
    """The scripted model, as our prompts ask."""
    said = request.messages[-1].content
    tags = dict(re.findall(r"<(\w+)>\n?(.*?)\n?</\1>", said, re.DOTALL))
    if "facts" in tags:
        facts = [line.partition(". ")[2] for line in tags["facts"].splitlines()]
        return json.dumps({"facts": [n + 1 for n in recognised(tags["question"], facts)]})
    passage = tags.get("passage", "")
    if "names" in tags:
        found = [{"subject": a, "relation": words, "object": b} for a, words, b in triples(passage)]
        return json.dumps({"triples": found})
    if "knowledge segments" in request.messages[0].content:
        cut = segments_of_question(passage) if passage.endswith("?") else segments(passage)
        return json.dumps(
            {
                "segments": [
                    {"text": text, "score": 9, "entities": [_entity(name, text) for name in names]}
                    for text, names in cut
                ]
            }
        )
    return json.dumps({"names": list(extracted(passage).names)[:40]})


def _entity(name: str, text: str) -> dict[str, Any]:
    return {"name": name, "type": "other", "description": text[:400], "score": 50}


class TheirModel:
    """The same, in the forms that the original HippoRAG asks for."""

    def infer(self, messages: list[dict[str, str]], **_: object) -> tuple[str, dict[str, Any], bool]:
        """The reply, what it cost, and whether it was kept."""
        return (
            self._reply(messages[-1]["content"]),
            {"prompt_tokens": 0, "completion_tokens": 0, "finish_reason": "stop"},
            False,
        )

    def _reply(self, said: str) -> str:
        if found := re.search(
            r"\[\[ ## question ## \]\]\n(.*?)\n\n\[\[ ## fact_before_filter ## \]\]\n(.*?)\n\n", said, re.DOTALL
        ):
            facts = json.loads(found[2])["fact"]
            kept = [facts[n] for n in recognised(found[1], [" ".join(fact) for fact in facts])]
            return f"[[ ## fact_after_filter ## ]]\n{json.dumps({'fact': kept})}\n\n[[ ## completed ## ]]"
        if found := re.search(r"```\n(.*)\n```", said, re.DOTALL):
            return json.dumps({"triples": triples(found[1])})
        return json.dumps({"named_entities": list(extracted(said).names)[:40]})


async def hyper_says(prompt: str, **_: object) -> str:
    """The same, in the form that the original HyperGraphRAG asks for."""
    text = prompt.rpartition("\nText: ")[2].partition("\n######")[0].strip()
    cut = segments_of_question(text) if text.endswith("?") else segments(text)
    rows = []
    for sentence, names in cut:
        rows.append(f'("hyper-relation"<|>"{sentence}"<|>9)')
        rows += [f'("entity"<|>"{name}"<|>"other"<|>"{sentence[:400]}"<|>50)' for name in names]
    return "##".join(rows) + "<|COMPLETE|>"


# -- the originals -----------------------------------------------------------------------------------------------------
def their_hipporag(
    source: Path,
    folder: Path,
    library: Library,
    documents: Sequence[Document],
    asked: Sequence[Question],
    *,
    as_words: bool,
) -> tuple[list[list[str]], dict[str, Any]]:
    """The original's rankings, and the size of its graph."""
    _importable(source)
    from hipporag import HippoRAG  # type: ignore[import-not-found]
    from hipporag.utils.config_utils import BaseConfig  # type: ignore[import-not-found]

    class Embedding:
        def batch_encode(self, texts: str | list[str], **_: object) -> Floats:
            return _embedded(library, [texts] if isinstance(texts, str) else texts, as_words=as_words)

    config = BaseConfig(save_dir=str(folder), llm_name="scripted", embedding_model_name="bundled", openie_mode="online")
    model = TheirModel()
    rag = HippoRAG(global_config=config, extraction_llm=model, qa_llm=model, embedding_model=Embedding())
    rag.index([one.text for one in documents])
    by_text = {one.text: one.id for one in documents}
    found = rag.retrieve([one.question for one in asked], num_to_retrieve=len(documents))
    size = {"phrases": len(rag.entity_node_keys), "facts": len(rag.fact_node_keys), "edges": rag.graph.ecount()}
    return [[by_text[text] for text in one.docs] for one in found], size


def _embedded(library: Library, texts: Sequence[str], *, as_words: bool) -> Floats:
    """Vectors of what an original has embedded, as it prints it or as plain words."""
    shown = [_in_words(text) for text in texts] if as_words else list(texts)
    return np.asarray(library.embedder.embed(shown, "passage"), np.float32)


def _in_words(text: str) -> str:
    if re.fullmatch(r"\('.*'\)", text):
        return " ".join(re.findall(r"'([^']*)'", text))
    return re.sub('<hyperedge>|<SEP>|"+', " ", text).strip()


async def their_hypergraph(
    source: Path,
    folder: Path,
    library: Library,
    documents: Sequence[Document],
    asked: Sequence[Question],
    *,
    as_words: bool,
) -> tuple[list[list[str]], dict[str, Any]]:
    """The original's passages in the order of its context, and how many entities and hyperedges that context holds."""
    _importable(source)
    import tiktoken

    vars(tiktoken)["encoding_for_model"] = lambda _: Words()
    from hypergraphrag import HyperGraphRAG, QueryParam  # type: ignore[import-not-found]
    from hypergraphrag.utils import EmbeddingFunc  # type: ignore[import-not-found]

    async def embed(texts: list[str], **_: object) -> Floats:
        return _embedded(library, texts, as_words=as_words)

    folder.mkdir()
    os.chdir(folder)  # its log is written where it stands
    rag = HyperGraphRAG(
        working_dir=str(folder),
        llm_model_func=hyper_says,
        embedding_func=EmbeddingFunc(embedding_dim=library.embedder.dimension, max_token_size=8192, func=embed),
        entity_extract_max_gleaning=0,
        enable_llm_cache=False,
    )
    await rag.ainsert([one.text for one in documents])
    found: list[list[str]] = []
    entities, hyperedges = [], []
    for one in asked:
        context = await rag.aquery(one.question, QueryParam(only_need_context=True))
        parts = re.findall(r"-----(\w+)-----\n```csv\n(.*?)\n```", context, re.DOTALL)
        shown = dict(parts)
        entities.append(_rows(shown.get("Entities", "")))
        hyperedges.append(_rows(shown.get("Relationships", "")))
        sources = " ".join(shown.get("Sources", "").split())
        placed = [(sources.find(" ".join(doc.text.split())[:120]), doc.id) for doc in documents]
        found.append([doc_id for at, doc_id in sorted(placed) if at >= 0])
    return found, {"entities shown": mean(entities), "hyperedges shown": mean(hyperedges)}


def _rows(text: str) -> int:
    return len(re.findall(r"^\d+,\t", text, re.MULTILINE))


def _importable(source: Path) -> None:
    sys.path.insert(0, str(source))
    for name in UNUSED:
        sys.modules.setdefault(name, MagicMock())
    for name in ("hipporag", "hypergraphrag", "nano-vectordb"):
        logging.getLogger(name).setLevel(logging.ERROR)


# -- both --------------------------------------------------------------------------------------------------------------
def ours(
    library: Library, asked: Sequence[Question], system: str, depth: int
) -> tuple[list[list[str]], dict[str, Any]]:
    """Our rankings, by passage, and what the contexts of HyperGraphRAG's own form hold."""
    retrieval = library.pipeline(system).retrieval
    found = [retrieval.search(Query(one.question), depth) for one in asked]
    rankings = [list(dict.fromkeys(hit.chunk.span.doc_id for hit in hits)) for hits in found]
    if system != "hypergraphrag":
        return rankings, {}
    counts: dict[str, list[float]] = {"expanded_entities": [], "expanded_hyperedges": []}
    for one in asked:
        trace = library.context(one.question, 12_000, recipe="hypergraphrag-native").trace
        for name, values in counts.items():
            values.append(sum(stage.counts[name] for stage in trace.stages))
    return rankings, {
        "entities shown": mean(counts["expanded_entities"]),
        "hyperedges shown": mean(counts["expanded_hyperedges"]),
    }


def main() -> None:
    """Build both, ask both, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", choices=("hipporag2", "hypergraphrag"))
    parser.add_argument("--source", type=Path, required=True, help="the folder that holds the original's package")
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--questions", type=int, default=10, help="of each set")
    parser.add_argument("--others", type=int, default=30, help="passages of each set beside the gold ones")
    parser.add_argument("--texts", choices=("printed", "words"), default="printed", help="what the original embeds")
    parser.add_argument("--out", default="")
    given = parser.parse_args()
    given.out, given.source = Path(given.out).resolve() if given.out else None, given.source.resolve()
    words = given.texts == "words"
    asked, documents = corpus(given.data, given.questions, given.others)
    with (
        tempfile.TemporaryDirectory() as home,
        Library.open(Path(home) / "ours", llm=ScriptedLLM(ours_says)) as library,
    ):
        library.add(documents)
        if library.status().chunks != len(documents):
            raise SystemExit("a passage has several chunks: the rankings could not be compared")
        library.structure(given.system).run()
        mine, own = ours(library, asked, given.system, len(documents))
        theirs = Path(home) / "theirs"
        if given.system == "hipporag2":
            found, size = their_hipporag(given.source, theirs, library, documents, asked, as_words=words)
        else:
            found, size = asyncio.run(their_hypergraph(given.source, theirs, library, documents, asked, as_words=words))
    name = f"{given.system}, texts as {given.texts}"
    told = {
        "questions": len(asked),
        "documents": len(documents),
        "ours": own,
        "theirs": size,
        **alike(mine, found, asked),
    }
    print(json.dumps({name: told}, indent=1))
    if given.out:
        kept = json.loads(given.out.read_text("utf-8")) if given.out.is_file() else {}
        given.out.write_text(json.dumps({**kept, name: told}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
