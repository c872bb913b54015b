"""The first minute: what the demo's page offers to ask is answered, by the words that answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from decoct import Library
from decoct.errors import ConfigError
from decoct.server.demo import QUESTIONS, demo_library

WORDS = ("Clifford Judkins Durr", "0 to 1", "752 negative and 1301")


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="module")
def demo(state: Path) -> Iterator[Library]:
    with Library.open(demo_library(state)) as library:
        yield library


@pytest.mark.parametrize(("question", "words"), list(zip(QUESTIONS, WORDS, strict=True)))
def test_each_question_to_click_is_answered(demo: Library, question: str, words: str) -> None:
    answer = demo.ask(question, 2_000)
    assert answer.outcome == "answer"
    assert words in answer.citations[0].source.quote
    assert answer.answers[0].text == words


def test_the_demo_is_made_once(demo: Library, state: Path) -> None:
    before = demo.status()
    written = (demo_library(state) / "library.db").stat()
    with Library.open(demo_library(state)) as again:
        assert again.status() == before
    assert (demo_library(state) / "library.db").stat().st_ino == written.st_ino


def test_without_a_checkout_the_demo_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("decoct.server.demo.__file__", str(tmp_path / "a" / "b" / "c" / "demo.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="run it in a checkout"):
        demo_library(tmp_path / "state")
