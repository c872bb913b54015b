"""The page that names every pattern and list of English words is of these modules, and there are not more of them."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PAGES = Path(__file__).parent.parent / "lab" / "docs"
sys.path.insert(0, str(PAGES))

import word_lists  # type: ignore[import-not-found]  # noqa: E402

WRITE = "run: python lab/docs/word_lists.py > lab/docs/word-lists.md"
MOST_PATTERNS, MOST_WORDS = 104, 469  # what they were when this was written; they may only fall


def test_there_are_no_more_patterns_and_words_than_there_were() -> None:
    found = word_lists.modules()
    assert sum(len(one.patterns) for one in found) <= MOST_PATTERNS
    assert len({word for one in found for word in one.different}) <= MOST_WORDS


def test_the_page_names_the_modules_that_hold_words() -> None:
    page = (PAGES / "word-lists.md").read_text("utf-8")
    assert set(re.findall(r"^\| `([^`]+)`", page, re.MULTILINE)) == {one.module for one in word_lists.modules()}, WRITE


def test_what_words_were_worth_is_said_of_modules_that_hold_some() -> None:
    worth = tomllib.loads((PAGES / "word_lists.toml").read_text("utf-8"))
    assert set(worth) <= {one.module for one in word_lists.modules()}


def test_words_are_told_from_the_signs_of_a_pattern() -> None:
    assert word_lists.words_of(r"\b(?:[Ww]hat|how many)\b\s{0,16}(?P<name>[a-z]+)") == ("what", "how", "many")
    assert word_lists.words_of(r"^\W*\d{2}(?i:[A-Z])$") == ()
