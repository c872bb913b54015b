r"""Formulas of RTF: groups whose words are the elements of Office's formulas (`{\mf{\mnum ...}{\mden ...}}`), written as those are."""

from __future__ import annotations

import re

from lxml import etree
from striprtf.striprtf import rtf_to_text

from decoct.documents.office.omml import MATH, linear

_TOKEN = re.compile(r"[{}]|\\([a-zA-Z]+)-?\d* ?|\\[^a-zA-Z]|[^\\{}]+")


def with_formulas(written: str) -> str:
    """The RTF with its formulas as text."""
    pieces, at = [], 0
    while (found := written.find("\\moMath", at)) >= 0 and (begin := written.rfind("{", at, found)) >= 0:
        formula, end = _formula(written, begin)
        units = formula.encode("utf-16-le", "surrogatepass")
        said = (int.from_bytes(units[number : number + 2], "little") for number in range(0, len(units), 2))
        pieces += [written[at:begin], "{\\uc1 ", *(f"\\u{unit}?" for unit in said), "}"]
        at = end
    return "".join([*pieces, written[at:]])


def _formula(written: str, begin: int) -> tuple[str, int]:
    """The formulas of the group that begins there, and where it ends."""
    open_, said, end = [etree.Element(f"{MATH}r")], "", len(written)
    for token in _TOKEN.finditer(written, begin):
        given, word = token[0], token[1] or ""
        if given in ("{", "}"):
            if said.strip():
                text: str = rtf_to_text(f"{{\\rtf1\\ansi {said}}}", errors="replace")  # type: ignore[no-untyped-call]
                etree.SubElement(open_[-1], f"{MATH}t").text = text.encode("utf-16", "surrogatepass").decode(
                    "utf-16", "replace"
                )
            said = ""
        if given == "{":
            open_.append(etree.SubElement(open_[-1], f"{MATH}r"))
        elif given == "}":
            made = open_.pop()
            if open_[-1].tag.endswith("Pr"):  # a property is its value
                made.set(f"{MATH}val", "".join(made.itertext()))
            if len(open_) == 1:
                end = token.end()
                break
        elif word.startswith("m") and open_[-1].tag == f"{MATH}r" and not len(open_[-1]):
            open_[-1].tag = MATH + word[1:]
        elif given != "\\*":
            said += given
    return "; ".join(linear(one) for one in open_[0].iter(f"{MATH}oMath")), end
