"""Nothing that a document or a model wrote reaches the terminal as anything but characters to see."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import decoct.llm.resolve
from decoct.cli import main
from decoct.cli.show import Clean, clean_streams, stream_behind
from decoct.data import Document
from decoct.library import Library
from decoct_testing.scripted import ScriptedLLM

Run = Callable[..., tuple[int, str, str]]
EVIL = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u2066\x08\r"
ACTS = set("\x1b\x07\x9b\u202e\u2066\x08\r\x00\ud800")


@pytest.fixture
def library(run: Run) -> str:
    text = f"# A heading {EVIL}\nThe stone bridge was opened in {EVIL} 1906 by Anna {EVIL} Leitner."
    headings = ((2, 12 + len(EVIL)),)
    with Library.open("lib") as opened:
        opened.add([Document(f"bridge{EVIL}\n  [9] x", text, f"Bridge\n{EVIL}", headings=headings)])
    return "lib"


def test_every_command_that_shows_documents_is_clean(run: Run, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reply = f"{EVIL}In 1906 [1], \ud800 \x00 said [7] the record.\x1b"
    monkeypatch.setattr(decoct.llm.resolve, "open_llm", lambda *_, **__: ScriptedLLM(lambda _: reply))
    question = "When was the bridge opened?"
    for arguments in (
        ("search", question, "--explain"),
        ("context", question, "--explain"),
        ("ask", question, "--explain"),
        ("ask", question, "--stream"),
        ("ask", question, "--stream", "--llm", "any"),
        ("ask", question, "--llm", "any"),
        ("documents", "list"),
        ("documents", "show", f"bridge{EVIL}\n  [9] x"),
        ("documents", "show", f"none{EVIL}"),
        ("documents", "delete", f"none{EVIL}"),
        (f"none{EVIL}",),
    ):
        _, out, err = run(*arguments, *([] if len(arguments) == 1 else ["--library", library]))
        assert out + err
        assert not ACTS & set(out + err), arguments


def test_json_escapes_and_keeps_every_character(run: Run, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoct.llm.resolve, "open_llm", lambda *_, **__: ScriptedLLM(lambda _: "\ud800\x1b 1906 [1]"))
    code, out, _ = run("ask", "When was the bridge opened?", "--library", library, "--json", "--llm", "any")
    assert code == 0
    assert not ACTS & set(out)
    shown = json.loads(out)
    assert shown["answer"] == "\ud800\x1b 1906 [1]"
    source = shown["citations"][0]["source"]
    with Library.open(library) as opened:
        assert opened.document(source["doc_id"]).text[source["start"] : source["end"]] == source["quote"]
    assert EVIL in source["quote"]


def test_what_is_streamed_is_what_is_answered(run: Run, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        decoct.llm.resolve, "open_llm", lambda *_, **__: ScriptedLLM(lambda _: "So [1, 9] it was, in 1906 [8].")
    )
    asked = ("ask", "When was the bridge opened?", "--library", library, "--llm", "any")
    assert run(*asked)[1] == run(*asked, "--stream")[1]
    assert run(*asked)[1].startswith("So [1] it was, in 1906.\n\nSources\n  [1] ")


def test_sources_tell_page_and_heading(run: Run, tmp_path: Path) -> None:
    text = "Intro\nNothing here yet.\n\fBridges\nThe stone bridge was opened in 1906. It is long."
    with Library.open("lib") as opened:
        opened.add([Document("manual", text, "The manual", headings=((0, 5), (25, 32)), metadata={"pages": 2})])
    _, out, _ = run("ask", "When was the stone bridge opened?", "--library", "lib")
    start = text.index("The stone")
    end = text.index(" It is")
    assert f"  [1] The manual, page 2, Bridges  (manual, characters {start}-{end})" in out.splitlines()


def test_a_terminal_of_few_characters_gets_escapes(run: Run, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    with pytest.raises(SystemExit) as exited:
        main(["context", "When was the bridge opened?", "--library", library])
    assert exited.value.code == 0
    stream.seek(0)
    assert "\\u241b]0;owned" in stream.read()


def test_only_our_own_line_of_progress_is_drawn() -> None:
    raw = io.StringIO()
    stream = Clean(raw, redraws=True)
    stream.writelines(["\r3 of 9 \x1b[1m \x1b[K", "a\r\nb"])
    assert raw.getvalue() == "\r3 of 9 ␛[1m \x1b[Ka\nb"
    assert stream_behind(stream) is raw  # type: ignore[arg-type]
    assert stream_behind(raw) is raw
    plain = io.StringIO()
    Clean(plain).write("\rover \x1b[K")
    assert plain.getvalue() == "␍over ␛[K"
    assert not hasattr(Clean(plain), "buffer")


def test_the_streams_are_given_back() -> None:
    before = sys.stdout, sys.stderr
    with clean_streams():
        assert isinstance(sys.stdout, Clean)
    assert (sys.stdout, sys.stderr) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_device_is_one_line(library: str) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [sys.executable, "-m", "decoct", "status", "--library", library],
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "decoct: nothing more can be written, there is no room: No space left on device"
    ]
