"""The XML of Word's tables and forms: which tables hold data, their rows and cells, and what fields and pictures show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from decoct.documents.canonical import one_line
from decoct.documents.counted import whole
from decoct.documents.office.docx_numbering import W
from decoct.documents.office.fieldcodes import list_item, tick_box

_WRAPPERS = frozenset({f"{W}{tag}" for tag in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")})
_OFF = ("0", "false", "off")
_MANY, _MUCH = 4, 1_000  # paragraphs and characters of a cell that is no cell of data


def lays_out(table: Any, level: Callable[[Any], int]) -> bool:  # noqa: ANN401 - lxml has no types
    """Whether a table holds no data: one column, headings in it, or without a row of heads other tables or cells of many paragraphs."""
    rows = list(parts_of(table, f"{W}tr"))
    widest = max((len(list(parts_of(row, f"{W}tc"))) for row in rows), default=0)
    if widest < 2 or any(map(level, table.iter(f"{W}p"))):
        return True
    if any(row.find(f"{W}trPr/{W}tblHeader") is not None for row in rows):
        return False
    for cell in (cell for row in rows for cell in parts_of(row, f"{W}tc")):
        paragraphs = [one for one in parts_of(cell, f"{W}p") if one.find(f".//{W}t") is not None]
        if len(paragraphs) >= _MANY and sum(len(text.text or "") for text in cell.iter(f"{W}t")) > _MUCH:
            return True
    return False


def parts_of(element: Any, *tags: str) -> Iterator[Any]:  # noqa: ANN401
    """The parts of a table, row or cell, also those within content controls and inserted text."""
    for child in element:
        if child.tag in tags:
            yield child
        elif child.tag in _WRAPPERS:
            yield from parts_of(child, *tags)


def number_of(properties: Any, name: str) -> int:  # noqa: ANN401
    """A number among the properties of a row or cell; 0 where there is none."""
    found = properties.find(f"{W}{name}") if properties is not None else None
    return whole(found.get(f"{W}val"), 0, 1_000) if found is not None else 0


def is_on(element: Any) -> bool:  # noqa: ANN401
    """Whether a switch among properties is there and not turned off."""
    return element is not None and (element.get(f"{W}val") or "1") not in _OFF


def tabs_of(paragraph: Any) -> int:  # noqa: ANN401
    """How many tabs stand in a paragraph."""
    return len(paragraph.findall(f"{W}r/{W}tab")) if paragraph is not None and paragraph.tag == f"{W}p" else 0


def picture(element: Any) -> str:  # noqa: ANN401
    """What a picture is said to show."""
    words = one_line(element.get("descr") or "")
    return f" [picture: {words}] " if words else ""


def filled(form: Any) -> str:  # noqa: ANN401
    """What a field of a form (`ffData`) shows that is no text: a ticked or empty box, or the entry that is chosen in a list."""
    for kind in form:
        said = {one.tag.removeprefix(W): one for one in kind}
        if kind.tag == f"{W}checkBox":
            return tick_box(ticked=is_on(said.get("checked", said.get("default")))) + " "
        if kind.tag == f"{W}ddList":
            entries = [entry.get(f"{W}val") or "" for entry in kind.iterchildren(f"{W}listEntry")]
            return list_item(entries, number_of(kind, "result" if "result" in said else "default"))
    return ""
