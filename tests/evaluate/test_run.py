from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import tiny

from decoct.data import Query, Ranking
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import EvaluationError, ModelUnavailableError, PromptTooLongError, ReplyError
from decoct.evaluate.record import read_header, read_rows
from decoct.evaluate.report.markdown import markdown
from decoct.evaluate.report.page import page
from decoct.evaluate.report.tables import tables
from decoct.evaluate.run import sample
from decoct.evaluate.session import open_dataset
from decoct.llm.base import Request
from decoct.llm.cache import Cached
from decoct.retrieve.dense import Dense
from decoct_testing.scripted import Scripted, ScriptedLLM


def test_a_questions_file_that_is_not_there_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="no file is called"):
        open_dataset(str(tmp_path / "questions.jsonl"), None, {}, None)


def test_every_question_system_and_budget_has_one_row_within_its_budget(tmp_path: Path) -> None:
    rows = list(read_rows(tiny.run(tmp_path)))
    assert len({row.key for row in rows}) == len(rows) == 4 * 2 * 2
    assert all(row.error is None and row.cost["tokens"] <= row.budget for row in rows)
    assert set(rows[0].metrics) == set(read_header(tmp_path / "run").metrics)


def test_more_budget_never_costs_evidence_of_the_naive_recipe(tmp_path: Path) -> None:
    rows = list(read_rows(tiny.run(tmp_path, "naive")))
    small, large = (
        {r.question: r.metrics["evidence_recall"] for r in rows if r.budget == budget} for budget in (30, 60)
    )
    assert all(large[question] >= small[question] for question in small)  # type: ignore[operator]


def test_equal_retrievers_are_asked_once_a_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[str] = Counter()
    original = Dense.retrieve

    def counted(self: Dense, query: Query, k: int) -> Ranking:
        asked[query.text] += 1
        return original(self, query, k)

    monkeypatch.setattr(Dense, "retrieve", counted)
    rows = list(read_rows(tiny.run(tmp_path, "naive,dos", (30, 60))))
    assert set(asked.values()) == {1}
    assert all("retrieve" in row.cost["stages"] for row in rows), "each system's time includes the shared ranking"


def test_a_run_goes_on_where_it_was_interrupted_and_can_be_extended(tmp_path: Path) -> None:
    tiny.run(tmp_path, questions=2)
    first = list(read_rows(tmp_path / "run"))
    tiny.run(tmp_path)
    rows = list(read_rows(tmp_path / "run"))
    assert rows[: len(first)] == first
    assert len(rows) == 16


def test_gold_passages_hold_all_gold_and_no_retrieval_holds_nothing(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda request: '{"thought": "well", "answer": "Ada Stone"}')
    rows = list(read_rows(tiny.run(tmp_path, "gold-passages,no-retrieval", (200,), llm)))
    gold = [row for row in rows if row.system == "gold-passages"]
    bare = [row for row in rows if row.system == "no-retrieval"]
    assert {row.metrics["evidence_recall"] for row in gold} == {1.0}
    assert {row.metrics["recall@5"] for row in gold} == {None}
    assert {row.cost["tokens"] for row in bare} == {0}
    assert {row.metrics["evidence_recall"] for row in bare} == {None}
    assert None not in {row.metrics["token_f1"] for row in bare}
    f1 = {row.question: row.metrics["token_f1"] for row in gold}
    assert f1["q2"] == 1.0
    assert f1["q1"] == 0.0


def test_equal_contexts_are_read_once(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda request: '{"thought": "", "answer": "1912"}')
    rows = list(read_rows(tiny.run(tmp_path, "no-retrieval", (100, 200), llm)))
    assert len(rows) == 8
    assert len(llm.requests) == 4


def test_a_failed_answer_is_a_row_with_its_code(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda request: '{"thought": "", "answer": "1912"}', failures={1: ModelUnavailableError("down")})
    rows = list(read_rows(tiny.run(tmp_path, "naive", (60,), llm)))
    failed = [row for row in rows if row.error is not None]
    assert [row.error for row in failed] == [{"code": "model-unavailable", "message": "down"}]
    assert len(rows) == 4


