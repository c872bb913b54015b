"""Shapes in which people have values, by kind: nothing of them is lost, changed or glued."""

from __future__ import annotations

import base64
import io
import json
import quopri
import zipfile

import pytest
from reading import one, read

from decoct.data import Document

_NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
    for name, long in (
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("style", "style"),
        ("draw", "drawing"),
        ("svg", "svg-compatible"),
    )
)


def opendocument(name: str, body: str, styles: str = "", parts: dict[str, str] | None = None) -> Document:
    data = io.BytesIO()
    content = (
        f'<office:document-content {_NAMES} xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f"<office:automatic-styles>{styles}</office:automatic-styles><office:body>{body}</office:body></office:document-content>"
    )
    with zipfile.ZipFile(data, "w") as made:
        kind = {"s": "spreadsheet", "p": "presentation"}.get(name[-1], "text")
        made.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        made.writestr("content.xml", content)
        for part, said in (parts or {}).items():
            made.writestr(part, said)
    return one(name, data.getvalue())


def cell(words: str, more: str = "") -> str:
    return f"<table:table-cell {more}><text:p>{words}</text:p></table:table-cell>" if words else "<table:table-cell/>"


def row(*cells: str) -> str:
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


COVERED = "<table:covered-table-cell/>"


def test_spans_and_heads_of_an_opendocument_table() -> None:
    heads = row(
        cell("Part", 'table:number-rows-spanned="2"'), cell("2024", 'table:number-columns-spanned="2"'), COVERED
    )
    heads += row(COVERED, cell("Wins"), cell("Losses"))
    rows = row(cell("Rotor"), cell(""), cell("12")) + row(
        cell("Shaft", 'table:number-rows-spanned="2"'), cell("3"), cell("4")
    )
    rows += row(COVERED, cell("5"), cell("6"))
    table = f"<table:table><table:table-header-rows>{heads}</table:table-header-rows>{rows}</table:table>"
    text = opendocument("a.odt", f"<office:text>{table}</office:text>").text
    assert text == "Part | 2024 / Wins | 2024 / Losses\nRotor | | 12\nShaft | 3 | 4\nShaft | 5 | 6"


def test_numbers_notes_pictures_and_formulas_of_an_opendocument_text() -> None:
    styles = (
        '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"/>'
        '<text:list-level-style-number text:level="2" style:num-format="a"/></text:list-style>'
        '<style:style style:name="up"><style:text-properties style:text-position="super 58%"/></style:style>'
        '<style:style style:name="gone"><style:text-properties style:text-line-through-style="solid"/></style:style>'
    )
    item = "<text:list-item{}><text:p>{}</text:p>{}</text:list-item>"
    inner = f"<text:list>{item.format('', 'inner', '')}</text:list>"
    fifth = item.format(' text:start-value="5"', "fifth", inner)
    body = (
        f'<text:list text:style-name="L">{item.format("", "first", "")}{fifth}</text:list>'
        f'<text:p>Between</text:p><text:list text:style-name="L" text:continue-numbering="true">{item.format("", "sixth", "")}</text:list>'
        '<text:p>10<text:span text:style-name="up">5</text:span> Pa<text:span text:style-name="gone"> 9</text:span>'
        "<office:annotation><dc:creator>Ann</dc:creator><text:p>check 55</text:p></office:annotation></text:p>"
        '<text:p><draw:frame><draw:image xlink:href="x.png"/><svg:title>Plan of hall 3</svg:title></draw:frame></text:p>'
        '<text:p>It is <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame> m</text:p>'
    )
    half = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mn>1</mn><mn>2</mn></mfrac></math>'
    document = opendocument("a.odt", f"<office:text>{body}</office:text>", styles, {"Object 1/content.xml": half})
    lines = [line.strip() for line in document.text.split("\n") if line.strip()]
    assert lines[:5] == ["1. first", "5. fifth", "a. inner", "Between", "6. sixth"]
    assert lines[5:] == ["10^5 Pa ~~9~~", "Comment by Ann: check 55", "[picture: Plan of hall 3]", "It is 1/2 m"]


