"""What of a page is text, what it is called, and how raised letters are told: each by pages made for it."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree
from reading import one

from decoct.documents.base import Source
from decoct.documents.markup.boilerplate import Around
from decoct.documents.markup.formulas import DOWN, UP, bracketed, in_line, scripted
from decoct.documents.markup.html import charset, main_page, page_tree
from decoct.documents.text import declared_charset, parse
from decoct.documents.titles import page_title, unnumbered
from decoct.errors import ParseError


def tree_of(body: str, head: str = "") -> Any:
    return page_tree(f"<html><head>{head}</head><body>{body}</body></html>")


@pytest.mark.parametrize(
    ("title", "bare"),
    [
        ("1. Overview", "Overview"),
        ("1.2.3. Setup", "Setup"),
        ("3) Use", "Use"),
        ("Chapter 4: The dam", "The dam"),
        ("Appendix B. Tables", "Tables"),
        ("Part IV - Rivers", "Rivers"),
        ("A.1 Terms", "Terms"),
        ("5.1 Release notes", "5.1 Release notes"),  # without a dot the number may be the name's
        ("1984", "1984"),
        ("1. ", "1. "),
        ("Bridges", "Bridges"),
        ("", ""),
    ],
)
def test_a_section_number_is_no_part_of_a_title(title: str, bare: str) -> None:
    assert unnumbered(title) == bare


@pytest.mark.parametrize(
    ("said", "first", "head", "title"),
    [
        ("Frob 2.0", "The frob", "", "The frob"),  # they share a word
        ("Example", "The frob", "", "The frob — Example"),  # one of both names the site
        ("1. Overview — Frob 2.0", "1. Overview", "", "Overview — Frob 2.0"),
        ("1. Overview", "1. Overview", '<link rel="up" title="Frob manual">', "Overview — Frob manual"),
        (
            "1. Overview",
            "1. Overview",
            '<link rel="home" title="Home"><link rel="top" title="2. Frob">',
            "Overview — Frob",
        ),
        ("1. Overview", "1. Overview", '<link rel="up" title="Overview">', "Overview"),
        ("", "", "", ""),
        ("Only this", "", "", "Only this"),
        ("", "Introduction", '<link rel="start" title="Frob manual">', "Introduction — Frob manual"),
    ],
)
def test_a_page_is_called_by_what_it_is_about_and_its_work(said: str, first: str, head: str, title: str) -> None:
    assert page_title(tree_of("x", f"<title>{said}</title>{head}"), first) == title


@pytest.mark.parametrize(
    ("kind", "content", "before", "after", "said"),
    [
        (UP, "64", "2", "", "^64"),
        (UP, "n+1", "2", "", "^(n+1)"),
        (UP, "(n+1)", "2", "", "^(n+1)"),
        (UP, "(a)(b)", "2", "", "^((a)(b))"),
        (UP, "-1", "s", "", "^-1"),
        (UP, "st", "1", "", "st"),
        (UP, "th", "n", "", "^th"),  # an ordinal follows a digit
        (UP, "[1]", "d", "", "[1]"),
        (UP, "2", "x", "y", "^(2)"),  # else x^2y
        (DOWN, "2", "H", "O", "2"),
        (DOWN, "2", "g", "8", "_(2)"),  # log_2 8
        (DOWN, "i", "a", "", "_i"),
        (DOWN, "  ", "a", "", ""),
    ],
)
def test_raised_and_lowered_letters_by_hand(kind: str, content: str, before: str, after: str, said: str) -> None:
    assert scripted(kind, content, before, after) == said


def test_at_the_start_of_a_block_a_mark_is_a_mark() -> None:
    assert scripted(UP, "1", "", starts=True) == "1"
    assert [bracketed(text) for text in ("n", "n+1", "x'", "3.5", "(a)", "")] == [
        "n",
        "(n+1)",
        "(x')",
        "3.5",
        "(a)",
        "()",
    ]


@pytest.mark.parametrize(
    ("markup", "said"),
    [
        ("<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>", "a/(b+1)"),
        ("<math><msup><mi>x</mi><mn>2</mn></msup></math>", "x^2"),
        ("<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></math>", "x_i^2"),
        ("<math><msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt></math>", "√(a+b)"),
        ("<math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover></math>", "∑_i^n"),
        ("<math><msup><mi>x</mi></msup></math>", "x"),  # half of it is missing
        ("<math><mi>x</mi><annotation>\\x</annotation></math>", "x"),
        ("<sup>2<sup>n</sup></sup>", "^(2^n)"),
        ('<sup><a href="#n3">3</a></sup>', " (note 3)"),
        ('<sup><a href="#n3">[3]</a></sup>', "[3]"),
    ],
)
def test_formulas_as_one_line(markup: str, said: str) -> None:
    assert in_line(etree.fromstring(markup, etree.HTMLParser()).find("body")[0], "x") == said


def test_deep_formulas_end() -> None:
    deep = "<sup>" * 300 + "x" + "</sup>" * 300
    said = in_line(etree.fromstring(deep, etree.XMLParser(huge_tree=True)), "2")
    assert (said.strip("^()"), said.count("^") < 20) == ("x", True)


def left_out(body: str, head: str = "", *, inside: bool = False) -> list[str]:
    """The ids of the elements that stand around the text."""
    tree = tree_of(body, head)
    around = Around(tree)
    return [one.get("id") for one in tree.iter() if one.get("id") and around.holds(one, inside=inside)]


@pytest.mark.parametrize(
    ("body", "out"),
    [
        ('<nav id="a">x</nav><footer id="b">x</footer><p id="c">x</p>', ["a", "b"]),
        ('<header id="a">x</header><header id="b"><h1>T</h1></header>', ["a"]),
        ('<div id="a" role="navigation">x</div><div id="b" role="main">x</div>', ["a"]),
        ('<div id="a" class="big Sidebar">x</div><div id="b" class="sidebars">x</div>', ["a"]),
        ('<div id="TOC">x</div><div id="b">x</div>', ["TOC"]),
        (
            '<p id="a" hidden>x</p><p id="b" style="display : none">x</p><p id="c" aria-hidden="true">x</p>',
            ["a", "b", "c"],
        ),
        ('<a id="a" href="#x">¶</a><a id="b" href="#x">more</a><a id="c" href="x">#</a>', ["a"]),
    ],
)
def test_what_is_made_to_stand_around_is_left_out(body: str, out: list[str]) -> None:
    assert left_out(body) == out


def test_what_complements_a_page_is_left_out_only_where_it_holds_links() -> None:
    body = '<div id="a" role="complementary">The man was old.</div><div id="b" role="complementary"><a href="x">More</a></div>'
    assert left_out(f"{body}<aside id='c'>Open from nine.</aside>") == ["b"]


def test_a_formula_is_read_that_is_hidden_behind_its_picture() -> None:
    page = (
        '<p>The norm <span style="display: none;"><math><mi>A</mi><mo>=</mo><msup><mi>x</mi><mn>2</mn></msup></math></span>'
        '<img aria-hidden="true" alt="{\\displaystyle A}"> is real.</p>'
    )
    assert one("a.html", page).text == "The norm A=x^2 is real."


def test_the_raised_number_of_a_note_stands_apart_from_its_first_word() -> None:
    assert one("a.html", '<p><sup><a href="#m">22</a></sup>Sometimes known.</p>').text == "22 Sometimes known."


def test_a_header_within_the_text_belongs_to_it() -> None:
    assert left_out('<header id="a">x</header><aside id="b">x</aside>', inside=True) == []
    assert left_out('<nav id="a">x</nav>', inside=True) == ["a"]


@pytest.mark.parametrize(
    ("links", "around"),
    [
        ('<a href="1.html">Next</a>', True),
        ('<a href="1.html">Next</a> <a href="2.html">Previous page</a>', True),
        ('<a href="1.html">»</a>', True),
        ('<a href="1.html" accesskey="n">Dams</a>', True),
        ('<a href="1.html" rel="prev">Dams</a>', True),
        ('<a href="known.html">Dams</a>', True),  # the head says that it is the next page
        ('<a href="1.html">Dams</a>', False),
        ('Read on about the dams: <a href="1.html">Next</a>', False),
        ('<h2>Next</h2><a href="1.html">Next</a>', False),
        ("<a>Next</a>", False),
    ],
)
def test_navigation_is_told_by_where_its_links_lead(links: str, around: bool) -> None:
    found = left_out(f'<div id="a">{links}</div>', '<link rel="next" href="known.html">')
    assert found == ["a"] * around


def test_a_contents_list_leads_within_the_page_and_takes_its_heading_along() -> None:
    items = "".join(f'<li><a href="#s{n}">Section {n}</a></li>' for n in range(3))
    assert left_out(f'<h2 id="h">Contents</h2><ul id="a">{items}</ul>') == ["h", "a"]
    assert left_out(f'<h2 id="h">Rivers</h2><ul id="a">{items}</ul>') == ["a"]
    two = "".join(f'<li><a href="#s{n}">Section {n}</a></li>' for n in range(2))
    assert left_out(f'<ul id="a">{two}</ul>') == []
    away = items.replace("#s2", "other.html")
    assert left_out(f'<ul id="a">{away}</ul>') == []
    told = items.replace("</a>", "</a>, which tells of rivers and dams")
    assert left_out(f'<ul id="a">{told}</ul>') == []


def test_a_main_part_that_holds_next_to_nothing_is_not_trusted() -> None:
    long = "word " * 60
    page = main_page(tree_of(f"<h1>Out</h1><main><h1>In</h1><p>{long}</p></main>"))
    assert (page.title, page.prose.text.startswith("In\n\nword"), "Out" in page.prose.text) == ("In", True, False)
    page = main_page(tree_of(f"<main>x</main><h1>Out</h1><p>{long}</p>"))
    assert (page.title, page.prose.text.startswith("x\n\nOut")) == ("Out", True)
    assert main_page(tree_of("<nav>Only this</nav>")).prose.text == "Only this"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b'<meta charset="iso-8859-1">', "iso-8859-1"),
        (b"<META http-equiv='x' content='text/html; charset=utf-16'>", "utf-16"),
        (b'<?xml version="1.0" encoding="windows-1252"?>', "windows-1252"),
        (b"<p>charset=x</p>", ""),
        (b" " * 4096 + b'<meta charset="late">', ""),
    ],
)
def test_a_page_declares_its_encoding_at_its_beginning(data: bytes, name: str) -> None:
    assert charset(data) == name


def test_a_page_of_nothing_is_refused() -> None:
    for text in ("", "<!-- -->"):
        with pytest.raises(ParseError):
            page_tree(text)


@pytest.mark.parametrize(
    ("media_type", "name"),
    [
        ("text/plain; charset=UTF-8", "UTF-8"), ('text/html;x=y; Charset="latin-1"', "latin-1"), ("text/plain", ""),
        ("text/plain; charset", ""), ("", ""), ("charset=x", ""),
    ],
)  # fmt: skip
def test_a_server_declares_an_encoding(media_type: str, name: str) -> None:
    assert declared_charset(Source.of("a", b"", media_type=media_type)) == name


def test_a_formatted_manual_page_has_a_title_and_headings_and_other_text_has_none() -> None:
    page = "LS(1)      User Commands      LS(1)\n\nNAME\n       ls - list\n\nSEE ALSO\n       dir(1)\n"
    (document,) = parse(Source.of("ls.txt", page.encode()))
    assert (document.text, document.title) == (page, "ls(1)")
    assert [document.text[slice(*at)] for at in document.headings] == ["NAME", "SEE ALSO"]
    (plain,) = parse(Source.of("a.txt", b"LS(1) lists files.\n\nNAME\n"))
    assert (plain.title, plain.headings) == ("", ())


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("<mn>2</mn><mfrac><mn>3</mn><mn>4</mn></mfrac>", "2 3/4"),
        ("<msqrt><mi>x</mi></msqrt><mn>5</mn>", "√x 5"),
        ("<mroot><mn>8</mn><mn>3</mn></mroot>", "8^(1/3)"),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>20</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>",
            "1 20; 3",
        ),
        ("<mmultiscripts><mi>C</mi><mn>2</mn><none/><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>", "C 2 6 14"),
        ("<mn>2</mn><mi>x</mi><mo>+</mo><mn>1</mn>", "2x+1"),
        ("<msup><mi>x</mi><mn>2</mn></msup><mi>y</mi>", "x^2 y"),
    ],
)
def test_numbers_of_a_formula_do_not_fuse(formula: str, said: str) -> None:
    assert one("a.html", f"<p><math>{formula}</math></p>").text == said
