"""Questions on a library's chunks, and the pairs and figures made of them; training itself is tested beside (it needs torch)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from decoct import Library
from decoct.data import Document
from decoct.errors import ConfigError, ModelError
from decoct_lab.train.embedder.judge import before_and_after
from decoct_lab.train.embedder.pairs import question_pairs
from decoct_lab.train.embedder.questions import ChunkQuestion, drawn_chunks, read_questions, write_questions
from decoct_lab.train.embedder.run import EmbedderRun, train_embedder
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

TOPICS = ("kettle", "bicycle", "lantern", "harbour", "violin", "glacier", "orchard", "compass")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", embedder=HashEmbedder()) as opened:
        opened.add(
            [
                Document(
                    topic,
                    f"The {topic} is kept in the red shed behind the mill. " + f"Nobody may move the {topic}. " * 8,
                    topic,
                )
                for topic in TOPICS
            ]
        )
        yield opened


def asked_of(topic: str) -> ChunkQuestion:
    return ChunkQuestion(f"where do we keep the {topic}?", topic, 0, 200)


def test_two_questions_a_chunk_and_a_stopped_run_goes_on(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    reply = json.dumps({"questions": ["which building holds my gear?", "am I allowed to carry it off?"]})
    chunks = drawn_chunks(library.store, 100, 0)
    assert len(chunks) == len(TOPICS)
    assert write_questions(chunks[:3], ScriptedLLM([reply] * 3), file, say=lambda _: None) == 6
    again = ScriptedLLM([reply] * 5)
    assert write_questions(chunks, again, file, say=lambda _: None) == 10
    assert len(again.requests) == 5
    assert {one.doc_id for one in read_questions(file)} == set(TOPICS)


def test_what_only_repeats_the_chunk_or_is_no_reply_is_left_out(library: Library, tmp_path: Path) -> None:
    said: list[str] = []
    replies: list[str | ModelError] = [
        json.dumps({"questions": ["Nobody may move the kettle red shed mill?"] * 2}),
        "not json",
        ModelError("away"),
    ]
    kettle = [chunk for chunk in drawn_chunks(library.store, 100, 0) if chunk.span.doc_id == "kettle"]
    others = [chunk for chunk in drawn_chunks(library.store, 100, 0) if chunk.span.doc_id in ("violin", "glacier")]
    assert write_questions([*kettle, *others], ScriptedLLM(replies), tmp_path / "q.jsonl", say=said.append) == 0
    assert said[-1] == "3 of 3 chunks, 0 questions, 3 chunks without one"


def test_a_line_that_is_no_question_is_named(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"question": "x"}\n')
    with pytest.raises(ConfigError, match=r"q\.jsonl:1 is no question"):
        list(read_questions(tmp_path / "q.jsonl"))


def test_pairs_hold_the_right_chunk_and_others_that_are_not_it(library: Library) -> None:
    retriever = library.pipeline("bm25").retrieval.retriever
    asked = [asked_of("violin"), ChunkQuestion("gone?", "no such document", 0, 9)]
    (pair,) = question_pairs(asked, library.store, retriever, HashEmbedder(), each=2, seed=0)
    assert pair.passage.startswith("violin\nThe violin")
    assert all("violin" not in text for text in pair.negatives)
    assert len(pair.negatives) <= 2


class Knowing:
    """An embedder that sees the topic alone: what training should come to."""

    fingerprint = "knowing"
    dimension = len(TOPICS)

    def embed(self, texts: list[str], kind: str) -> np.ndarray:
        rows = np.asarray([[float(topic in text) for topic in TOPICS] for text in texts], dtype=np.float32)
        unit: np.ndarray = rows / np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))
        return unit


class Blind(Knowing):
    """Sees the same in every text."""

    def embed(self, texts: list[str], kind: str) -> np.ndarray:
        return np.full((len(texts), self.dimension), self.dimension**-0.5, dtype=np.float32)


def test_the_better_of_two_embedders_is_told(library: Library) -> None:
    retriever = library.pipeline("bm25").retrieval.retriever
    pairs = question_pairs(map(asked_of, TOPICS), library.store, retriever, HashEmbedder(), each=0, seed=0)
    found = before_and_after(pairs, library.store, HashEmbedder(), Knowing())  # type: ignore[arg-type]
    assert found.found_after == 1.0
    worse = before_and_after(pairs, library.store, HashEmbedder(), Blind())  # type: ignore[arg-type]
    assert worse.found_after == 0.0
    assert not worse.better
    assert worse.as_dict()["better"] is False


def test_without_questions_or_with_too_few_it_says_what_to_do(library: Library, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    with pytest.raises(ConfigError, match="--llm"):
        train_embedder(EmbedderRun(tmp_path / "out", "base"), library)
    file = tmp_path / "q.jsonl"
    file.write_text('{"question": "where is it?", "doc_id": "kettle", "start": 0, "end": 50}\n')
    with pytest.raises(ConfigError, match="too few"):
        train_embedder(EmbedderRun(tmp_path / "out", "base", questions=file), library)
