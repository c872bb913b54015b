"""DOCX: everything that a reader of the document sees."""
# ruff: noqa: E501 - XML as Word writes it

from __future__ import annotations

import io
import zipfile

import docx
import pytest
from lxml import etree
from reading import one
from small_files import replaced, saved

from decoct.documents.base import LEFT_OUT
from decoct.documents.matter import matter
from decoct.documents.office.docx import Story, parts_of_document
from decoct.documents.office.docx_parts import ListMark, Numbering

SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
    'wordprocessingDrawing" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)


def made(body: str, parts: dict[str, str] | None = None) -> bytes:
    """A DOCX with this body, and further parts of `word/` related to it by their name."""
    data = saved(docx.Document())
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        relations = archive.read("word/_rels/document.xml.rels").decode()
        types = archive.read("[Content_Types].xml").decode()
    for name in parts or {}:
        if f'Target="{name}.xml"' not in relations:
            relations = relations.replace(
                "</Relationships>",
                f'<Relationship Id="x{name}" Type="{kind}/{name.strip("12")}" Target="{name}.xml"/></Relationships>',
            )
            override = f'<Override PartName="/word/{name}.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.{name}+xml"/>'
            types = types.replace("</Types>", f"{override}</Types>")
    changes = {
        "word/document.xml": f"<w:document {SPACES}><w:body>{body}</w:body></w:document>".encode(),
        "word/_rels/document.xml.rels": relations.encode(),
        "[Content_Types].xml": types.encode(),
        **{f"word/{name}.xml": text.encode() for name, text in (parts or {}).items()},
    }
    return replaced(data, changes)


def p(*runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(run if run.startswith('<') else t(run) for run in runs)}</w:p>"


def t(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(c if c.startswith('<') else tc(c) for c in cells)}</w:tr>"


