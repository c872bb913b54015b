"""Notebooks, RTF, OpenDocument, saved pages, subtitles and XML: the text, and never the markup."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from reading import one, refused

from decoct.documents import subtitles
from decoct.documents.base import Source
from decoct.documents.markup import markup_xml, mhtml, notebook
from decoct.documents.office import odf, rtf
from decoct.documents.places import heading_at, page_at
from decoct.errors import ParseError


def cell(kind: str, source: str, *outputs: object) -> dict[str, object]:
    return {
        "cell_type": kind,
        "source": source.splitlines(keepends=True),
        **({"outputs": outputs} if kind == "code" else {}),
    }


NOTEBOOK = {
    "nbformat": 4,
    "metadata": {"language_info": {"name": "python"}},
    "cells": [
        cell("markdown", "# Tides\nThe constant is 0.82."),
        cell(
            "code",
            "print(rate)\n```",
            {"output_type": "stream", "text": ["rate: 12\n"]},
            {"output_type": "display_data", "data": {"image/png": "iVBOR" * 60_000, "text/plain": "<Figure>"}},
            {"output_type": "execute_result", "data": {"text/html": "<table><tr><td>Ona</td><td>4</td></tr></table>"}},
            {"output_type": "error", "traceback": ["\u001b[31mValueError\u001b[0m: no rate"]},
        ),
    ],
}


def test_a_notebook_is_its_cells_and_what_they_put_out() -> None:
    document = one("a.ipynb", json.dumps(NOTEBOOK))
    assert document.title == "Tides"
    assert "The constant is 0.82.\n\n````python\nprint(rate)\n```\n````\n\n```text\nrate: 12\n```" in document.text
    assert "Ona | 4" in document.text
    assert "ValueError: no rate" in document.text
    assert "iVBOR" not in document.text
    assert "\u001b" not in document.text
    assert [document.text[slice(*found)] for found in document.headings] == ["Tides"]
    old = {
        "worksheets": [
            {"cells": [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": "1+1"}]}
        ]
    }
    assert one("a.ipynb", json.dumps(old)).text == "## Old\n\n```\n1+1\n```"


def test_a_damaged_notebook_says_so() -> None:
    assert "damaged" in refused("a.ipynb", '{"cells": [')
    assert "no notebook" in refused("a.ipynb", '{"cells": 3}')
    with pytest.raises(ParseError):
        next(notebook.parse(Source.of("a.ipynb", b"[]")))


RTF = rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}{\info{\title Key list}}{\*\generator x;}
\pard The key is with \b Ona\b0  in caf\'e9 4.\par Price: 8\u8211?12 \u8364?.\par
\trowd\cellx1000\cellx2000\intbl Room\cell Seats\cell\row \intbl Blue\cell 12\cell\row\pard End.\par}"""


def test_rtf_is_read_and_its_markup_is_not() -> None:
    document = one("a.rtf", RTF)
    assert document.title == "Key list"
    assert "The key is with Ona in café 4." in document.text
    assert "Price: 8–12 €." in document.text
    assert "Room|Seats" in document.text.replace(" ", "")
    assert "pard" not in document.text
    assert "Arial" not in document.text
    assert one("a.txt", RTF).text == document.text
    with pytest.raises(ParseError, match="not RTF"):
        next(rtf.parse(Source.of("a.rtf", b"plain")))


NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{of}:1.0"'
    for name, of in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"))
)


def package(kind: str, body: str, names: str = NAMES, title: str = "Plan", **parts: str) -> bytes:
    """An OpenDocument file with this inside its body, and with further parts."""
    inside = f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    content = f"<?xml version='1.0'?><office:document-content {names}>{inside}</office:document-content>"
    meta = (
        f'<office:document-meta {names} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta><dc:title>{title}</dc:title>'
        "<dc:creator>Ann</dc:creator></office:meta></office:document-meta>"
    )
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        made.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        made.writestr("content.xml", content)
        made.writestr("meta.xml", meta)
        for name, part in parts.items():
            made.writestr(name, part)
    return data.getvalue()