def test_when_nothing_works_the_run_stops_and_says_why(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda request: ModelUnavailableError("nobody there"))
    with pytest.raises(EvaluationError, match="all of the first 4 rows failed; the first: nobody there"):
        tiny.run(tmp_path, "naive", (60,), llm)


def test_a_reply_that_is_not_json_counts_as_it_stands(tmp_path: Path) -> None:
    rows = list(read_rows(tiny.run(tmp_path, "naive", (60,), ScriptedLLM(lambda request: "1912"))))
    assert {row.fallbacks.get("answer.unreadable") for row in rows} == {1}
    assert {row.answer for row in rows} == {"1912"}


def test_a_reply_that_was_cut_counts_as_it_stands_with_its_tokens(tmp_path: Path) -> None:
    cut = ReplyError("cut", '{"thought": "The', cut=True, prompt_tokens=70, completion_tokens=200)
    llm = ScriptedLLM(lambda request: '{"thought": "", "answer": "1912"}', failures={1: cut})
    rows = list(read_rows(tiny.run(tmp_path, "naive", (60,), llm)))
    assert [row.error for row in rows] == [None] * 4
    counted = [row for row in rows if row.fallbacks.get("answer.unreadable")]
    assert [row.answer for row in counted] == ['{"thought": "The']
    assert [(row.cost["prompt_tokens"], row.cost["completion_tokens"]) for row in counted] == [(70, 200)]


def test_a_reply_of_another_form_is_a_failed_row(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda request: '{"thought": "", "answer": "1912"}', failures={1: ReplyError("not JSON")})
    rows = list(read_rows(tiny.run(tmp_path, "naive", (60,), llm)))
    assert [row.error for row in rows if row.error is not None] == [{"code": "reply", "message": "not JSON"}]


def test_a_sample_is_a_prefix_of_a_larger_one() -> None:
    questions = tiny.QUESTIONS
    assert sample(questions, 2, 3) == sample(questions, 4, 3)[:2]
    assert sample(questions, None, 3) == sample(questions, 4, 3)
    with pytest.raises(EvaluationError, match="at least 1"):
        sample(questions, 0, 0)


def test_a_recipe_that_needs_a_model_says_so_before_the_run(tmp_path: Path) -> None:
    recipe = tmp_path / "asks.toml"
    recipe.write_text('[retrieve]\nuse = "self-ask"\nretriever = "dense"\n')
    with pytest.raises(EvaluationError, match="'asks' asks a language model"):
        tiny.run(tmp_path, str(recipe))


def test_chunk_sizes_get_a_library_each(tmp_path: Path) -> None:
    rows = list(read_rows(tiny.run(tmp_path, "naive,naive@8", (30,))))
    chunks = {name: table["chunks"] for name, table in read_header(tmp_path / "run").libraries.items()}
    assert sorted(chunks.values())[0] == 5
    assert sorted(chunks.values())[1] > 10
    assert len(rows) == 8


def test_a_judge_scores_answers_and_its_failures_are_left_out_and_counted(tmp_path: Path) -> None:
    def verdict(request: Request) -> Scripted:
        if "Norwick" in request.messages[-1].content:
            return "I would rather not say."
        correct = (
            '"answer": "Ada Stone"' in request.messages[-1].content and "Who designed" in request.messages[-1].content
        )
        return json.dumps({"reason": "r", "verdict": "CORRECT" if correct else "INCORRECT", "confidence": "HIGH"})

    folder = tiny.run(
        tmp_path,
        "naive",
        (60,),
        ScriptedLLM(lambda request: '{"thought": "", "answer": "Ada Stone"}'),
        judge=ScriptedLLM(verdict, name="judge"),
        metrics=("judge",),
    )
    assert {row.question: row.metrics["judge"] for row in read_rows(folder)} == {
        "q1": 0.0,
        "q2": 1.0,
        "q3": None,
        "q4": 0.0,
    }
    header = read_header(folder)
    assert header.judge == "scripted:judge"
    assert set(header.prompts) == {"answers", "judge"}


