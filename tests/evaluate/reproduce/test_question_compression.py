"""`decoct reproduce question-compression` on excerpts: every table runs without a model, and measures stay apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from decoct.errors import EvaluationError
from decoct.evaluate.session import Setup
from decoct_lab.dataset import Question
from decoct_lab.reproduce.base import ReproductionRequest
from decoct_lab.reproduce.papers import reproduction
from decoct_lab.reproduce.question_compression import CompressionTable
from decoct_lab.reproduce.question_compression_documents import (
    CONDITIONS,
    CORPORA,
    KINDS,
    Documents,
    figures,
    shares_words,
)
from decoct_lab.reproduce.question_compression_reader import FILTERS, Candidates, filter_measures
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

NAME = "question-compression"


def request(tmp_path: Path, excerpts: Path, **change: Any) -> ReproductionRequest:
    return ReproductionRequest(
        Setup((), cache=tmp_path / "c", embedder=HashEmbedder(), **change), tmp_path / "out", excerpts
    )


def test_every_row_names_a_condition_and_no_figure_is_missing() -> None:
    for table in reproduction(NAME).tables.values():
        assert isinstance(table, CompressionTable)
        known = {"reader": set(FILTERS), "storage": {*CORPORA, *KINDS}}.get(table.kind, set(CONDITIONS))
        for row in table.rows:
            assert row.condition in known
            printed = len(table.metrics) if table.kind != "reader" else 1
            assert len(row.paper) in (0, printed)


def test_all_tables_run_without_a_model(tmp_path: Path, excerpts: Path) -> None:
    paper = reproduction(NAME)
    result = paper.every(request(tmp_path, excerpts))
    assert [one["table"] for one in result["tables"]] == ["3", "4", "5", "6", "7", "8", "9", "10"]
    assert result["skipped"] == {}
    technical = next(one for one in result["tables"] if one["table"] == "4")
    assert technical["n"] == 1
    for line in technical["lines"]:
        if line["metric"].startswith("acc"):  # hit@k on documents is a multiple of 1/n
            assert line["ours"] in (0, 1)
            assert line["low"] <= line["ours"] <= line["high"]
    assert next(one for one in result["tables"] if one["table"] == "6")["skipped"] == ["model-cards-bm25"]
    text = paper.markdown(result)
    assert "| Approach | cards-dense-paper | acc@3 |" in text
    assert "0.880" in text
    assert "another kind of reader" in text
    assert "Caveat: the printed F1 is contain_any3" in text
    for block in text.split("\n\n"):
        assert not ("contain_any3 |" in block and "token_f1 |" in block)  # never in one table


def test_a_model_writes_cards_and_reads(tmp_path: Path, excerpts: Path) -> None:
    def answer(asked: Any) -> str:
        if asked.schema is None:
            return "Nobody knows."
        return '{"questions": ["What is told about taggers here?"], "summary": "Taggers.", "topics": ["tagger"], "queries": ["tag"]}'

    llm = ScriptedLLM(answer)
    paper = reproduction(NAME)
    made = paper.table("6").run(request(tmp_path, excerpts, llm=llm))
    assert "model-cards-bm25" in [line["condition"] for line in made["lines"]]
    assert made["skipped"] == []
    before = len(llm.requests)
    paper.table("7").run(request(tmp_path, excerpts, llm=llm))
    assert len(llm.requests) == before  # the cards are made
    read = paper.table("8").run(request(tmp_path, excerpts, llm=llm, questions=2))
    assert read["ours"].startswith("n = 2, reader scripted")
    assert len(llm.requests) == before + 2 * 2 * 4  # two conditions, two questions, one greedy answer and three draws
    # Questions do not share their seeds: every draw of one seed would take the same rank of what the model thinks likely.
    assert len({asked.seed for asked in llm.requests[before:] if asked.temperature}) == 2 * 3
    assert {line["verdict"] for line in read["lines"]} == {"differs", "not printed"}


def test_likelihood_rereads_title_and_summary_of_the_best_ten(tmp_path: Path, excerpts: Path) -> None:
    llm = ScriptedLLM([])
    given = Documents(excerpts, tmp_path / "cache", llm)
    asked = given.questions("technical")
    assert all(given.found("cards+full+likelihood", asked))
    assert llm.requests == []
    read = {prefix for prefix, _ in llm.pairs}
    assert 0 < len(read) <= 10
    assert not any(part in prefix for prefix in read for part in ("# Research questions", "#### Keywords"))
    with pytest.raises(EvaluationError, match="log-probabilities"):
        Documents(excerpts, tmp_path / "cache").found("cards+full+likelihood", asked)


def test_a_paper_whose_card_failed_leaks_nothing(tmp_path: Path, excerpts: Path) -> None:
    given = Documents(excerpts, tmp_path / "cache", ScriptedLLM(lambda _: "No idea."))
    asked = given.questions("technical")
    assert given.leaked(asked, "model") == 0
    assert given.built["model"]["failed"] > 0


def test_what_is_asked_wrongly_is_told(tmp_path: Path, excerpts: Path) -> None:
    from dataclasses import replace

    table = reproduction(NAME).table("6")
    given = request(tmp_path, excerpts)
    with pytest.raises(EvaluationError, match="did you mean 'cards-bm25'"):
        table.run(replace(given, conditions=("card-bm25",)))
    with pytest.raises(EvaluationError, match="--llm NAME"):
        table.run(replace(given, conditions=("model-cards-bm25",)))
    only = table.run(replace(given, conditions=("bm25-abstract",)))
    assert {line["condition"] for line in only["lines"]} == {"bm25-abstract"}
    with pytest.raises(EvaluationError):
        table.run(replace(given, data=tmp_path))


def test_figures() -> None:
    asked = [Question("a", "?", (), ("x",), (), ""), Question("b", "?", (), ("y",), (), "")]
    # x is second, y fourth: hit@3 of the first only, 1/2 there; 1/4 more from rank 4 at 5.
    assert figures([["z", "x"], ["p", "q", "r", "y"]], asked) == {
        "acc@3": 0.5, "mrr@3": 0.25, "acc@5": 1.0, "mrr@5": 0.375,
    }  # fmt: skip


def test_leaks_are_five_words_in_a_row() -> None:
    card = "# Moving verbs\n\nWe move the verb of each clause before decoding."
    assert shares_words("Who can move the verb of each language?", card)
    assert not shares_words("Who can move the verb of languages?", card)
    assert not shares_words("the verb of each", card)


def test_what_a_filter_keeps() -> None:
    texts = {"a": ("A", "river river"), "b": ("B", "river"), "c": ("C", "sea")}
    question = Question("q", "Which river?", ("x",), ("a", "b"), (), "", candidate_ids=("a", "b", "c"))
    given = Candidates((question,), texts)
    assert filter_measures(given, FILTERS["L=1"]) == {"selectivity": 0.3333, "gold_recall": 0.5, "all_gold": 0}
    assert filter_measures(given, FILTERS["L=2"]) == {"selectivity": 0.6667, "gold_recall": 1, "all_gold": 1}


def test_a_scorer_that_is_not_at_hand_is_named_and_the_others_are_run(
    tmp_path: Path, excerpts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    made = reproduction(NAME).table("4").run(request(tmp_path, excerpts))
    assert list(made["unloaded"]) == ["cards-version-a+cross-encoder"]
    conditions = {line["condition"] for line in made["lines"]}
    assert {"cards-version-a+scorer", "hybrid-full"} <= conditions
    assert "cards-version-a+cross-encoder" not in conditions
    text = reproduction(NAME).table("4").markdown(made)
    assert "- cards-version-a+cross-encoder was not run: " in text


def test_fewer_queries_are_asked_among_fewer_papers_and_it_is_told(tmp_path: Path, excerpts: Path) -> None:
    paper = reproduction(NAME)
    few = replace(request(tmp_path, excerpts, questions=1), conditions=("bm25-abstract",))
    made = paper.table("6").run(few)
    asked = {q.supporting_ids[0] for q in Documents(excerpts, tmp_path / "cache").questions("technical")}
    (told,) = made["notes"]
    assert f"among {min(5, len(asked))} papers that are asked for" in told
    assert "notes" not in paper.table("6").run(replace(few, whole_corpus=True))
