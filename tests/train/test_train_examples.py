"""Training examples: gold that is exact, tasks in one model, worlds kept apart; teacher traces filtered."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from decoct import trace
from decoct.context.casc.check import check
from decoct.context.casc.claims import Claim
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import EvidenceSource, handed_over
from decoct.data import Document
from decoct.errors import ConfigError, MissingExtraError
from decoct.llm.schema import conform
from decoct_lab.casc.check_llm import check_request, verdicts_as_json
from decoct_lab.casc.claim_schema import CLAIMS
from decoct_lab.casc.synthesise_llm import lines_as_json, synthesis_request
from decoct_lab.dataset import Dataset, load
from decoct_lab.train.examples import Example, document_of_record, examples, gold_claim, mixed, of_records
from decoct_lab.train.gate import gate
from decoct_lab.train.lora import LoraSettings, fine_tune, source_of, train_modules
from decoct_lab.train.teacher import is_right_reply, traces
from decoct_lab.worlds.generate import worlds
from decoct_testing.scripted import ScriptedLLM

_RIGHT = {
    "quote": "The dose was 3 mg.",
    "value": "3 mg",
    "type": "number",
    "part": 0,
    "hedge": "none",
    "status": "stated",
    "relevance": 1.0,
}


@pytest.fixture(scope="module")
def made() -> list[Example]:
    return list(examples(3, 60))


def test_all_three_tasks_are_there_and_equal_seeds_give_equal_examples(made: list[Example]) -> None:
    assert set(Counter(example.task for example in made)) == {"extract", "check", "synthesise"}
    assert list(examples(3, 10)) == made[: len(list(examples(3, 10)))]


def test_extraction_gold_fits_the_schema_and_quotes_the_document(made: list[Example]) -> None:
    empty = 0
    for example in made:
        if example.task != "extract":
            continue
        claims = json.loads(conform(example.completion, CLAIMS))["claims"]
        empty += not claims
        for claim in claims:
            assert claim["quote"] in example.prompt[-1].content
            assert claim["value"] in claim["quote"]
    assert empty > 0  # documents that say nothing on the question


def test_training_and_gate_share_no_entity() -> None:
    train = {example.world for example in examples(0, 20)}
    held = {record["id"] for record in worlds(0, 20, "test")}
    assert not train & held


def test_the_reader_baseline_reads_raw_documents() -> None:
    made = list(examples(1, 10, "dev", ("reader",)))
    assert {example.task for example in made} == {"reader"}
    assert all("Question:" in example.prompt[-1].content for example in made)


def test_only_right_traces_of_a_teacher_are_kept() -> None:
    (record,) = worlds(5, 1, "dev")
    gold = [e.completion for e in examples(5, 1) if e.task == "extract"]
    perfect = ScriptedLLM(lambda request: _gold(request.messages[-1].content, record))
    kept = list(traces([record], perfect))
    assert len(kept) == len(record["documents"])
    assert gold
    lying = ScriptedLLM(lambda _: json.dumps({"claims": [_claim("Nobody said this.", "nothing")]}))
    with trace.recording() as counted:
        assert list(traces([record], lying)) == []
    assert counted.fallbacks["train.trace-rejected"] == 4 * len(record["documents"])


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ({"claims": [_RIGHT]}, True),
        ({"claims": [{**_RIGHT, "quote": "The dose was 9 mg.", "value": "9 mg"}]}, False),  # a quote nobody wrote
        ({"claims": [{**_RIGHT, "quote": "It was given with 5 mg of zinc.", "value": "5 mg"}]}, False),  # another value
        ({"claims": []}, False),  # the document says something
        ({"claims": [{**_RIGHT, "part": 7}]}, False),  # a part that the question has not
        ({"claims": [{**_RIGHT, "sure": True}]}, False),  # a field the schema has not
        ("no JSON", False),
    ],
)
def test_a_trace_is_kept_only_if_it_is_valid_verified_and_right(reply: object, kept: bool) -> None:
    (source,) = handed_over([Document("d", "The dose was 3 mg. It was given with 5 mg of zinc.")])
    text = reply if isinstance(reply, str) else json.dumps(reply)
    assert is_right_reply(text, source, "3 mg", 1) is kept


def test_a_document_that_says_nothing_wants_no_claim() -> None:
    (source,) = handed_over([Document("d", "The dose was 3 mg. It was given with 5 mg of zinc.")])
    assert is_right_reply(json.dumps({"claims": []}), source, "", 1)
    assert not is_right_reply(json.dumps({"claims": [_RIGHT]}), source, "", 1)


def _planned(record: dict[str, Any]) -> tuple[list[EvidenceSource], list[Claim]]:
    sources = handed_over([document_of_record(one) for one in record["documents"]])
    said = record["notes"].get("said", {})
    return sources, [claim for s in sources if (claim := gold_claim(s, said.get(s.doc_id, "")))]


def _gold_of_check_and_synthesis(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Prompts of both tasks as the gate asks them, with the rules' findings on the plan's claims as replies."""
    sources, claims = _planned(record)
    findings = check(record["question"], sources, focuses(record["question"]), claims)
    if len(claims) > 1:
        yield (
            check_request(record["question"], claims).messages[-1].content,
            json.dumps(verdicts_as_json(findings, claims)),
        )
    if findings.clusters:
        yield synthesis_request(findings).messages[-1].content, json.dumps(lines_as_json(findings))


