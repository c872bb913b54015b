"""RTF: the text by striprtf, with its tables, notes, formulas, raised and lowered letters.

Comments stand behind their line; headers and footers, each once, at the end. For these, signs are put into it before
(`rtf_signs`). The title is that of the document's information. Hidden and struck-out text is left out, and told.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from lxml import etree
from striprtf.striprtf import rtf_to_text

from decoct.data import Document
from decoct.documents.base import Source, left_out
from decoct.documents.canonical import canonical, one_line
from decoct.documents.counted import count_on, counted
from decoct.documents.markup.formulas import in_line
from decoct.documents.office import rtf_signs as signs
from decoct.documents.office.omml import MATH, linear
from decoct.documents.office.symbols import code_shown, readable, tick_box
from decoct.documents.prose import CELL, Prose, around_texts, remark
from decoct.documents.tables.grid import GridCell, TableGrid
from decoct.documents.titles import told_title
from decoct.errors import ParseError

_TOKEN = re.compile(r"[{}]|\\([a-zA-Z]+)-?\d* ?|\\[^a-zA-Z]|[^\\{}]+")
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
_TITLE = re.compile(r"\{\\title\s+((?:[^{}\\]|\\[^{}\n])*)\}")
_LEFT_OUT = {"hidden text": (signs.HIDDEN, signs.SHOWN), "struck-out text": (signs.STRUCK, signs.UNSTRUCK)}
_SCRIPT = re.compile(f"([{signs.RAISED}{signs.LOWERED}])([^{signs.LEVEL}]*){signs.LEVEL}?")
_FIELD = re.compile(f"{signs.FIELD}\\s*(\\w*)([^{signs.SAID}]*){signs.SAID}?")
_NOTE = re.compile(f"{signs.NOTE}([^{signs.NOTED}]*){signs.NOTED}?")
_REMARK = re.compile(
    f"(?:{signs.AUTHOR}([^{signs.REMARKED}]*){signs.REMARKED}?\\s*)?{signs.REMARK}([^{signs.REMARKED}]*){signs.REMARKED}?"
)
_AROUND = re.compile(f"([{signs.HEADER}{signs.FOOTER}])([^{signs.AROUND}]*){signs.AROUND}?")
_IN_ROW = rf"[^{signs.BEGUN}{signs.ENDED}{signs.CELL}]*"
_ROW = re.compile(
    rf"(?:{signs.BEGUN}|(?<={signs.ENDED}))((?:{_IN_ROW}{signs.CELL})+){_IN_ROW}(?:{signs.BEGUN}{_IN_ROW})?{signs.ENDED}"
)
_ROWS = re.compile(rf"(?:{signs.MARKED}\d+{signs.MARKED}\s*)+")
_OUTLINED = re.compile(f"{signs.OUTLINE}(\\d)")
_EDGE = rf"{signs.EDGE}(-?\d*){signs.EDGE}"
_DEFINED = re.compile(rf"([{signs.DOWN}{signs.ACROSS}\s]*){_EDGE}")
_SAME = 60  # twips within which two edges are one


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of an RTF file."""
    data = source.read()
    if not data.lstrip().startswith(b"{\\rtf"):
        raise ParseError("it is not RTF, whatever its name says")
    # RTF is ASCII; other bytes are those of the encoding that it names.
    written = with_list_numbers(data.decode("latin-1").replace("{\\pntext", "{\\listtext"))
    counts: Counter[str] = Counter()
    remarks: list[str] = []
    try:
        text, around = _without_around(_words(_text(signs.with_signs(with_formulas(written))), counts, remarks))
        text = "\n".join(_with_remarks(_tables(text), remarks))
        title = _TITLE.search(written[: 64 * 1024])
        # The encoding of the title is that of what stands before the information.
        named = _text(written[: title.start()].partition("{\\info")[0] + title[1] + "}") if title else ""
    except (ValueError, LookupError, IndexError, RecursionError, UnicodeError) as error:
        raise ParseError("its RTF data is damaged: save it again") from error
    text = re.sub(r"\n{3,}", "\n\n", readable(canonical(text), "")).strip("\n")
    lines, headings, at = [], {}, 0
    for line in "\n\n".join(filter(str.strip, [text, *around])).split("\n"):
        runs = _OUTLINED.findall(line)
        plain = _OUTLINED.sub("", line).strip() if runs else line
        if runs and plain:
            headings[at, at + len(plain)] = int(runs[0])
        lines.append(plain)
        at += len(plain) + 1
    yield source.document(
        "\n".join(lines),
        told_title(one_line(named)),
        left_out(counts),
        headings=[*headings],
        levels=[*headings.values()],
    )


