"""HTML: the main text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reading import one, refused

from decoct.data import Document
from decoct.documents.base import Limits

LONG = "The main text of the page says a good deal about its subject. " * 5
PAGE = f"""<!DOCTYPE html><html><head><title>Subject - The Site</title><style>p {{}}</style>
<script>var x = "<p>no</p>";</script></head><body class="sidebar">
<header><a href="/">The Site</a></header><nav><ul><li><a href="/x">Menu</a></li></ul></nav>
<div class="sidebar">Side</div>
<main><header><h1>Subject<a class="headerlink" href="#s">¶</a></h1></header>
<p>{LONG}</p>
<h2 id="h">Second&nbsp;  part</h2><p>With a <a href="other.html">link to <b>other</b></a>, <a href="#h">one within</a><br>and a break.</p>
<!-- a comment --><ul><li>One</li><li><p>Two</p></li></ul>
<table><tr><th>Name</th><th>Year</th></tr><tr><td>A</td><td>1912</td></tr></table>
<pre>  code
    indented</pre><p hidden>secret</p><p style="display: none">secret</p><button>Press</button>
</main><aside>Related</aside><footer>Copyright</footer></body></html>"""


def _links(document: Document) -> list[tuple[str, str]]:
    return [(document.text[link.start : link.end], link.target) for link in document.links]


def test_main_text_headings_and_links() -> None:
    document = one("page.html", PAGE)
    assert document.text == (
        f"Subject\n\n{LONG.strip()}\n\nSecond\u00a0 part\n\nWith a link to other, one within\nand a break.\n\n"
        "- One\n- Two\n\nName | Year\nA | 1912\n\n  code\n    indented"
    )
    assert document.title == "Subject"
    assert [document.text[start:end] for start, end in document.headings] == ["Subject", "Second\u00a0 part"]
    assert document.levels == (1, 2)
    assert _links(document) == [("link to other", "other.html")]


def test_a_short_or_empty_main_is_not_trusted() -> None:
    document = one("a.html", "<body><nav>Menu</nav><main></main><div id=root><p>The words are here.</p></div></body>")
    assert document.text == "The words are here."


def test_where_everything_looks_like_navigation_all_is_kept() -> None:
    assert one("a.html", "<body><nav>Only a <b>menu</b></nav><script>x</script></body>").text == "Only a menu"


def test_title_falls_back_to_the_page_title() -> None:
    assert one("a.html", "<title> A \n title </title><p>text").title == "A title"


def test_site_header_goes_but_one_with_the_heading_stays() -> None:
    assert one("a.html", "<header>Site</header><header><h1>Head</h1></header><p>text").text == "Head\n\ntext"


def test_encodings() -> None:
    page = "<html><head><meta charset='windows-1251'></head><body><p>Привет, мир</p></body></html>"
    assert one("a.html", page.encode("cp1251")).text == "Привет, мир"
    bare = "<html><body><p>Привет, мир</p></body></html>".encode("koi8-r")
    assert one("a.html", bare, media_type="text/html; charset=koi8-r").text == "Привет, мир"
    xml = "<?xml version='1.0' encoding='iso-8859-1'?><html><body><p>Zürich</p></body></html>"
    assert one("a.xhtml", xml.encode("latin-1")).text == "Zürich"


def test_a_nul_does_not_end_the_page() -> None:
    assert one("a.html", b"<p>before\x00after</p><p>end</p>").text == "before after\n\nend"


def test_entities_and_references() -> None:
    assert one("a.html", "<p>1 &lt; 2 &amp; 3 &#x41; &#0; &eacute;</p>").text.startswith("1 < 2 & 3 A")


@pytest.mark.parametrize("page", ["<html></html>", "<script>only()</script>", "<!-- nothing -->", "<p> &nbsp; </p>"])
def test_nothing_to_read(page: str) -> None:
    assert "it holds no text" in refused("a.html", page)
    assert "it is empty" in refused("a.html", "")


def test_deep_nesting_is_read_or_refused_but_never_cut_off() -> None:
    assert one("a.html", "<div>" * 500 + "deep" + "</div>" * 500).text == "deep"
    assert "nested too deeply" in refused("a.html", "<p>before</p>" + "<div>" * 100_000 + "deep")


@pytest.mark.parametrize(
    "page",
    [
        "<a href=x>" * 30_000 + "y",
        "<p " + " ".join(f"a{i}=1" for i in range(5_000)) + ">y",
        "<table><tr><td>" * 300 + "y",
        "&" * 100_000 + "y",
        "<" * 100_000 + "y",
        "<p>y</p>" * 50_000,
        "<li>" * 30_000 + "y",
    ],
)
def test_hostile_pages_are_read(page: str) -> None:
    assert one("a.html", page).text


@pytest.mark.parametrize("attribute", ["a{}=1 ", "a{} ", "a{}/", "a{}='>'", 'a{}=">"'])
def test_tags_of_countless_attributes_are_refused(attribute: str) -> None:
    assert "too many attributes" in refused(
        "a.html", "<p " + "".join(attribute.format(i) for i in range(60_000)) + ">y"
    )
    long = "<img alt='" + "words of a long description, " * 10_000 + "' src='data:" + "x" * 99_999 + "'><p>y"
    assert one("a.html", long).text == "y"


def test_size_is_bounded() -> None:
    assert "limit of 100 bytes for HTML" in refused("a.html", "<p>" + "word " * 100, Limits(text_characters=100))


TAGS = "<p> </p> <a_href=x> </a> <h1> </h1> <pre> </pre> <li> <td> <tr> <table> <main> </main> <nav> </nav> <br> <b> </b> <!-- -->"
TAG = st.sampled_from([*(tag.replace("_", " ") for tag in TAGS.split(" ")), " ", "\n", "word", "é"])


@given(st.lists(TAG, max_size=40).map("".join))
@example("<pre> <p>\n")
@example("<pre> <b>\n \n")
def test_ranges_lie_on_words(page: str) -> None:
    document = one("a.html", page + "--><p>end")
    assert document.text == document.text.strip("\n")
    for start, end in [*document.headings, *((link.start, link.end) for link in document.links)]:
        words = document.text[start:end]
        assert words.strip()
        if "<pre>" not in page:
            assert not words[0].isspace()


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("2<sup>64</sup> keys", "2^64 keys"),
        ("2<sup><i>6<b>4</b></i></sup>", "2^64"),
        ("2<sup>n+1</sup>", "2^(n+1)"),
        ("2<sup>2<sup>3</sup></sup>", "2^(2^3)"),
        ("10<sup>-9</sup> s", "10^-9 s"),
        ("10<sup>6</sup>3", "10^(6)3"),
        ("H<sub>2</sub>O", "H2O"),
        ("x<sub>i</sub> = 1", "x_i = 1"),
        ("1010<sub>2</sub>", "1010_2"),
        ("log<sub>2</sub>8", "log_(2)8"),
        ("the 1<sup>st</sup>", "the 1st"),
        ("said<sup>[3]</sup>", "said[3]"),
        ("said 264<sup><a href='#fn1'>1</a></sup>.", "said 264 (note 1)."),
        ("<sup>1</sup> A note", "1 A note"),
        ("<code>2<sup>8</sup></code>", "2^8"),
        ("<math><msup><mn>2</mn><mn>64</mn></msup></math>", "2^64"),
        ("<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mi>c</mi></mrow></mfrac></math>", "a/(b+c)"),
        ("<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></math>", "x_i^2"),
    ],
)
def test_raised_and_lowered_letters_keep_their_meaning(source: str, text: str) -> None:
    assert one("a.html", f"<p>{source}</p>").text == text
    assert one("a.html", f"<table><tr><td>{source}</td></tr></table>").text == text


def test_marks_within_preformatted_text_keep_its_lines() -> None:
    page = "<pre>\nLS(1)\n\n<b>NAME</b>\n     ls <i>list</i>\n\n<b>OPTIONS</b>\n</pre><p>after"
    assert one("a.html", page).text == "LS(1)\n\nNAME\n     ls list\n\nOPTIONS\n\nafter"


def test_cells_that_hold_paragraphs_stay_in_their_row() -> None:
    page = (
        "<table><tr><td><p>A</p></td><td><p>B</p></td></tr><tr><td><p>C</p></td><td><p>D</p><p>E</p></td></tr></table>"
    )
    assert one("a.html", page).text == "A | B\nC | D; E"


DOCBOOK = '<head><title>{}</title><link rel="home" href="i.html" title="The Manual"><link rel="up" href="u.html" title="{}"></head>'


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title>1. Overview &#8212; Frobnicator 2.0</title><h1>1. Overview</h1>", "Overview — Frobnicator 2.0"),
        ("<title>Overview | Frobnicator</title><h1>Overview</h1>", "Overview | Frobnicator"),
        (DOCBOOK.format("Chapter 4. Caches", "Part II. Use") + "<h2>Chapter 4. Caches</h2>", "Caches — Use"),
        (DOCBOOK.format("7. Races", "Overview") + "<h1>7. Races</h1>", "Races — The Manual"),
        ("<title>Quoting (Shell Manual)</title><h1>3.1.2 Quoting</h1>", "Quoting (Shell Manual)"),
        ("<title>5.1 Release notes</title><h1>5.1 Release notes</h1>", "5.1 Release notes"),
        ("<title>The Site</title><h1>Growing peas</h1>", "Growing peas — The Site"),
        ("<title>Growing peas - The Site</title><h1>Growing peas</h1>", "Growing peas"),
        ("<title>2001: A Space Odyssey</title><p>", "2001: A Space Odyssey"),
        ("<h1>3. Alone</h1>", "Alone"),
        ("<title>Only this</title>", "Only this"),
    ],
)
def test_titles_name_the_work(page: str, title: str) -> None:
    assert one("a.html", page + f"<p>{LONG}").title == title


NAVIGATION = {
    "docbook": '<table summary="Navigation header"><tr><th>Chapter 2. Here</th></tr><tr><td>'
    '<a accesskey="p" href="1.html">Prev</a>'
    '</td><td><a accesskey="n" href="3.html">Next</a></td></tr></table>',
    "publican": '<ul><li class="previous"><a accesskey="p" href="1.html"><strong>Prev</strong></a></li>'
    '<li><a accesskey="n" href="3.html"><strong>Next</strong></a></li></ul>',
    "texinfo": '<p>Next: <a href="3.html" accesskey="n" rel="next">Three</a>, Previous: <a href="1.html" accesskey="p" rel="prev">One</a>, '
    'Up: <a href="i.html" accesskey="u" rel="up">Top</a> &nbsp; [<a href="i.html#t">Contents</a>][<a href="x.html">Index</a>]</p>',
    "old texinfo": '<table><tr><td>[<a href="1.html"> &lt; </a>]</td><td>[<a href="i.html"> Up </a>]</td><td>'
    '[<a href="3.html"> &gt; </a>]</td>'
    "</tr></table>",
    "pictures": '<div><a href="1.html"><img alt="Previous"></a><a href="3.html"><img alt="Next"></a></div>',
    "debiandoc": '<p>[ <a href="2.html">previous</a> ] [ <a href="i.html#contents">Contents</a> ] [ <a href="1.html">1</a> ] '
    '[ <a href="2.html">2</a> ] [ <a href="3.html">next</a> ]</p>',
    "sphinx": '<div class="related" role="navigation"><h3>Navigation</h3><ul><li><a href="x">index</a></li></ul></div>',
    "head links": '<div><a href="one.html">Peas and beans</a> | <a href="three.html">Roots</a></div>',
    "contents": '<h2>Contents</h2><ul><li><a href="#a">First part</a></li><li><a href="#b">Second</a></li>'
    '<li><a href="#c">Third</a></li></ul>',
}


@pytest.mark.parametrize("name", NAVIGATION)
def test_navigation_is_told_by_its_links(name: str) -> None:
    head = '<head><link rel="prev" href="one.html"><link rel="next" href="three.html"></head>'
    around = NAVIGATION[name]
    assert one("a.html", f"<html>{head}<body>{around}<p>{LONG}</p>{around}</body></html>").text == LONG.strip()


@pytest.mark.parametrize(
    "text",
    [
        '<p>See the <a href="3.html">next</a> chapter.</p>',
        '<p>Both the <a href="1.html">previous</a> and the <a href="3.html">next</a> chapters tell how peas are sown.</p>',
        '<ul><li><a href="a.html">Peas</a></li><li><a href="b.html">Beans</a></li><li><a href="c.html">Roots</a></li></ul>',
        '<ul><li><a href="#a">peas</a>: sown in March, three to a hole</li><li><a href="#b">beans</a>: May</li>'
        '<li><a href="#c">x</a></li></ul>',
        "<p>Back to the index of prices: it rose.</p>",
    ],
)
def test_links_of_the_text_stay(text: str) -> None:
    from lxml import html as words

    said = " ".join(words.fromstring(text).itertext()).split()
    found = one("a.html", f"<body><p>{LONG}</p>{text}</body>").text
    assert [word for word in said if word not in found] == []


def test_an_item_of_several_paragraphs_is_set_off_from_the_next() -> None:
    items = "<li><p>Open it.</p><p>Wait.</p></li><li><p>Close it.</p></li><li><p>Go.</p></li>"
    assert one("a.html", f"<ol>{items}</ol>").text == "1. Open it.\n\nWait.\n\n2. Close it.\n3. Go."


def test_what_a_style_strikes_out_and_blocks_that_are_hidden_from_ears_are_told() -> None:
    page = one(
        "a.html",
        '<p>It is <span style="text-decoration: line-through">40</span> 35.<div aria-hidden="true">More.</div>',
    )
    assert page.text == "It is ~~40~~ 35."
    assert page.metadata["left_out"] == "blocks hidden from screen readers (1)"