def test_an_opendocument_sheet_is_read_as_every_sheet() -> None:
    value = '<table:table-cell office:value-type="{}" {}><text:p>{}</text:p></table:table-cell>'
    due = value.format("date", 'office:date-value="2024-05-03"', "05/03/24")
    share = value.format("percentage", 'office:value="0.075"', "7.5%")
    blank = '<table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="4"/></table:table-row>'
    stock = row(cell("Stock of May", 'table:number-columns-spanned="3"'), COVERED, COVERED) + row(
        cell("Part"), cell("Share"), cell("Due")
    )
    stock += (
        row(cell("Rotor"), share, due)
        + blank
        + row(cell("Name"), cell("Age"))
        + row(cell("Ann"), value.format("float", "", "41"))
    )
    hidden = '<style:style style:name="t2"><style:table-properties table:display="false"/></style:style>'
    document = opendocument(
        "a.ods",
        f'<office:spreadsheet><table:table table:name="Stock">{stock}</table:table>'
        f'<table:table table:name="Old" table:style-name="t2">{row(cell("x"))}</table:table></office:spreadsheet>',
        hidden,
    )
    assert document.text == (
        "Stock\n\nStock of May\n\nPart: Rotor | Share: 7.5% | Due: 2024-05-03\n\nName: Ann | Age: 41\n\nOld\n\nx"
    )
    assert document.metadata["left_out"] == "hidden sheets, read with the others (1)"
    assert document.metadata["sheets"] == 2


def test_powers_references_names_and_lists_of_xml() -> None:
    text = one(
        "a.jats",
        "<article><body><sec><p>It was 10<sup>5</sup> Pa; H<sub>2</sub>O<xref>3</xref>, or "
        "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>.</p>"
        "<contrib><surname>Lee</surname><given-names>Ann</given-names></contrib>"
        '<list list-type="order"><list-item><p>one</p></list-item><list-item><p>two</p></list-item></list>'
        '<orderedlist startingnumber="4"><listitem><para>four</para></listitem></orderedlist>'
        "<procedure><step><para>open</para></step><step><para>close</para></step></procedure></sec></body></article>",
    ).text
    assert [line for line in text.split("\n") if line] == [
        "It was 10^5 Pa; H2O (3), or 1/2.", "Lee Ann", "1. one", "2. two", "4. four", "1. open", "2. close",
    ]  # fmt: skip


def test_a_correction_stands_for_what_it_corrects() -> None:
    document = one(
        "a.tei",
        "<TEI><text><body><p>I paid <choice><sic>tvelve</sic><corr>twelve</corr></choice> pounds, "
        "<del>11</del> 12 in all.</p></body></text></TEI>",
    )
    assert document.text == "I paid twelve pounds, 12 in all."
    assert document.metadata["left_out"] == "struck-out text (1)"


CALENDAR = (
    "BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nTZID:X\r\nBEGIN:STANDARD\r\nDTSTART:19701025T030000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
    "BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Pump review\r\nDTSTART;TZID=Europe/Berlin:20240517T093000\r\nDTEND:20240517T083000Z\r\n"
    "DUE;VALUE=DATE:20240601\r\nLOCATION:Hall 4\\, room 2\r\nDESCRIPTION:Bring\\nseal KX-44\r\n 10.\r\n"
    'ORGANIZER;CN="Lee: Ann":mailto:ann@x.org\r\nBEGIN:VALARM\r\nDESCRIPTION:Reminder\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'
)
APPOINTMENT = (
    "Summary: Pump review\nStart: 2024-05-17 09:30 (Europe/Berlin)\nEnd: 2024-05-17 08:30 UTC\nDue: 2024-06-01\n"
    "Location: Hall 4, room 2\nDescription: Bring seal KX-4410.\nOrganizer: Lee: Ann <ann@x.org>"
)


