"""What people are used to from other programs: -h, -, patterns, exit codes, errors as JSON, a file of one's own, what Ctrl-C keeps."""

from __future__ import annotations

import errno
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from decoct import Document, Library
from decoct.data import Floats
from decoct.embed.base import TextKind
from decoct.ingest import COMMIT, FIRST_CHARACTERS, Report
from decoct.settings import load_settings
from decoct_testing.hash_embedder import HashEmbedder

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("decoct.embed.resolve.open_embedder", lambda *_: HashEmbedder())


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_help_is_h_and_the_version_has_a_command(run: Run) -> None:
    for arguments in (["-h"], ["ask", "-h"], ["documents", "list", "-h"]):
        code, out, _ = run(*arguments)
        assert (code, "Usage: decoct" in out) == (0, True)
    assert run("version")[1] == run("--version")[1]
    assert "--install-completion" in run("-h")[1]


def test_a_shells_completion_knows_the_commands(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_DECOCT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "decoct se")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert set(run()[1].split()) == {"search", "serve"}


def test_standard_input_is_a_document_and_a_question(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "The old bridge was opened in 1934.")
    assert run("ingest", "-", "--id", "notes")[0] == 0
    typed(monkeypatch, "When was the old bridge opened?\n")
    code, out, _ = run("ask", "-")
    assert (code, "1934" in out) == (0, True)
    typed(monkeypatch, "old bridge")
    assert json.loads(run("search", "-", "--json")[1])["hits"][0]["doc_id"] == "notes"
    typed(monkeypatch, " ")
    assert run("ingest", "-")[0] == 2
    assert "alone" in run("ingest", "-", ".")[2]


def test_a_pattern_in_quotes_means_the_files(run: Run, tmp_path: Path) -> None:
    for name in ("a.md", "deep/b.md", "c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"This is {name}.")
    assert json.loads(run("ingest", "**/*.md", "--json")[1])["added"] == 2
    code, _, err = run("ingest", "*.nothing")
    assert (code, "no file matches" in err) == (2, True)


def test_nothing_found_is_one_as_of_grep(run: Run) -> None:
    with Library.open(".decoct") as library:
        library.add(Document("a", "The old bridge was opened in 1934."))
    code, _, err = run("ask", "When was the old bridge opened?")
    assert (code, err) == (0, "")
    nothing = ["--filter", "year=1"]
    for command in (["search", "bridge"], ["context", "bridge"], ["ask", "bridge"], ["ask", "bridge", "--json"]):
        assert run(*command, *nothing)[0] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "name"),
    [
        (["ask", "x", "--json"], 2, "library"),
        (["ask", "--json"], 2, "usage"),
        (["search", "x", "-k", "no", "--json"], 2, "usage"),
    ],
)
def test_errors_are_json_where_results_are(run: Run, arguments: list[str], code: int, name: str) -> None:
    given, out, err = run(*arguments)
    told = json.loads(err)["error"]
    assert (given, out, told["code"]) == (code, "", name)
    assert told["message"]


def test_a_reader_of_a_pipe_that_goes_away_is_no_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_: object) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr("decoct.cli.show.as_json", gone)
    assert run("recipes", "--json") == (0, "", "")


def test_a_users_own_file_holds_everywhere_and_the_folders_over_it(tmp_path: Path) -> None:
    own = tmp_path / "home" / ".config" / "decoct"
    own.mkdir(parents=True)
    (own / "config.toml").write_text('[defaults]\nrecipe = "bm25"\nbudget = 100\n[llm.mine]\nprovider = "openai"\n')
    environment = {"HOME": str(tmp_path / "home")}
    found = load_settings(environment, tmp_path)
    assert (found.recipe, found.budget, list(found.models)) == ("bm25", 100, ["mine"])
    (tmp_path / "decoct.toml").write_text("[defaults]\nbudget = 200\n")
    found = load_settings(environment, tmp_path)
    assert (found.recipe, found.budget) == ("bm25", 200)
    assert load_settings({**environment, "XDG_CONFIG_HOME": str(tmp_path)}, tmp_path / "home").recipe == "default"


class _Clock:
    """Time that passes by what is embedded: a tenth of a second a text."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


def test_what_an_interruption_costs_is_bounded_by_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C after three seconds kept nothing: a batch of 100,000 characters was one transaction."""
    clock = _Clock()
    monkeypatch.setattr("decoct.ingest.time", clock)
    embed = HashEmbedder.embed

    def slowly(self: HashEmbedder, texts: Sequence[str], kind: TextKind) -> Floats:
        clock.now += 0.1 * len(texts)
        return embed(self, texts, kind)

    monkeypatch.setattr(HashEmbedder, "embed", slowly)
    documents = [
        Document(f"d{n}", f"Text {n} says little. " * 25) for n in range(150)
    ]  # some 80,000 characters, one batch

    def interrupted(report: Report) -> None:
        if clock.now >= 3:
            raise KeyboardInterrupt

    with Library.open(tmp_path / "l", embedder=HashEmbedder()) as library:
        with pytest.raises(KeyboardInterrupt):
            library.add(documents, progress=interrupted)
        kept = library.status().documents
        assert kept * len(documents[0].text) >= FIRST_CHARACTERS
        assert library.add(documents).unchanged == kept
        assert COMMIT < 3
