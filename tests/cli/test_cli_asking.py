"""The commands that ask: what each hands on and prints, called as functions on a small library."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from decoct import Document, Library
from decoct.cli import ask, audit, chat, context, documents, options, recipes, search
from decoct.context.casc.extract_rules import ByRules
from decoct.data import Range
from decoct.errors import ConfigError, CorpusError, QueryError, UnknownLibraryError
from decoct.recipe import FIRST, by_paper, load_recipe, shipped
from decoct_local import command as models
from decoct_testing.hash_embedder import HashEmbedder
from decoct_testing.scripted import ScriptedLLM

Captured = pytest.CaptureFixture[str]
Run = Callable[..., tuple[int, str, str]]
BRIDGE = "The stone bridge was opened in 1906. It crosses the river Elm."


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> str:
    monkeypatch.setattr("decoct.embed.resolve.open_embedder", lambda *_: HashEmbedder())
    with Library.open(tmp_path / "lib") as opened:
        opened.add(
            [
                Document("bridge", BRIDGE, "Bridge", source="docs/bridge.md", metadata={"year": 1990, "kind": "note"}),
                Document("tower", "The tower stands in Elmford.", "Tower", metadata={"year": 2004}),
            ]
        )
    return str(tmp_path / "lib")


def test_ask_prints_the_answer_its_sources_and_on_request_what_ran(library: str, capsys: Captured) -> None:
    ask.run("When was the stone bridge opened?", library=library, explain=True)
    out, err = capsys.readouterr()
    assert "1906" in out
    assert "Sources\n  [1] Bridge  (bridge, characters " in out
    assert "retrieve" in err


def test_a_chat_goes_on_until_its_end_or_a_new_one(
    library: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = (
        "When was the Stone Bridge opened?\nWhich river does it cross?\n/new\nWhen was it opened?\n/quit\nnever asked\n"
    )
    monkeypatch.setattr("sys.stdin", io.StringIO(said))
    chat.run(library=library)
    out = capsys.readouterr().out
    assert "(Which river does Stone Bridge cross?)" in out
    assert "river Elm" in out
    assert "“it”" in out
    assert "never" not in out


class _Terminal(io.StringIO):
    """Standard input as at a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_chat_at_a_terminal_writes_as_the_model_does_and_once(
    library: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("decoct.llm.resolve.open_llm", lambda *_, **__: ScriptedLLM(["It was in 1906 [1]."]))
    monkeypatch.setattr("sys.stdin", _Terminal("When was the stone bridge opened?\nthanks\n"))
    pieces: list[str] = []
    shown = typer.echo

    def told(words: str = "", **how: Any) -> None:
        pieces.append(words)
        shown(words, **how)

    monkeypatch.setattr("typer.echo", told)
    chat.run(library=library, llm="any")
    out = capsys.readouterr().out
    assert "It was in 1906 [1].\n" in out
    assert out.count("1906") == 1
    assert not any("It was in 1906" in piece for piece in pieces)  # as they came
    assert "That is no question" in out  # which nobody wrote piece by piece


class _Interrupted(_Terminal):
    """A terminal at which Ctrl-C is pressed where the lines end."""

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        line = super().readline(size)
        if not line:
            raise KeyboardInterrupt
        return line


def test_a_chat_at_a_terminal_is_left_by_ctrl_c_and_tells_its_commands(
    library: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unknown /help was asked as a question, and who left was told to run the same command again."""
    monkeypatch.setattr("sys.stdin", _Interrupted("/help\n"))
    chat.run(library=library)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("/new begins anew, /quit ends") == 2


def test_ctrl_c_ends_an_answer_and_not_the_chat(
    library: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Library.ask

    def stopped(self: Library, question: str, *arguments: Any, **more: Any) -> Any:
        if question == "slow":
            raise KeyboardInterrupt
        return asked(self, question, *arguments, **more)

    monkeypatch.setattr(Library, "ask", stopped)
    monkeypatch.setattr("sys.stdin", _Terminal("slow\nWhen was the Stone Bridge opened?\n"))
    chat.run(library=library)
    assert "1906" in capsys.readouterr().out


def test_a_streamed_answer_is_written_once(library: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr("decoct.llm.resolve.open_llm", lambda *_, **__: ScriptedLLM(lambda _: "It was in 1906 [1]."))
    ask.run("When was the stone bridge opened?", library=library, llm="any", stream=True)
    assert capsys.readouterr().out.count("1906") == 1
    ask.run("When was the stone bridge opened?", library=library, llm="any", stream=True, json=True)
    assert json.loads(capsys.readouterr().out)["answer"] == "It was in 1906 [1]."


def test_a_context_is_its_text_alone_and_explained_on_standard_error(library: str, capsys: Captured) -> None:
    context.run("stone bridge", library=library, budget="40", recipe="naive", explain=True)
    out, err = capsys.readouterr()
    assert BRIDGE in out
    assert " of 40 tokens, " in err.splitlines()[0]
    with pytest.raises(typer.Exit):
        context.run("stone bridge", library=library, filter_=["year>3000"])
    out, err = capsys.readouterr()
    assert (out, "the context is empty" in err) == ("", True)


def test_search_prints_so_many_hits_in_their_order(library: str, capsys: Captured) -> None:
    search.run("stone bridge", k=1, library=library)
    assert capsys.readouterr().out.startswith("  1. ")
    search.run("stone bridge", library=library, json=True)
    told = json.loads(capsys.readouterr().out)
    assert [hit["doc_id"] for hit in told["hits"]] == ["bridge", "tower"]
    assert told["hits"][0]["score"] >= told["hits"][1]["score"]
    with pytest.raises(typer.Exit):
        search.run("stone bridge", library=library, filter_=["kind=letter"])
    assert "nothing in the library matches" in capsys.readouterr().err


def test_the_model_of_the_settings_is_opened_only_where_the_search_asks_one(
    library: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    opened: list[str] = []

    def open_llm(name: str, *_: object, **__: object) -> ScriptedLLM:
        opened.append(name)
        return ScriptedLLM(lambda _: "The bridge was opened.")

    monkeypatch.setattr("decoct.llm.resolve.open_llm", open_llm)
    monkeypatch.setenv("DECOCT_LLM", "mine")
    search.run("stone bridge", library=library)
    assert opened == []
    search.run("stone bridge", library=library, recipe="iter-retgen")
    assert opened == ["mine"]


def test_documents_are_listed_shown_and_deleted(library: str, capsys: Captured) -> None:
    documents.list_(library=library, filter_=["year<2000"], json=True)
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["id"], row["characters"], row["chunks"], row["metadata"]) == (
        "bridge",
        len(BRIDGE),
        1,
        {"year": 1990, "kind": "note"},
    )
    documents.show_("bridge", start=4, end=16, library=library)
    assert capsys.readouterr().out == "stone bridge\n"
    for start, end in ((900, None), (900, 910), (5, 5)):
        with pytest.raises(ConfigError, match=f"no character of 'bridge' lies from --start {start}.*has {len(BRIDGE)}"):
            documents.show_("bridge", start=start, end=end, library=library, json=True)
    documents.delete(["*er"], dry_run=True, library=library)
    assert capsys.readouterr().out == "1 document would be deleted\n  tower\n"
    documents.delete(["bridge", "b*"], source=["docs/bridge.md"], library=library, json=True)
    assert json.loads(capsys.readouterr().out) == {"deleted": 1, "unknown": []}
    with pytest.raises(ConfigError, match="by id or pattern"):
        documents.delete(None, library=library)


def test_a_filter_is_values_and_bounds_of_the_library(library: str, capsys: Captured) -> None:
    with Library.open(library) as opened:
        assert options.filters(None, opened) == {}
        assert options.filters(["kind=note,letter", "kind=memo"], opened) == {"kind": ("note", "letter", "memo")}
        (bound,) = options.filters(["year>=1990", "year<2000"], opened)["year"]
        assert bound == Range(((">=", "1990"), ("<", "2000")))
        # values and bounds of one key: the values within the bounds
        assert options.filters(["year=1990,2004", "year>2000"], opened) == {"year": ("2004",)}
        for wrong in ("year", "year=>5", "=5"):
            with pytest.raises(QueryError, match="write it as key=value"):
                options.filters([wrong], opened)
        assert capsys.readouterr().err == ""
        options.filters(["yaer=5"], opened)
        assert "did you mean 'year'?" in capsys.readouterr().err


def test_a_library_that_is_not_there_says_how_to_make_one(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UnknownLibraryError, match=r"lib; make one with `decoct ingest --library"):
        options.open_library("lib")
    assert options.settings().recipe == "default"
    assert not (tmp_path / "lib").exists()


NOTE = "---\nkind: {kind}\ndate: 2020-01-01\n---\n\nThe melting temperature of Brandite is {value}.\n"
ASKED = "What is the melting temperature of Brandite?"


def test_an_audit_compares_the_most_relevant_documents_alone(tmp_path: Path, capsys: Captured) -> None:
    for name, kind, value in (("a", "paper", "500 K"), ("b", "blog", "900 K")):
        (tmp_path / f"{name}.md").write_text(NOTE.format(kind=kind, value=value))
    (tmp_path / "c.md").write_text("Of something else.\n")
    (tmp_path / "d.pdf").write_bytes(b"%PDF-1.4 broken")
    audit.run(tmp_path, [ASKED, "Who sang?"], recipe="casc-rules", most=2, json=True)
    told = json.loads(capsys.readouterr().out)
    first, second = told["questions"]
    assert (told["documents"], len(told["failures"]), len(first["compared"])) == (3, 1, 2)
    assert [one["chosen"] for one in first["conflicts"]] == ["500 K"]
    assert told["conflicts"] == first["conflicts"] + second["conflicts"]
    (todo,) = told["todo"]
    assert (todo["questions"], todo["documents"], told["superseded"]) == ([ASKED], [_named(told, "b.md")], [])
    assert todo["do"].startswith(f"Put right or withdraw {todo['documents'][0]}: ")
    (tmp_path / "c.md").rename(tmp_path / "rules-2021.md")
    (tmp_path / "rules-2024.md").write_text("Of other things.\n")
    audit.run(tmp_path, [ASKED], recipe="casc-rules", most=12)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2].startswith("to do: Put right or withdraw ")
    assert lines[-2].endswith(" (1 of 1 questions)")
    assert lines[-1].startswith("older edition: ")
    assert "rules-2021.md (newer: " in lines[-1]
    audit.run(tmp_path, ["Who sang the anthem?"], recipe="casc-rules", most=12)
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "Who sang the anthem?"
    assert err.startswith("not read: ")


def _named(told: dict[str, Any], end: str) -> str:
    """The document among those compared whose name ends so."""
    return next(str(one) for one in told["questions"][0]["compared"] if one.endswith(end))


def test_what_an_audit_reads_with(tmp_path: Path) -> None:
    reader, policy = audit._reading("casc-rules", None)
    assert (type(reader), len(policy) > 0) == (ByRules, True)
    with pytest.raises(ConfigError, match="--recipe 'naive' has no CASC step; take casc"):
        audit._reading("naive", None)
    with pytest.raises(CorpusError, match="there is no folder or file"):
        audit.run(tmp_path / "none", [ASKED], recipe="casc-rules")


def test_models_are_listed_and_fetched_into_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("DECOCT_MODELS", str(tmp_path))
    models.list_(json=True)
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert rows
    models.list_()
    assert capsys.readouterr().out.splitlines()[0].split() == list(rows[0])
    asked: list[Any] = []

    def pull(model: str, **more: Any) -> Path:
        asked.append((model, more))
        return tmp_path / "m.gguf"

    monkeypatch.setattr("decoct_local.models.pull", pull)
    models.pull("small", sha256="ab", into=tmp_path)
    assert capsys.readouterr().out == f"{tmp_path / 'm.gguf'}\n"
    ((name, more),) = asked
    assert (name, more["sha256"], more["into"]) == ("small", "ab", tmp_path)
    more["progress"](1_000_000, None)
    assert capsys.readouterr().err == ""  # nobody is there to see it


def test_the_recipes_to_know_are_there_and_every_other_stands_under_one_paper() -> None:
    found = shipped()
    first = {known.name for known in FIRST}
    assert first <= set(found)
    under = dict(by_paper(found))
    assert sorted(name for names in under.values() for name in names) == sorted(set(found) - first)
    by = {name: paper for paper, names in under.items() for name in names}
    assert by["iter-retgen"].startswith("Recall-oriented RAG")
    assert by["casc-rules"].startswith("CASC")
    assert by["hipporag2"] == "Further"
    assert dict(by_paper(["default"])) == {}


@pytest.mark.parametrize("name", ["default", "casc", "merge-links", "best", "cards+links"])
def test_a_recipe_that_is_shown_is_a_file_that_is_read(name: str, capsys: Captured, tmp_path: Path) -> None:
    recipes.show_(name)
    file = tmp_path / "mine.toml"
    file.write_text(capsys.readouterr().out, "utf-8")
    assert load_recipe(file).as_dict() == load_recipe(name).as_dict()
    assert "\n[[context]]\nuse = " in file.read_text("utf-8")
    assert "\n[retrieve]\nuse = " in file.read_text("utf-8")


def test_a_recipe_is_shown_as_json_too(capsys: Captured) -> None:
    recipes.show_("naive", json=True)
    assert json.loads(capsys.readouterr().out)["retrieve"]["use"] == "dense"
