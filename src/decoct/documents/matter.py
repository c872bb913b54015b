"""Matter of a text: what stands in it beside its prose, and is no answer to a question about its subject.

- front matter (`frontmatter.py`), and the comment (`<!-- -->`, mostly a licence), badges and trail of links ("Home > Policies") behind it;
- a table of contents: at least three lines that are each a link into the same document, with the line that calls it so;
- a table of contents or an index that sends to pages (`page_lists.py`), anywhere.

It is told by its form, but for lists of pages in the first 64 KB alone. The characters stay where they are: chunks of it are its own
(`chunking/parts.py`), and are found only by what they alone say (`retrieve/front_matter.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from decoct.documents.frontmatter import front_matter
from decoct.documents.page_lists import page_lists
from decoct.text.wholes import Place

_HEAD = 64 * 1024
_LONGEST = 400  # characters of a line of a table of contents
_LEAST = 3  # lines of a table of contents
_COMMENT = re.compile(r"\s*<!--.*?-->[ \t]*(?:\n|\Z)", re.DOTALL)
_IMAGE = r"(?:!\[[^\]\n]*\]\([^)\n]*\)|\[!\[[^\]\n]*\]\([^)\n]*\)\]\([^)\n]*\))"
_LINK = r"\[[^\]\n]+\]\([^)\n]*\)"
_BADGES = re.compile(rf"\s*(?:{_IMAGE}[ \t]*)+(?:\n|\Z)")
_TRAIL = re.compile(rf"\s*{_LINK}(?:[ \t]*[>»›/|·][ \t]*(?:{_LINK}|[^\n\[\]>»›/|·]{{1,80}}))+[ \t]*(?:\n|\Z)")
_ENTRY = re.compile(r"\s*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?\[[^\]]+\]\(#[^)]*\)[ \t]*")
_CALLED = re.compile(
    r"[#*_=\s]*(?:table\s+of\s+contents|contents|on\s+this\s+page|in\s+this\s+(?:document|article|guide)|toc)[#*_=:\s]*",
    re.IGNORECASE,
)


def matter(text: str) -> tuple[Place, ...]:
    """The ranges of `text` that are matter, in order, none empty."""
    opening = _opening(text)
    found = sorted((*_contents(text, opening), *page_lists(text, opening)))
    if opening:
        joined = [found.pop(0)] if found and not text[opening : found[0][0]].strip() else []
        found.insert(0, (0, joined[0][1] if joined else opening))
    return tuple(found)


def is_matter(text: str) -> bool:
    """Whether nothing else stands in `text`."""
    return bool(text.strip()) and not without_matter(text).strip()


def without_matter(text: str) -> str:
    """`text` with white space in the place of its matter: every other character stands where it stood."""
    return blanked(text, matter(text))


def blanked(text: str, ranges: Sequence[Place]) -> str:
    """`text` with white space at `ranges`, line breaks as they are."""
    for start, end in ranges:
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


def _opening(text: str) -> int:
    _, end = front_matter(text)
    while found := next((m for one in (_COMMENT, _BADGES, _TRAIL) if (m := one.match(text, end, end + _HEAD))), None):
        end = found.end()
    return end


def _contents(text: str, begin: int) -> list[Place]:
    """The tables of contents behind `begin`."""
    found: list[Place] = []
    called, run = -1, []
    at = begin
    for line in [*text[begin:_HEAD].split("\n"), "."]:
        end = min(at + len(line) + 1, len(text))
        if len(line) <= _LONGEST and _ENTRY.fullmatch(line):
            run.append((at, end))
        elif line.strip():
            if len(run) >= _LEAST:
                found.append((called if called >= 0 else run[0][0], run[-1][1]))
            called, run = (at if _CALLED.fullmatch(line) else -1), []
        at = end
    return found