def _text(written: str) -> str:
    said: str = rtf_to_text(written, encoding="cp1252", errors="replace")  # type: ignore[no-untyped-call]
    return said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # a sign beyond 65,535 is written as two


def _with_remarks(text: str, remarks: list[str]) -> Iterator[str]:
    """The lines of a text, behind each the comments on it, behind a table those on its rows."""
    waiting = 0
    for line in [*text.split("\n"), ""]:
        if CELL.strip() not in line:
            yield from (f"\n{one}\n" for one in remarks[:waiting])
            del remarks[:waiting]
            waiting = 0
        told = line.replace(signs.REMARK, "").replace(signs.DEPTH, "")
        yield "  " * line.count(signs.DEPTH) + told.lstrip() if signs.DEPTH in line else told
        waiting += line.count(signs.REMARK)


def _words(text: str, counts: Counter[str], remarks: list[str]) -> str:
    """The text without what is not shown, its notes in brackets, comments as signs, and powers as such."""

    def told(found: re.Match[str]) -> str:
        said = [remark(one_line(found[1] or ""), words)] if (words := one_line(found[2])) else []
        remarks.extend(said)
        return signs.REMARK * len(said)

    text = _FIELD.sub(_field, text)
    for name, (begin, end) in _LEFT_OUT.items():
        text, count = re.subn(f"{begin}[^{end}]*[^{begin}{end}\\s][^{end}]*{end}?", "", text)
        counts[name] += count
        text = text.replace(begin, "").replace(end, "")
    text = _REMARK.sub(told, _SCRIPT.sub(_script, text).replace(signs.LEVEL, "")).replace(signs.REMARKED, "")
    return _NOTE.sub(lambda note: f" ({one_line(note[1])})" if note[1].strip() else "", text)


def _field(found: re.Match[str]) -> str:
    """What the instruction of a field shows, where that is not its result."""
    if found[1].upper() in ("FORMDROPDOWN", "FORMCHECKBOX"):
        return one_line(found[2]) or (tick_box(ticked=False) if found[1].upper() == "FORMCHECKBOX" else "")
    return code_shown(found[1] + found[2], found.string[found.start() - 1 : found.start()] if found.start() else "")


def _without_around(text: str) -> tuple[str, list[str]]:
    """The text without its headers and footers, and each of these once."""
    found = _AROUND.findall(text)
    around = (("Header" if sign == signs.HEADER else "Footer", _tables(written)) for sign, written in found)
    return _AROUND.sub("", text), around_texts(around)


def _script(found: re.Match[str]) -> str:
    element = etree.Element("sup" if found[1] == signs.RAISED else "sub")
    element.text = found[2]
    before = found.string[found.start() - 1 : found.start()] if found.start() else ""
    return in_line(element, before, starts=not before.strip()) if found[2].strip() else found[2]


