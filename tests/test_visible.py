"""What a terminal or page would act on is shown instead."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from decoct.visible import visible, visible_json, visible_line, visible_markdown, visible_markdown_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext: é 日 🙂", "plain\n\ttext: é 日 🙂"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("a\rb\x00\x7f", "a␍b␀␡"),
        ("\x9b31m", "\ufffd31m"),
        ("\u202eabc\u2066", "\ufffdabc\ufffd"),
        ("\ud800", "\ufffd"),
    ],
)
def test_by_hand(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters()))
def test_lengths_stay_and_it_is_idempotent(text: str) -> None:
    assert len(visible(text)) == len(text)
    assert visible(visible(text)) == visible(text)
    assert visible(text).encode().decode() == visible(text)
    assert "\n" not in visible_line(text)


@given(st.dictionaries(st.text(st.characters()), st.text(st.characters())))
def test_json_shows_nothing_that_acts_and_reads_back_as_it_was(value: dict[str, str]) -> None:
    written = visible_json(value)
    assert json.loads(written) == value
    assert visible(written) == written
    assert visible_json(value, ascii_only=True).isascii()


def _kinds(markdown: str) -> set[str]:
    """The kinds of everything that a Markdown parser finds in `markdown`."""
    found = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(markdown)
    return {token.type for one in found for token in (one, *(one.children or ()))}


MARKUP = "*_`[]()!<>|~#-+=.\\&;:/1a \n$\t"


@given(st.text(st.sampled_from(MARKUP), max_size=30))
@example("![x](http://tracker/a.png)")
@example("<script>alert(1)</script>")
@example("[a]: http://b")
@example("a\n===")
@example("| a |\n|---|")
@example("&lt;b&gt;")
@example("1) x")
def test_markdown_of_foreign_words_shows_them_and_does_nothing(text: str) -> None:
    plain = {
        "paragraph_open",
        "paragraph_close",
        "inline",
        "text",
        "text_special",
        "softbreak",
        "hardbreak",
        "code_block",
    }
    assert _kinds(visible_markdown(text)) <= plain
    row = f"| head |\n|---|\n| {visible_markdown_line(text)} |"
    table = {f"{part}_{end}" for part in ("table", "thead", "tbody", "tr", "th", "td") for end in ("open", "close")}
    assert _kinds(row) <= plain | table
    assert _kinds(row) >= table


@given(st.text(st.sampled_from("ab_ .,"), max_size=20))
def test_names_stay_readable(text: str) -> None:
    shown = visible_markdown_line(text)
    assert shown.replace("\\", "") == " ".join(text.split())
    assert visible_markdown_line("recall_at_5 of bm25-rm3 (k=10)") == "recall_at_5 of bm25-rm3 (k=10)"