def test_an_appointment_says_when_and_where() -> None:
    assert one("a.ics", CALENDAR).text == APPOINTMENT
    message = (
        "From: a@x.org\nSubject: s\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=B\n\n"
        f"--B\nContent-Type: text/plain\n\nPlease come.\n--B\nContent-Type: text/calendar; method=REQUEST\n\n{CALENDAR}--B--\n"
    )
    assert one("a.eml", message).text.endswith(f"Please come.\n\n{APPOINTMENT}")


def test_text_of_a_kind_that_is_not_known_is_shown() -> None:
    message = (
        "From: a@x.org\nSubject: s\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n"
        "--B\nContent-Type: text/plain\n\nSee:\n--B\nContent-Type: text/enriched\n\n<bold>rich</bold> 66\n"
        "--B\nContent-Type: text/x-log\n\nvalve 8 bar\n--B--\n"
    )
    assert one("a.eml", message).text.endswith("See:\n\nrich 66\n\nvalve 8 bar")


def test_numbers_of_json_are_told_as_they_are_written() -> None:
    document = one("a.jsonl", '{"version": 1.10, "price": 1e3}')
    assert document.text == "version: 1.10\nprice: 1e3"
    assert document.metadata == {"version": 1.1, "price": 1000.0}
    assert {type(value) for value in document.metadata.values()} == {float}


def test_quotes_behind_a_space_are_quotes() -> None:
    found = [one.text for one in read("a.csv", 'Part, Note\nRotor, "a, b"\nShaft, "c"\n') if isinstance(one, Document)]
    assert found == ["Part: Rotor\nNote: a, b", "Part: Shaft\nNote: c"]


def test_outputs_of_a_notebook_without_plain_text_are_read() -> None:
    outputs = [
        {"output_type": "display_data", "data": data}
        for data in ({"text/latex": "$y=3$"}, {"text/markdown": ["md ", "7"]})
    ]
    outputs.append({"output_type": "display_data", "data": {"application/json": {"loss": 0.25}}})  # type: ignore[dict-item]
    cells = [{"cell_type": "code", "source": "x", "outputs": outputs}]
    text = one("a.ipynb", json.dumps({"nbformat": 4, "metadata": {}, "cells": cells})).text
    assert all(said in text for said in ("$y=3$", "md 7", '{"loss": 0.25}'))


def test_the_title_of_a_drawing_is_none_of_the_page() -> None:
    page = "<html><body><h1>Pump P-7</h1><p>Words of it.</p><svg><title>Chart</title></svg></body></html>"
    assert one("a.html", page).title == "Pump P-7"


def test_powers_notes_spans_and_hidden_words_of_rtf() -> None:
    rows = (
        r"\trowd\cellx1\cellx2\intbl Part\cell Stock\cell\row\trowd\clvmgf\cellx1\cellx2\intbl Rotor\cell 12\cell\row"
    )
    rows += r"\trowd\clvmrg\cellx1\cellx2\intbl \cell 7\cell\row\trowd\cellx1\cellx2\intbl \cell 9\cell\trowd\cellx1\cellx2\row\pard "
    document = one(
        "a.rtf",
        r"{\rtf1\ansi{\stylesheet{\s1\super x;}}It is 10{\super 5} Pa of CO\sub 2\nosupersub {\footnote\pard\plain In summer.}, "
        rf"{{\v hidden 98}}{{\strike 97}}shown.\par {rows}After.\par}}",
    )
    assert document.text.split("\n\n") == [
        "It is 10^5 Pa of CO2 (In summer.), shown.",
        "Part | Stock\nRotor | 12\nRotor | 7\n| | 9",
        "After.",
    ]
    assert document.metadata["left_out"] == "hidden text (1); struck-out text (1)"


