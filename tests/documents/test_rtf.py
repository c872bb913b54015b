"""RTF as programs write it: notes and fields whose groups are marked as ignorable, forms, formulas, letters that are drawn."""

from __future__ import annotations

import pytest
from reading import one


def text(written: str) -> str:
    return one("a.rtf", rf"{{\rtf1\ansi{{\fonttbl{{\f0 Times;}}}}\f0 {written}\par }}").text


@pytest.mark.parametrize(
    "note",
    [
        r"{\super \chftn{\*\footnote \chftn\pard\plain Reg. 0331.}}",  # LibreOffice
        r"{\super\chftn}{\*\footnote\chftn\~\plain\pard {\pard Reg. 0331.\par}}",  # pandoc
        r"{\super \chftn{\footnote \chftn\pard\plain Reg. 0331.}}",
    ],
)
def test_notes_of_other_programs_are_read_where_they_stand(note: str) -> None:
    assert text(rf"Rent due{note} and more.\par Of 10{{\super 3}} m.") == "Rent due (Reg. 0331.) and more.\nOf 10^3 m."


def test_what_is_hidden_with_a_bookmark_ends_with_it() -> None:
    assert text(r"Fee {\v\*\bkmkstart BM}71 of {\v old {\v older} oldest}80.") == "Fee 71 of 80."


@pytest.mark.parametrize(
    ("instruction", "shown"),
    [
        (r"EQ \\s\\do5({\fs18 2})", "2"),
        (r"EQ \\s\\up5(-3)", "^-3"),
        (r"eq \\f(2(a,b)\\s\\up8(2),9)", "(2(a,b)^2)/9"),
        (r"EQ \\r(x+1)", "√(x+1)"),
        (r"EQ \\r(3,x)", "x^(1/3)"),
        (r'HYPERLINK "https://a.example/"', ""),
        (r"FORMDROPDOWN {\*\formfield{\fftype2\ffres1{\*\ffl Small}{\*\ffl Medium}}}", "Medium"),
        (r"FORMDROPDOWN {\*\formfield{\fftype2\ffres25\ffdefres0{\*\ffl Small}{\*\ffl Medium}}}", "Small"),
        (r"FORMCHECKBOX {\*\formfield{\fftype1\ffres1}}", "[x]"),
        (r"FORMTEXT {\*\formfield{\fftype0{\*\ffdeftext Name}}}", ""),
    ],
)
def test_fields_whose_instruction_is_what_they_show(instruction: str, shown: str) -> None:
    assert text(rf"Of H{{\field{{\*\fldinst{{ {instruction}}}}}{{\fldrslt }}}}. End") == f"Of H{shown}. End"


def test_letters_that_are_drawn_are_a_line_of_their_own() -> None:
    drawn = (
        r"{\shp{\*\shpinst\shpleft1{\sp{\sn gtextUNICODE}{\sv Warranty: 24 months}}{\sp{\sn gtextFont}{\sv Arial}}}}"
    )
    assert text(rf"Dear Ann.{drawn}Our price holds.") == "Dear Ann.\nWarranty: 24 months\nOur price holds."


LENA = r"{\*\atnid L}{\*\atnauthor Lena}\chatn{\*\annotation{\*\atnref 1}{\*\atndate 5}\pard\plain Check\par 4410.}"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (
            rf"It runs{LENA} well.\par Next.",
            "It runs well.\n\nComment by Lena: Check 4410.\n\nNext.",
        ),  # Word, LibreOffice
        (r"It{\annotation Why?}{\annotation How?} runs.", "It runs.\n\nComment: Why?\n\nComment: How?"),
        (
            rf"\trowd\cellx1\cellx2 A{LENA}\cell 1\cell\row\trowd\cellx1\cellx2 B\cell 2\cell\row\pard Next.",
            "A | 1\nB | 2\n\nComment by Lena: Check 4410.\n\nNext.",
        ),
    ],
)
def test_comments_stand_behind_their_line_or_table(written: str, shown: str) -> None:
    assert text(written) == shown


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (  # LibreOffice
            r"{\mmath {\*\moMath {\mf {\mnum {\mr 250}}{\mden {\mr 8}}}{\mr +}{\mrad {\mradPr {\mdegHide 1}}{\mdeg }{\me {\mr 49}}}}"
            r"{\mmathPict {\*\shppict{\pict\pngblip 8950}}}}",
            "250/8+√49",
        ),
        (  # Word
            r"{\mmath{\*\moMathPara{\*\moMathParaPr{\mjc left}}{\*\moMath{\mnary{\mnaryPr{\mchr \u8721\'3f}{\mctrlPr\f34\i }}"
            r"{\msub{\mr\mscr0\msty2 \f34\i i=1}}{\msup{\mr n}}{\me{\msSub{\me{\mr\msty2 {\f34\i \u-10187?\u-9115?}}}{\msub{\mr i}}}}}}}}",
            "∑_(i=1)^n 𝑥_i",
        ),
        (r"{\moMath{\md{\mdPr{\mbegChr [}{\mendChr ]}}{\me{\mr a\{\'e9\}}}}}", "[a{é}]"),
    ],
)
def test_formulas_are_read(formula: str, shown: str) -> None:
    assert text(f"Take {formula} ml") == f"Take {shown} ml"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r"{\f7\u61694\'3f} yes {\f7\u61608\'a8} no", "☑ yes ◻ no"),  # LibreOffice
        (r"{\f7\'fe} yes{\f7 o} no \'e9", "☑ yes□ no é"),  # Word
        (r'{\field{\*\fldinst SYMBOL 254 \\f "Wingdings"}{\fldrslt\f7\fs22}} yes', "☑ yes"),
        (r"\f7\uc1\u61692 ?\plain done 25{\f8\'b0}C", "✓done 25°C"),
        (r"\u61616\'3fC", "°C"),
    ],
)
def test_letters_of_fonts_of_signs_are_the_signs_that_are_shown(written: str, shown: str) -> None:
    fonts = r"{\f7\fnil\fcharset2 Wingdings;}{\f8\fnil\fcharset2{\*\panose 05}Symbol;}"
    assert one("a.rtf", rf"{{\rtf1\ansi{{\fonttbl{{\f0 Times;}}{fonts}}}\f0 {written}\par }}").text == shown