def test_an_opendocument_text() -> None:
    body = (
        '<text:h text:outline-level="2">Pumps</text:h><text:p>Two<text:s text:c="2"/>pumps<text:line-break/>run.<text:note>'
        "<text:note-citation>1</text:note-citation><text:note-body><text:p>Since May.</text:p></text:note-body></text:note></text:p>"
        "<text:tracked-changes><text:p>Gone.</text:p></text:tracked-changes>"
        "<text:list><text:list-item><text:p>first</text:p></text:list-item><text:list-item><text:p>second</text:p></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>Rotor</text:p></table:table-cell><table:table-cell/>"
        "<table:table-cell><text:p>12</text:p></table:table-cell></table:table-row></table:table>"
    )
    document = one("a.odt", package("text", body))
    assert document.text == "Pumps\n\nTwo pumps\nrun. (Since May.)\n\n- first\n- second\n\nRotor | 12"
    assert (document.title, document.metadata["author"]) == ("Plan", "Ann")
    assert [document.text[slice(*found)] for found in document.headings] == ["Pumps"]
    assert document.levels == (2,)


def test_headers_and_footers_of_an_opendocument_text_stand_at_its_end_once() -> None:
    style = 'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"'
    header = "<style:header><text:p>Mill lane 7</text:p><text:p>IBAN 44 17</text:p></style:header>"
    footer = "<style:footer><text:p><text:page-number>1</text:page-number> / 12</text:p></style:footer>"
    pages = "".join(f"<style:master-page>{one}</style:master-page>" for one in (header + footer, header))
    styles = f"<office:document-styles {NAMES} {style}><office:master-styles>{pages}</office:master-styles></office:document-styles>"
    document = one("a.odt", package("text", "<text:p>Two pumps.</text:p>", **{"styles.xml": styles}))
    assert document.text == "Two pumps.\n\nHeader: Mill lane 7; IBAN 44 17"


def test_an_opendocument_file_with_macros_is_read() -> None:
    macro = '<?xml version="1.0"?><!DOCTYPE script:module PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "module.dtd"><a/>'
    text = package("text", "<text:p>Two pumps.</text:p>", **{"Basic/Standard/m.xml": macro})
    assert one("a.odt", text).text == "Two pumps."


def test_an_opendocument_text_without_a_title_is_called_by_its_first_heading() -> None:
    body = '<text:p>Ours.</text:p><text:h text:outline-level="1">1. Pumps</text:h><text:h text:outline-level="2">Oil</text:h>'
    assert one("a.odt", package("text", body, title="")).title == "Pumps"


def test_an_opendocument_sheet_keeps_places_and_repeats() -> None:
    row = "<table:table-row><table:table-cell{}><text:p>{}</text:p></table:table-cell><table:table-cell/>{}</table:table-row>"
    last = "<table:table-cell><text:p>7.5 %</text:p></table:table-cell><table:table-cell table:number-columns-repeated='16000'/>"
    body = f"<table:table table:name='Rates'>{row.format('', 'Ona', last)}"
    body += (
        row.format(" table:number-columns-repeated='2'", "x", "")
        + "<table:table-row table:number-rows-repeated='99999'/></table:table>"
    )
    assert one("a.ods", package("spreadsheet", body)).text == "Rates\n\nOna | | 7.5 %\nx | x | |"


def test_a_repeat_that_is_no_number_is_one() -> None:
    cell = "<table:table-cell table:number-columns-repeated='²'><text:p>x</text:p></table:table-cell>"
    body = f"<table:table table:name='Rates'><table:table-row>{cell}</table:table-row></table:table>"
    assert one("a.ods", package("spreadsheet", body)).text == "Rates\n\nx"


