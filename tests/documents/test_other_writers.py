"""OpenDocument, calendars, contacts and texts as programs other than the usual ones write them."""

from __future__ import annotations

import io

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from reading import one, refused
from test_new_shapes import cell, opendocument, row

FIELD = "urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0"


def text(body: str, styles: str = "") -> str:
    return opendocument("a.odt", f"<office:text>{body}</office:text>", styles).text


@pytest.mark.parametrize(
    ("kind", "told", "shown"),
    [
        ("DROPDOWN", {"Dropdown_Selected": "1"}, "Medium"),
        ("DROPDOWN", {}, ""),
        ("CHECKBOX", {"Checkbox_Checked": "true"}, "[x]"),
        ("CHECKBOX", {}, "[ ]"),
    ],
)
def test_what_is_chosen_in_a_form_of_an_opendocument_text(kind: str, told: dict[str, str], shown: str) -> None:
    items = [("Dropdown_ListEntry", "Small"), ("Dropdown_ListEntry", "Medium"), *told.items()]
    said = "".join(f'<f:param f:name="{name}" f:value="{value}"/>' for name, value in items)
    field = f'<f:fieldmark xmlns:f="{FIELD}" f:type="vnd.oasis.opendocument.field.FORM{kind}">{said}</f:fieldmark>'
    assert text(f"<text:p>Size: {field}!</text:p>") == f"Size: {shown}!"


def test_marks_of_items_are_as_the_list_style_writes_them() -> None:
    level = '<text:list-level-style-number text:level="{}" style:num-format="{}" {}/>'
    levels = level.format(1, "1", 'style:num-suffix="."')
    levels += level.format(2, "1", 'style:num-suffix="." text:display-levels="2"')
    levels += level.format(3, "a", 'style:num-prefix="(" style:num-suffix=")"')
    item = "<text:list-item><text:p>{}</text:p>{}</text:list-item>"
    third = f"<text:list>{item.format('Roof', '')}{item.format('Boiler', '')}</text:list>"
    second = f"<text:list>{item.format('Below', '')}{item.format('Above', third)}</text:list>"
    body = f'<text:list text:style-name="L">{item.format("Rent", "")}{item.format("Repairs", second)}</text:list>'
    found = text(body, f'<text:list-style style:name="L">{levels}</text:list-style>').split("\n")
    assert [line.strip() for line in found if line] == [
        "1. Rent", "2. Repairs", "2.1. Below", "2.2. Above", "(a) Roof", "(b) Boiler",
    ]  # fmt: skip


def test_code_of_an_opendocument_text_keeps_its_indentation() -> None:
    styles = '<style:style style:name="P6" style:parent-style-name="Preformatted_20_Text"/>'
    line = '<text:p text:style-name="{}">{}</text:p>'
    code = line.format("P6", "def cups(g):") + line.format("P6", "") + line.format("P6", '<text:s text:c="4"/>return g')
    assert text(f"<text:p>So:</text:p>{code}<text:p>Done.</text:p>", styles) == (
        "So:\n\ndef cups(g):\n\n    return g\n\nDone."
    )


def test_code_of_a_word_text_keeps_its_indentation() -> None:
    made, file = docx.Document(), io.BytesIO()
    style = made.styles.add_style("Source Code", WD_STYLE_TYPE.PARAGRAPH)
    made.add_paragraph("So:   ")
    first = made.add_paragraph("def cups(g):", style)
    first.runs[0].add_break()
    first.add_run("    ")
    first.add_run("return g")
    made.add_paragraph("    # done", style)
    made.add_paragraph("Done.")
    made.save(file)
    assert one("a.docx", file.getvalue()).text == "So:\n\ndef cups(g):\n    return g\n    # done\n\nDone."


def test_letters_struck_out_by_a_type_of_line_alone_are_marked() -> None:
    style = '<style:style style:name="{}"><style:text-properties {}/></style:style>'
    styles = style.format("T1", 'style:text-line-through-type="single"')
    none = 'style:text-line-through-style="none" style:text-line-through-type="single"'
    styles += style.format("T2", none)
    span = '<text:span text:style-name="{}">{}</text:span>'
    assert text(f"<text:p>Price {span.format('T1', '9')}{span.format('T2', '8')}</text:p>", styles) == "Price ~~9~~8"


def test_numbers_of_pages_and_values_that_a_chart_lacks_are_no_words() -> None:
    rows = row(cell("South"), cell("NaN", 'office:value-type="float" office:value="NaN"'), cell("58"))
    rows += row(cell("North"), cell("61"), cell("63"))
    said = text(
        f"<text:p>Hall<text:page-number>&lt;number&gt;</text:page-number></text:p><table:table>{rows}</table:table>"
    )
    assert said == "Hall\n\nSouth | | 58\nNorth | 61 | 63"


def test_struck_cells_and_hidden_columns_of_an_opendocument_sheet_are_told() -> None:
    styles = (
        '<style:style style:name="ce1"><style:text-properties style:text-line-through-style="solid"/></style:style>'
    )
    columns = '<table:table-column/><table:table-column table:visibility="collapse"/>'
    unused = '<table:table-column table:visibility="collapse" table:number-columns-repeated="900"/>'
    rows = row(cell("Name"), cell("Pay"), cell("Room")) + row(cell("Ida"), cell("88123"), cell("4"))
    rows += row(cell("Bo"), cell("77001"), cell("5", 'table:style-name="ce1"'))
    sheet = f'<table:table table:name="S">{columns}<table:table-column/>{unused}{rows}</table:table>'
    document = opendocument("a.ods", f"<office:spreadsheet>{sheet}</office:spreadsheet>", styles)
    assert document.text.endswith("Name: Ida | Pay: 88123 | Room: 4\nName: Bo | Pay: 77001")
    assert document.metadata["left_out"] == "struck-out text (1); hidden columns, read with the others (1)"