def tc(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{text if text.startswith('<') else p(text)}</w:tc>"


def tbl(*rows: str) -> str:
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def test_lines_side_by_side_in_cells_are_rows() -> None:
    lines = [p("", t("17"), "<w:r><w:br/></w:r>", t("3")), p(""), p("5"), p("")]
    body = tbl(row("Kind", "2024"), row(tc(p("Oil") + p("Gas") + p("") + p("Wood")), tc("".join(lines))))
    assert one("a.docx", made(body)).text == "Kind | 2024\nOil | 17\nGas | 3\nWood | 5"


DOWN, ON = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
TWO = '<w:gridSpan w:val="2"/>'


ENTRIES = '<w:listEntry w:val="S"/><w:listEntry w:val="M"/>'


def code(*parts: str) -> str:
    """A field: parts of its code, and runs of its result."""
    said = [part if part.startswith("<") else f"<w:r><w:instrText>{part}</w:instrText></w:r>" for part in parts]
    at = next((at for at, part in enumerate(parts) if part.startswith("<")), len(parts))
    begin, middle, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    return "".join((begin, *said[:at], *([middle, *said[at:]] if at < len(parts) else []), end))


def form(data: str, result: str = "") -> str:
    begin = f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{data}</w:ffData></w:fldChar></w:r>'
    return code("FORM", *([result] if result else [])).replace('<w:r><w:fldChar w:fldCharType="begin"/></w:r>', begin)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (p("KX", "<w:r><w:noBreakHyphen/></w:r>", "4410, 8", "<w:r><w:noBreakHyphen/></w:r>", "12 hours"), "KX-4410, 8-12 hours"),
        (p("main", "<w:r><w:softHyphen/></w:r>", "tenance"), "maintenance"),
        (p("25 ", '<w:r><w:sym w:font="Symbol" w:char="F0B1"/></w:r>', " 2"), "25 ± 2"),
        (p(t("a", '<w:rFonts w:ascii="Symbol"/>'), " = 3"), "α = 3"),
        (p("loss is ", "<m:oMath><m:r><m:t>h=2.4Q</m:t></m:r></m:oMath>", " metres"), "loss is h=2.4Q metres"),
        (p("4", "<m:oMathPara><m:oMath><m:r><m:t>17</m:t></m:r></m:oMath></m:oMathPara>"), "4 17"),
        (p("a", "<w:r><w:br/></w:r>", "b", "<w:r><w:tab/></w:r>", "c", "<w:r><w:cr/></w:r>", "d"), "a\nb c\nd"),
        (p("Price ", t("100", "<w:strike/>"), " 120"), "Price ~~100~~ 120"),
        (p("Price ", t("100", '<w:strike w:val="0"/>')), "Price 100"),
        (p("Seen", t("hidden", "<w:vanish/>"), "."), "Seen."),
        (p("Lift: ", form("<w:checkBox><w:checked/></w:checkBox>"), "yes"), "Lift: [x] yes"),
        (p(form(f"<w:ddList><w:result w:val='1'/>{ENTRIES}</w:ddList>")), "M"),
        (p(form(f"<w:ddList><w:default w:val='1'/>{ENTRIES}</w:ddList>", t("M"))), "M"),  # told once
        (p("Dose ", code(r"EQ \f(1,2)"), " tablet"), "Dose 1/2 tablet"),
        (p("Dose ", code(r" EQ \f(1;\r(3;a+b))", t(" ")), " ml"), "Dose 1/((a+b)^(1/3)) ml"),
        (p("12 m", code("EQ \\s", r"\up8(2)"), " of CO", code(r"EQ \s\do4(2)"), "!"), "12 m^2 of CO2!"),
        (p(code(r"EQ \b\bc\[(\i\su(1,5,n))")), "[∑_1^5 n]"),
        (p("Warm: 40 ", code(r'SYMBOL 176 \f "Symbol" \s 12'), "C, ", code(r"SYMBOL 8364 \u"), "5 ", code("SYMBOL 163")), "Warm: 40 °C, €5 £"),
        (p("Cost ", '<w:fldSimple w:instr="EQ \\f(1,3)"/>', " of it ", '<w:fldSimple w:instr="REF a">' + t("12") + "</w:fldSimple>"), "Cost 1/3 of it 12"),
        (p("Now ", code("MACROBUTTON Next [Name]"), code("TOC \\o")), "Now [Name]"),
        (p("See ", "<w:r><w:drawing><wp:docPr descr='The pump'/></w:drawing></w:r>", " here"), "See [picture: The pump] here"),
        (p("Before ", "<w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent>" + p("In a box") + "</w:txbxContent></wps:txbx>"
           "</w:drawing></mc:Choice><mc:Fallback><w:pict>" + p("In a box") + "</w:pict></mc:Fallback></mc:AlternateContent></w:r>", "after"),
         "Before after\n\nIn a box"),
        # tables
        (tbl(row("Part", "Stock", "Ordered"), row("Rotor", "", "12")), "Part | Stock | Ordered\nRotor | | 12"),
        (tbl(row("", "Mon"), row("Ida", "")), "| | Mon\nIda | |"),
        (tbl(row("Region", "Q", "Sales"), row(tc("North", DOWN), "Q1", "5"), row(tc("", ON), "Q2", "30")),
         "Region | Q | Sales\nNorth | Q1 | 5\nNorth | Q2 | 30"),
        (tbl(row(tc("Team", DOWN), tc("2024", TWO)), row(tc("", ON), "Wins", "Losses"), row("Otters", "5", "7")),
         "Team | 2024 / Wins | 2024 / Losses\nOtters | 5 | 7"),
        (tbl(row("a", "b", "c"), row("x", "y", properties='<w:gridBefore w:val="1"/>')), "a | b | c\n| | x | y"),
        (tbl(row("a", "b"), row("gone", "gone", properties="<w:del/>"), row("c", "d")), "a | b\nc | d"),
        (tbl(row("a", "b"), row("c", tc(p("8 to 12") + p("14 to 17")))), "a | b\nc | 8 to 12; 14 to 17"),
        (tbl(row("A box of one cell")), "A box of one cell"),
        (tbl(row("Item", "DocxParts", properties="<w:tblHeader/>"), row("Pump", tc(p("two") + tbl(row("Rotor", "1"), row("Shaft", "2"))))),
         "Item | DocxParts\nPump | two; Rotor: 1; Shaft: 2"),
        (tbl("<w:sdt><w:sdtContent>" + row("a", "b") + "</w:sdtContent></w:sdt>", row("c", "d")), "a | b\nc | d"),
        (tbl(row("KX", "b"), row(tc(p("KX", "<w:r><w:noBreakHyphen/></w:r>", "12")), "d")), "KX | b\nKX-12 | d"),
        (
            p("<w:r><w:ruby><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby></w:r>", t("に")),
            "東京(とうきょう)に",
        ),
    ],
)  # fmt: skip
def test_what_a_document_shows(body: str, text: str) -> None:
    assert one("a.docx", made(p("Start.") + body)).text.removeprefix("Start.").strip("\n") == text