def test_an_opendocument_presentation_has_pages() -> None:
    body = "".join(
        f"<draw:page><draw:frame><draw:text-box><text:p>{word}</text:p></draw:text-box></draw:frame></draw:page>"
        for word in ("One", "Two")
    )
    document = one("a.odp", package("presentation", body))
    assert document.text == "One\n\fTwo"
    assert page_at(document, document.text.index("Two")) == 2
    assert "damaged" in refused("a.odt", package("text", "<text:p>"))
    with pytest.raises(ParseError, match="damaged"):
        next(odf.parse(Source.of("a.odt", b"PK")))


def test_a_saved_page_is_read_as_a_page() -> None:
    head = b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html; charset=utf-8\n"
    data = head + b"Content-Transfer-Encoding: base64\n\nPGgxPk11c2V1bTwvaDE+PHA+SXQgb3BlbnMgYXQgdGVuLjwvcD4=\n--b--\n"
    assert one("a.mhtml", data).text == "Museum\n\nIt opens at ten."
    assert one("a.mht", head + b"\n<p>Caf\xc3\xa9</p>\n--b--\n").text == "Café"
    with pytest.raises(ParseError, match="no page"):
        next(mhtml.parse(Source.of("a.mht", b"Subject: x\n\nwords")))


SUBTITLES = """WEBVTT

00:01.000 --> 00:04.000 align:start
<v Ann>The <i>pump</i> starts

2
00:00:05,000 --> 00:00:24,000
at nine &amp; stops at ten.

01:00:30,000 --> 01:00:32,000
{\\an8}Then it rests.
"""


def test_subtitles_are_running_text_with_times_as_places() -> None:
    assert one("a.srt", "1\n00:00:0,000 --> 00:00:01,000\nIt starts.\n").text.endswith("It starts.")
    document = one("a.vtt", SUBTITLES)
    assert document.text == "00:00:01\nAnn: The pump starts at nine & stops at ten.\n\n01:00:30\nThen it rests."
    assert heading_at(document, document.text.index("rests")) == "01:00:30"
    assert one("a.srt", SUBTITLES).text == document.text
    with pytest.raises(ParseError, match="no subtitles"):
        next(subtitles.parse(Source.of("a.srt", b"words")))


def test_docbook_mallard_jats_and_tei_are_prose() -> None:
    docbook = (
        '<?xml version="1.0"?><!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd"><book><title>Pumps</title>'
        "<bookinfo><author>Nobody</author></bookinfo><chapter><title>Valves</title><para>Open <command>it</command> at&nbsp;nine.</para>"
        "<itemizedlist><listitem><para>one</para></listitem></itemizedlist><screen>a\n  b</screen>"
        "<informaltable><tgroup><tbody><row><entry>x</entry><entry>5</entry></row></tbody></tgroup></informaltable></chapter></book>"
    )
    document = one("a.xml", docbook)
    assert document.title == "Pumps"
    assert document.text == "Pumps\n\nValves\n\nOpen it at\u00a0nine.\n\n- one\n\na\n  b\n\nx | 5"
    assert [document.text[slice(*found)] for found in document.headings] == ["Pumps", "Valves"]
    mallard = '<page xmlns="http://projectmallard.org/1.0/"><info><credit><name>N</name></credit></info><title>Sound</title><p>Louder.</p></page>'
    assert one("a.page", mallard).text == "Sound\n\nLouder."
    front = "<front><journal-meta><issn>1</issn></journal-meta><article-meta><article-title>Tides</article-title></article-meta></front>"
    jats = f"<article>{front}<body><sec><title>End</title><p>H<sub>2</sub>O.</p></sec></body></article>"
    assert one("a.nxml", jats).text == "Tides\n\nEnd\n\nH2O."
    tei = "<TEI><teiHeader><title>About</title></teiHeader><text><body><div><head>One</head><p>Words.</p></div></body></text></TEI>"
    assert one("a.tei", tei).text.endswith("One\n\nWords.")


