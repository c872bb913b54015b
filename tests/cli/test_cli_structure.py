"""The graph systems from the command line: built in both forms, searched, asked; on a library on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from decoct import Document, Library
from decoct.cli import main
from decoct.cli.app import app
from decoct.errors import ModelTimeoutError
from decoct.llm.base import Request
from decoct_testing.scripted import ScriptedLLM

TEXTS = {
    "Grey Hill (film)": "Grey Hill is a drama shot by the director Lena Ash. It opened in 1931.",
    "Lena Ash": "Lena Ash grew up near Brno. She studied the violin.",
    "Brno": "Brno is a town with many parks.",
}
QUESTION = "Where did the director of Grey Hill grow up?"
BUILT = ("hipporag2", "hypergraphrag", "lightrag", "linearrag", "proprag")
RECIPES = (
    *BUILT,
    *(f"{name}-native" for name in BUILT),
    "lightrag-local",
    "lightrag-global",
    "lightrag-hybrid",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("structures") / "lib"
    with Library.open(folder) as library:
        library.add(Document(title, text, title) for title, text in TEXTS.items())
        for name in BUILT:
            library.structure(name).run()
    return folder


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_answers_without_a_model(place: Path, recipe: str) -> None:
    told = json.loads(run("ask", QUESTION, "--library", place, "--recipe", recipe, "--json"))
    assert "Brno" in told["text"]
    assert told["answer"]
    if recipe in {"lightrag-native", "hypergraphrag-native"}:
        assert told["passages"][0]["title"] == "Entity"


def test_all_are_listed(place: Path) -> None:
    told = json.loads(run("structure", "list", "--library", place, "--json"))
    assert [state["name"] for state in told["structures"]] == list(BUILT)
    assert set(BUILT) <= set(told["methods"])
    assert not any(state["stale"] for state in told["structures"])


def test_without_a_structure_it_says_what_to_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Library.open(tmp_path / "lib") as library:
        library.add(Document("a", "Some text."))
    with pytest.raises(SystemExit) as ended:
        main(["search", "anything", "--library", str(tmp_path / "lib"), "--recipe", "hipporag2"])
    assert ended.value.code == 2
    assert f"run `decoct structure build hipporag2 --library {tmp_path / 'lib'}`" in capsys.readouterr().err


def names(request: Request) -> str:
    found = [name for name in ("Grey Hill", "Lena Ash", "Brno") if name in request.messages[-1].content]
    return json.dumps({"names": found})


def test_a_build_by_a_model_tells_its_cost_and_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "lib"
    with Library.open(place) as library:
        library.add(Document(title, text, title) for title, text in TEXTS.items())
    failing = ScriptedLLM(names, {1: ModelTimeoutError("too slow")})
    monkeypatch.setattr("decoct.llm.resolve.open_llm", lambda *_, **__: failing)
    told = run("structure", "build", "linearrag", "--library", place, "--llm", "local:x")
    assert "linearrag: 3 documents to read, about 3 model calls, " in told
    assert "(3 read, 0 unchanged, 0 removed, 1 piece failed)" in told
    assert "3 model calls (0 from the cache)" in told
    assert "failed: Grey Hill (film): too slow" in told
    again = json.loads(run("structure", "build", "linearrag", "--library", place, "--llm", "local:x", "--json"))
    assert (again["read"], again["failed"], again["calls"]) == (1, 0, 1)
    assert again["completion_tokens"] > 0
    (state,) = json.loads(run("status", "--library", place, "--json"))["structures"]
    assert (state["form"], state["model"], state["failed"]) == ("model", failing.fingerprint, 0)
    with pytest.raises(SystemExit) as ended:
        main(["structure", "build", "linearrag", "--library", str(place)])
    assert ended.value.code == 2
    assert "name a model with --llm, or remove it first" in capsys.readouterr().err
    assert "Lena Ash" in run("search", QUESTION, "--library", place, "--recipe", "linearrag")
