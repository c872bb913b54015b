"""Numbers, dates, formulas, signs and charts of Office files as they are shown."""
# ruff: noqa: E501 - formulas as Office writes them

from __future__ import annotations

import datetime
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from decoct.documents.office.charts import chart_tables
from decoct.documents.office.omml import linear
from decoct.documents.office.symbols import UNKNOWN, is_of_signs, readable, sign
from decoct.documents.prose import Prose
from decoct.documents.tables.numberformats import date_shown, general, is_date, moment, shown, text_shown


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (0.075, "0.0%", "7.5%"), (0.5, "0%", "50%"), (-0.075, "0.0%", "-7.5%"), (0.5, "0.00 %", "50.00 %"),
        (1234, "00000", "01234"), (420, "00000", "00420"), (5551234, "000-0000", "555-1234"),
        (2125551234, "(###) 000-0000", "(212) 555-1234"), (12, '"Nr. "0', "Nr. 12"), (5, '0" kg"', "5 kg"),
        (1234.5, "#,##0.00", "1,234.50"), (1234567, "#,##0", "1,234,567"), (1000, "#,###", "1,000"), (2024, "0", "2024"),
        (-5, "#,##0;(#,##0)", "(5)"), (0, '0;-0;"-"', "-"), (3.14159, "0.00_);(0.00)", "3.14"), (2.5, "0", "3"), (0.125, "0.00", "0.13"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"), (1234.5, '_-* #,##0.00 "€"_-', "1,234.50 €"), (19.9, "$#,##0.00", "$19.90"),
        (-1234.5, '_-* #,##0.00 "€"_-;-* #,##0.00 "€"_-', "-1,234.50 €"), (3, "#,##0.00 [$USD]", "3.00 USD"),
        (12345678, '0.0,,"M"', "12.3M"), (1200, '[<1000]0;[>=1000]0.0,"k"', "1.2k"), (12, '[<1000]0;[>=1000]0.0,"k"', "12"),
        (12345, "0.00E+00", "1.23E+04"), (0.00012, "0.00E+00", "1.20E-04"), (99999, "0.0E+0", "1.0E+5"),
        (0.5, "# ?/?", "1/2"), (2.25, "# ?/?", "2 1/4"), (-2.25, "# ?/?", "-2 1/4"), (0.375, "# ?/8", "3/8"), (3, "# ?/?", "3"),
        (5.25, "0.0#", "5.25"), (5.2, "0.0#", "5.2"), (5, "0.##", "5"), (0.5, "#.##", ".5"), (12.345, "00.00", "12.35"),
        (0.1, "General", "0.1"), (0.1 + 0.2, "General", "0.3"), (1e20, "General", "1e+20"), (-3, "General", "-3"), (7, "@", "7"),
        (45292, "yyyy-mm-dd", "2024-01-01"), (45292, "dd/mm/yyyy", "2024-01-01"), (45292, "m/d/yy", "2024-01-01"),
        (45292, "d. mmmm yyyy", "1. January 2024"), (45292, "mmm yy", "Jan 24"), (45292, "dddd", "Monday"), (45292, "yyyy", "2024"),
        (45292, "[$-409]d\\-mmm\\-yy;@", "1-Jan-24"), (45292.354166666664, "yyyy-mm-dd hh:mm", "2024-01-01 08:30"),
        (0.354166666666667, "hh:mm", "08:30"), (0.354166666666667, "h:mm AM/PM", "8:30 AM"), (0.75, "h AM/PM", "6 PM"),
        (1.1041666666666667, "[h]:mm", "26:30"), (0.0007, "[m]:ss", "1:00"), (45292.5, "mm:ss", "00:00"), (1234.5, '.00', "1234.5"),
        (-1, "yyyy-mm-dd", "-1"), (5, "", "5"),
    ],
)  # fmt: skip
def test_a_number_is_what_its_cell_shows(value: float, code: str, text: str) -> None:
    assert shown(value, code) == text


@given(st.integers(-(10**12), 10**12), st.sampled_from(["0", "#,##0", "0.00", "#,##0.00", "General", "0_);-0"]))
def test_whole_numbers_stay_what_they_are(value: int, code: str) -> None:
    assert float(shown(value, code).replace(",", "")) == value


