"""The commands that make something: libraries, cards, copies, keys, questions, recipes, models; called as functions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from decoct import Document, Library
from decoct.cli import backup, cards, copy, doctor, ingest, keys, mcp, questions, serve, status, tune
from decoct.cli.evaluate import model_and_reader, numbers, pairs, words_by_commas
from decoct.cli.report import priced
from decoct.cli.show import Clean
from decoct.documents.base import Failure
from decoct.errors import ConfigError, EvaluationError, UnknownLibraryError
from decoct.ingest import Report
from decoct_lab.cli import reproduce, train, worlds
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

Captured = pytest.CaptureFixture[str]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> str:
    monkeypatch.setattr("decoct.embed.resolve.open_embedder", lambda *_: HashEmbedder())
    with Library.open(tmp_path / "lib") as opened:
        opened.add([Document(f"d{n}", f"The bridge number {n} was opened in 190{n}.", f"Bridge {n}") for n in range(3)])
    return str(tmp_path / "lib")


def test_what_cannot_be_ingested_is_told_before_anything_is_read(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.txt").write_text("One text.")
    assert ingest._checked(["a.txt", "https://example.org/x"], rebuild=False, watch=False) == [
        "a.txt",
        "https://example.org/x",
    ]
    assert ingest._checked(None, rebuild=True, watch=False) == []
    for sources, watch, message in (
        (None, False, "name the files"),
        (["gone"], False, "no file or folder 'gone'"),
        (["a.txt"], True, "'a.txt' is none; ingest it without --watch"),
        (["https://example.org/x"], True, "keeps folders in sync"),
    ):
        with pytest.raises(ConfigError, match=message):
            ingest._checked(sources, rebuild=False, watch=watch)
    with pytest.raises(ConfigError, match="--ray reads sources once"):
        ingest.run(["."], ray="local", watch=True)


def test_a_summary_counts_and_names_what_was_left(capsys: Captured, tmp_path: Path, run: Run) -> None:
    report = Report(added=1, replaced=2, unchanged=3, chunks=1, gone_ids=["x", "y"], removed=1)
    report.failures = [Failure(f"{tmp_path}/bad.pdf", "damaged"), Failure("https://x/y", "not found")]
    ingest._summary(report, pruned=False)
    out, err = capsys.readouterr()
    assert out == "6 documents: 1 added, 2 replaced, 3 unchanged, 1 removed; 1 chunk written\n"
    assert err.splitlines() == [
        "1 document is gone from the source; --prune removes it",
        "  failed: bad.pdf: damaged",
        "  failed: https://x/y: not found",
    ]


def test_many_sources_that_fail_alike_are_told_in_one_line(capsys: Captured) -> None:
    report = Report(added=1)
    report.failures = [Failure(f"{name}.png", "not known") for name in "abcd"] + [Failure("e.pdf", "damaged")]
    ingest._summary(report, pruned=False)
    assert capsys.readouterr().err.splitlines() == [
        "  failed: 4 sources (a.png, b.png, c.png …; --json names all): not known",
        "  failed: e.pdf: damaged",
    ]


def test_an_ingest_of_which_nothing_could_be_read_fails(tmp_path: Path, library: str, capsys: Captured) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4 broken")
    with pytest.raises(typer.Exit) as ended:
        ingest.run([str(tmp_path / "bad.pdf")], library=library, json=True)
    assert ended.value.exit_code == 1
    assert json.loads(capsys.readouterr().out)["failed"] == 1


def test_cards_files_are_named_by_titles_and_never_twice() -> None:
    taken: set[str] = set()
    names = [cards._file_name(title, taken) for title in ("On: verbs/2", "On verbs 2", "…", "x" * 100, "Brücke_1")]
    assert names == ["on-verbs-2.md", "on-verbs-2-2.md", "card.md", "x" * 60 + ".md", "brücke_1.md"]
    assert taken == set(names)


def test_cards_are_built_as_asked_for(library: str, capsys: Captured) -> None:
    with pytest.raises(ConfigError, match="--round-trip needs --llm"):
        cards.build(library=library, vectors="pooled", round_trip=True)
    cards.build(library=library, vectors="pooled", estimate=True)
    assert (
        capsys.readouterr().out == "3 documents to do: about 0 model calls, 0 prompt and at most 0 completion tokens\n"
    )


def test_a_copy_names_what_the_target_alone_has(library: str, tmp_path: Path, capsys: Captured) -> None:
    target = str(tmp_path / "target")
    copy.run(library, target)
    assert "copied 3 documents, 0 were there unchanged" in capsys.readouterr().out
    for more, told in ((5, "m0, m1, m2, m3, m4\n"), (6, "m0, m1, m2, m3, m4 …\n")):
        with Library.open(target) as opened:
            opened.add([Document(f"m{n}", f"Another text of number {n}.") for n in range(more)])
        copy.run(library, target)
        assert f"{more} documents only in the target, kept: {told}" in capsys.readouterr().out
    copy.run(library, target, json=True)
    assert json.loads(capsys.readouterr().out)["unchanged"] == 3


def test_a_backup_is_put_back(library: str, tmp_path: Path, capsys: Captured) -> None:
    file = str(tmp_path / "kept.tar")
    backup.run(file, library=library)
    assert capsys.readouterr().out == f"{file}: 3 documents\n"
    backup.restore(file, library=str(tmp_path / "again"), json=True)
    assert json.loads(capsys.readouterr().out) == {"library": str(tmp_path / "again"), "documents": 3}
    status.run(library=str(tmp_path / "again"), json=True)
    assert json.loads(capsys.readouterr().out)["documents"] == 3
    with pytest.raises(ConfigError):
        backup.run(file, library="postgresql://host/name")


def test_doctor_fails_on_what_is_broken_and_not_on_what_is_absent(
    library: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(doctor, "_embedder", lambda: "fine")
    doctor.run(library=library)
    assert "broken" not in capsys.readouterr().out
    doctor.run(json=True)  # no library was asked for, and there is none
    assert json.loads(capsys.readouterr().out)[-1]["state"] == "absent"
    with pytest.raises(typer.Exit) as ended:
        doctor.run(library="nowhere")
    assert ended.value.exit_code == 1
    monkeypatch.setattr(doctor, "_BASE", ("no-such-package",))
    with pytest.raises(typer.Exit):
        doctor.run()
    assert "not installed: reinstall decoct" in capsys.readouterr().out


def test_keys_are_listed_without_their_secrets(tmp_path: Path, capsys: Captured) -> None:
    state = str(tmp_path / "state")
    keys.add(["notes:read", "plans:admin"], server_admin=True, note="laptop", state=state)
    token = capsys.readouterr().out.strip()
    keys.list_(state=state)
    line = capsys.readouterr().out
    assert token not in line
    assert "notes:read, plans:admin server-admin  laptop" in line
    keys.list_(state=state, json=True)
    (key,) = json.loads(capsys.readouterr().out)
    keys.revoke(key["id"], state=state)
    assert capsys.readouterr().out == f"revoked {key['id']}\n"


def test_an_agents_protocol_goes_past_what_cleans_words(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    raw = SimpleNamespace(name="raw")
    cleaned = Clean(raw)  # type: ignore[arg-type]
    seen: list[Any] = []
    monkeypatch.setattr(sys, "stdout", cleaned)

    def failing(transport: str) -> None:
        seen.append((transport, sys.stdout))
        raise RuntimeError

    with pytest.raises(RuntimeError):
        mcp._stdio(SimpleNamespace(run=failing))  # type: ignore[arg-type]
    assert seen == [("stdio", raw)]
    assert sys.stdout is cleaned


def test_an_agent_is_offered_the_default_recipe_always(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    built: list[Any] = []
    monkeypatch.setattr("decoct.mcp.tools.build", lambda *given, **more: built.append((given, more)))
    monkeypatch.setattr(mcp, "_stdio", lambda _: None)
    mcp.run([f"notes={library}"], recipe=["naive"], allow_write=True)
    (((libraries, offered), more),) = built
    assert (list(libraries), list(offered), more) == (["notes"], ["default", "naive"], {"writes": True})
    assert offered["default"] == replace(offered["naive"], name="default")


def test_a_server_for_others_or_without_its_library_is_refused(tmp_path: Path, run: Run) -> None:
    state = str(tmp_path / "state")
    with pytest.raises(ConfigError, match=r"served with keys only: make one first, `decoct keys add"):
        serve.run(host="0.0.0.0", state=state, port=0)
    with pytest.raises(UnknownLibraryError, match=r"there is no library at .*none; make one with `decoct ingest"):
        serve.run([str(tmp_path / "none")], state=state, port=0)


@pytest.mark.parametrize("wrong", ["1", "1,2,3", "a,b", "-1,2", "nan,1", "1,inf", ""])
def test_a_price_is_two_numbers_of_money(wrong: str) -> None:
    with pytest.raises(ConfigError, match=r"as in 0\.15,0\.60"):
        serve._prices(wrong)
    assert priced(" 0, 0.6") == {"prompt_tokens": 0.0, "completion_tokens": 0.6}
    assert serve._prices("0.15,0.60") == (0.15, 0.6)
    assert serve._prices(None) is None


def test_questions_of_a_library_are_written_and_what_rules_could_not_make_is_told(
    library: str, tmp_path: Path, capsys: Captured
) -> None:
    out = tmp_path / "q.jsonl"
    questions.generate(library=library, n=5, out=out, json=True)
    made = json.loads(capsys.readouterr().out)
    assert (made["out"], made["questions"]) == (str(out), len(out.read_text().splitlines()))
    questions.generate(library=library, n=5, out=out)
    told, err = capsys.readouterr()
    assert told.endswith(f"written to {out}\n")
    assert "more need a language model (--llm)" in err


def test_what_cannot_be_tuned_is_told(library: str, run: Run) -> None:
    for given, message in (
        ({"recipe": "iter-retgen"}, "cannot be tuned: take a recipe that needs no language model"),
        ({"recipe": "no-retrieval"}, "cannot be tuned"),
        ({"library": library, "chunks": "100"}, "--chunks needs a data set"),
        ({}, "name a questions file, or a data set"),
    ):
        with pytest.raises(ConfigError, match=message):
            tune.run(metric="evidence_recall", **given)  # type: ignore[arg-type]
    with pytest.raises(EvaluationError):
        tune.run(metric="token_f1")  # it needs a reader


def test_words_numbers_and_pairs_of_options() -> None:
    assert words_by_commas(" a, ,b ") == ("a", "b")
    assert words_by_commas(None) == ()
    assert numbers("100, 200,", "--chunks") == (100, 200)
    assert pairs(["a=b=c", " d = e "]) == {"a": "b=c", "d": "e"}
    for wrong in ("", "0", "-5", "1.5", "a"):
        with pytest.raises(ConfigError, match="--chunks: expected positive numbers"):
            numbers(wrong, "--chunks")
    with pytest.raises(ConfigError, match="write it as key=value"):
        pairs(["=x"])


def test_a_reproduction_is_written_and_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    asked: list[Any] = []

    def every(request: Any) -> dict[str, Any]:
        asked.append(request)
        return {"tables": 2}

    def one(table: str, request: Any) -> tuple[dict[str, Any], str]:
        asked.append(request)
        return {"table": table}, f"# Table {table}"

    paper = SimpleNamespace(name="mine", every=every, one=one, markdown=lambda result: f"# {result['tables']} tables")
    monkeypatch.setattr("decoct_lab.reproduce.papers.reproduction", lambda _: paper)
    reproduce.run("mine", sets="a, b", budgets="500,5x", llm="extractive", out=tmp_path)
    assert capsys.readouterr().out == "# 2 tables\n"
    assert json.loads((tmp_path / "mine.json").read_text()) == {"tables": 2}
    reproduce.run("mine", table="3", out=tmp_path, json=True)
    assert json.loads(capsys.readouterr().out) == {"table": "3"}
    assert (tmp_path / "table-3.md").read_text() == "# Table 3"
    first, second = asked
    assert (first.sets, first.budgets, first.setup.reader, first.setup.llm) == (
        ("a", "b"),
        (500, "5x"),
        "extractive",
        None,
    )
    assert (second.sets, second.budgets, second.setup.reader) == ((), (), "")


@pytest.mark.parametrize(
    ("llm", "reader", "setup"),
    [
        (None, None, (None, "")),
        (None, "none", (None, "none")),
        (None, "short-answers", (None, "short-answers")),
        ("short-answers", None, (None, "short-answers")),
        ("extractive", "extractive", (None, "extractive")),
    ],
)
def test_who_reads_is_named_by_the_reader_or_the_model(
    llm: str | None, reader: str | None, setup: tuple[None, str]
) -> None:
    assert model_and_reader(llm, reader, None) == setup


def test_a_reader_beside_the_model_of_contexts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedLLM(lambda request: "")
    monkeypatch.setattr("decoct.llm.resolve.open_llm", lambda *_: model)
    assert model_and_reader("openai:x", "short-answers", tmp_path) == (model, "short-answers")
    assert model_and_reader("openai:x", "model", tmp_path) == (model, "")
    with pytest.raises(ConfigError, match="give --llm a model, or leave it out"):
        model_and_reader("short-answers", "extractive", tmp_path)
    with pytest.raises(ConfigError, match="name it with --llm NAME"):
        model_and_reader(None, "model", tmp_path)


def test_no_model_is_called_none(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        model_and_reader("none", None, tmp_path)


def test_files_of_training_are_named_once() -> None:
    assert train._named(["a=x/y=z", "b=c"], "--squad") == {"a": Path("x/y=z"), "b": Path("c")}
    assert train._named(None, "--squad") == {}
    for wrong in ("a", "=x", "a="):
        with pytest.raises(ConfigError, match="--squad wants NAME=PATH"):
            train._named([wrong], "--squad")
    with pytest.raises(ConfigError, match="--squad names 'a' twice"):
        train._named(["a=x", "a=y"], "--squad")
    with pytest.raises(ConfigError, match="--task is cas or reader, not 'other'"):
        train.cas("base", Path("out"), task="other")


def test_worlds_are_printed_or_written(tmp_path: Path, capsys: Captured) -> None:
    worlds.generate(questions=2, seed=4)
    printed = capsys.readouterr().out
    worlds.generate(questions=2, seed=4, out=tmp_path / "w")
    assert (tmp_path / "w" / "questions.jsonl").read_text() == printed
    documents = sum(len(json.loads(line)["documents"]) for line in printed.splitlines())
    assert f"2 questions over {documents} documents in " in capsys.readouterr().out
    with pytest.raises(EvaluationError, match="at least 1"):
        worlds.generate(questions=0)
