"""The page in a real browser (`make test-browser`): Chromium by Playwright, and axe, which finds no violation.

CHROMIUM names the browser (/usr/bin/chromium), AXE the file axe.min.js that the Makefile fetches.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from decoct import Document, Library

pytestmark = pytest.mark.browser
SIZES = {"desktop": (1280, 860), "phone": (390, 844)}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("server")
    with Library.open(folder / "dispute") as library:
        library.add(
            [
                Document("bridge.txt", "The Aare bridge was opened in 1934. It is 120 metres long.", "Aare bridge"),
                Document("guide.txt", "The Aare bridge, which was opened in 1936, carries trams.", "City guide"),
                Document("chronicle.txt", "The Aare bridge was opened in 1934 by the mayor.", "Old chronicle"),
                Document("walks.txt", "The Aare bridge was opened in 1934. Walkers like it.", "Walks"),
            ]
        )
    with Library.open(folder / "alike") as library:
        said = "The old bridge over the Aare was opened in 1934. Visitor {} crossed it on foot."
        library.add([Document(f"d{n}", said.format(n), f"Bridge {n}") for n in range(4)])
    command = "from decoct.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "serve", "--demo", "--library", "dispute", "--library", "alike", "--port", "0"],
        cwd=folder, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.terminate()
    process.wait(400)
    process.stdout.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(params=[(size, scheme) for size in SIZES for scheme in ("light", "dark")], ids="-".join)
def page(request: pytest.FixtureRequest, chromium: Any, url: str) -> Iterator[Any]:
    size, scheme = request.param
    width, height = SIZES[size]
    context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, base_url=url)
    made = context.new_page()
    said: list[str] = []
    made.on("console", lambda message: said.append(message.text) if message.type in {"error", "warning"} else None)
    made.on("pageerror", lambda error: said.append(str(error)))
    made.on("request", lambda asked: said.append(asked.url) if not asked.url.startswith(url) else None)
    made.shot = lambda name: _shot(made, f"{name}-{size}-{scheme}.png")
    yield made
    context.close()
    assert said == []  # no error, nothing against the policy, nothing from elsewhere


def _shot(page: Any, name: str) -> None:
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / name)


def violations(page: Any) -> list[str]:
    page.evaluate(Path(os.environ["AXE"]).read_text("utf-8"))
    found = page.evaluate("axe.run()")
    return [f"{one['id']}: {[node['target'] for node in one['nodes']]}" for one in found["violations"]]


def test_the_first_minute(page: Any) -> None:
    page.goto("/")
    assert violations(page) == []
    page.shot("first")
    bar, card = (page.locator(one).bounding_box() for one in (".chats", "#ask"))
    assert (bar["x"], bar["width"]) == (card["x"], card["width"])  # one column
    assert bar["y"] + bar["height"] + 8 <= card["y"]
    page.get_by_text("What range does the BLEU metric have?").click()
    page.locator("#answer").wait_for(timeout=60_000)
    page.get_by_role("status").filter(has_text="tokens").wait_for()
    assert page.locator("[data-stop]").is_hidden()
    assert violations(page) == []
    page.shot("answer")
    cite = page.locator(".cite").first
    cite.focus()
    page.keyboard.press("Enter")
    page.locator("#cited").wait_for(timeout=20_000)
    page.locator("#source-title:focus").wait_for()
    inside = "([mark, box]) => mark.top >= box.top && mark.top < box.bottom && mark.top < innerHeight"
    boxes = "['#cited', '#source .text'].map(one => document.querySelector(one).getBoundingClientRect())"
    assert page.evaluate(f"({inside})({boxes})")  # what is cited is in sight
    assert violations(page) == []
    page.shot("source")
    page.keyboard.press("Escape")
    assert page.locator("#source").inner_text() == ""
    assert page.evaluate("document.activeElement.className") == "cite"
    for summary in page.locator(".inspector > details > summary").all():
        summary.click()
        assert violations(page) == []


def test_what_is_marked_is_what_is_cited(page: Any, url: str) -> None:
    page.goto("/?question=What+range+does+the+BLEU+metric+have%3F&budget=500")
    page.locator(".cite").first.click()
    page.locator("#cited").wait_for(timeout=20_000)
    marked = page.locator("#cited").text_content()
    href = page.locator(".cite").first.get_attribute("href")
    span = page.request.get(href.replace("/source?library=demo&", "/api/v1/libraries/demo/span?")).json()
    assert marked == span["text"]


def test_the_page_of_a_pdf_is_a_picture_with_the_words_marked(page: Any) -> None:
    page.goto("/?question=What+range+does+the+BLEU+metric+have%3F&budget=500")
    page.locator(".cite[href*='bleu.pdf']").first.click()
    page.get_by_role("link", name="Page", exact=True).click()
    picture = page.locator(".pdf")
    picture.wait_for()
    assert violations(page) == []
    width = picture.evaluate("async one => { await one.decode(); return one.naturalWidth }")
    assert width > 500
    page.shot("page")


def ask(page: Any, question: str) -> str:
    page.locator("#question").fill(question)
    page.locator("#question").press("Enter")
    page.wait_for_function("asked => document.querySelector('#turn')?.dataset.question === asked", arg=question)
    return str(page.locator("#answer").inner_text())


def test_a_conversation_is_kept_corrected_copied_and_exported(page: Any) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/?library=dispute")
    assert "1934" in ask(page, "When was the Aare bridge opened?")
    assert page.locator("#turns li").count() == 0  # the answer that is shown stands below
    told = ask(page, "And how long is it?")
    assert "Asked: How long is" in told
    assert "120 metres" in told
    assert page.locator("#turns summary").all_inner_texts() == ["When was the Aare bridge opened?"]
    page.get_by_text("Copy with citations").click()
    page.get_by_role("status").filter(has_text="Copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "120 metres" in copied
    assert "[1] Aare bridge: “It is 120 metres long.”" in copied
    with page.expect_download() as begun:
        page.get_by_text("Export as Markdown").click()
    exported = begun.value.path().read_text("utf-8")
    assert exported.startswith("## When was the Aare bridge opened?")
    assert "## And how long is it?" in exported
    assert violations(page) == []
    # The last question is put right, then the first one; what stood behind it is gone.
    page.locator("#answer").get_by_text("Edit and ask again").click()
    assert page.locator("#question").input_value() == "And how long is it?"
    assert page.locator("#answer").count() == 0
    assert "trams" in ask(page, "And what does it carry?")
    page.reload()
    page.goto("/?library=dispute")
    page.locator("#chat").select_option(label="When was the Aare bridge opened?")
    assert page.locator("#turns summary").all_inner_texts() == [
        "When was the Aare bridge opened?",
        "And what does it carry?",
    ]
    page.locator("#turns summary").first.click()
    page.locator("#turns").get_by_text("Edit and ask again").first.click()
    assert page.locator("#turns li").count() == 0
    assert page.evaluate("document.activeElement.id") == "question"
    page.get_by_role("button", name="Forget").click()
    assert page.locator("#chat option").all_inner_texts() == ["new"]


def test_compare(page: Any) -> None:
    page.goto("/compare?question=Who+represented+Rosa+Parks%3F&budget=300&recipe=default&recipe=naive", timeout=60_000)
    assert page.locator(".column").count() == 2
    assert violations(page) == []
    page.shot("compare")


def test_documents_and_the_theme(page: Any) -> None:
    page.goto("/documents")
    assert violations(page) == []
    page.shot("documents")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_label("Change between light and dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    page.locator("#only").fill("pages >= 1")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Bleu: A Method").wait_for()
    assert page.locator("table.list tbody tr").count() == 1
    page.locator("#files").set_input_files(
        [{"name": "dam.txt", "mimeType": "text/plain", "buffer": b"The dam was built in 1911 by Bo Larsen."}]
    )
    with page.expect_navigation(timeout=60_000):
        page.get_by_role("button", name="Upload", exact=True).click()
    page.locator(".jobs li:first-child .state.done").wait_for(timeout=120_000)
    assert violations(page) == []


def test_files_can_be_dropped_and_a_refusal_is_told(page: Any) -> None:
    page.goto("/documents")
    drop = """(form, [name, text]) => {
        const data = new DataTransfer();
        data.items.add(new File([text], name, {type: "text/plain"}));
        form.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
    }"""
    form = page.locator("#upload")
    with page.expect_navigation(timeout=30_000):
        form.evaluate(drop, ["dropped.txt", "The weir was built in 1899."])
    page.locator(".jobs li:first-child .state.done").wait_for(timeout=120_000)
    page.goto("/documents?library=demo&find=dropped")
    page.get_by_role("link", name="dropped.txt").wait_for()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Remove dropped.txt").click()
    page.goto("/documents?library=demo&find=dropped")
    page.get_by_text("None of these").wait_for()


def test_cards_reports_and_the_interface(page: Any) -> None:
    page.goto("/cards")
    assert violations(page) == []
    page.shot("cards")
    page.goto("/docs")
    page.locator(".route summary").first.click()
    assert violations(page) == []
    page.shot("interface")
    page.goto("/reports")
    assert violations(page) == []
    page.locator("#name").fill("First look")
    page.locator("#generate").fill("12")
    page.locator("#budgets").fill("200, 900")
    page.get_by_role("button", name="Measure").click()
    page.get_by_role("heading", name="evidence recall").wait_for(timeout=250_000)  # it follows the run by itself
    figure = page.locator(".figures img").first
    assert figure.evaluate("async one => { await one.decode(); return one.naturalWidth }") > 300
    assert violations(page) == []
    page.shot("report")


def test_a_conflict_and_a_merge_tree(page: Any) -> None:
    page.goto("/?library=dispute&question=When+was+the+Aare+bridge+opened%3F&recipe=casc&budget=500", timeout=60_000)
    page.locator(".side.chosen").wait_for()
    assert page.locator(".side").count() == 2
    assert violations(page) == []
    page.shot("conflict")
    page.goto(
        "/?library=alike&question=When+was+the+old+bridge+opened%3F&recipe=merge-extract&budget=60", timeout=60_000
    )
    page.get_by_text("Merge tree").click()
    page.locator(".node").first.wait_for()
    page.locator(".node").first.scroll_into_view_if_needed()
    assert violations(page) == []
    page.shot("merge")
