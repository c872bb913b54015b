"""What a page shows without text of its own: the values of its fields, what its pictures show, the numbers of its lists."""

from __future__ import annotations

import re
from typing import Any

from decoct.documents.counted import counted
from decoct.documents.office.symbols import tick_box

OF_CLASS = {"loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I"}  # of docutils' lists
_WHOLE = re.compile(r"\s*([+-]?\d{1,9})")
FIELDS = frozenset({"input", "textarea", "select", "meter", "progress"})
_SHOWN = frozenset(
    {"", "text", "number", "date", "datetime-local", "time", "month", "week", "email", "tel", "url", "range"}
)
_LONGEST = 2_000  # characters; what is longer describes no picture


def words_of(element: Any) -> str:  # noqa: ANN401
    """All that stands in an element, in one line."""
    return " ".join("".join(element.itertext()).split())


def field_value(element: Any) -> str:  # noqa: ANN401 - lxml has no types
    """What a field shows that was filled or ticked before anybody touched it; empty for buttons, hidden and search fields."""
    kind = (element.get("type") or "").lower()
    if element.tag == "textarea":
        return element.text or ""
    if element.tag in ("meter", "progress"):  # a bar, with words for those who see none
        words, value = words_of(element), element.get("value") or ""
        return words or (f"{value} of {element.get('max') or '1'}" if value else "")
    if element.tag == "select":
        chosen = [option for option in element.iter("option") if option.get("selected") is not None]
        return ", ".join(map(words_of, chosen))
    if kind in ("checkbox", "radio"):
        return tick_box(ticked=element.get("checked") is not None) + " "
    return element.get("value") or "" if kind in _SHOWN else ""


def drawing(element: Any) -> str:  # noqa: ANN401
    """The words in a drawing (`svg`), in the order in which it draws them, a line each; empty for one that is only for the eye."""
    if element.get("aria-hidden") == "true":
        return ""
    for one in element.iter("{*}tspan", "{*}div", "{*}p", "{*}br"):
        if one.tag.rpartition("}")[2] != "tspan" or not {"x", "y", "dy"}.isdisjoint(
            one.attrib
        ):  # set apart by its place
            one.text = f" {one.text or ''}"
    hidden = {one for one in element.iter("{*}g", "{*}text") if one.get("display") == "none"}
    return "\n".join(
        words
        for one in element.iter("{*}text", "{*}foreignObject")
        if (words := words_of(one)) and hidden.isdisjoint((one, *one.iterancestors()))
    )


def name_of_sign(element: Any) -> str:  # noqa: ANN401
    """What an icon without words is said to show; empty where that is not said."""
    titles = "".join(element.xpath("*[local-name()='title'][1]//text()"))
    hidden = element.get("aria-hidden") == "true" and not element.get("title")
    return "" if hidden else " ".join((element.get("aria-label") or element.get("title") or titles).split())


def picture(element: Any, *, beside: bool) -> str:  # noqa: ANN401
    """The text in place of a picture: as it is within a line (`beside` words), told to be a picture where it stands alone."""
    words = " ".join((element.get("alt") or element.get("title") or "").split())
    if not words or len(words) > _LONGEST or element.get("role") in ("presentation", "none"):
        return ""
    return f" {words} " if beside else f"[picture: {words}]"


class ListCounter:
    """Counts the items of an `ol`."""

    def __init__(self, element: Any) -> None:  # noqa: ANN401 - lxml has no types
        self._type = element.get("type") or OF_CLASS.get((element.get("class") or "").split(" ")[0], "1")
        self._step = -1 if element.get("reversed") is not None else 1
        first = sum(child.tag == "li" for child in element) if self._step < 0 else 1
        self._next = _whole(element.get("start"), first)

    def next(self, item: Any) -> str:  # noqa: ANN401
        """The mark of the next item, such as `3.`."""
        number = _whole(item.get("value"), self._next)
        self._next = number + self._step
        return str(item.get("mark", f"{counted(number, self._type)}."))  # OpenDocument's styles say the whole mark


def _whole(said: str | None, otherwise: int) -> int:
    found = _WHOLE.match(said or "")
    return int(found[1]) if found else otherwise
