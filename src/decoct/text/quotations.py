"""What a message, or another text, quotes of an earlier one: the line that introduces it, and whether a place stands in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONGEST = 300  # characters of an introduction, which may take two lines
_INTRODUCED = re.compile(
    rf"(?<![^\n])(?!>)([^\n>][^\n]{{0,{_LONGEST}}}(?:\n[^\n>][^\n]{{0,80}})?:)[ \t]*\n(?:[ \t]*\n)?(?=>)"
)
_RULED = re.compile(r"^[-_]{3,}[^\n]{0,80}?[-_]{3,}[ \t]*$(?=\n+(?:[^\n:]{1,20}:[^\n]+\n){3})", re.MULTILINE)


def introductions(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of lines behind which a quotation begins: one with a colon before lines with `>`, and the ruled line of Outlook."""
    for found in _INTRODUCED.finditer(text):
        yield found.span(1)
    for found in _RULED.finditer(text):
        yield found.span()


def is_quoted(text: str, at: int, place: str = "") -> bool:
    """Whether what stands at `at` is quoted: on a line with `>` that is introduced (in `place`, the headings over it), or behind a rule."""
    if text.startswith(">", text.rfind("\n", 0, at) + 1):
        return place.endswith(":") or any(end <= at for _, end in introductions(text))
    return any(found.end() <= at for found in _RULED.finditer(text))
