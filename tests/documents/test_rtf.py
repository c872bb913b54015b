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
