"""Numbers of lists, values of fields, pictures, notes and struck-out text of a page."""

from __future__ import annotations

import pytest
from lxml import etree
from reading import one

from decoct.documents.base import LEFT_OUT, left_out
from decoct.documents.counted import as_letters, as_roman
from decoct.documents.markup.htmlfields import ListCounter, field_value
from decoct.documents.markup.htmltable import data_tables
from decoct.feed import ReadFile


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<ol><li>Close<li>Drain</ol>", "1. Close\n2. Drain"),
        ("<ol start=4><li>Close<li>Drain</ol>", "4. Close\n5. Drain"),
        ("<ol><li>a<li value=7>b<li>c</ol>", "1. a\n7. b\n8. c"),
        ("<ol reversed><li>a<li>b</ol>", "2. a\n1. b"),
        ("<ol type=a start=26><li>a<li>b</ol>", "z. a\naa. b"),
        ("<ol type=I start=9><li>a<li>b</ol>", "IX. a\nX. b"),
        ("<ul><li>Adults<ul><li>Day: 12</ul><li>Children<ol><li>Day: 5</ol></ul>",
         "- Adults\n  - Day: 12\n- Children\n  1. Day: 5"),
        ("<ol><li><p>a</p><li><p>b</p></ol>", "1. a\n2. b"),
        ("<ol start=x><li>a</ol>", "1. a"),
        ("<li>alone", "- alone"),
        ("<p>The fee is <del>40 euros</del> <ins>35 euros</ins>.", "The fee is ~~40 euros~~ 35 euros."),
        ("<p>Was <s>40</s> <strike>38</strike> 35", "Was ~~40~~ ~~38~~ 35"),
        ("<p>Name: <input value='Ona Reed'> <input type=hidden value=x><input type=submit value=Send>", "Name: Ona Reed"),
        ("<p>Size: <select><option>S<option selected>M</select>", "Size: M"),
        ("<p><input type=checkbox checked>Lift <input type=checkbox>Ramp", "[x] Lift [ ] Ramp"),
        ("<p>Note: <textarea>two\nlines</textarea>", "Note: two lines"),
        ("<p>Press <img alt='Save'> now", "Press Save now"),
        ("<figure><img alt='The pump, cut open'><figcaption>Figure 1</figcaption></figure>",
         "[picture: The pump, cut open]\n\nFigure 1"),
        ("<p><img alt=''>x", "x"),
        ("<p>It weighs 80 kg<a role='doc-noteref' href='#n'>2</a> dry.", "It weighs 80 kg (note 2) dry."),
        ("<p>at five.<a epub:type='noteref' href='n.html#n'>1</a>", "at five. (note 1)"),
        ("<p>12<sup><a href='n.html#f3'>3</a></sup> men", "12 (note 3) men"),
        ("<p>12<a role='doc-noteref' href='#f'>[3]</a> men", "12[3] men"),
        ("<p>3<sup>1</sup>⁄<sub>4</sub> in and <sup>2</sup>/<sub>3</sub>, m<sup>2</sup>/s", "3 1⁄4 in and 2/3, m^2/s"),
        ("<p><q>Fine</q>, said Ann", "“Fine”, said Ann"),
        ("<main><p>Copies: 0.40<footer>As of 3 Feb 2025</footer></main><footer>Imprint</footer>",
         "Copies: 0.40\n\nAs of 3 Feb 2025"),
        ("<div role=tabpanel aria-label=Basic>9 dollars</div><div role=tabpanel aria-label=Pro hidden>29 dollars</div>",
         "Basic\n\n9 dollars\n\nPro\n\n29 dollars"),
        ("<button role=tab id=t>Pro</button><div role=tabpanel aria-labelledby=t style='display:none'>29 dollars</div>",
         "Pro\n\n29 dollars"),
        ("<table><tfoot><tr><td>Sum<td>90</tfoot><tr><th>What<th>Euro<tr><td>Food<td>60<tr><td>Hall<td>30</table>",
         "What | Euro\nFood | 60\nHall | 30\nSum | 90"),
        ("<table><tr><th>Of<th>Limit<tbody><tr><th colspan=2>Ions<tr><td>Lead<td>0.01<tfoot><tr><td>Samples<td>24</table>",
         "Ions\nIons | Of: Lead | Limit: 0.01\nOf: Samples | Limit: 24"),
    ],
)  # fmt: skip
def test_what_a_page_shows_beside_its_text(page: str, text: str) -> None:
    assert one("a.html", f"<h1>T</h1>{page}").text.removeprefix("T").strip() == text


