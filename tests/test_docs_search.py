"""Whoever has not seen the project finds ten tasks by the site's search: the right page is among the first three.

The site searches by lunr in the browser. This is the same index in Python: a document for each section, titles a
thousand times a word of the text, a page's weight from `mkdocs.yml`, every word of a question as the beginning of a
word.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from lunr import get_default_builder
from lunr.stemmer import stemmer

ROOT = Path(__file__).parent.parent
BOOK, NOTEBOOK = ROOT / "docs", ROOT / "lab/docs"
FIRST = 3
TASKS = {
    "how-to/chat-over-my-folder.md": ("ask a folder", "ask questions about my files", "chat with my documents"),
    "how-to/keep-it-in-sync.md": ("keep in sync", "sync a folder", "update when files change"),
    "how-to/serve-a-team.md": ("serve a team with keys", "multiple users access key", "share with my team"),
    "how-to/langchain-in-five-lines.md": ("langchain", "use with langchain", "langchain retriever"),
    "how-to/choose-a-budget.md": ("choose a budget", "how many tokens", "token limit"),
    "how-to/know-whether-to-trust-an-answer.md": ("trust an answer", "is the answer right", "confidence score"),
    "how-to/evaluate-my-corpus.md": ("measure on my own questions", "evaluate", "benchmark my questions"),
    "how-to/add-a-format.md": ("add a format", "new file format", "custom file type"),
    "how-to/move-to-postgresql.md": ("postgres", "move to postgresql", "migrate to postgres"),
    "how-to/reproduce-a-table.md": ("reproduce a table", "reproduce paper results", "paper results"),
    "tutorials/chat.md": ("chat tutorial", "first chat"),
    "tutorials/agent.md": ("agent tutorial", "first agent"),
    "tutorials/own-questions.md": ("evaluation tutorial", "first evaluation"),
}


@pytest.fixture(scope="module")
def index() -> Any:
    """The sections of every page of the site that is written by hand or beside it, as the site's search indexes them."""
    weights = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["extra"]["search_weights"]
    pages = {path.relative_to(BOOK).as_posix(): path for path in BOOK.rglob("*.md")}
    pages |= {f"notebook/{path.name}": path for path in NOTEBOOK.glob("*.md")}
    builder = get_default_builder()
    builder.pipeline.remove(stemmer)
    builder.ref("place")
    builder.field("title", boost=1000)
    builder.field("text")
    for page, path in sorted(pages.items()):
        boost = next((one for begin, one in weights.items() if page.startswith(begin)), 1)
        text = re.sub(
            r"^```.*?^```", lambda found: found[0].replace("\n#", "\n "), path.read_text("utf-8"), flags=re.M | re.S
        )
        for number, part in enumerate(re.split(r"^(?=#+ )", text, flags=re.M)[1:]):
            title, _, words = part.lstrip("# ").partition("\n")
            builder.add({"place": f"{page}#{number}", "title": title, "text": words}, {"boost": boost})
    return builder.build()


def found(index: Any, question: str) -> list[str]:
    """The pages in the order in which the site shows them."""
    asked = question.split()
    best: dict[str, float] = {}
    for one in index.search(" ".join(f"{word}*" for word in asked)):
        page, _, number = one["ref"].partition("#")
        hit = sum(any(term.startswith(word) for term in one["match_data"].metadata) for word in asked) / len(asked)
        best[page] = max(best.get(page, 0.0), one["score"] * (1 + ((number == "0") + hit) ** 2))
    return sorted(best, key=lambda page: -best[page])


@pytest.mark.parametrize(("page", "question"), [(page, one) for page, asked in TASKS.items() for one in asked])
def test_a_task_is_among_the_first_that_a_search_shows(index: Any, page: str, question: str) -> None:
    assert page in found(index, question)[:FIRST]


def test_a_search_for_nothing_of_the_book_finds_nothing(index: Any) -> None:
    assert found(index, "zebra") == []