def test_an_author_without_a_comment_leaves_no_sign_in_the_text() -> None:
    text = one("a.rtf", r"{\rtf1\ansi Fee {\*\atnauthor Lena}48 francs}").text
    assert not any("\ue000" <= letter < "\uf000" for letter in text)
    assert "48 francs" in text


def test_headings_depth_of_lists_and_boxes_without_a_state() -> None:
    sheet = r"{\stylesheet{\s0 Normal;}{\s2\sbasedon0{\*\a b}\outlinelevel1 Kopf;}{\s5\b Heading 3;}}"
    items = r"{\pard{\listtext 1.\tab}\ls1\ilvl0 Open\par}{\pard{\listtext a.\tab}\ls1\ilvl1 gate\par}"
    box = r"{\pard Smoker {\field{\*\fldinst { FORMCHECKBOX }}{\fldrslt {}}}\par}"
    said = rf"{sheet}{{\pard\s2 Rules\par}}{{\pard\s5 Doors\par}}{{\pard\s2\outlinelevel0 Top\par}}{items}{box}"
    document = one("a.rtf", rf"{{\rtf1\ansi {said}}}")
    assert document.text == "Rules\nDoors\nTop\n1.\tOpen\n  a.\tgate\nSmoker [ ]"
    assert [document.text[slice(*found)] for found in document.headings] == ["Rules", "Doors", "Top"]
    assert document.levels == (2, 3, 2)


def test_blank_places_of_numbers_are_filled_by_the_table_of_lists() -> None:
    levels = "".join(
        rf"{{\listlevel\levelnfc{kind}\levelstartat{start}{{\leveltext{text};}}{{\levelnumbers;}}}}"
        for kind, start, text in ((0, 3, r"\'02\'00)"), (4, 1, r"\'04\'00.\'01."))
    )
    table = rf"{{\*\listtable{{\list{levels}\listid77}}}}{{\*\listoverridetable{{\listoverride\listid77\ls5}}}}"
    items = "".join(
        rf"{{\listtext\pard\sa20 \tab}}\pard{{\ls5\ilvl{level} {words}}}\par "
        for level, words in ((0, "Bed"), (1, "Oak"), (1, "Ash"), (0, "Pond"), (1, "Carp"))
    )
    lines = one("a.rtf", rf"{{\rtf1\ansi{table}{items}}}").text.split("\n")
    assert [" ".join(line.split()) for line in lines] == ["3) Bed", "3.a. Oak", "3.b. Ash", "4) Pond", "4.a. Carp"]


def _row(edges: dict[int, str], *, down: bool = False) -> str:
    cells = "".join(rf"{words}\cell " for words in edges.values())
    marks = "".join((r"\clvmrg" if down and not at else "") + rf"\cellx{edge}" for at, edge in enumerate(edges))
    return rf"\trowd{marks}\pard\intbl {cells}\row "


def test_cells_span_the_columns_up_to_their_edge() -> None:
    rows = _row({1600: "Boat", 5000: "Summer"}) + _row({1600: "", 3300: "Fare", 5010: "Seats"}, down=True)
    rows += _row({1600: "Tern", 3300: "12", 5000: "40"}) + _row({1600: "Gull", 3300: "15", 5000: "8"})
    text = one("a.rtf", rf"{{\rtf1\ansi {rows}\pard 1600 boats.\par}}").text
    assert text == "Boat | Summer / Fare | Summer / Seats\nTern | 12 | 40\nGull | 15 | 8\n\n1600 boats."


def test_a_label_of_two_rows_is_no_head() -> None:
    rows = _row({1600: "Spring", 3300: "March", 5000: "mow"}) + _row({1600: "", 3300: "April", 5000: "sow"}, down=True)
    rows += _row({1600: "Autumn", 3300: "May", 5000: "rest"})
    text = one("a.rtf", rf"{{\rtf1\ansi {rows}\pard End.\par}}").text
    assert text == "Spring | March | mow\nSpring | April | sow\nAutumn | May | rest\n\nEnd."
