"""Plain text: the file's text is the canonical text, its first line the title where it surely is one.

A wrong title would mislead search by name; without one the file's name is shown. Surely one is a short line without a mark at its end, over
a blank line or a rule of signs (`=====`), or in capitals; lines in capitals below each other are one title. No field (`From: Ann`), item or
row of a table is one.

Headings are lines over a rule of signs, numbered lines that stand alone (`4.2. Timeouts`; `4. Proxies` where there is a 4.2), and entries:
a short line at the margin, such as an option, above lines that are indented. Fewer than three are none.

A man page that was formatted before names itself at both ends of its first line (`LS(1)   User Commands   LS(1)`): that is the title,
and the lines in capitals at the margin are its headings. Menus and indexes of a manual in GNU's Info are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, checked, one_line
from decoct.documents.encoding import Decoded, decoded
from decoct.errors import ParseError
from decoct.text.wholes import FIELD, ITEM_MARK

_FORMATTED = re.compile(r"\s{0,99}(\S{1,99}\([1-9n]\w{0,9}\))(?=[ \t]{2,}).{0,300}[ \t]{2,}\1[ \t]*$", re.M)
_SECTION = re.compile(r"^[A-Z][A-Z0-9 ,/&'()-]{1,79}$(?<! )", re.M)

_NODE = re.compile(r"(?:^|\n) \nFile: [^\n]*  Node: [^\n]*\n")  # what divides them is a control character
_MENU = re.compile(r"^\* (?:Menu:|[^\n:]+::)[^\n]*\n(?:[ \t]+\S[^\n]*\n)*", re.M)

_HEAD = 2_000  # characters in which a title ends
_LINES = 4  # so many in capitals are no title
_LONGEST, _MOST_WORDS = 100, 14
_CAPITALS = 2 / 3  # of the letters
_MARKS = ".!,;:…。！？、"
_RULE = re.compile(r"([=\-~_*#+])\1{2,}")
_TEXT_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_COLUMNS = re.compile(r"\S {2,}\S.*\S {2,}\S|^[=>]")
_NUMBERED = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,4})\.?[ \t]+(?=\S)")
_FEWEST, _ENTRY = 3, 7  # headings of a text that has some; the level of an entry, below all others

_LONG = 10_000  # characters from which on a text is looked at: a short list of numbers costs nothing, and someone may ask for it
_LETTERS = 0.01
_RUN = re.compile(r"[A-Za-z0-9+/=_-]{200,}")


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a text file."""
    text, notes = read_text(source)
    if _NODE.search(text):
        text = _without_nodes(text)
    named = _FORMATTED.match(text)
    name = named[1] if named else ""
    found = [(one.span(), 1) for one in _SECTION.finditer(text)] if named else _headings(text)
    title = (name.lower() if name.isupper() else name) or _first_line(text)
    places, levels = zip(*found, strict=True) if found else ((), ())
    yield source.document(text, title, notes, headings=places, levels=levels)


def _without_nodes(text: str) -> str:
    """The text of a manual in GNU's Info without what leads from node to node: their first lines, menus, indexes and tables."""
    nodes = _NODE.split(text.partition(" \nTag Table:\n")[0])[1:]
    return "".join(_MENU.sub("", node).rstrip() + "\n" for node in nodes if "  [index  ]" not in node).strip("\n")


def _headings(text: str) -> list[tuple[tuple[int, int], int]]:
    """Characters and level of each heading of plain text, in order."""
    lines = [(one.start(), one.group().rstrip()) for one in _TEXT_LINE.finditer(text)]
    found: list[tuple[tuple[int, int], int]] = []
    rules: list[str] = []
    numbers = {one[1] for _, line in lines if (one := _NUMBERED.match(line)) and "." in one[1]}
    outer = {number.split(".")[0] for number in numbers}
    for (_, above), (at, line), (_, below) in zip([(0, ""), *lines], lines, [*lines[1:], (0, "")], strict=False):
        if not _reads_like_heading(line, below) or (above and not _RULE.fullmatch(above)):
            continue
        number = _NUMBERED.match(line)
        if rule := _RULE.fullmatch(below):
            rules += [rule[1]] if rule[1] not in rules else []
            level = number[1].count(".") + 1 if number else rules.index(rule[1]) + 1
        elif number:
            if below or not ("." in number[1] or number[1] in outer):
                continue
            level = number[1].count(".") + 1
        elif below[:2].isspace() and not above:
            level = _ENTRY
        else:
            continue
        found.append(((at, at + len(line)), level))
    return found if len(found) >= _FEWEST else []