def test_a_workbook_in_one_xml_file_is_read_as_a_workbook() -> None:
    sheet = "urn:schemas-microsoft-com:office:spreadsheet"
    rows = "".join(
        f"<Row>{''.join(cells)}</Row>"
        for cells in (
            [_old_cell("Item"), _old_cell("Count"), _old_cell("Share")],
            [_old_cell("Rotor"), _old_cell("0.25", "Number", 'ss:Index="3" ss:StyleID="s1"')],
            [_old_cell("Seal"), _old_cell("12", "Number"), _old_cell("0.75", "Number", 'ss:StyleID="s1"')],
            [_old_cell("Rug"), _old_cell("2024-05-01T00:00:00.000", "DateTime"), '<Cell ss:Formula="=B2*2"/>'],
        )
    )
    book = (
        f'<?xml version="1.0"?><Workbook xmlns="{sheet}" xmlns:ss="{sheet}" xmlns:o="urn:schemas-microsoft-com:office:office">'
        "<o:DocumentProperties><o:Title>Stock</o:Title></o:DocumentProperties>"
        '<Styles><Style ss:ID="s1"><NumberFormat ss:Format="Percent"/></Style></Styles>'
        f'<Worksheet ss:Name="Store 4"><Table>{rows}</Table></Worksheet></Workbook>'
    )
    for name in ("stock.xml", "stock.xls"):
        document = one(name, book)
        assert document.title == "Stock"
        assert document.text == (
            "Store 4\n\nItem: Rotor | Share: 25.00%\nItem: Seal | Count: 12 | Share: 75.00%\n"
            "Item: Rug | Count: 2024-05-01 | Share: =B2*2"
        )
        assert "never stored" in str(document.metadata["left_out"])


def _old_cell(value: str, kind: str = "String", said: str = "") -> str:
    return f'<Cell {said}><Data ss:Type="{kind}">{value}</Data></Cell>'


def test_a_step_of_dita_keeps_all_that_is_said_of_it() -> None:
    written = (
        "<task><title>Clean it</title><taskbody><context>Each May.</context><steps><step><cmd>Open it.</cmd><info>Key 4 mm.</info><choices>"
        "<choice>A: lever</choice><choice>B: screw</choice></choices></step><step><cmd>Wipe.</cmd><substeps><substep><cmd>Dry it.</cmd>"
        "<info>10 min.</info></substep></substeps><stepresult>No dust.</stepresult></step></steps></taskbody></task>"
    )
    steps = "1. Open it. Key 4 mm.\n\n  - A: lever\n  - B: screw\n\n2. Wipe.\n  1. Dry it. 10 min.\nNo dust."
    assert one("a.dita", written).text == f"Clean it\n\nEach May.\n\n{steps}"


def test_dita_and_words_old_xml() -> None:
    document = one(
        "a.dita",
        "<task><title>Filter</title><prolog><author>Ida Holm</author></prolog><taskbody><context><note type='warning'>Off first.</note>"
        "<draft-comment>ask Jo</draft-comment><simpletable><sthead><stentry>Size</stentry><stentry>Torque</stentry></sthead>"
        "<strow><stentry>M4</stentry><stentry>3 Nm</stentry></strow></simpletable><dl><dlentry><dt>E1</dt><dd>Full</dd></dlentry></dl>"
        "<p>Text.</p></context></taskbody></task>",
    )
    assert document.text == "Filter\n\nWarning: Off first.\n\nSize | Torque\nM4 | 3 Nm\n\nE1\nFull\n\nText."
    assert document.metadata["author"] == "Ida Holm"
    word = "http://schemas.microsoft.com/office/word/2003/wordml"
    rows = "".join(
        f"<w:tr>{''.join(f'<w:tc><w:p><w:r><w:t>{cell}</w:t></w:r></w:p></w:tc>' for cell in cells)}</w:tr>"
        for cells in (("Item", "Count"), ("Lamp", "12"))
    )
    letter = (
        f'<?xml version="1.0"?><w:wordDocument xmlns:w="{word}"><w:body><w:tbl>{rows}</w:tbl></w:body></w:wordDocument>'
    )
    assert one("letter.xml", letter).text == "Item | Count\nLamp | 12"


