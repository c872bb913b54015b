"""`decoct cards` on a library on disk, and the shipped recipes over it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from decoct import Document, Library
from decoct.cli.app import app
from decoct.errors import CorpusError, ModelError, ModelTimeoutError, StaleIndexError
from decoct.llm.base import Request
from decoct_testing.scripted import ScriptedLLM

TEXTS = {
    "verbs": "We propose a method that moves German verbs. It is used before decoding a clause.",
    "sound": "We propose a recogniser of speech sounds. It was trained on telephone calls of strangers.",
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cards") / "lib"
    with Library.open(folder) as library:
        library.add(Document(name, text, f"On {name}: it's/there") for name, text in TEXTS.items())
    return folder


@pytest.fixture
def place(filled: Path, tmp_path: Path) -> Path:
    """A library of one's own: tests write cards into it."""
    return Path(shutil.copytree(filled, tmp_path / "lib"))


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_build_show_export_search(place: Path, tmp_path: Path) -> None:
    estimate = json.loads(run("cards", "build", "--library", place, "--estimate", "--json"))
    assert not (place / "cards").exists()  # an estimate writes nothing
    assert estimate["estimate"] == {"documents": 2, "calls": 0, "prompt_tokens": 0, "completion_tokens": 0}
    told = run("cards", "build", "--library", place)
    assert told.startswith("2 documents to do: about 0 model calls")  # the estimate before, what was done after
    assert "2 cards made, 0 unchanged, 0 removed" in told
    assert "cards: 4 vectors, " in told
    assert "chunks: 2 vectors, " in told
    again = json.loads(run("cards", "build", "--library", place, "--json"))
    assert (again["unchanged"], again["failed"], again["failures"]) == (2, 0, [])
    assert again["storage"]["cards"]["vectors"] == 4
    assert json.loads(run("cards", "build", "--library", place, "--estimate", "--json"))["estimate"]["documents"] == 0
    card = run("cards", "show", "sound", "--library", place)
    assert card.startswith("# On sound: it's/there\n\n# In its own words\nS1: ")
    assert "2 cards written" in run("cards", "export", tmp_path / "out", "--library", place)
    assert (tmp_path / "out" / "on-sound-it-s-there.md").read_text("utf-8") == card
    shown = json.loads(run("cards", "show", "sound", "--library", place, "--json"))
    assert (shown["card"], shown["bytes"], shown["outdated"]) == (card, len(card.encode()), False)
    first = shown["questions"][0]
    assert TEXTS["sound"][first["answer"]["start"] : first["answer"]["end"]] == first["question"]
    for recipe in ("cards", "cards-bm25", "cards+links", "syntactic"):
        with Library.open(place) as library:
            hits = library.search("speech over the telephone", recipe=recipe)
            assert hits[0].chunk.span.doc_id == "sound"
            # No word of a card reaches the reader: what is handed on is the document's own text.
            context = library.context("speech over the telephone", 200, recipe)
            for passage in context.passages:
                for span in passage.support:
                    assert library.document(span.doc_id).text[span.start : span.end] in passage.text


def test_no_export_follows_a_link(place: Path, tmp_path: Path) -> None:
    run("cards", "build", "--library", place)
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "on-sound-it-s-there.md").symlink_to(tmp_path / "mine")
    run("cards", "export", tmp_path / "out", "--library", place)
    assert (tmp_path / "mine").read_text() == "mine"
    assert (tmp_path / "out" / "on-sound-it-s-there.md").read_text().startswith("# On sound")


def test_without_cards_the_recipe_says_what_to_run(tmp_path: Path) -> None:
    with Library.open(tmp_path / "lib") as library:
        library.add(Document("a", TEXTS["verbs"]))
        with pytest.raises(StaleIndexError, match="decoct cards build"):
            library.search("verbs", recipe="cards")