def test_a_judge_is_measured_where_the_set_does_not_name_it_and_needs_answers(tmp_path: Path) -> None:
    judge = ScriptedLLM(lambda _: '{"reason": "r", "verdict": "CORRECT", "confidence": "HIGH"}', name="judge")
    reader = ScriptedLLM(lambda _: '{"thought": "", "answer": "Ada Stone"}')
    tiny.run(tmp_path / "a", "naive", (60,), reader, judge=judge)
    assert all(row.metrics["judge"] == 1.0 for row in read_rows(tmp_path / "a" / "run"))
    tiny.run(tmp_path / "b", "naive", (60,), reader, judge=judge, metrics=("token_f1",))
    assert read_header(tmp_path / "b" / "run").metrics == ("token_f1", "judge")
    with pytest.raises(EvaluationError, match="--judge has no answers"):
        tiny.run(tmp_path / "c", "naive", (60,), judge=judge)


def test_a_kept_reply_is_told_apart_and_its_tokens_are_kept_too(tmp_path: Path) -> None:
    llm = Cached(ScriptedLLM(lambda _: '{"thought": "", "answer": "Ada Stone"}'), tmp_path / "replies")
    first, second = (
        [row.cost for row in read_rows(tiny.run(tmp_path / name, "naive", (60,), llm))] for name in ("a", "b")
    )
    names = ("calls", "prompt_tokens", "completion_tokens")
    paid = [tuple(c[name] for name in names) for c in first]
    assert all(calls == 1 and tokens > 0 for calls, tokens, _ in paid)
    assert [(c["cached"], c["cached_prompt_tokens"], c["cached_completion_tokens"]) for c in second] == paid
    assert all(c["calls"] == c["prompt_tokens"] == 0 and c["read_calls"] == 1 for c in second)


def test_the_extractive_reader_answers_without_a_model(tmp_path: Path) -> None:
    rows = list(read_rows(tiny.run(tmp_path, "gold-passages", (200,), reader="extractive", metrics=("word_accuracy",))))
    assert {row.question: row.metrics["word_accuracy"] for row in rows}["q1"] == 1.0
    assert all(row.cost["calls"] == 0 for row in rows)
    assert read_header(tmp_path / "run").llm == "extractive"


def test_the_small_reader_answers_in_words_without_a_model(tmp_path: Path) -> None:
    metrics = ("exact_match", "citation_recall")
    rows = list(read_rows(tiny.run(tmp_path, "gold-passages", (200,), reader="short-answers", metrics=metrics)))
    assert {row.question: row.metrics for row in rows}["q2"] == {"exact_match": 1.0, "citation_recall": 1.0}
    assert all(row.cost["calls"] == 0 for row in rows)
    assert read_header(tmp_path / "run").llm == "short-answers"
    with pytest.raises(EvaluationError, match="known: extractive, short-answers"):
        tiny.run(tmp_path / "other", "naive", reader="nobody")


def test_another_than_the_model_of_the_contexts_may_read_and_the_record_names_both(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda request: '{"keep": [1]}', name="chooses")
    metrics = ("exact_match",)
    folder = tiny.run(tmp_path, "extract-each", (60,), llm, reader="short-answers", metrics=metrics)
    header = read_header(folder)
    assert (header.llm, header.context_llm) == ("short-answers", llm.fingerprint)
    rows = list(read_rows(folder))
    assert all(row.error is None and row.cost["calls"] > 0 and row.cost["read_calls"] == 0 for row in rows)
    assert read_header(tiny.run(tmp_path / "reads", "extract-each", (60,), llm)).context_llm == ""
    other = ScriptedLLM(lambda request: '{"keep": [1]}', name="another")
    with pytest.raises(EvaluationError, match="context_llm"):
        tiny.run(tmp_path, "extract-each", (60,), other, reader="short-answers", metrics=metrics)


def test_nobody_reads_where_none_is_asked_for(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda request: '{"keep": [1]}')
    folder = tiny.run(tmp_path, "extract-each", (60,), llm, reader="none")
    assert (read_header(folder).llm, read_header(folder).context_llm) == ("", llm.fingerprint)
    assert {row.answer for row in read_rows(folder)} == {None}