def test_how_words_are_read_stands_in_brackets_behind_them() -> None:
    assert one("a.html", "<p><ruby>東京<rt>とうきょう</rt></ruby>に12人").text == "東京(とうきょう)に12人"
    assert one("a.html", "<p><ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>に").text == "東京(とうきょう)に"


def test_bars_drawings_and_lists_of_pages_are_said() -> None:
    page = (
        "<title>T</title><h1>T</h1><p>Done <progress value=7 max=10></progress>, <meter value=.6>60%</meter> full.<p>"
        "<svg><title>icon</title><rect/></svg>Plan <svg><text>Dock <tspan>4</tspan></text><text>Gate 5</text></svg> here."
        "<ol class='loweralpha simple'><li>one</ol>"
    )
    document = one("a.html", page)
    assert document.text == "T\n\nDone 7 of 10 , 60% full.\n\nPlan Dock 4 Gate 5 here.\n\na. one"
    assert document.title == "T"


def test_what_restructuredtext_reads_in_is_told_and_what_it_shows_is_read() -> None:
    text = "Rig\n===\n\npump : kind\n  Twelve.\n\na) alpha\nb) beta\n\n.. only:: html\n\n   Shown 14.\n\n.. include:: other.txt\n"
    document = one("a.rst", text)
    assert document.text == "Rig\n\npump : kind\n    Twelve.\n\na. alpha\nb. beta\n\nShown 14."
    assert document.metadata["left_out"] == "files that are read in from elsewhere (1)"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (".. math::\n   :label: euler\n\n   E = mc^2\n", "E = mc^2"),
        (".. figure:: a.png\n   :lazy: 1\n\n   Valve 7788.\n", "[picture: a.png]\n\nValve 7788."),
        (".. list-table:: T\n\n   * - a\n     - 4410\n   * - c\n", ".. list-table:: T\n\n   * - a\n     - 4410\n   * - c"),
        (".. csv-table:: Prices\n   :widths: 1, 2, 3\n\n   Rotor, 12\n", ".. csv-table:: Prices\n   :widths: 1, 2, 3\n\n   Rotor, 12"),
        (".. note::\n", ""),
    ],
)  # fmt: skip
def test_what_docutils_does_not_understand_of_restructuredtext_is_kept(written: str, told: str) -> None:
    assert one("a.rst", f"Rig\n===\n\nTwelve.\n\n{written}").text == f"Rig\n\nTwelve.\n\n{told}".rstrip()


def test_headers_and_footers_of_rtf_stand_at_its_end_once() -> None:
    around = r"{\header\pard Acme Ltd\par Order {\b 4410}\par}{\footerl\pard 3\par}{\footer\pard Confidential\par}"
    document = one(
        "a.rtf", r"{\rtf1\ansi " + around + r"\pard Six pumps.\par\sect " + around + r"\pard Ten seals.\par}"
    )
    assert document.text == "Six pumps.\n\nTen seals.\n\nHeader: Acme Ltd; Order 4410\n\nFooter: Confidential"


def test_signs_beyond_the_first_65536_and_of_sign_fonts_are_themselves_in_rtf() -> None:
    listed = r"{\listtext\f1 \u61623?\tab}Hot {\listtext\u-3919?}5"
    assert one("a.rtf", rf"{{\rtf1\ansi Pump \u-10179?\u-8703? 7\par {listed}}}").text == "Pump \U0001f601 7\n•\tHot ±5"


def test_what_a_group_in_its_middle_calls_no_text_is_text_of_rtf() -> None:
    assert one("a.rtf", r"{\rtf1\ansi Turn {\i0\*\cs7 to 77} now.}").text == "Turn to 77 now."


def test_a_note_of_rtf_stands_behind_its_raised_number() -> None:
    note = r"{\super \chftn{\footnote \pard {\super \chftn} Of 12.}}"
    assert one("a.rtf", rf"{{\rtf1\ansi Oil{note} it.}}").text == "Oil (Of 12.) it."


