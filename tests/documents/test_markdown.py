"""Markdown: offsets in the source itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import one

from decoct.data import Document
from decoct.documents.markup import markdown
from decoct.trace import recording

PAGE = """---
title: "Front: the title"
aliases: [First, 'Second one']
tags:
  - a
draft: true
year: 1912
---
# A *first* heading with [a link](one.md)

Some `code` and [text \\] escaped](<two words.md> "its title"), <https://example.org/auto>.
Second line [over
two lines](http://three.example/é) and [ref][r], [r] and ![image](picture.png).

> ## Quoted heading ##
> - item [four](4.md)
>   lazy [fi*v*e](5.md "t")

Setext
heading
-------

| a | b |
|---|---|
| [c1](c1.md) | [c2](c2.md) |

    [not](a-link.md)

[self](#anchor) [mail](mailto:a@b.c)

[r]: six.md
"""


def _headings(document: Document) -> list[str]:
    return [document.text[start:end] for start, end in document.headings]


def _links(document: Document) -> list[tuple[str, str]]:
    return [(document.text[link.start : link.end], link.target) for link in document.links]


def test_structure_points_into_what_the_author_wrote() -> None:
    document = one("docs/page.md", PAGE)
    assert document.text == PAGE
    assert _headings(document) == ["A *first* heading with [a link](one.md)", "Quoted heading", "Setext\nheading"]
    assert document.levels == (1, 2, 2)
    assert _links(document) == [
        ("a link", "one.md"),
        ("text \\] escaped", "two words.md"),
        ("https://example.org/auto", "https://example.org/auto"),
        ("over\ntwo lines", "http://three.example/é"),
        ("ref", "six.md"),
        ("r", "six.md"),
        ("four", "4.md"),
        ("fi*v*e", "5.md"),
        ("c1", "c1.md"),
        ("c2", "c2.md"),
    ]


def test_front_matter_gives_title_names_and_metadata() -> None:
    document = one("page.md", PAGE)
    assert document.title == "Front: the title"
    assert document.names == ("First", "Second one")
    assert document.metadata == {"draft": True, "year": 1912, "tags": ["a"]}


def test_title_is_the_words_of_the_first_heading() -> None:
    assert one("a.md", "intro\n\n## The `x` *of* [y](z.md) ![badge](b.svg)\n\n# Other").title == "The x of y"
    assert one("a.md", "no heading").title == ""


def test_headings_written_in_html_are_headings() -> None:
    logo, words = '<h1 align="center"><img src="a.svg" alt="logo"></h1>', "Gates &amp; <b>doors</b>"
    text = f'{logo}\n\n<div>\n<h2 class="a">\n  {words}\n</h2>\n</div>\n\n```\n<h1>code</h1>\n```\n\n## Oil'
    document = one("README.md", text)
    assert document.title == "Gates & doors"
    assert _headings(document) == [words, "Oil"]


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    document = one("a.md", "---\nJust prose here, after a rule\n---\n\n# Head\n")
    assert document.title == "Just prose here, after a rule"  # a setext heading
    assert document.metadata == {}


def test_line_ends_are_normalised_before_offsets_are_taken() -> None:
    document = one("a.md", "# One\r\n\r\ntext [l](t.md)\r\n")
    assert document.text == "# One\n\ntext [l](t.md)\n"
    assert _links(document) == [("l", "t.md")]


def test_breaks_that_are_no_line_ends_to_markdown_do_not_shift_offsets() -> None:
    document = one("a.md", "first\u2028still\fhere\n\n# Head\n\n[l](t.md)")
    assert _headings(document) == ["Head"]
    assert _links(document) == [("l", "t.md")]


def test_a_huge_text_is_taken_without_structure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown, "_LARGEST", 10)
    with recording() as trace:
        document = one("a.md", "# Heading\n\nwords")
    assert (document.headings, document.text) == ((), "# Heading\n\nwords")
    assert trace.fallbacks["markdown.structure"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "[" * 30_000,
        "> " * 30_000 + "x",
        "- " * 30_000 + "x",
        "[a](" * 20_000,
        "![" * 15_000,
        "*a **a " * 5_000,
        "`" * 30_000,
    ],
)
def test_hostile_nesting_is_read(text: str) -> None:
    page = "words " * 300 + text  # without words it would be refused as data
    assert one("a.md", page).text == page


BLOCKS = ["# ", "## h\n", "\n", "\n\n", "> ", "- ", "  ", "\t", "|", "|-|\n", "[x]: y\n", "---\n", "===\n"]
PIECE = st.sampled_from([*BLOCKS, "[a](b)", "[x]", "`", "*", "word ", "\\", "<http://e.x>", "é🙂"])


@given(st.lists(PIECE, min_size=1, max_size=40).map("".join).filter(str.strip))
def test_ranges_lie_in_the_text_and_on_their_words(text: str) -> None:
    document = one("a.md", text)
    assert document.text == text
    for start, end in document.headings:
        assert 0 <= start < end <= len(text)
    for link in document.links:
        assert 0 <= link.start < link.end <= len(text)
        assert document.text[link.start : link.end] in ("a", "x", "http://e.x")
    assert list(document.links) == sorted(document.links, key=lambda link: link.start)
