"""The user's book keeps its form: a bounded number of words, pages that begin with a command, and what is written from the program."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def writer(name: str) -> Any:
    """A program beside the pages that writes some of them."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference_pages, result_figures = writer("reference_pages"), writer("result_figures")
WORDS = 25_000
GENERATED = {"cli.md", *(f"reference/{name}" for name in reference_pages.PAGES)}
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.glob("**/*.md"))
BY_HAND = [page for page in PAGES if page not in GENERATED]
ANCHORED = sorted([*ROOT.glob("*.md"), *DOCS.glob("**/*.md"), *ROOT.glob("lab/docs/*.md"), *ROOT.glob("lab/*.md")])
NAV = {
    title: pages
    for section in yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[2])
    for title, pages in section.items()
}


def text_of(page: str) -> str:
    return (DOCS / page).read_text("utf-8")


@pytest.mark.parametrize("page", sorted(reference_pages.PAGES))
def test_a_reference_page_is_written_from_the_program(page: str) -> None:
    assert text_of(f"reference/{page}") == reference_pages.PAGES[page](), "run: python docs/reference_pages.py"


@pytest.mark.parametrize("picture", sorted(result_figures.PICTURES))
def test_a_picture_is_drawn_from_its_result(picture: str) -> None:
    drawn = (DOCS / "figures" / picture).read_text("utf-8")
    assert drawn == result_figures.PICTURES[picture](), "run: python docs/result_figures.py"


def test_the_settings_page_names_every_variable_that_the_program_reads() -> None:
    source = [
        path.read_text("utf-8") for folder in ("src", "lab/src", "plugins") for path in (ROOT / folder).rglob("*.py")
    ]
    read = {name for text in source for name in re.findall(r"\bDECOCT_[A-Z]+(?:_[A-Z]+)*\b", text)}
    assert read == set(reference_pages.ENVIRONMENT)


def test_the_book_is_short() -> None:
    words = sum(len(text_of(page).split()) for page in BY_HAND)
    assert words <= WORDS, (
        f"{words} words: move measurements to lab/docs, and what the program knows to docs/reference_pages.py"
    )


@pytest.mark.parametrize("page", [page for page in BY_HAND if page not in {"glossary.md", "index.md"}])
def test_a_page_begins_with_what_it_is_for_and_a_command(page: str) -> None:
    head, *rest = text_of(page).split("\n\n")
    assert head.startswith("# ")
    assert not rest[0].startswith(("#", "|", "```")), "one sentence first: what the page is for"
    before = text_of(page).partition("\n## ")[0]
    assert "```" in before, "a command that works stands before the first section"
    assert len(before.partition("```")[0].split()) <= 120, "the command comes first, then the rest"


@pytest.mark.parametrize("page", BY_HAND)
def test_a_page_has_at_most_one_table_of_figures(page: str) -> None:
    tables = re.findall(r"(?:^\|.*\n)+", text_of(page), re.M)
    assert sum(len(re.findall(r"(?<![\w.])\.\d{2}", table)) > 3 for table in tables) <= 1


def test_the_site_has_every_page_once_and_few_explain() -> None:
    named = [page for title, pages in NAV.items() if title != "Notebook" for page in pages]
    assert len(named) == len(set(named))
    assert set(PAGES) == set(named) - {"architecture.md", "changelog.md"}
    assert len(NAV["Explanation"]) <= 8
    assert len(NAV["How to"]) >= 15


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as the site and most forges make them."""
    titles: list[Any] = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[ -]+", "-", re.sub(r"[^\w\- ]", "", title.lower()).strip()) for title in titles}


@pytest.mark.parametrize("path", ANCHORED, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_link_to_a_section_finds_it(path: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)", path.read_text("utf-8")):
        leads = path.parent / target if target else path
        if leads.suffix == ".md":
            assert anchor in anchors(leads.read_text("utf-8")), f"{target}#{anchor}"