def test_who_declined_is_told_in_an_appointment() -> None:
    people = "ATTENDEE;CN=Jan;PARTSTAT=DECLINED:mailto:j@a.example\nATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:k@a.example\n"
    said = one(
        "a.ics", f"BEGIN:VCALENDAR\nBEGIN:VEVENT\n{people}SUMMARY:20250612 room\nEND:VEVENT\nEND:VCALENDAR\n"
    ).text
    assert said == "Attendee: Jan <j@a.example> (declined)\nAttendee: k@a.example\nSummary: 20250612 room"


def test_contacts_are_read_line_by_line() -> None:
    card = (
        "BEGIN:VCARD\r\nVERSION:2.1\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Jo M=C3=BC=\r\nller\r\n"
        "TEL;HOME:030998877\r\nitem1.EMAIL;TYPE=INTERNET;TYPE=WORK:j@a.example\r\nORG:Clinic\\; North;Heart\r\n"
        "ADR;TYPE=WORK:;;Long St 5;York;;31-147;UK\r\nBDAY:19790430\r\nNOTE:Only mornings\\,\r\n  8-11.\r\nEND:VCARD\r\n"
    )
    assert one("a.vcf", card + card.replace("Jo ", "Al ")).text.split("\n\n")[0].split("\n") == [
        "Name: Jo Müller",
        "Phone (home): 030998877",
        "E-mail (work): j@a.example",
        "Organization: Clinic; North, Heart",
        "Address (work): Long St 5, York, 31-147, UK",
        "Born: 1979-04-30",
        "Note: Only mornings, 8-11.",
    ]


def test_postscript_is_refused_by_its_name() -> None:
    assert "PostScript" in refused("a.ps", "%!PS-Adobe-3.0\n(Words) show\n")


def test_few_letters_that_give_signs_within_words_are_refused_not_garbled() -> None:
    said = "The ferry: Příliš žluťoučký kůň. Zażółć gęślą jaźń, 3 zł."
    assert "too few characters" in refused("a.txt", said.encode("iso8859-2"))


def test_letters_of_fonts_of_signs_are_the_signs_that_are_shown_in_opendocument() -> None:
    font = '<style:style style:name="{}" {}><style:text-properties style:font-name="{}"/></style:style>'
    styles = '<style:font-face style:name="W1" svg:font-family="\'Wingdings\'"/>' + font.format("T1", "", "W1")
    styles += font.format("T3", "", "Arial") + '<style:style style:name="T2" style:parent-style-name="T1"/>'
    line = '<text:p text:style-name="{}">{}<text:span text:style-name="{}">{}</text:span></text:p>'
    body = (
        line.format("T2", "\uf0fe ", "", "\uf0a8") + line.format("T1", "o", "T3", " A") + "<text:p>25\uf0b0C</text:p>"
    )
    assert text(body, styles) == "☑ ◻\n\n□ A\n\n25°C"
    unknown = opendocument("a.odt", f"<office:text>{line.format('T1', chr(0xF001), 'T3', 'A')}</office:text>", styles)
    assert (unknown.text, unknown.metadata["left_out"]) == ("\ufffdA", "signs of an unknown font (1)")


def test_comments_of_an_opendocument_text_stand_behind_their_block() -> None:
    note = "<office:annotation><dc:creator>Bo</dc:creator><dc:date>2024-01-01</dc:date><text:p>Or 9?</text:p></office:annotation>"
    rows = row(f"<table:table-cell><text:p>A{note}</text:p></table:table-cell>", cell("1")) + row(cell("B"), cell("2"))
    body = (
        f"<text:p>It <text:span>is{note}</text:span> 8.</text:p><table:table>{rows}</table:table><text:p>End.</text:p>"
    )
    assert text(body) == "It is 8.\n\nComment by Bo: Or 9?\n\nA | 1\nB | 2\n\nComment by Bo: Or 9?\n\nEnd."


def test_hidden_shapes_sections_and_slides_of_opendocument_are_told() -> None:
    styles = (
        '<style:style style:name="dp2"><style:drawing-page-properties xmlns:p="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"'
        ' p:visibility="hidden"/></style:style>'
    )
    box = "<draw:custom-shape {}><text:p>{}</text:p></draw:custom-shape>"
    old = box.format('xmlns:o="http://openoffice.org/2010/draw" o:display="none"', "Old 5")
    older = box.format('draw:display="none"', "Older")
    first = f"<draw:page>{box.format('', 'Shown 3')}{old}{older}</draw:page>"
    slides = f'<office:presentation>{first}<draw:page draw:style-name="dp2">{box.format("", "Spare")}</draw:page></office:presentation>'
    document = opendocument("a.odp", slides, styles)
    assert document.text.split() == ["Shown", "3", "Spare"]
    assert document.metadata["left_out"] == "hidden slides, read with the others (1); hidden shapes (2)"
    hidden = '<text:section text:display="none"><text:p>Old 7</text:p></text:section>'
    told = opendocument("a.odt", f"<office:text><text:p>New 8</text:p>{hidden}</office:text>")
    assert (told.text, told.metadata["left_out"]) == ("New 8", "hidden text (1)")