@given(st.floats(-1e9, 1e9), st.text('0#?,.%/E+-; "@[]$hmsdy\\*_', max_size=12))
def test_no_format_loses_a_number(value: float, code: str) -> None:
    assert shown(value, code).strip()


@given(st.dates(datetime.date(1900, 3, 1), datetime.date(9999, 12, 31)))
def test_days_are_days(day: datetime.date) -> None:
    assert date_shown((day - datetime.date(1899, 12, 30)).days, "d/m/yyyy") == day.isoformat()


def test_days_of_both_calendars() -> None:
    assert moment(0, of_1904=True) == datetime.datetime(1904, 1, 1)
    assert (moment(1), moment(61), moment(1e9)) == (datetime.datetime(1900, 1, 1), datetime.datetime(1900, 3, 1), None)
    assert shown(0, "yyyy-mm-dd", of_1904=True) == "1904-01-01"
    assert [is_date(code) for code in ("yyyy", "0.00", 'h"x"', '0 "days"', "General", "[Red]0", "[h]:mm")] == [
        True, False, True, False, False, False, True,
    ]  # fmt: skip


def test_texts_and_general_numbers() -> None:
    assert (text_shown("x", '0;0;0;"<"@">"'), text_shown("x", "General"), text_shown("x", "0")) == ("<x>", "x", "x")
    assert (general(3.0), general(0.5), general(-2.0), general(1e20)) == ("3", "0.5", "-2", "1e+20")


MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def formula(inner: str) -> str:
    return linear(etree.fromstring(f"<m:oMath xmlns:m='{MATH}'>{inner}</m:oMath>"))


def r(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (r("h=2.4Q"), "h=2.4Q"),
        (r("A=") + f"<m:sSup><m:e>{r('r')}</m:e><m:sup>{r('2')}</m:sup></m:sSup>", "A=r^2"),
        (f"<m:sSub><m:e>{r('x')}</m:e><m:sub>{r('i+1')}</m:sub></m:sSub>", "x_(i+1)"),
        (f"<m:sSubSup><m:e>{r('x')}</m:e><m:sub>{r('i')}</m:sub><m:sup>{r('2')}</m:sup></m:sSubSup>", "x_i^2"),
        (f"<m:f><m:num>{r('a+b')}</m:num><m:den>{r('c')}</m:den></m:f>", "(a+b)/c"),
        (f"<m:f><m:fPr><m:type m:val='noBar'/></m:fPr><m:num>{r('n')}</m:num><m:den>{r('k')}</m:den></m:f>", "(n over k)"),
        (f"<m:rad><m:deg/><m:e>{r('x+1')}</m:e></m:rad>", "√(x+1)"),
        (f"<m:rad><m:deg>{r('3')}</m:deg><m:e>{r('x')}</m:e></m:rad>", "√[3](x)"),
        (f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{r('i=1')}</m:sub><m:sup>{r('n')}</m:sup><m:e>{r('i')}</m:e></m:nary>",
         "∑_(i=1)^n i"),
        (f"<m:d><m:e>{r('a')}</m:e><m:e>{r('b')}</m:e></m:d>", "(a|b)"),
        (f"<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/><m:sepChr m:val=','/></m:dPr><m:e>{r('a')}</m:e><m:e>{r('b')}</m:e></m:d>",
         "[a,b]"),
        (f"<m:func><m:fName>{r('sin')}</m:fName><m:e>{r('x')}</m:e></m:func>", "sin x"),
        (f"<m:m><m:mr><m:e>{r('1')}</m:e><m:e>{r('2')}</m:e></m:mr><m:mr><m:e>{r('3')}</m:e><m:e>{r('4')}</m:e></m:mr></m:m>", "[1, 2; 3, 4]"),
        (f"<m:eqArr><m:e>{r('a=1')}</m:e><m:e>{r('b=2')}</m:e></m:eqArr>", "a=1; b=2"),
        (f"<m:limLow><m:e>{r('lim')}</m:e><m:lim>{r('x→0')}</m:lim></m:limLow>", "lim_(x→0)"),
        (f"<m:bar><m:e>{r('x')}</m:e></m:bar>", "x\u0305"),
        (f"<m:box><m:e>{r('x')}</m:e></m:box>", "x"),
    ],
)  # fmt: skip
def test_formulas_are_lines(inner: str, text: str) -> None:
    assert formula(inner) == text