def _is_field(line: str, below: str) -> bool:
    """Whether it reads as a name and its value, over no rule of its length, as a heading has ("`wc`: Words")."""
    return FIELD.fullmatch(line) is not None and not (_RULE.fullmatch(below) and abs(len(below) - len(line)) < _FEWEST)


def _reads_like_heading(line: str, below: str) -> bool:
    """A short line at the margin, with a letter, no end of a sentence, no field, item or row of a table."""
    return (
        0 < len(line) <= _LONGEST
        and not line[0].isspace()
        and not _COLUMNS.search(line)
        and any(map(str.isalpha, line))
        and line[-1] not in _MARKS.replace("?", "")
        and "|" not in line
        and "\t" not in line
        and not _is_field(line, below)
        and (not ITEM_MARK.match(line) or _NUMBERED.match(line) is not None)
    )


def _first_line(text: str) -> str:
    """The title that the text begins with, in one line; "" where its first line may be something else."""
    head = text[:_HEAD].strip("\n")
    first, _, rest = head.partition("\n")
    below = rest.partition("\n")[0].strip()
    if not rest.strip() or not _reads_like_title(first, below):
        return ""
    capitals = list(takewhile(_in_capitals, head.split("\n")))
    if capitals:
        return one_line(" ".join(capitals)) if len(capitals) < _LINES and all(map(_reads_like_title, capitals)) else ""
    return one_line(first) if not below or _RULE.fullmatch(below) else ""


def _reads_like_title(line: str, below: str = "") -> bool:
    words = line.split()
    letters = sum(map(str.isalpha, line))
    return (
        0 < len(words) <= _MOST_WORDS
        and len(one_line(line)) <= _LONGEST
        and letters > len("".join(words)) / 2
        and not line[0].islower()
        and line.rstrip()[-1] not in _MARKS
        and "|" not in line
        and "\t" not in line
        and not any(":" in word[:-1] for word in words)  # what programs write: BEGIN:VCARD
        and not _is_field(line, below)
        and not ITEM_MARK.match(line)
    )


def _in_capitals(line: str) -> bool:
    """Whether its letters are capitals, but for a word or two beside them ("NOTICE No. 9 of 2026")."""
    letters = [letter for letter in line if letter.isalpha()]
    return len(letters) > 1 and sum(map(str.isupper, letters)) > _CAPITALS * len(letters)


def read_text(source: Source) -> Decoded:
    """The canonical text of a source, which may be a document, and what to tell of its encoding."""
    text, notes = decoded(source.read(), declared_charset(source))
    return Decoded(_worded(checked(canonical(text), source.limits.text_characters)), notes)


def _worded(text: str) -> str:
    """`text` if it has words: `ParseError` for a long one of signs and numbers alone, or of runs of signs that no word has.

    Such data (readings of an instrument, an encoded picture, `1,1,1,…`) answers no question, and takes hundreds of times its size to cut
    and to index.
    """
    if len(text) < _LONG:
        return text
    if sum(map(str.isalpha, text)) < _LETTERS * len(text):
        raise ParseError(f"there is hardly a letter in its {len(text):,} characters: it is data, and no text")
    if sum(len(run) for run in _RUN.findall(text)) > len(text) / 2:
        raise ParseError(
            f"most of its {len(text):,} characters are runs without a space, as of encoded data: it is no text"
        )
    return text


def declared_charset(source: Source) -> str:
    """The charset in a source's media type, or the empty string."""
    for part in source.media_type.split(";")[1:]:
        key, _, value = part.partition("=")
        if key.strip().lower() == "charset":
            return value.strip().strip("\"'")
    return ""