def test_menus_keys_breaks_and_abstracts_of_xml_are_as_readers_see_them() -> None:
    keys = "<keycombo>&Ctrl;<keycap>O</keycap></keycombo><!-- sic -->"
    menu = f"<menuchoice><shortcut>{keys}</shortcut><guimenu>File</guimenu><guimenuitem>Open <accel>f</accel>ile</guimenuitem></menuchoice>"
    book = f"<article><articleinfo><title>T</title><abstract><para>Of valves.</para></abstract></articleinfo><para>{menu}</para></article>"
    assert one("a.docbook", book).text == "T\n\nOf valves.\n\nFile → Open file (&Ctrl;+O)"
    assert one("b.docbook", "<chapter><para>By &Anders.Lund;.</para></chapter>").text == "By &Anders.Lund;."
    lines = (
        "<div><p>Men-<lb/> ſchen, Leib-<lb/>Medicus 12-<lb/>er a<lb/>b <fw>G 3</fw>Vor<lb break='no'/>rede</p></div>"
    )
    assert one("a.tei", f"<TEI><text><body>{lines}</body></text></TEI>").text == (
        "Menſchen, Leib- Medicus 12- er a b Vorrede"
    )
    assert one("a.xml", "<tt><body><div><p>making<br/>our way</p></div></body></tt>").text == "making\nour way"


def test_records_in_xml_are_lines_with_their_names() -> None:
    shaft = "<part no='13'><name>Shaft</name><about>&lt;font size=2&gt;Long&lt;/font&gt;</about></part>"
    data = f"<?xml version='1.0'?><stock><part no='12'><name>Rotor</name><left>5</left></part>{shaft}</stock>"
    text = one("a.xml", data).text
    assert text == "part\nno: 12\nname: Rotor\nleft: 5\n\npart\nno: 13\nname: Shaft\nabout: Long"
    assert one("unnamed", data).text == text


def test_entities_and_broken_xml_are_refused() -> None:
    grown = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9))
    bomb = f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e0 "0123456789">{grown}]><a><p>&e8;</p></a>'
    assert "entities" in refused("a.xml", bomb)
    many = f'<!DOCTYPE a [<!ENTITY e "{"x" * 9_000}">]><a><p>{"&e;" * 200}</p></a>'
    assert "entities" in refused("a.xml", many)
    assert "entities" in refused("a.xml", '<!DOCTYPE a [<!ENTITY x "&y;"><!ENTITY y "&x;">]><a><p>&x;</p></a>')
    assert "another file (&x;)" in refused(
        "a.xml", '<!DOCTYPE a [<!ENTITY x SYSTEM "/etc/hostname">]><a><p>&x;</p></a>'
    )
    assert "another file (&p;)" in refused("a.xml", '<!DOCTYPE a [<!ENTITY % p SYSTEM "p.ent"> %p;]><a><p>x</p></a>')
    assert "line 1" in refused("a.xml", "<a><p>x</a>")
    with pytest.raises(ParseError, match="no text"):
        next(markup_xml.parse(Source.of("a.xml", b"<a/>")))


def test_entities_that_a_file_declares_are_told_by_what_they_say() -> None:
    declared = """<!ENTITY maker 'Acme &amp; Sons'><!ENTITY pump "Pump 3000 of &maker;"><!ENTITY unused SYSTEM "x">"""
    found = one(
        "a.xml",
        f"<!DOCTYPE book [{declared}]><book><title>&pump;</title><screen><![CDATA[&pump;]]></screen>"
        "<para>&pump;&nbsp;has 12&#160;valves.</para></book>",
    )
    assert found.title == "Pump 3000 of Acme & Sons"
    assert "&pump;" in found.text  # where it is no entity
    assert found.text.endswith("Pump 3000 of Acme & Sons\u00a0has 12\u00a0valves.")


