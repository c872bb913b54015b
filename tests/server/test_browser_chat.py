"""The chat in a real browser (`make test-browser`): an answer as it is written, Stop, and a conversation by the keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from live import LiveServer
from slow_model import SlowModel
from test_browser import ask, chromium, page, violations

from decoct import Document, Library

pytestmark = pytest.mark.browser
__all__ = ["chromium", "page"]
TABLE = """[defaults]
llm = "slow"

[llm.slow]
provider = "openai"
model = "slow"
base_url = "{url}"
"""


@pytest.fixture(scope="module")
def model() -> Iterator[SlowModel]:
    opened = SlowModel("The bridge was opened in 1934 [1]. It is 120 metres long [1]. Nobody says who painted it.")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, model: SlowModel) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("server")
    with Library.open(folder / "town") as library:
        library.add(
            [
                Document("bridge.txt", "The Aare bridge was opened in 1934. It is 120 metres long.", "Aare bridge"),
                Document("tower.txt", "The tower was built by Bo Larsen. It has a clock.", "Tower"),
            ]
        )
    (folder / "decoct.toml").write_text(TABLE.format(url=model.url), "utf-8")
    server = LiveServer(folder, "--library", "town")
    yield server.url
    server.stop()


def test_an_answer_is_seen_as_it_is_written(page: Any, model: SlowModel) -> None:
    model.go.clear()
    page.goto("/")
    page.locator("#question").fill("When was the Aare bridge opened?")
    page.keyboard.press("Enter")
    page.locator("#writing").filter(has_text="Nobody says").wait_for()  # while the last words are not written yet
    assert page.locator("#answer").count() == 0
    assert page.locator("[data-stop]").is_visible()
    assert page.get_by_role("status").filter(has_text="Writing…").count() == 1
    assert violations(page) == []
    page.shot("writing")
    model.go.set()
    page.locator("#answer .cite").first.wait_for()
    assert page.locator("[data-stop]").is_hidden()
    assert "1934" in page.locator("#answer").inner_text()


def test_stop_ends_the_writing_and_what_was_asked_can_be_asked_otherwise(page: Any, model: SlowModel) -> None:
    model.go.set()
    page.goto("/")
    ask(page, "When was the Aare bridge opened?")
    model.go.clear()
    model.left.clear()
    page.locator("#question").fill("Who built the tower?")
    page.keyboard.press("Enter")
    page.locator("#writing").filter(has_text="Nobody says").wait_for()
    assert page.locator("#turns summary").all_inner_texts() == ["When was the Aare bridge opened?"]
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("status").filter(has_text="Stopped.").wait_for()
    assert model.left.wait(30)  # the model writes no further
    assert page.locator("[aria-busy=true]").count() == 0
    assert page.locator("[data-stop]").is_hidden()
    assert page.evaluate("document.activeElement.id") == "question"
    assert page.locator("#question").input_value() == "Who built the tower?"  # to be changed, or asked again
    assert violations(page) == []
    page.shot("stopped")
    model.go.set()
    assert "1934" in ask(page, "Who built the clock tower?")
    assert page.locator("#turns summary").all_inner_texts() == ["When was the Aare bridge opened?"]


def test_a_conversation_by_the_keyboard_alone(page: Any, model: SlowModel) -> None:
    model.go.set()
    page.goto("/")
    page.locator("#question").focus()
    page.keyboard.type("When was the Aare")
    page.keyboard.press("Shift+Enter")  # a line, not the end
    page.keyboard.type("bridge opened?")
    page.keyboard.press("Enter")
    page.locator("#answer .cite").first.wait_for()
    assert page.evaluate("document.activeElement.id") == "question"  # the next one can be typed at once
    page.keyboard.type("Who built the tower?")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#turn')?.dataset.question === 'Who built the tower?'")

    def reached(what: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("what => document.activeElement.matches(what)", what):
                return
        raise AssertionError(f"{what} cannot be reached by Tab")

    reached(".cite")
    page.keyboard.press("Enter")
    page.locator("#source-title:focus").wait_for()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className") == "cite"
    reached("#answer [data-again]")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "question"
    assert page.locator("#question").input_value() == "Who built the tower?"