def test_the_title_of_rtf_is_in_the_encoding_of_the_file() -> None:
    head = r"{\rtf1\ansi\ansicpg1251{\fonttbl{\f0 Arial;}}{\info{\author Ann}{\title \'cf\'eb\'e0\'ed}}"
    assert one("a.rtf", head + " Words.}").title == "План"


def test_addresses_of_links_and_cells_without_an_end_are_not_glued_to_words_of_rtf() -> None:
    link = r'{\field{\*\fldinst{HYPERLINK "http://a.test/1"}}{\fldrslt{\ul page}}}'
    assert one("a.rtf", rf"{{\rtf1\ansi The {link}2\par Station 4\cell 17\cell.}}").text == "The page2\nStation 4 17 ."


def test_a_letter_of_rtf_with_words_in_its_header_alone_is_read() -> None:
    assert one("a.rtf", r"{\rtf1\ansi{\header Vet 44598\par}\pard\par}").text == "Header: Vet 44598"


def test_deleted_words_of_rtf_are_left_out() -> None:
    document = one("a.rtf", r"{\rtf1 Rent {\deleted 900}{\revised 950}\par}")
    assert document.text == "Rent 950"
    assert document.metadata["left_out"] == "struck-out text (1)"


def test_encoded_data_in_xml_is_no_text() -> None:
    document = one("a.xml", "<VOTABLE><FIELD name='ra'/><STREAM encoding='base64'>FFLLmBAAGRWAQHAV</STREAM></VOTABLE>")
    assert "FFLL" not in document.text
    assert document.metadata["left_out"] == "encoded data (1)"


def test_a_docbook_page_of_a_manual() -> None:
    page = (
        "<refentry><refentryinfo><author><firstname>Ida</firstname> <surname>Holm</surname><contrib>First author</contrib></author>"
        "</refentryinfo><refmeta><refentrytitle>rig</refentrytitle><manvolnum>1</manvolnum></refmeta><refnamediv><refname>rig</refname> "
        "<refpurpose>lifts</refpurpose></refnamediv><refsect1><title>Options</title><itemizedlist><listitem><para>\n-c lowers.</para>"
        "</listitem></itemizedlist></refsect1></refentry>"
    )
    document = one("a.docbook", page)
    assert (document.title, document.metadata["author"]) == ("rig", "Ida Holm")
    assert document.text == "rig lifts\n\nOptions\n\n- -c lowers."


def test_opendocument_in_one_xml_file_is_read_as_its_kind() -> None:
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    row = f"<table:table-row>{cell}{cell}</table:table-row>"
    rows = row.format("Item", "Count") + row.format("Rotor", "12") + row.format("Seal", "7")
    sheet = f"<office:spreadsheet><table:table table:name='S'>{rows}</table:table></office:spreadsheet>"
    text = "<office:text><text:h text:outline-level='1'>Plan</text:h><text:p>Due in <text:span>12</text:span> days.</text:p></office:text>"
    about = "<office:meta><dc:title xmlns:dc='http://purl.org/dc/elements/1.1/'>Store</dc:title></office:meta>"
    for name, body, read_as in (
        ("a.fods", sheet, "S\n\nItem: Rotor | Count: 12\nItem: Seal | Count: 7"),
        ("a.fodt", text, "Plan\n\nDue in 12 days."),
    ):
        document = one(
            name,
            f"<?xml version='1.0'?><office:document {_NAMES}>{about}<office:body>{body}</office:body></office:document>",
        )
        assert (document.title, document.text) == ("Store", read_as)