def test_blank_cells_keep_their_places_in_the_tables_of_xml() -> None:
    head = "<thead><tr><th>Lake</th><th>Eels</th><th>kg</th></tr></thead>"
    jats = f"<article><body><p>x</p><table>{head}<tbody><tr><td>Mira</td><td/><td>3.2</td></tr></tbody></table></body></article>"
    assert one("a.nxml", jats).text.endswith("Lake | Eels | kg\nMira | | 3.2")
    cals = (
        "<tgroup cols='3'><colspec colname='a'/><colspec colname='b'/><colspec colname='c'/><thead><row><entry>Boat</entry>"
        "<entry namest='b' nameend='c'>Knots</entry></row></thead><tbody><row><entry morerows='1'>Anna</entry><entry>5</entry><entry/>"
        "</row><row><entry colname='c'>7</entry></row></tbody></tgroup>"
    )
    text = one("a.dbk", f"<article><para>x</para><table><title>Speeds</title>{cals}</table></article>").text
    assert text.endswith("Speeds\n\nBoat | Knots | Knots\nAnna | 5 | |\nAnna | | 7")
    tei = "<table><head>Fees</head><row role='label'><cell>A</cell><cell>B</cell></row><row><cell/><cell>2</cell></row></table>"
    assert one("a.tei", f"<TEI><text><body><p>x</p>{tei}</body></text></TEI>").text.endswith("Fees\n\nA | B\n| | 2")


def test_numbers_of_older_lists_of_rtf() -> None:
    assert one("a.rtf", r"{\rtf1\ansi {\pntext\f0 3.\tab}Oil\par}").text.split() == ["3.", "Oil"]


def test_numbers_of_parts_notes_and_ways_of_articles_stay_apart() -> None:
    article = (
        "<article><body><sec><label>1</label><title>Wear</title><p>See<fn><label>a</label><p>Twice 9.</p></fn> it. "
        "<inline-formula><alternatives><math><mi>x</mi></math><tex-math>x</tex-math></alternatives></inline-formula> "
        "<strike>old 7</strike> 8</p><aff><label>2</label>Lund</aff></sec></body></article>"
    )
    found = one("a.jats", article)
    assert found.text == "1 Wear\n\nSee (a Twice 9.) it. x 8\n\n2 Lund"
    assert found.metadata["left_out"] == "struck-out text (1)"
    page = (
        '<page xmlns="http://projectmallard.org/1.0/"><info><title type="link">L</title></info><title>T</title>'
        "<comment><cite>Jim</cite><p>To do.</p></comment><p>Press <keyseq><key>Ctrl</key><key>R</key></keyseq> in "
        "<guiseq><gui>A</gui><gui>B</gui></guiseq>.</p><terms><item><title>E42</title><p>Hot.</p></item></terms><code>a\n  b</code></page>"
    )
    assert one("a.page", page).text == "T\n\nPress Ctrl+R in A → B.\n\n- E42\n\nHot.\n\na\n  b"


def test_a_page_in_data_is_no_sign_of_prose() -> None:
    feed = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>Kit</title><id>7</id><summary>It has 14.</summary>'
        '<content><div xmlns="http://www.w3.org/1999/xhtml"><p>It has <em>14</em>.</p></div></content></entry></feed>'
    )
    assert one("a.xml", feed).text == "entry\ntitle: Kit\nid: 7\nsummary: It has 14.\n\nIt has 14."


def test_pages_in_the_frames_of_a_saved_page_are_read() -> None:
    parts = ["<frameset><frame src='cid:1'></frameset>", "<h1>Rates</h1><p>One is 12.</p>", "<p>Two is 14.</p>"]
    saved = "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=X\n\n" + "".join(
        f"--X\nContent-Type: text/html\n\n{part}\n" for part in parts
    )
    found = one("a.mht", f"{saved}--X--\n")
    assert (found.title, found.text) == ("Rates", "Rates\n\nOne is 12.\n\nTwo is 14.")


def test_tabs_that_set_columns_of_an_opendocument_text_are_bars() -> None:
    lines = ["Part\tStock\tPrice", "Rotor\t\t12.50", "words", "One\tonly", "words", "1.\tOpen", "2.\tClose"]
    body = "".join(f"<text:p>{line.replace(chr(9), '<text:tab/>')}</text:p>" for line in lines)
    said = one("a.odt", package("text", body)).text.split("\n\n")
    assert said == ["Part | Stock | Price", "Rotor | | 12.50", "words", "One only", "words", "1. Open", "2. Close"]