def test_links_of_items_begin_at_their_words() -> None:
    document = one("a.html", "<ul><li><a href='b.html'>the page</a></ul>")
    assert [document.text[link.start : link.end] for link in document.links] == ["the page"]


def test_what_was_left_out_is_told_in_metadata_and_report() -> None:
    document = one("a.html", "<p><del>40</del><p><s>38. Or 37.</s> 35")
    assert document.metadata == {LEFT_OUT: "struck-out text (2)"}
    assert left_out({"a": 0}) == {}
    assert left_out({"hidden rows": 1200, "b": 1}) == {LEFT_OUT: "hidden rows (1,200); b (1)"}
    assert ReadFile(()).take(document, "a.html") == "a.html: not read as it stands: struck-out text (2)"
    assert ReadFile(()).take(one("b.html", "<p>35"), "b.html") == ""


def test_numbers_of_lists() -> None:
    assert [as_roman(n) for n in (1, 4, 9, 14, 1994, 3999, 0, 4000)] == [
        "i", "iv", "ix", "xiv", "mcmxciv", "mmmcmxcix", "0", "4000",
    ]  # fmt: skip
    assert [as_letters(n) for n in (1, 26, 27, 52, 703, 0)] == ["a", "z", "aa", "az", "aaa", "0"]
    counting = ListCounter(etree.fromstring("<ol start='3'><li/></ol>"))
    assert [counting.next(etree.fromstring("<li/>")) for _ in range(2)] == ["3.", "4."]


def test_fields_that_say_nothing() -> None:
    for field in ("<input type='password' value='x'/>", "<input type='search' value='x'/>", "<input/>", "<select/>"):
        assert field_value(etree.fromstring(field)) == ""


def test_which_tables_hold_data() -> None:
    page = (
        "<body><table id='a'><tr><td>1</td><td>2</td></tr></table><table role='presentation' id='b'><tr><td>1</td><td>2</td></tr></table>"
        f"<table id='c'><tr><td>x</td><td>{'<p>many words in it</p>' * 90}</td></tr></table></body>"
    )
    assert [table.get("id") for table in data_tables(etree.fromstring(page))] == ["a"]


def test_an_aside_with_words_of_its_own_is_text() -> None:
    links = "<aside class=sidebar><a href=/a>First of the news</a> and <a href=/b>second</a></aside>"
    article = "<article><p>240 seats.</p><aside class=sidebar>Code 4411.</aside></article>"
    text = one("a.html", f"<h1>Hall</h1><aside class=sidebar>Open from 9 to 17.</aside>{links}{article}").text
    assert text == "Hall\n\nOpen from 9 to 17.\n\n240 seats.\n\nCode 4411."


def test_fields_are_not_glued_to_the_words_beside_them() -> None:
    page = "<p>Name<input value=Ada><label><input type=checkbox>Late</label><textarea>Call 555</textarea>.</p>"
    assert one("a.html", page).text == "Name Ada [ ] Late Call 555 ."


def test_what_is_said_of_a_term_stands_further_in_or_behind_it() -> None:
    page = (
        "<main><p>Parts of the pump, in the order of the alphabet.</p><dl><dt>Fuse <dd>T 2 A<dt>Weight:<dd><p>410 g</p>"
        "<dt>Seal</dt><dd><p>Keeps it dry.</p><pre>a\n  b</pre><dl><dt>Ring</dt><dd>Is round.</dd></dl></dd>"
        "<dt>-q<dt>--quiet<dd>no noise<dt>Hose<dd>long</dd><dd>wide</dd></dl><p>The end.</p></main>"
    )
    assert one("a.html", page).text.split("\n\n", 1)[1] == (
        "Fuse: T 2 A\nWeight: 410 g\nSeal\n    Keeps it dry.\n\n    a\n      b\n\n    Ring\n        Is round.\n\n"
        "-q\n--quiet\n    no noise\nHose\n    long\n    wide\n\nThe end."
    )