def test_signs_of_fonts() -> None:
    assert [sign(code, "Symbol") for code in (0xF0B1, 0xB0, 0xF061, 0xF053, 0xF0A3)] == ["±", "°", "α", "Σ", "≤"]
    assert (sign(0xF0FC, "Wingdings"), sign(0x8C, "Wingdings"), sign(0xB1, "Arial")) == ("✓", "❶", "±")
    assert (sign(0xF041, "Webdings"), sign(0xD800, "Arial"), sign(3, "Symbol")) == (UNKNOWN, UNKNOWN, UNKNOWN)
    assert (readable("5 \uf0b1 2", "Arial"), readable("ab", "Symbol"), readable("ab", "")) == ("5 ± 2", "αβ", "ab")
    assert is_of_signs(" Wingdings")


CHART = """<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart>{}<c:plotArea><c:barChart>{}</c:barChart></c:plotArea></c:chart></c:chartSpace>"""


def series(name: str, categories: str, values: str, code: str = "General") -> str:
    def points(texts: str) -> str:
        return "".join(f"<c:pt idx='{n}'><c:v>{t}</c:v></c:pt>" for n, t in enumerate(texts.split()) if t != "-")

    return (
        f"<c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>{name}</c:v></c:pt></c:strCache></c:strRef></c:tx>"
        f"<c:cat><c:strRef><c:strCache>{points(categories)}</c:strCache></c:strRef></c:cat>"
        f"<c:val><c:numRef><c:numCache><c:formatCode>{code}</c:formatCode>{points(values)}</c:numCache></c:numRef></c:val></c:ser>"
    )


def written(data: str) -> str:
    prose = Prose()
    for table in chart_tables(data.encode(), Counter()):
        table.write(prose)
    return prose.text


def test_a_chart_is_a_table_of_its_series() -> None:
    title = "<c:title><c:tx><c:rich><a:p><a:r><a:t>Revenue</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    both = series("North", "Q1 Q2", "410 455") + series("South", "Q1 Q2", "0.075 -", "0.0%")
    assert written(CHART.format(title, both)) == "Revenue\n\n| | North | South\nQ1 | 410 | 7.5%\nQ2 | 455 | |"
    apart = series("A", "x", "1") + series("B", "y", "2")
    assert written(CHART.format("", apart)) == "| | A\nx | 1\n\n| | B\ny | 2"
    assert written(CHART.format(title, "")) == "Revenue"
    two = title.replace("</a:p>", "</a:p><a:p><a:r><a:t>2024</a:t></a:r></a:p>")
    assert written(CHART.format(two, "")) == "Revenue 2024"
    assert written(CHART.format("", "")) == ""


def test_axes_labels_and_sizes_of_a_chart_are_told() -> None:
    axis = "<c:valAx><c:title><c:tx><c:rich><a:p><a:r><a:t>EUR million</a:t></a:r></a:p></c:rich></c:tx></c:title></c:valAx>"
    label = "<c:dLbls><c:dLbl><c:idx val='1'/><c:tx><c:rich><a:p><a:r><a:t>a record</a:t></a:r></a:p></c:rich></c:tx></c:dLbl></c:dLbls>"
    sizes = (
        "<c:bubbleSize><c:numRef><c:numCache><c:pt idx='0'><c:v>10</c:v></c:pt></c:numCache></c:numRef></c:bubbleSize>"
    )
    data = CHART.format("", series("North", "Q1 Q2", "410 455").replace("</c:ser>", f"{label}{sizes}</c:ser>"))
    data = data.replace("</c:plotArea>", f"{axis}</c:plotArea>")
    assert written(data) == "EUR million\n\n| | North | North (size)\nQ1 | 410 | 10\nQ2 | 455 (a record) | |"
