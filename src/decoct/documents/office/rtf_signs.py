r"""Signs in the text of an RTF file for what its converter passes over: cells, notes, headers, raised, hidden and struck-out letters.

They are letters of the private use area, written as RTF writes letters (`\u`), so that they stand where the words do, and vanish with the
groups that are no text. What a control word begins ends with its group, or where another word ends it.
"""

from __future__ import annotations

import re
from collections.abc import Set

from decoct.documents.office.symbols import list_item, sign, tick_box

(
    CELL, BEGUN, ENDED, EDGE, DOWN, ACROSS, NOTE, NOTED, RAISED, LOWERED, LEVEL, HIDDEN, SHOWN, STRUCK, UNSTRUCK, HEADER, FOOTER,
    AROUND, FIELD, SAID, MARKED, AUTHOR, REMARKED, REMARK, DEPTH, OUTLINE,
) = (chr(0xE010 + number) for number in range(26))  # fmt: skip
ALL = f"{CELL}-{REMARKED}"  # but REMARK, which stays until comments are written behind their line, and what speaks of a whole line
_TOKEN = re.compile(r"\\([a-zA-Z]+)(-?\d+)? ?|\\'[0-9a-fA-F]{2}|\\[^a-zA-Z]|[{}]|[^\\{}\r\n]+")
_PLACES = {"cell": CELL, "trowd": BEGUN, "row": ENDED, "cellx": EDGE, "clvmrg": DOWN, "clmrg": ACROSS}
_ENDS = {
    RAISED: LEVEL, LOWERED: LEVEL, HIDDEN: SHOWN, STRUCK: UNSTRUCK, NOTE: NOTED, HEADER: AROUND, FOOTER: AROUND, FIELD: SAID,
    AUTHOR: REMARKED, REMARK: REMARKED,
}  # fmt: skip
_BOXES = {
    "mmath": "",
    "shp": "",
    "shpgrp": "",
    "shpinst": "",
    "shptxt": "\\par ",
}  # what its converter takes for no text
_STOPS = {"plain": frozenset({RAISED, LOWERED, HIDDEN, STRUCK}), "nosupersub": frozenset({RAISED, LOWERED})}
_BEGINS = {
    "super": RAISED,
    "sub": LOWERED,
    "v": HIDDEN,
    "strike": STRUCK,
    "striked": STRUCK,
    "deleted": STRUCK,
    "footnote": NOTE,
    "annotation": REMARK,
    "atnauthor": AUTHOR,
    "fldinst": FIELD,
    **dict.fromkeys(("header", "headerf", "headerl", "headerr"), HEADER),
    **dict.fromkeys(("footer", "footerf", "footerl", "footerr"), FOOTER),
}


_FORM = re.compile(r"\\\*\\formfield\s*(\{(?:[^{}]|\{[^{}]*\})*\})")
_FONT = re.compile(r"\{\\f(\d+)[^{};]*?(Symbol|Wingdings);")
_STYLE = re.compile(r"\{\\s(\d+)\b((?:[^{};]|\{[^{}]*\})*);\}")
_OUTLINED = re.compile(r"\\outlinelevel(\d)|\bheading (\d)$", re.I)
_PANDOC_ITEM = re.compile(r"\\li(\d+) \\fi-360 (?=\S+\\tx360\\tab)")
_DRAWN = re.compile(r"\{\\sp\s*\{\\sn gtextUNICODE\}\s*\{\\sv ([^{}]*)\}\s*\}")


