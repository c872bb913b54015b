"""What styles and attributes hide, strike out and raise; tables of other writers."""

from __future__ import annotations

import io
import zipfile

import pytest
from reading import one

CSS = """/* a } */ .h{display:none} .s{text-decoration:line-through} .sup{vertical-align:super}
p > .low { position: relative; top: 0.33em; font-size: 0.58em } @media print { .shown { display: none } }
.tab { display: none } .tab:target { display: block } #n b, .md\\:x { color: red; visibility: hidden !important }"""
BODY = """<p>Dose 10<span class="sup">6</span>, 10<span style="vertical-align: super">5</span>, CO<span class="low">2</span>e.
<span class="s">Was 9.99</span> <span class="h">Secret</span> Now 8.49. <i class="shown">On screens.</i> <i class="tab">A tab.</i>
<i class="h" style="display: inline">Kept.</i></p><div id="n"><p>Name<a class="sup" href="#f">1</a> <b>unseen</b></p></div>"""
READ = "Dose 10^6, 10^5, CO2e. ~~Was 9.99~~ Now 8.49. On screens. A tab. Kept.\n\nName (note 1)"


def test_styles_of_a_page_hide_strike_out_and_raise() -> None:
    document = one("a.html", f"<style>{CSS}</style>{BODY}")
    assert document.text == READ
    assert document.metadata["left_out"] == "hidden text (2)"


@pytest.mark.parametrize(
    ("style", "body", "text"),
    [
        (".card span { display: block }", "<div class=card><h3>Holt</h3><span>Vet</span><span>ext. 31</span></div>",
         "Holt\n\nVet\next. 31"),
        (".t b { display: inline-block }", "<p class=t><b>Fee</b><b>12.50</b> a day", "Fee 12.50 a day"),
        ("span::before { display: block }", "<p><span>re</span><span>cycled</span> paper", "recycled paper"),
        ("b:hover { display: block }", "<p>un<b>done</b> work", "undone work"),
        ("b { display: block } p b { display: inline }", "<p>un<b>done</b> work", "undone work"),
        ("a { vertical-align: super }", "<p>Eight<a epub:type=noteref href='#n'>1</a>, ten", "Eight (note 1), ten"),
    ],
)  # fmt: skip
def test_boxes_of_a_sheet_set_words_apart(style: str, body: str, text: str) -> None:
    assert one("a.html", f"<style>{style}</style>{body}").text == text
    script = "<script>run()</script>"
    assert one("a.html", f"<style>{style}</style>{body}{script}").text == text


def test_what_a_script_would_show_is_kept() -> None:
    page = "<style>.panel{display:none}</style><p>When is it open?</p><div class=panel>From 9 to 17.</div>"
    assert one("a.html", page).text == "When is it open?"
    assert "From 9 to 17." in one("a.html", page + "<script>open()</script>").text


def test_style_sheets_of_a_book_and_of_a_saved_page_are_heeded() -> None:
    link = '<link rel="stylesheet" href="../style/a.css"/>'
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as book:
        book.writestr("META-INF/container.xml", '<container><rootfile full-path="O/a.opf"/></container>')
        items = '<item id="c" href="text/c.xhtml" media-type="application/xhtml+xml"/>'
        book.writestr("O/a.opf", f'<package><manifest>{items}</manifest><spine><itemref idref="c"/></spine></package>')
        book.writestr("O/text/c.xhtml", f"<html><head>{link}</head><body>{BODY}</body></html>")
        book.writestr("O/style/a.css", CSS)
    assert one("a.epub", file.getvalue()).text == READ
    parts = [("text/html", "http://a.example/t/c.html", link + BODY), ("text/css", "http://a.example/style/a.css", CSS)]
    saved = "".join(f"--x\nContent-Type: {kind}\nContent-Location: {at}\n\n{said}\n" for kind, at, said in parts)
    head = 'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="x"\n\n'
    shown = READ.replace("9.99~~", "9.99~~ Secret").replace(
        "(note 1)", "(note 1) unseen"
    )  # by a script that is not there
    assert one("a.mht", f"{head}{saved}--x--\n").text.split() == shown.split()


def test_a_link_that_a_style_raises_keeps_its_words_whatever_else_it_says() -> None:
    page = "<style>a[x], .n {vertical-align: super}</style><p>x<a class=n href='#f' epub:type=noteref>1</a> y</p>"
    assert one("a.html", page).text == "x (note 1) y"


def test_attributes_of_xml_raise_and_strike_out() -> None:
    words = 'Sugar 10<hi rendition="simple:superscript">2</hi> g, <hi rend="italic strikethrough">was 9</hi> now 8.'
    assert one("a.tei", f"<TEI><text><body><p>{words}</p></body></text></TEI>").text == "Sugar 10^2 g, now 8."
    struck = '<article><para>Bake. <emphasis role="strikethrough">Old: 50.</emphasis> Now 45.</para></article>'
    assert one("a.dbk", struck).text == "Bake. Now 45."


def test_columns_without_names_keep_their_places() -> None:
    rows = "".join(
        f"<row><entry>{a}</entry><entry>{b}</entry><entry>{c}</entry></row>" for a, b, c in ("ABC", ("d", "", "f"))
    )
    table = f'<informaltable><tgroup cols="3"><colspec align="left"/><colspec/><colspec/><tbody>{rows}</tbody></tgroup></informaltable>'
    assert one("a.dbk", f"<article><title>T</title>{table}</article>").text == "T\n\nA | B | C\nd | | f"


def test_html_within_restructuredtext_is_read() -> None:
    table = "<table><tr><th>site</th><th>ph</th></tr><tr><td>N1</td><td>6.8</td></tr></table><div><script>1"
    text = f"Result\n======\n\n.. raw:: html\n\n   {table}\n\n.. raw:: latex\n\n   \\newpage\n\nEnd.\n"
    assert one("a.rst", text).text == "Result\n\nsite | ph\nN1 | 6.8\n\nEnd."