def test_what_is_left_out_is_told() -> None:
    body = p(
        "Seen",
        t("hidden", "<w:vanish/>"),
        t("40. Or 41.", "<w:strike/>"),
        '<w:r><w:sym w:font="Odd" w:char="F041"/></w:r>',
        "<w:altChunk/>",
    )
    assert one("a.docx", made(body)).metadata[LEFT_OUT] == (
        "hidden text (1); struck-out text (1); signs of an unknown font (1); embedded files (1)"
    )


FOOTNOTES = f"<w:footnotes {SPACES}><w:footnote w:id='2'>{p('For garages it is one rent.')}</w:footnote><w:footnote w:id='3'>{p('Or two.')}</w:footnote></w:footnotes>"
ENDNOTES = f"<w:endnotes {SPACES}><w:endnote w:id='2'>{p('By law.')}</w:endnote></w:endnotes>"
COMMENTS = f"<w:comments {SPACES}><w:comment w:id='0' w:author='Ona'>{p('Is it?')}</w:comment></w:comments>"


def test_notes_and_comments_follow_what_refers_to_them() -> None:
    body = (
        p(
            "The deposit is two rents.",
            "<w:r><w:footnoteReference w:id='2'/></w:r>",
            "<w:r><w:endnoteReference w:id='2'/></w:r>",
        )
        + tbl(row("a", "b"), row(tc(p("5", "<w:r><w:footnoteReference w:id='3'/></w:r>")), "c"))
        + p("It is", "<w:r><w:commentReference w:id='0'/></w:r>", " due.")
    )
    document = one("a.docx", made(body, {"footnotes": FOOTNOTES, "endnotes": ENDNOTES, "comments": COMMENTS}))
    assert document.text == (
        "The deposit is two rents. (note 1) (note i)\n\nNote 1: For garages it is one rent.\n\nNote i: By law.\n\n"
        "a | b\n5 (note 2) | c\n\nNote 2: Or two.\n\nIt is due.\n\nComment by Ona: Is it?"
    )


def test_headers_and_footers_are_read_once_without_numbers_of_pages() -> None:
    page = "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>3</w:t></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r>"
    parts = {
        "header1": f"<w:hdr {SPACES}>{p('Contract 4410')}</w:hdr>",
        "header2": f"<w:hdr {SPACES}>{p('Contract 4410')}</w:hdr>",
        "footer1": f"<w:ftr {SPACES}>{p(page)}</w:ftr>",
        "footer2": f"<w:ftr {SPACES}>{p('Draft, ', page)}</w:ftr>",
    }
    assert one("a.docx", made(p("Text."), parts)).text == "Text.\n\nHeader: Contract 4410\n\nFooter: Draft,"


NUMBERS = f"""<w:numbering {SPACES}><w:abstractNum w:abstractNumId="0">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="x"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num></w:numbering>"""