def test_the_gate_measures_a_perfect_and_a_broken_model() -> None:
    records = [r for r in worlds(9, 12, "test") if r["notes"]["kind"] in ("lookup", "temporal")]

    compared = dict(pair for r in records for pair in _gold_of_check_and_synthesis(r))

    def perfect(request: object) -> str:
        content = request.messages[-1].content  # type: ignore[attr-defined]
        return compared.get(content) or next(reply for r in records if (reply := _gold(content, r)))

    passed = gate(ScriptedLLM(perfect), records)
    assert (passed.valid, passed.aligned) == (1.0, 1.0)
    assert passed.model.f1 >= 0.9
    assert (passed.checks.asked, passed.checks.valid, passed.syntheses.held, passed.syntheses.told) == (
        len([r for r in records if len(_planned(r)[1]) > 1]), 1.0, 1.0, 1.0,
    )  # fmt: skip
    assert passed.tasks["check"]
    assert passed.tasks["synthesise"]
    silent = gate(
        ScriptedLLM(lambda request: "[]" if request.messages[-1].content in compared else perfect(request)), records
    )
    assert silent.tasks == {"extract": passed.tasks["extract"], "check": False, "synthesise": False}
    assert not silent.passed
    broken = gate(ScriptedLLM(lambda _: "no JSON"), records)
    assert not broken.passed
    assert broken.valid == 0.0


def test_nothing_to_train_on_and_a_missing_extra_say_what_to_do(tmp_path: object) -> None:
    with pytest.raises(ConfigError, match="more questions"):
        fine_tune(LoraSettings("base", tmp_path), [])  # type: ignore[arg-type]
    with pytest.raises(MissingExtraError, match="train"):
        train_modules("a_module_that_is_not_there")


def _claim(quote: str, value: str) -> dict[str, object]:
    return {
        "quote": quote,
        "value": value,
        "type": "text",
        "part": 0,
        "hedge": "none",
        "status": "stated",
        "relevance": 1.0,
    }


def _gold(content: str, record: dict[str, object]) -> str:
    """What a perfect model says on the document shown, by the world's own record; empty for another world's document."""
    from decoct.context.casc.sources import handed_over
    from decoct_lab.train.examples import _json, document_of_record, gold_claim

    for document in record["documents"]:  # type: ignore[attr-defined]
        if document["text"] in content and f'title="{document["title"]}"' in content:
            (source,) = handed_over([document_of_record(document)])
            claim = gold_claim(source, record["notes"]["said"].get(document["id"], ""))  # type: ignore[index]
            return json.dumps({"claims": [] if claim is None else [_json(claim)]})
    return ""


def _passages(folder: Path) -> Dataset:
    """Six questions over passages, in the layout of a folder."""
    people = ["Ada Brook", "Ben Cole", "Cid Dale", "Dot Eames", "Eve Frost", "Flo Grant"]
    texts = [f"Hall {i} stands by the river. It was built by {who}. Ivy covers it." for i, who in enumerate(people)]
    corpus = [{"id": f"p{i}", "title": f"Hall {i}", "text": text} for i, text in enumerate(texts)]
    asked = [
        {"id": f"q{i}", "question": f"Who built Hall {i}?", "answers": [who], "supporting_ids": [f"p{i}"]}
        for i, who in enumerate(people)
    ]
    for name, rows in (("corpus", corpus), ("questions", asked)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return load(folder)


def test_what_is_trained_on_comes_from_templates_paraphrase_and_real_passages(tmp_path: Path) -> None:
    records = list(mixed(1, 12, _passages(tmp_path)))
    origins = Counter(record["id"].rsplit("-", 2)[0] for record in records)
    assert len(records) == 12
    assert len(origins) == 3
    assert set(origins.values()) == {4}
    assert [record["id"] for record in mixed(1, 12)] != [record["id"] for record in records]
    made = list(of_records(records, 1))
    assert made == list(of_records(records, 1))
    worlds_of = {example.world.rsplit("-", 2)[0] for example in made if example.task == "extract"}
    assert worlds_of == set(origins)


def test_real_passages_give_exact_gold(tmp_path: Path) -> None:
    records = [r for r in mixed(1, 12, _passages(tmp_path)) if r["notes"].get("layer") == "passages"]
    texts = {d["text"] for record in records for d in record["documents"]}
    found = [json.loads(e.completion)["claims"] for e in of_records(records, 1) if e.task == "extract"]
    claims = [claim for claims in found for claim in claims]
    assert claims
    assert [] in found
    assert all(any(claim["quote"] in text for text in texts) and claim["value"] in claim["quote"] for claim in claims)


def test_a_base_may_be_a_folder_a_name_or_one_gguf_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("decoct_lab.train.lora.train_modules", lambda *names: asked.extend(names))
    assert source_of("org/model") == {"pretrained_model_name_or_path": "org/model"}
    assert asked == []
    file = tmp_path / "small.gguf"
    with pytest.raises(ConfigError, match="there is no model"):
        source_of(str(file))
    file.write_bytes(b"GGUF")
    assert source_of(str(file)) == {"pretrained_model_name_or_path": str(tmp_path), "gguf_file": "small.gguf"}
    assert asked == ["gguf"]