_FRONT = """<article><front><article-meta><title-group><article-title>Pumps</article-title></title-group><contrib-group>
<contrib><contrib-id>0000-1</contrib-id><name><surname>Berg</surname><given-names>Ona</given-names></name><xref>1</xref><xref/></contrib>
<contrib><name><surname>Lind</surname><given-names>Per</given-names></name><xref>1</xref><xref>2</xref></contrib></contrib-group>
<history><date date-type="received"><day>7</day><month>10</month><year>2020</year></date>
<date date-type="accepted"><day>21</day><month>01</month><year>2021</year></date></history>
<kwd-group><kwd>oil</kwd><kwd>lead time</kwd></kwd-group></article-meta></front>
<body><sec><title>Oil</title><p>It is 12.</p></sec></body><back><ref-list><title>Read</title>
<ref><mixed-citation>Ek, A. Valves. 2005.</mixed-citation><element-citation><article-title>Valves</article-title><year>2005</year>
</element-citation></ref><ref><element-citation><article-title>Seals</article-title><source>Oil</source><year>2006</year></element-citation>
</ref></ref-list></back></article>"""


def test_authors_dates_and_keywords_of_a_paper_in_xml_are_apart_and_its_references_are_no_headings() -> None:
    document = one("a.xml", _FRONT)
    assert document.text == (
        "Pumps\n\n0000-1 Berg Ona 1\nLind Per 1, 2\nreceived: 2020-10-07, accepted: 2021-01-21\noil, lead time\n\nOil\n\nIt is 12.\n\n"
        "Read\n\nEk, A. Valves. 2005.\nSeals Oil 2006"
    )
    assert [document.text[slice(*found)] for found in document.headings] == ["Pumps", "Oil", "Read"]


def test_a_work_that_is_named_in_a_sentence_of_tei_is_no_heading() -> None:
    document = one(
        "a.xml",
        "<TEI><text><body><div><head>Oil</head><p>In <title>Seals</title> of 2006.</p></div></body></text></TEI>",
    )
    assert document.text == "Oil\n\nIn Seals of 2006."
    assert [document.text[slice(*found)] for found in document.headings] == ["Oil"]


def test_a_description_in_tei_without_a_text_is_read_by_its_fields() -> None:
    said = "<TEI><teiHeader><fileDesc><title>MS. 121</title><locus><p>Shelf 7</p></locus></fileDesc></teiHeader></TEI>"
    assert "Shelf 7" in one("a.xml", said).text


@pytest.mark.parametrize("coding", ["base64", "quoted-printable"])
def test_a_message_in_a_message_that_was_sent_in_letters_is_read(coding: str) -> None:
    inner = b"Subject: Keys\n\nIn box 9 = 4410.\n"
    sent = base64.encodebytes(inner) if coding == "base64" else quopri.encodestring(inner)
    head = f"Subject: Gate\nContent-Type: message/rfc822\nContent-Transfer-Encoding: {coding}\n\n"
    assert one("a.eml", head.encode() + sent).text == "Subject: Gate\n\nSubject: Keys\n\nIn box 9 = 4410."


def test_verses_notes_and_titles_of_fictionbook_stay_apart() -> None:
    verses = "<poem><stanza><v>Roses are red</v><v>Skies blue</v></stanza><text-author>Poet</text-author></poem>"
    body = f"<body><title><p>Sea</p><p>Part two</p></title><section><p>One<a type='note'>1</a>.</p>{verses}</section></body>"
    document = one("a.fb2", f"<?xml version='1.0'?><FictionBook>{body}<binary id='a'>/9j/4AAQ</binary></FictionBook>")
    assert document.text == "Sea\n\nPart two\n\nOne (1).\n\nRoses are red\nSkies blue\n\nPoet"
    assert document.title == "Sea Part two"