def _tables(text: str) -> str:
    """The text with its tables as those of every format (`grid`): rows that stand together are one."""
    rows: list[str] = []

    def kept(found: re.Match[str]) -> str:
        rows.append(found[1])
        return f"{signs.MARKED}{len(rows) - 1}{signs.MARKED}"

    def table(found: re.Match[str]) -> str:
        grid = TableGrid()
        here = [_defined(rows[int(number)]) for number in re.findall(r"\d+", found[0])]
        columns = _columns([edge for edges, _ in here for _, edge in edges if edge])
        for edges, row in here:
            _add_row(grid, edges, row, columns)
        prose = Prose()
        grid.write(prose)
        return f"\n\n{prose.text}\n\n"

    # A row begins behind the end of the one before, whose sign is looked for: so it is put back until all are found.
    text = _ROW.sub(lambda found: kept(found) + signs.ENDED, text)
    text = _ROWS.sub(table, text.replace(signs.ENDED, ""))
    return re.sub(f"{_EDGE}|[{signs.ALL}]", "", text.replace(signs.CELL, " "))  # of a row that never ends


def _defined(row: str) -> tuple[list[tuple[str, str]], str]:
    """How the cells of a row are merged, with their right edges (in twips), and the row behind it."""
    edges, end = [], 0
    while found := _DEFINED.match(row, end):
        edges.append((found[1], found[2]))
        end = found.end()
    return edges, row[end:]


def _columns(told: Sequence[str]) -> dict[str, int]:
    """Behind which column (from 1) of a table each edge of its cells stands."""
    edges = sorted(set(map(int, told)))
    starts = (not at or edge - edges[at - 1] > _SAME for at, edge in enumerate(edges))
    return {str(edge): column for edge, column in zip(edges, accumulate(starts), strict=True)}


def _add_row(grid: TableGrid, edges: Sequence[tuple[str, str]], row: str, columns: Mapping[str, int]) -> None:
    grid.begin_row()
    last, before = None, 0
    row = re.sub(f"{signs.DEPTH}|{signs.OUTLINE}\\d", "", row)
    for at, words in enumerate(row.split(signs.CELL)[:-1]):
        merged, edge = edges[at] if at < len(edges) else ("", "")
        width = max(1, columns.get(edge, 0) - before)
        before += width
        if signs.ACROSS in merged and last is not None:
            last.columns += width
            grid.skip(width)
        elif signs.DOWN not in merged or not grid.merge_up(width):
            last = GridCell(one_line("; ".join(filter(None, map(str.strip, words.split("\n"))))), columns=width)
            grid.add(last)


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


def with_formulas(written: str) -> str:
    """The RTF with its formulas as text."""
    pieces, at = [], 0
    while (found := written.find("\\moMath", at)) >= 0 and (begin := written.rfind("{", at, found)) >= 0:
        formula, end = _formula(written, begin)
        units = formula.encode("utf-16-le", "surrogatepass")
        said = (int.from_bytes(units[number : number + 2], "little") for number in range(0, len(units), 2))
        pieces += [written[at:begin], "{\\uc1 ", *(f"\\u{unit}?" for unit in said), "}"]
        at = end
    return "".join([*pieces, written[at:]])


def _formula(written: str, begin: int) -> tuple[str, int]:
    """The formulas of the group that begins there, and where it ends."""
    open_, said, end = [etree.Element(f"{MATH}r")], "", len(written)
    for token in _TOKEN.finditer(written, begin):
        given, word = token[0], token[1] or ""
        if given in ("{", "}"):
            if said.strip():
                text: str = rtf_to_text(f"{{\\rtf1\\ansi {said}}}", errors="replace")  # type: ignore[no-untyped-call]
                etree.SubElement(open_[-1], f"{MATH}t").text = text.encode("utf-16", "surrogatepass").decode(
                    "utf-16", "replace"
                )
            said = ""
        if given == "{":
            open_.append(etree.SubElement(open_[-1], f"{MATH}r"))
        elif given == "}":
            made = open_.pop()
            if open_[-1].tag.endswith("Pr"):  # a property is its value
                made.set(f"{MATH}val", "".join(made.itertext()))
            if len(open_) == 1:
                end = token.end()
                break
        elif word.startswith("m") and open_[-1].tag == f"{MATH}r" and not len(open_[-1]):
            open_[-1].tag = MATH + word[1:]
        elif given != "\\*":
            said += given
    return "; ".join(linear(one) for one in open_[0].iter(f"{MATH}oMath")), end
