r"""The numbers of lists in RTF whose writer left their places blank (`{\listtext\tab}`, as AbiWord does), counted by the table of lists."""

from __future__ import annotations

import re
from collections import defaultdict

from decoct.documents.counted import count_on, counted

_TABLE = re.compile(r"\{\\\*\\listtable\b(.*?)\\listoverridetable\b(.*?)\\ls\d+\s*\}\s*\}", re.DOTALL)
_LEVEL = re.compile(
    r"\\levelnfc(\d+)\b(?:(?!\\listlevel).)*?\\levelstartat(\d+)(?:(?!\\listlevel).)*?\\leveltext\b([^;{}]*);",
    re.DOTALL,
)
_BLANK = re.compile(
    r"\{\\listtext(?:\\[a-z]+-?\d* ?|\s)*\}(?=(?:(?!\\par\b|\\listtext\b).){0,2000}?\\ls(\d+)\s?(?:\\ilvl(\d))?)",
    re.DOTALL,
)
_KINDS = {"0": "1", "1": "I", "2": "i", "3": "AA", "4": "aa", "5": "1st", "22": "01"}


def with_list_numbers(written: str) -> str:
    """The RTF with the numbers that stand before items, where their places are blank."""
    if not _BLANK.search(written) or (tables := _TABLE.search(written)) is None:
        return written
    lists = {
        number: _LEVEL.findall(said)
        for said, number in re.findall(r"\\list\b(.*?)\\listid(-?\d+)", tables[1], re.DOTALL)
    }
    of_list = {
        ls: number for number, ls in re.findall(r"\\listid(-?\d+)(?:(?!\\listid).)*?\\ls(\d+)", tables[0], re.DOTALL)
    }
    counts: defaultdict[str, dict[int, int]] = defaultdict(dict)

    def shown(found: re.Match[str]) -> str:
        name, at = of_list.get(found[1], ""), int(found[2] or 0)
        levels = lists.get(name, [])
        if at >= len(levels) or levels[at][0] not in _KINDS:
            return found[0]
        for above in range(at):
            counts[name].setdefault(above, int(levels[above][1]))
        count_on(counts[name], at, int(levels[at][1]))
        places = re.sub(r"^\s*(?:\\leveltemplateid-?\d+)?\\'[0-9a-f]{2}", "", levels[at][2])
        number = re.sub(
            r"\\'0([0-8])",
            lambda one: counted(counts[name].get(int(one[1]), 1), _KINDS.get(levels[min(int(one[1]), at)][0], "1")),
            places,
        )
        return f"{{\\listtext {number}\\tab}}"

    return _BLANK.sub(shown, written)