def test_bad_options(place: Path) -> None:
    from decoct.errors import ConfigError

    with pytest.raises(ConfigError):
        run("cards", "build", "--library", place, "--round-trip")
    result = CliRunner().invoke(app, ["cards", "build", "--library", str(place), "--vectors", "mean"])
    assert (result.exit_code, "'mean' is not one of 'pooled', 'paper'" in result.output) == (2, True)


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    with Library.open(tmp_path / "lib") as library:
        library.add(Document(name, text) for name, text in TEXTS.items())
    return tmp_path / "lib"


def answer(request: Request) -> str | ModelError:
    if "telephone" in request.messages[-1].content:
        return ModelTimeoutError("too slow")
    if '"topics"' in request.messages[-1].content:
        return '{"topics": ["verbs"], "queries": ["move a verb"]}'
    return "Sure!\n1. How are German verbs moved?\n2. **Why before decoding?**"  # not the JSON asked for


def test_a_models_cards_are_paid_for_once(fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    llm = ScriptedLLM(answer)
    monkeypatch.setattr("decoct.llm.resolve._from_spec", lambda spec, names: llm)
    monkeypatch.setenv("DECOCT_CACHE", str(tmp_path / "replies"))
    estimate = json.loads(run("cards", "build", "--library", fresh, "--llm", "x", "--estimate", "--json"))["estimate"]
    assert estimate["calls"] == 8
    assert llm.requests == []
    report = json.loads(run("cards", "build", "--library", fresh, "--llm", "x", "--json"))
    assert report["estimate"] == estimate
    assert (report["made"], report["failed"], report["calls"], report["cached"]) == (1, 1, 8, 0)
    assert report["failures"] == [{"document": "sound", "reason": "too slow"}]
    assert 0 < report["prompt_tokens"] <= estimate["prompt_tokens"]
    assert "Q1: How are German verbs moved?" in run("cards", "show", "verbs", "--library", fresh)
    asked = len(llm.requests)
    shutil.rmtree(fresh / "cards")
    again = json.loads(run("cards", "build", "--library", fresh, "--llm", "x", "--json"))
    assert (again["made"], again["cached"]) == (1, 4)
    assert len(llm.requests) == asked + 4  # only what failed was asked again
    told = run("cards", "build", "--library", fresh, "--llm", "x")
    assert "1 document to do: about 4 model calls" in told
    assert "0 cards made, 1 unchanged" in told


def test_cards_of_changed_and_removed_documents(fresh: Path, tmp_path: Path) -> None:
    run("cards", "build", "--library", fresh)
    with Library.open(fresh) as library:
        library.add([Document("verbs", TEXTS["verbs"] + " It is new."), Document("new", "Zebras run.")])
        library.delete("sound")
    assert json.loads(run("cards", "show", "verbs", "--library", fresh, "--json"))["outdated"]
    with pytest.raises(CorpusError, match="sound"):
        run("cards", "show", "sound", "--library", fresh)
    with pytest.raises(StaleIndexError, match="no card of 'new' yet: run `decoct cards build`"):
        run("cards", "show", "new", "--library", fresh)
    told = run("cards", "export", tmp_path / "out", "--library", fresh)
    assert "1 card written" in told
    assert "1 document has no card and 1 has changed since" in told
    assert "2 cards made, 0 unchanged, 1 removed" in run("cards", "build", "--library", fresh)
    assert run("cards", "export", tmp_path / "out", "--library", fresh).strip().endswith("out")


def test_an_estimate_leaves_cards_of_another_format_alone(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("cards", "build", "--library", fresh)
    monkeypatch.setattr("decoct.retrieve.cards.of_library.FORMAT", "later")
    assert json.loads(run("cards", "build", "--library", fresh, "--estimate", "--json"))["estimate"]["documents"] == 2
    with pytest.raises(StaleIndexError, match="older Decoct"):
        run("cards", "show", "verbs", "--library", fresh)
    monkeypatch.undo()
    assert run("cards", "show", "verbs", "--library", fresh)
