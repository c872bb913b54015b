"""PPTX: everything that a slide shows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pptx
import pytest
from lxml import etree
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml import parse_xml
from pptx.util import Inches
from reading import one
from small_files import saved

from decoct.documents.office.pptx import slide_text
from decoct.documents.titles import told_title

_A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def slide() -> tuple[Any, Any]:
    made = pptx.Presentation()
    return made, made.slides.add_slide(made.slide_layouts[6])


def box(inner: str) -> str:
    """The text of a slide with one box of these paragraphs."""
    made, page = slide()
    body = page.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame._txBody
    for paragraph in list(body.iterchildren(f"{{{_A}}}p")):
        body.remove(paragraph)
    spaces = f'xmlns:a="{_A}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    for paragraph in etree.fromstring(f"<x {spaces}>{inner}</x>"):
        body.append(paragraph)
    return one("a.pptx", saved(made)).text


def r(text: str) -> str:
    return f"<a:r><a:t>{text}</a:t></a:r>"


def numbered(text: str, form: str = "arabicPeriod", level: int = 0, more: str = "") -> str:
    return f'<a:p><a:pPr lvl="{level}"><a:buAutoNum type="{form}"{more}/></a:pPr>{r(text)}</a:p>'


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (f"<a:p>{r('Harbour road 12')}<a:br/>{r('Postcode 4410')}</a:p>", "Harbour road 12\nPostcode 4410"),
        (f"<a:p>{r('of ')}<a:fld type='datetime1'><a:t>1 May</a:t></a:fld></a:p>", "of 1 May"),
        (f"<a:p>{r('Part&#9;Stock&#9;Price')}</a:p><a:p>{r('Rotor&#9;&#9;12')}</a:p>", "Part | Stock | Price\nRotor | | 12"),
        (f"<a:p>{r('1.&#9;Open')}</a:p><a:p>{r('2.&#9;Close')}</a:p><a:p>{r('so')}</a:p>", "1. Open\n2. Close\nso"),
        (f"<a:p>{r('x')}<a:fld type='slidenum'><a:t>4</a:t></a:fld></a:p>", "x"),
        (f"<a:p>{r('so ')}<m:oMath><m:r><m:t>P=UI</m:t></m:r></m:oMath></a:p>", "so P=UI"),
        (numbered("Close") + numbered("Drain") + f"<a:p>{r('then')}</a:p>" + numbered("Anew"), "1. Close\n2. Drain\nthen\n1. Anew"),
        (numbered("a", "alphaLcParenR") + numbered("b", "romanUcPeriod", 1) + numbered("c", "alphaLcParenR"), "a) a\n  I. b\nb) c"),
        (numbered("a", "arabicParenBoth", more=' startAt="7"'), "(7) a"),
    ],
)  # fmt: skip
def test_paragraphs(inner: str, text: str) -> None:
    assert box(inner) == text


def test_tables_keep_blank_and_merged_cells() -> None:
    made, page = slide()
    table = page.shapes.add_table(3, 3, 0, 0, Inches(4), Inches(1)).table
    for at, words in enumerate(("Part", "Stock", "Ordered", "Rotor", "", "12", "", "5", "")):
        table.cell(at // 3, at % 3).text = words
    table.cell(1, 0).merge(table.cell(2, 0))
    assert one("a.pptx", saved(made)).text == "Part | Stock | Ordered\nRotor | | 12\nRotor | 5 | |"


def test_a_second_row_of_heads_below_spans() -> None:
    made, page = slide()
    table = page.shapes.add_table(3, 3, 0, 0, Inches(4), Inches(1)).table
    for at, words in enumerate(("Site", "2024", "", "", "Plan", "Actual", "Turku", "310", "298")):
        table.cell(at // 3, at % 3).text = words
    table.cell(0, 1).merge(table.cell(0, 2))
    assert one("a.pptx", saved(made)).text == "Site | 2024 / Plan | 2024 / Actual\nTurku | 310 | 298"


def test_charts_pictures_and_hidden_slides() -> None:
    made, page = slide()
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["Q1", "Q2"]
    data.add_series("Revenue", (410, 455))
    page.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(2), Inches(2), data)
    page._element.set("show", "0")
    document = one("a.pptx", saved(made))
    assert document.text == "| | Revenue\nQ1 | 410\nQ2 | 455"
    assert document.metadata["left_out"] == "hidden slides, read with the others (1)"


def test_a_slide_alone() -> None:
    _, page = slide()
    counts: Counter[str] = Counter()
    assert slide_text(page, counts).text == ""
    assert not any(counts.values())


def test_a_slide_with_ink_is_read() -> None:
    made, page = slide()
    page.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "Two pumps"
    p, mc = (f"http://schemas.openxmlformats.org/{name}/2006" for name in ("presentationml", "markup-compatibility"))
    ink = f'<mc:AlternateContent xmlns:mc="{mc}" xmlns:p="{p}/main"><mc:Choice><p:contentPart/></mc:Choice></mc:AlternateContent>'
    page.shapes._spTree.append(etree.fromstring(ink))
    assert one("a.pptx", saved(made)).text == "Two pumps"


@pytest.mark.parametrize("said", ["Slide 1", "PowerPoint Presentation", "296664039", "????"])
def test_a_title_that_a_program_put_there_or_without_a_word_is_none(said: str) -> None:
    made = pptx.Presentation()
    made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = "Two pumps"
    made.core_properties.title = said
    assert one("a.pptx", saved(made)).title == "Two pumps"
    assert told_title(said) == ""


def test_a_slide_whose_title_is_a_picture_is_read() -> None:
    made, page = slide()
    page.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "Pumps"
    spaces = f'xmlns:a="{_A}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    named = '<p:nvPicPr><p:cNvPr id="9" name="Title" descr="A red pump"/><p:cNvPicPr/><p:nvPr><p:ph type="title"/></p:nvPr></p:nvPicPr>'
    page.shapes._spTree.append(parse_xml(f"<p:pic {spaces}>{named}<p:blipFill/><p:spPr/></p:pic>"))
    assert one("a.pptx", saved(made)).text == "Pumps\n\n[picture: A red pump]"


def test_struck_out_text_is_not_read_and_told() -> None:
    made, page = slide()
    paragraph = page.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.paragraphs[0]
    for text, strike in (("Old 50 ", "sngStrike"), ("new 60", "noStrike")):
        run = paragraph.add_run()
        run.text = text
        run.font._element.set("strike", strike)
    document = one("a.pptx", saved(made))
    assert (document.text, document.metadata["left_out"]) == ("new 60", "struck-out text (1)")


@pytest.mark.parametrize(
    ("boxes", "text"),
    [
        (
            [("41", 0, 2), ("7", 5, 2), ("staff", 0, 3), ("towns", 5, 3), ("Title", 0, 0)],
            "Title\n\n41\nstaff\n\n7\ntowns",
        ),
        (
            [("Mon", 3, 2), ("Tue", 6, 2), ("Ann", 0, 4), ("13-15", 6, 4), ("9-12", 3, 4.1)],
            "Mon | Tue\nAnn | 9-12 | 13-15",
        ),
        ([("big 12", 0, 2), ("9", 5, 2), ("a", 0.4, 3), ("b", 4.6, 3)], "big 12\na\n\n9\nb"),
        ([("b\nc", 5, 2), ("a", 0, 2.1), ("", 0, 1), ("d", 0, 1)], "d\n\na\n\nb\nc"),
    ],
)
def test_boxes_are_read_by_their_places(boxes: list[tuple[str, float, float]], text: str) -> None:
    made, page = slide()
    for words, left, top in boxes:
        page.shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(0.8)).text_frame.text = words
    assert one("a.pptx", saved(made)).text == text
    lines = ("".join(f"<text:p>{line}</text:p>" for line in words.split("\n")) for words, _, _ in boxes)
    frames = [
        f'<draw:frame svg:x="{left}in" svg:y="{top * 25.4:.2f}mm" svg:width="2in" svg:height="57.6pt">'
        f"<draw:text-box>{said}</draw:text-box></draw:frame>"
        for said, (_, left, top) in zip(lines, boxes, strict=True)
    ]
    names = {"office": "office", "text": "text", "draw": "drawing", "svg": "svg-compatible"}
    spaces = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for short, name in names.items()
    )
    grouped = f"<draw:page><draw:g>{''.join(frames)}</draw:g></draw:page>"
    body = f"<office:document {spaces}><office:body><office:presentation>{grouped}</office:presentation></office:body></office:document>"
    assert one("a.fodp", body).text.split() == text.replace(" |", "").split()


def test_hidden_shapes_are_left_out_and_told() -> None:
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Old title"
    for words in ("Shown 3", "Draft 5"):
        slide.shapes.add_textbox(Inches(1), Inches(3), Inches(2), Inches(1)).text_frame.text = words
    group = slide.shapes.add_group_shape([slide.shapes.add_textbox(Inches(1), Inches(5), Inches(2), Inches(1))])
    group.shapes[0].text_frame.text = "In a group 7"
    for shape in (slide.shapes.title, slide.shapes[2], group):
        next(shape._element.iter("{*}cNvPr")).set("hidden", "1")
    document = one("a.pptx", saved(made))
    assert (document.text, document.metadata["left_out"]) == ("Shown 3", "hidden shapes (3)")