def test_functions_and_lists_in_columns_of_docbook_are_told_as_readers_see_them() -> None:
    function = "<funcprototype><funcdef>int <function>max</function></funcdef><paramdef>int <parameter>a</parameter></paramdef>"
    functions = f"<funcsynopsis>{function}<paramdef>int b</paramdef></funcprototype>{function}<varargs/></funcprototype></funcsynopsis>"
    columns = "".join(
        f"<seglistitem><seg>{name}</seg><seg>{count}</seg></seglistitem>"
        for name, count in (("Rotor", 12), ("Seal", 9))
    )
    lists = f"<segmentedlist><segtitle>Part</segtitle><segtitle>Qty</segtitle>{columns}</segmentedlist>"
    said = one(
        "a.xml", f"<?xml version='1.0'?><section><title>Kit</title>{functions}<para>Ten.</para>{lists}</section>"
    ).text
    assert said == "Kit\n\nint max(int a, int b)\nint max(int a, ...)\n\nTen.\n\nPart, Qty\nRotor, 12\nSeal, 9"


def test_a_date_is_told_as_it_is_written_where_it_has_no_parts() -> None:
    dates = "<date date-type='pub'/><date date-type='accepted'>May 2021</date>"
    text = f"<?xml version='1.0'?><article><front><history>{dates}</history></front><body><p>Ten.</p></body></article>"
    assert one("a.xml", text).text == "accepted: May 2021\n\nTen."


_CHART = (
    '<office:chart><chart:chart xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0"><chart:title><text:p>Sales</text:p>'
    f"</chart:title><table:table><table:table-rows>{row(cell('Year'), cell('Sold'))}{row(cell('2019'), cell('70'))}"
    "</table:table-rows></table:table></chart:chart></office:chart>"
)


def test_what_is_drawn_in_the_cells_of_an_opendocument_sheet_stands_behind_them() -> None:
    chart = f"<draw:frame><draw:object><office:document><office:body>{_CHART}</office:body></office:document></draw:object></draw:frame>"
    box = "<draw:custom-shape><text:p>Beware of 440 V</text:p></draw:custom-shape>"
    rows = row(cell("Item"), cell("Count"), cell("Note")) + row(
        cell("Rotor"), f"<table:table-cell>{chart}<text:p>12</text:p></table:table-cell>", cell("new")
    )
    rows += row(cell("Seal"), f"<table:table-cell><!-- none -->{box}</table:table-cell>", cell("old"))
    sheet = f"<office:spreadsheet><table:table table:name='S'>{rows}</table:table></office:spreadsheet>"
    assert opendocument("a.ods", sheet).text == (
        "S\n\nItem: Rotor | Count: 12 | Note: new\nItem: Seal | Note: old\n\nSales\n\nYear | Sold\n2019 | 70\n\nBeware of 440 V"
    )


def test_a_chart_of_an_opendocument_text_is_read() -> None:
    part = f"<office:document-content {_NAMES}><office:body>{_CHART}</office:body></office:document-content>"
    frame = "<text:p>Before.</text:p><text:p><draw:frame><draw:object xlink:href='./Object 1'/></draw:frame></text:p>"
    document = opendocument("a.odt", f"<office:text>{frame}</office:text>", parts={"Object 1/content.xml": part})
    assert document.text == "Before.\n\nSales\n\nYear | Sold\n2019 | 70"


def test_the_words_of_a_box_in_rtf_are_read_once() -> None:
    shape = r"{\shp{\*\shpinst\shpleft1{\sp{\sn shapeType}{\sv 202}}{\shptxt \pard Box 31\par}}{\shprslt{\*\do{\dptxbxtext Box 31}}}}"
    assert one("a.rtf", r"{\rtf1\ansi\pard Before." + shape + r"After.\par}").text == "Before.\nBox 31\nAfter."


def test_of_an_output_that_only_names_an_object_its_markdown_is_read() -> None:
    def output(plain: str) -> str:
        data = {"text/plain": plain, "text/markdown": "The **mean** is 3.5."}
        cell = {"cell_type": "code", "source": "", "outputs": [{"output_type": "display_data", "data": data}]}
        return one("a.ipynb", json.dumps({"nbformat": 4, "cells": [cell]})).text

    assert output("<IPython.core.display.Markdown object>") == "```text\nThe **mean** is 3.5.\n```"
    assert output("3.5") == "```text\n3.5\n```"
