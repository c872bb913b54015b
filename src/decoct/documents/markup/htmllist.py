"""The numbers of a numbered list of a page, with `start`, `reversed`, `type` and the `value` of an item."""

from __future__ import annotations

import re
from typing import Any

from decoct.documents.counted import counted

OF_CLASS = {"loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I"}  # of docutils' lists
_WHOLE = re.compile(r"\s*([+-]?\d{1,9})")


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
