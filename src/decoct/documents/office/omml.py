"""Formulas of Office (OMML) in one line: `h=2.4Q`, `A=πr^2`, `(a+b)/c`, `√(x+1)`, `∑_(i=1)^n i`.

The signs are those of `formulas`, which does the same for MathML.
"""

from __future__ import annotations

from typing import Any

from decoct.documents.canonical import canonical
from decoct.documents.markup.formulas import DOWN, UP, bracketed

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_DEEPEST = 60
_SKIPPED = frozenset({"rPr", "ctrlPr", "argPr"})
_NARY = "∫"


def linear(element: Any, depth: int = 0) -> str:  # noqa: ANN401 - lxml has no types
    """The text of an element of a formula."""
    if depth > _DEEPEST:
        return "".join(element.itertext())
    tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
    if tag in ("t", "delText"):
        return canonical(element.text or "") if tag == "t" else ""
    if tag in _SKIPPED or tag.endswith("Pr"):
        return ""
    parts = {
        child.tag.rpartition("}")[2]: linear(child, depth + 1).strip()
        for child in element
        if isinstance(child.tag, str) and child.tag.startswith(MATH)
    }
    written = _written(tag, element, parts, depth)
    return written if written is not None else "".join(linear(child, depth + 1) for child in element)


def _written(tag: str, element: Any, parts: dict[str, str], depth: int) -> str | None:  # noqa: ANN401
    """An element with a form of its own; None for one that is its parts."""
    if tag in ("sSup", "sSub", "sSubSup", "sPre", "limUpp", "limLow", "nary"):
        return _with_scripts(tag, element, parts)
    if tag in ("d", "m", "eqArr"):
        return _listed(tag, element, depth)
    base = parts.get("e", "")
    forms = {
        "f": lambda: _fraction(element, bracketed(parts.get("num", "")), bracketed(parts.get("den", ""))),
        "rad": lambda: f"√[{parts['deg']}]({base})" if parts.get("deg") else "√" + bracketed(base),
        "func": lambda: f"{parts.get('fName', '')} {base}",
        "acc": lambda: base + _property(element, "chr", "\u0302"),
        "bar": lambda: base + "\u0305",
    }
    return forms[tag]() if tag in forms else None


def _fraction(element: Any, over: str, under: str) -> str:  # noqa: ANN401
    return f"({over} over {under})" if _property(element, "type") == "noBar" else f"{over}/{under}"


def _with_scripts(tag: str, element: Any, parts: dict[str, str]) -> str:  # noqa: ANN401
    base, limit = parts.get("e", ""), parts.get("lim", "")
    below = parts.get("sub", limit if tag == "limLow" else "")
    above = parts.get("sup", limit if tag == "limUpp" else "")
    bare = {"sPre": "", "nary": _property(element, "chr", _NARY)}.get(tag, base)
    scripted = _raised(_raised(bare, below, DOWN), above, UP)
    return scripted if bare is base else scripted + base if tag == "sPre" else f"{scripted} {base}"


def _listed(tag: str, element: Any, depth: int) -> str:  # noqa: ANN401
    def of(parent: Any) -> list[str]:  # noqa: ANN401
        return [linear(child, depth + 2).strip() for child in parent if child.tag == f"{MATH}e"]

    if tag == "m":
        return "[" + "; ".join(", ".join(of(row)) for row in element if row.tag == f"{MATH}mr") + "]"
    if tag == "eqArr":
        return "; ".join(of(element))
    sign = _property(element, "sepChr", "|")
    return _property(element, "begChr", "(") + sign.join(of(element)) + _property(element, "endChr", ")")


def _raised(base: str, script: str, sign: str) -> str:
    return f"{base}{sign}{bracketed(script)}" if script else base


def _property(element: Any, name: str, otherwise: str = "") -> str:  # noqa: ANN401
    """A property of the element: `m:begChr` of `m:dPr`."""
    found = element.find(f"{MATH}{element.tag.rpartition('}')[2]}Pr/{MATH}{name}")
    value = found.get(f"{MATH}val") if found is not None else None
    return otherwise if value is None else value