def item(text: str, number: int, level: int = 0, style: str = "") -> str:
    return p(text, properties=f'{style}<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def test_lists_have_their_numbers() -> None:
    body = (
        item("Close", 1) + item("Drain", 1) + item("slowly", 1, 1) + item("fully", 1, 1) + item("Lift", 1) + p("Then")
    )
    body += item("Go on", 1) + item("Anew", 3) + item("After", 3) + item("point", 2) + item("none", 0)
    assert one("a.docx", made(body, {"numbering": NUMBERS})).text == (
        "1. Close\n2. Drain\n  2.a) slowly\n  2.b) fully\n3. Lift\n\nThen\n\n4. Go on\n7. Anew\n8. After\n- point\n\nnone"
    )


def test_a_list_that_begins_anew_in_another_begins_on_its_level_alone() -> None:
    anew = "".join(f'<w:lvlOverride w:ilvl="{at}"><w:startOverride w:val="1"/></w:lvlOverride>' for at in range(3))
    lists = "".join(f'<w:num w:numId="{number}"><w:abstractNumId w:val="0"/>{anew}</w:num>' for number in (5, 6, 7))
    numbers = NUMBERS.replace("</w:numbering>", f"{lists}</w:numbering>")  # as pandoc has lists within lists
    body = item("Open", 5) + item("gate A", 6, 1) + item("gate B", 6, 1) + item("Close", 5) + item("a door", 7, 1)
    assert one("a.docx", made(body + item("Go", 5), {"numbering": numbers})).text == (
        "1. Open\n  1.a) gate A\n  1.b) gate B\n2. Close\n  2.a) a door\n3. Go"
    )


@pytest.mark.parametrize(
    ("level", "last"), [("", "2.a)"), ('<w:lvlRestart w:val="0"/>', "2.c)"), ('<w:lvlRestart w:val="1"/>', "2.a)")]
)
def test_clauses_count_on_below_the_next_article_where_the_level_says_so(level: str, last: str) -> None:
    numbers = NUMBERS.replace('<w:numFmt w:val="lowerLetter"/>', f'<w:numFmt w:val="lowerLetter"/>{level}')
    body = item("Rent", 1) + item("paid", 1, 1) + item("due", 1, 1) + item("Term", 1) + item("ends", 1, 1)
    assert one("a.docx", made(body, {"numbering": numbers})).text.endswith(f"\n  {last} ends")


def test_numbers_of_headings_belong_to_them_and_not_to_the_title() -> None:
    style = '<w:pStyle w:val="Heading1"/>'
    data = made(item("Scope", 1, style=style) + p("Text."), {"numbering": NUMBERS})
    document = one("a.docx", replaced(data, {"docProps/core.xml": b"<x/>"}))
    assert document.text == "1. Scope\n\nText."
    assert [document.text[slice(*at)] for at in document.headings] == ["1. Scope"]
    assert document.title == "Scope"


@pytest.mark.parametrize(
    ("form", "marks"),
    [
        ("lowerRoman", ["iv.", "v."]), ("upperRoman", ["IV.", "V."]), ("upperLetter", ["D.", "E."]), ("decimalZero", ["04.", "05."]),
        ("ordinal", ["4th.", "5th."]), ("none", [None, None]), ("other", ["4.", "5."]),
    ],
)  # fmt: skip
def test_forms_of_numbers(form: str, marks: list[str | None]) -> None:
    numbers = etree.fromstring(
        NUMBERS.replace('"decimal"', f'"{form}"').replace('<w:start w:val="1"/>', '<w:start w:val="4"/>')
    )
    numbering = Numbering(numbers, None)
    paragraph = etree.fromstring(f"<w:x {SPACES}>{item('a', 1)}</w:x>")[0]
    found = [numbering.mark(paragraph) for _ in range(2)]
    assert found == [ListMark(mark, 0) if mark else None for mark in marks]


def test_a_story_can_be_written_alone() -> None:
    document = docx.Document()
    document.add_paragraph("alone")
    story = Story(parts_of_document(document))
    story.write(document.element.body)
    assert story.prose.text == "alone"


def test_a_page_that_was_put_into_a_document_is_read_in_its_place() -> None:
    page = "<html><body><h2>Oil</h2><p>It is 12 l.</p><table><tr><th>Part</th><th>Stock</th></tr><tr><td>Rotor</td><td></td></tr></table></body></html>"
    data = made(p("Before.") + '<w:altChunk r:id="xaFChunk"/>' + p("After."), {"aFChunk": page})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        types = archive.read("[Content_Types].xml").decode()
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.aFChunk+xml"
    document = one("a.docx", replaced(data, {"[Content_Types].xml": types.replace(kind, "text/html").encode()}))
    assert document.text == "Before.\n\nOil\n\nIt is 12 l.\n\nPart | Stock\nRotor | |\n\nAfter."
    assert [document.text[slice(*found)] for found in document.headings] == ["Oil"]
    assert "left_out" not in document.metadata


def test_a_part_that_is_related_by_no_kind_is_passed_over() -> None:
    data = made(p("Two pumps."))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        relations = archive.read("word/_rels/document.xml.rels").replace(b"Type=", b"Tpye=", 1)
    assert one("a.docx", replaced(data, {"word/_rels/document.xml.rels": relations})).text == "Two pumps."


def test_contents_of_a_document_lead_to_their_pages_by_dots() -> None:
    stops = "<w:tabs><w:tab w:val='left' w:pos='440'/><w:tab w:val='right' w:leader='dot' w:pos='9350'/></w:tabs>"
    tab = "<w:r><w:tab/></w:r>"
    lines = [
        p(str(at), tab, words, tab, str(page), properties=stops)
        for at, words, page in ((1, "Oil", 3), (2, "Seal", 9), (3, "Lid", 9))
    ]
    document = one("a.docx", made("".join(lines) + p("It is 12.", tab, "Now.")))
    assert document.text == "1 Oil .... 3\n\n2 Seal .... 9\n\n3 Lid .... 9\n\nIt is 12. Now."
    assert [document.text[start:end].strip() for start, end in matter(document.text)] == [
        "1 Oil .... 3\n\n2 Seal .... 9\n\n3 Lid .... 9"
    ]


def field(code: str, shown: str) -> str:
    """A field: its code, whatever stands in it, and what it shows."""
    marks = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")]
    return marks[0] + code + marks[1] + shown + marks[2]


def test_what_stands_in_the_code_of_a_field_is_not_shown() -> None:
    inner = field("<w:r><w:instrText>MERGEFIELD Age</w:instrText></w:r>", t("17"))
    body = (
        p("Outer ", field(inner, t("minor")), " end.")
        + p("<w:r><w:fldChar w:fldCharType='begin'/></w:r>", "Cut ")
        + p("off.")
    )
    assert one("a.docx", made(body)).text == "Outer minor end.\n\noff."


def test_what_a_style_hides_is_not_read_and_what_it_strikes_out_is_marked() -> None:
    styles = (
        f"<w:styles {SPACES}><w:style w:styleId='H' w:type='paragraph'><w:rPr><w:vanish/></w:rPr></w:style>"
        "<w:style w:styleId='S'><w:rPr><w:strike/></w:rPr></w:style>"
        "<w:style w:styleId='T'><w:basedOn w:val='S'/></w:style></w:styles>"
    )
    body = p("Hidden 4242", properties='<w:pStyle w:val="H"/>') + p(t("Old 88 ", '<w:rStyle w:val="T"/>'), "new 77")
    shown = p(t("On", '<w:rStyle w:val="S"/><w:strike w:val="0"/>'))
    document = one("a.docx", made(body + shown, {"styles": styles}))
    assert document.text == "~~Old 88~~ new 77\n\nOn"
    assert document.metadata["left_out"] == "hidden text (1)"


def test_an_item_that_was_deleted_does_not_count() -> None:
    numbers = (
        f"<w:numbering {SPACES}><w:abstractNum w:abstractNumId='0'><w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/>"
        "<w:lvlText w:val='%1.'/></w:lvl></w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num></w:numbering>"
    )
    item = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    gone = p("<w:del><w:r><w:delText>Gone</w:delText></w:r></w:del>", properties=f"{item}<w:rPr><w:del/></w:rPr>")
    body = p("First", properties=item) + gone + p("Second", properties=item)
    assert one("a.docx", made(body, {"numbering": numbers})).text == "1. First\n2. Second"


def test_tabs_of_paragraphs_below_one_another_are_borders_of_columns() -> None:
    def line(*cells: str) -> str:
        return p(*"<w:r><w:tab/></w:r>".join(f"\0{cell}\0" * bool(cell) for cell in cells).split("\0"))

    body = (
        p("Staff")
        + line("Name", "Room", "Phone")
        + line("Anna", "12", "4711")
        + line("Karl", "", "4712")
        + line("Fee:", "40 euro")
    )
    assert (
        one("a.docx", made(body)).text
        == "Staff\n\nName | Room | Phone\nAnna | 12 | 4711\nKarl | | 4712\n\nFee: 40 euro"
    )


def test_a_row_that_was_deleted_is_told() -> None:
    rows = row("Job", "For") + row("Lamp", "Ann") + row("Pump", "Bo", properties="<w:del/>")
    document = one("a.docx", made(tbl(rows)))
    assert (document.text, document.metadata["left_out"]) == ("Job | For\nLamp | Ann", "deleted text (1)")
