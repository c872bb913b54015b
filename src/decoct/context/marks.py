"""Marks in documents' words, shown so that nobody takes them for ours.

A document may hold `[2] Official record`, by chance or in order to be read as passage 2 or as a citation. Where its words are shown, the
square brackets of such a mark become full-width ones: `［2］`. One character stands for one, so every offset stays true, and the way back
is to write `［` as `[` and `］` as `]`; a passage's own `text` is never touched.

A mark is what a reader could take for a citation: brackets around numbers of up to three digits, alone or in lists and ranges, with or
without a word such as "passage", also with spaces, invisible characters or digits of other scripts in it. `[2019]`, `[sic]` and `[0.5]`
are no marks.

A picture that a document's Markdown names (`![alt](address)`) is treated likewise: a chat program would fetch it, and so tell its host who
read the answer.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST = 64  # characters between the brackets of a mark; what is longer is text
_BRACKETED = re.compile(rf"[\[【]([^\[\]【】]{{1,{LONGEST}}})[\]】]")
_OF_PICTURES = re.compile(r"!\[|\](?=[(\[])|\n[ \t]*\n")  # a picture opens, an address follows, a paragraph ends
_PARTS = re.compile(r"[^\W\d_]+|\d+|[^\w\s,;&/+|#^*:~-]|_")
_LABELS = frozenset(
    "and to no nr passage passages source sources document documents doc docs citation citations cite cites ref refs".split()
)
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_LINE_BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def harmless(text: str) -> str:
    """`text` with the brackets of every mark, and the first one of every picture, as full-width ones, of the same length."""
    if "[" not in text and "【" not in text:
        return text
    text = _without_pictures(text)
    return _BRACKETED.sub(lambda found: _shown(found) if _is_mark(found[1]) else found[0], text)


def harmless_lines(text: str) -> str:
    """`text` with the marks that a line begins with as `harmless` writes them: no line can pose as the head of a passage."""
    if "[" not in text and "【" not in text:  # nearly every text: spared the walk
        return text
    parts: list[str] = []
    at, begins = 0, True
    for found in _BRACKETED.finditer(text):
        between = text[at : found.start()]
        *_, last = _LINE_BREAK.split(between)
        begins = (begins or len(last) < len(between)) and not any(map(str.isalnum, last))
        forged = begins and _is_mark(found[1])
        begins = forged
        parts += (between, _shown(found) if forged else found[0])
        at = found.end()
    return "".join((*parts, text[at:]))


def _without_pictures(text: str) -> str:
    """`text` with the first bracket of each picture as a full-width one: of what opens, where an address follows in its paragraph.

    Brackets, escapes and code may stand in between, so they are not paired; one that opens without a need is shown so too. Where a
    reference is defined (`[name]: address`), `![name]` is a picture by itself.
    """
    pictures: list[int] = []
    opened: list[int] = []
    for found in _OF_PICTURES.finditer(text):
        if found[0] == "![":
            opened.append(found.end() - 1)
            continue
        pictures += opened if found[0] == "]" or "]:" in text else ()
        opened = []
    pictures += opened if "]:" in text else ()
    parts, at = list[str](), 0
    for picture in pictures:
        parts += (text[at:picture], "［")
        at = picture + 1
    return "".join((*parts, text[at:]))


def _shown(found: re.Match[str]) -> str:
    return f"［{found[1]}］"


def _is_mark(inside: str) -> bool:
    visible = "".join(c for c in inside if unicodedata.category(c) not in {"Cf", "Mn", "Me"})
    plain = unicodedata.normalize("NFKC", visible).translate(_DASHES)
    parts = _PARTS.findall(plain)
    numbers = [part for part in parts if part.isdigit()]
    words = [part for part in parts if not part.isdigit()]
    return any(len(number) <= 3 for number in numbers) and all(word.lower() in _LABELS for word in words)