def test_a_budget_that_holds_not_a_sentence_is_scored_not_left_out(tmp_path: Path) -> None:
    rows = list(read_rows(tiny.run(tmp_path, "naive,gold-passages", (2,), metrics=("evidence_recall",))))
    assert len(rows) == 8
    assert {row.metrics["evidence_recall"] for row in rows} == {0.0}
    assert {row.fallbacks["context.nothing_fits"] for row in rows} == {1}
    assert all(row.error is None and row.cost["tokens"] == 0 and row.cost["limit"] == 2 for row in rows)


def test_a_context_too_long_for_the_reader_is_an_empty_answer(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        lambda request: '{"thought": "", "answer": "Ada Stone"}', failures={1: PromptTooLongError("too long")}
    )
    rows = list(read_rows(tiny.run(tmp_path, "naive", (60,), llm)))
    assert all(row.error is None for row in rows)
    assert sorted(row.fallbacks.get("answer.prompt-too-long", 0) for row in rows) == [0, 0, 0, 1]
    assert [row.metrics["token_f1"] for row in rows if row.fallbacks.get("answer.prompt-too-long")] == [0.0]


def test_answers_are_from_the_context_and_by_heart_only_without_documents(tmp_path: Path) -> None:
    llm = ScriptedLLM(lambda request: '{"thought": "", "answer": "1912"}')
    rows = list(read_rows(tiny.run(tmp_path, "naive,no-retrieval", (2,), llm)))
    assert {row.answer for row in rows if row.system == "naive"} == {""}  # nothing fits: nothing to answer from
    assert len(llm.requests) == 4
    assert all("from what you know" in request.messages[0].content for request in llm.requests)
    tiny.run(tmp_path / "more", "naive", (60,), llm)
    assert "from the sources alone" in llm.requests[-1].messages[0].content


def test_budgets_may_be_average_chunks_of_those_found(tmp_path: Path) -> None:
    folder = tiny.run(tmp_path, "naive,dos,gold-passages", (60, "2x", "1.5x"))
    rows = list(read_rows(folder))
    assert read_header(folder).budgets == (60, "1.5x", "2x")
    by_budget = {budget: [row for row in rows if row.budget == budget] for budget in (60, "1.5x", "2x")}
    assert {row.cost["limit"] for row in by_budget[60]} == {60}
    counts = default_tokenizer().counts(list(tiny.TEXTS.values()))
    found = {row.cost["limit"] for row in by_budget["2x"] if row.system != "gold-passages"}
    assert found == {-(-2 * sum(counts) // len(counts))}  # all five are found for each question
    gold = {row.question: row.cost["limit"] for row in by_budget["2x"] if row.system == "gold-passages"}
    assert gold["q1"] == 2 * default_tokenizer().count(tiny.TEXTS["bridge"])
    text = markdown(tables([folder]))
    assert "| system | 60 | 1.5x | 2x | n |" in text
    assert "2x" in page(tables([folder]))
    tiny.run(tmp_path, "naive,dos,gold-passages", (60, "2x", "1.5x"))
    assert len(list(read_rows(folder))) == len(rows)


def test_another_tokenizer_counts_what_budgets_are_spent_on(tmp_path: Path) -> None:
    file = tmp_path / "letters" / "tokenizer.json"
    file.parent.mkdir()
    file.write_text(
        json.dumps(
            {
                "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
                "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "."}, "behavior": "Isolated", "invert": False},
                "post_processor": None, "decoder": None,
                "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"},
            }
        )
    )  # fmt: skip
    rows = list(read_rows(tiny.run(tmp_path, "naive", (60,), tokenizer=str(file))))
    assert all(0 < row.cost["tokens"] <= 60 for row in rows)
    words = list(read_rows(tiny.run(tmp_path / "words", "naive", (60,))))
    held = [sum(s[2] - s[1] for p in row.passages for s in p["spans"]) for row in rows]
    more = [sum(s[2] - s[1] for p in row.passages for s in p["spans"]) for row in words]
    assert all(a < b for a, b in zip(held, more, strict=True))
    assert read_header(tmp_path / "run").tokenizer != read_header(tmp_path / "words" / "run").tokenizer
