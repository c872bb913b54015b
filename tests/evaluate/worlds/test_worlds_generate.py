"""Worlds: deterministic, labelled as they are written, solvable by a perfect reader, split by family."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from decoct.context.casc.check import check
from decoct.context.casc.claims import Claim, Side
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.data import Document, Span
from decoct.errors import EvaluationError
from decoct.text.sentences import sentences
from decoct.text.values import Value
from decoct_lab.dataset import load
from decoct_lab.measures.values import mentioned
from decoct_lab.worlds.families import families
from decoct_lab.worlds.generate import worlds


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    return list(worlds(7, 150, "dev"))


def test_equal_seeds_give_equal_worlds_and_more_extend_fewer(records: list[dict[str, Any]]) -> None:
    assert json.dumps(list(worlds(7, 20, "dev"))) == json.dumps(records[:20])
    assert json.dumps(list(worlds(8, 20, "dev"))) != json.dumps(records[:20])


def test_the_splits_share_no_family_and_no_sentence() -> None:
    (dev, dev_filler), (test, test_filler) = families("dev"), families("test")
    assert not {f.name for f in dev} & {f.name for f in test}
    assert not {f.question for f in dev} & {f.question for f in test}
    assert not set(dev_filler) & set(test_filler)


def test_each_question_has_three_to_five_documents_and_its_labels_are_in_them(records: list[dict[str, Any]]) -> None:
    for record in records:
        texts = {document["id"]: document["text"] for document in record["documents"]}
        assert 3 <= len(texts) <= 5, record["id"]
        for conflict in record["conflicts"]:
            for doc_id, value in zip(conflict["documents"], conflict["values"], strict=True):
                assert value in texts[doc_id]
        if record["notes"]["kind"] in ("lookup", "temporal", "conditional"):
            for group in record["answer_groups"]:
                assert any(mentioned(group, text) for text in texts.values()), record["id"]
        assert not set(record["answers"]) & set(record["wrong_answers"])


def test_every_behaviour_and_knob_occurs(records: list[dict[str, Any]]) -> None:
    behaviours = Counter(record["behaviour"] for record in records)
    assert set(behaviours) == {"answer", "complementary", "recency", "correction", "authority", "majority", "flag"}
    errors = {record["notes"]["error"] for record in records}
    assert {"none", "numeric", "entity", "date", "negation", "outdated", "scope"} <= errors
    assert {"agree", "oppose"} == {record["notes"]["signal"] for record in records}


def test_they_load_as_the_hand_written_set(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records[:10]), encoding="utf-8")
    dataset = load("scidocs-conflicts", tmp_path)
    assert len(dataset.questions) == 10
    assert dataset.questions[0].extra["notes"] == records[0]["notes"]


def test_with_perfect_extraction_the_policy_is_always_right(records: list[dict[str, Any]]) -> None:
    """Where the signal agrees with the truth, the rules of resolution alone give the right side."""
    asked = 0
    for record in records:
        if not record["conflicts"] or record["notes"]["signal"] != "agree":
            continue
        asked += 1
        verdict, sides = _oracle(record)
        if record["behaviour"] == "flag":
            assert verdict is None, record["id"]
        else:
            assert verdict is not None, record["id"]
            assert sides[verdict].value == "true", record["id"]
    assert asked > 50


def _oracle(record: dict[str, Any]) -> tuple[int | None, Sequence[Side]]:
    """The verdict on claims that are read without a mistake: each document says "true" or "false"."""
    pairs = [tuple(conflict["documents"]) for conflict in record["conflicts"]]
    involved = {doc_id for pair in pairs for doc_id in pair}
    right = {pairs[0][0]} if record["behaviour"] == "flag" else set(record["supporting_ids"])
    documents = [
        Document(d["id"], d["text"], d["title"], metadata={"date": d["date"], "kind": d["kind"]})
        for d in record["documents"]
        if d["id"] in involved
    ]
    sources, parts = handed_over(documents), focuses(record["question"])
    said = {d: v for c in record["conflicts"] for d, v in zip(c["documents"], c["values"], strict=True)}
    claims = []
    for source in sources:
        start, end = next((a, b) for a, b in sentences(source.text) if said[source.doc_id] in source.text[a:b])
        span = Span(source.doc_id, start, end)
        value = Value("true" if source.doc_id in right else "false", "text")
        claims.append(Claim(source, source.text[start:end], span, value, span, 1.0))
    (cluster,) = check(record["question"], sources, parts, claims).clusters
    assert cluster.verdict is not None
    return cluster.verdict.chosen, cluster.sides


def test_too_few_questions_or_an_unknown_split_say_what_to_do() -> None:
    with pytest.raises(EvaluationError, match="at least 1"):
        next(worlds(1, 0))
    with pytest.raises(EvaluationError, match="dev, test"):
        families("other")