def with_signs(written: str) -> str:
    """The RTF with signs in it, and with what is chosen in its forms, and drawn as letters, as text."""
    written = _DRAWN.sub(r"\\par \1\\par ", _FORM.sub(_chosen, written))
    written = _PANDOC_ITEM.sub(lambda item: f"\\ilvl{int(item[1]) // 360 - 1} ", written)
    levels = _outline_levels(written)
    open_: list[list[str]] = [[]]  # by group: what began in it
    letters = _SignFonts(dict(_FONT.findall(written)))

    def replaced(found: re.Match[str]) -> str:
        given, word = letters.shown(found), found[1]
        if given == "{":
            open_.append([])
        elif given == "}":
            began = open_.pop() if len(open_) > 1 else []
            return given + "".join(_sign(_ENDS[one]) for one in reversed(began))  # behind it: the group may be no text
        elif given == "\\*" and (
            found.string[found.start() - 1] not in "{\r\n"
            or ((said := _TOKEN.match(found.string, found.end())) and said[1] in {*_BEGINS, *_BOXES})
        ):
            given = ""  # only the first word of a group can say that the group is no text; a note and a box are text
        elif word in _BOXES:
            given = _BOXES[word]
        elif word in _PLACES:
            return _sign(_PLACES[word]) + (f"{found[2] or ''}{_sign(EDGE)}" if word == "cellx" else "")
        elif word in ("ilvl", "outlinelevel", "s"):
            given += _of_line(word, found[2] or "", levels)
        elif word in _STOPS or (word in _BEGINS and found[2] == "0"):
            ended = _ended(open_[-1:], _STOPS.get(word) or {_BEGINS[word]})
            return ended + (given if word == "plain" else "")
        elif word in _BEGINS:
            begun = _BEGINS[word]
            if any(begun in group for group in open_):
                return ""
            ended = (
                _ended(open_, _STOPS["nosupersub"]) if begun in (NOTE, REMARK) else ""
            )  # it stands behind its raised number
            open_[-1].append(begun)
            return ended + _sign(begun)
        return given

    return _TOKEN.sub(replaced, written)


class _SignFonts:
    """Follows which font the letters of an RTF are set in, and puts Unicode's signs for those of fonts of signs."""

    def __init__(self, fonts: dict[str, str]) -> None:
        self._fonts, self._open, self._wide, self._skipped = fonts, [""], 1, 0

    def shown(self, found: re.Match[str]) -> str:
        """The token, its letters as they are shown."""
        given, word, number = found[0], found[1], found[2] or ""
        if not self._fonts:
            return given
        if given == "{":
            self._open.append(self._open[-1])
        elif given == "}" and len(self._open) > 1:
            self._open.pop()
        elif word in ("f", "plain"):
            self._open[-1] = self._fonts.get(number, "")
        elif word == "uc" and number:
            self._wide = int(number)
        elif (font := self._open[-1]) and word == "u" and number:
            self._skipped = self._wide
            return _sign(sign(int(number) % 0x10000, font))
        elif font and (given.startswith("\\'") or not given.startswith(("\\", "{", "}"))):
            codes = [int(given[2:], 16)] if given.startswith("\\'") else list(map(ord, given))
            skipped, self._skipped = self._skipped, max(0, self._skipped - len(codes))
            return "".join(_sign(sign(code, font)) for code in codes[skipped:])
        return given


def _outline_levels(written: str) -> dict[str, int]:
    """By number, the level of each style of headings, from 1."""
    outlined = {style[1]: _OUTLINED.search(style[2]) for style in _STYLE.finditer(written)}
    return {name: int(found[1]) + 1 if found[1] else int(found[2]) for name, found in outlined.items() if found}


def _of_line(word: str, number: str, levels: dict[str, int]) -> str:
    """The signs for how deep in lists a line stands, or which heading it is."""
    if word == "ilvl":
        return _sign(DEPTH) * min(int(number or 0), 8)
    level = levels.get(number, 0) if word == "s" else (int(number or 9) + 1) % 10
    return f"{_sign(OUTLINE)}{level}" if level else ""


def _chosen(form: re.Match[str]) -> str:
    """The text of a field of a form: the item of a list, or a ticked or empty box."""
    told = dict(re.findall(r"\\ff(type|res|defres)(\d+)", form[1]))
    at = int(told.get("defres", 0) if told.get("res", "25") == "25" else told["res"])  # 25: as at first
    items: list[str] = re.findall(r"\\ffl\s([^{}]*)", form[1])
    return tick_box(ticked=at > 0) if told.get("type") == "1" else list_item(items, at)


def _ended(groups: list[list[str]], kinds: Set[str]) -> str:
    """The signs that end what of these kinds began in the groups, and is open no more."""
    ends = [one for group in groups for one in group if one in kinds]
    for group in groups:
        group[:] = [one for one in group if one not in kinds]
    return "".join(_sign(_ENDS[one]) for one in ends)


def _sign(letter: str) -> str:
    return f"{{\\uc1\\u{ord(letter)}?}}"
