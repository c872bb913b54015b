"""LaTeX (`.tex`, `.latex`): the text by pylatexenc, with formulas as they are written; sections are headings, cells stand between bars.

The preamble, comments and pictures are left out; keys of citations stand in brackets, notes in brackets behind their words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, one_line
from decoct.documents.grid import GridCell, TableGrid
from decoct.documents.latex_macros import VERBATIM, expanded
from decoct.documents.prose import Prose
from decoct.documents.text import read_text
from decoct.errors import ParseError

_LEVELS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5}
# Of the private use area: they stand around a heading, with its level, until its place is known.
_OPEN, _CLOSE = "\ue001", "\ue002"
_LISTED = "\ue003"
_LISTING = re.compile(f"{_LISTED}(\\d+){_LISTED}")
_HEADING = re.compile(f"{_OPEN}(\\d)([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_BODY = re.compile(r"\\begin\s*\{document\}(.*?)(?:\\end\s*\{document\}|\Z)", re.DOTALL)
_TITLE = re.compile(r"\\title\s*(?:\[[^\]]*\])?\s*(\{(?:[^{}]|\{[^{}]*\})*\})")
# Macros with their arguments as pylatexenc writes them: `{` one that must be there, `[` one that may.
_ARGUMENTS = {
    "href": "{{", "multicolumn": "{{{", "multirow": "[{[{[{", "SI": "[{[{", "qty": "[{{", "si": "[{", "unit": "[{", "num": "[{",
    "ang": "[{", "textsubscript": "{", "textsuperscript": "{", "cmidrule": "[{", "cline": "{",
}  # fmt: skip
_TABLES = ("tabular", "tabular*", "tabularx", "longtable", "tabulary")
_MOST_SPANNED = 1_000
_UNITS = {
    "kilo": "k", "mega": "M", "giga": "G", "tera": "T", "milli": "m", "micro": "µ", "nano": "n", "pico": "p", "centi": "c", "deci": "d",
    "hecto": "h", "metre": "m", "meter": "m", "gram": "g", "kilogram": "kg", "second": "s", "minute": "min", "hour": "h", "day": "d",
    "ampere": "A", "kelvin": "K", "mole": "mol", "candela": "cd", "hertz": "Hz", "newton": "N", "pascal": "Pa", "joule": "J", "watt": "W",
    "coulomb": "C", "volt": "V", "farad": "F", "ohm": "Ω", "siemens": "S", "tesla": "T", "henry": "H", "lumen": "lm", "lux": "lx",
    "litre": "l", "liter": "l", "tonne": "t", "bar": "bar", "celsius": "°C", "degreeCelsius": "°C", "degree": "°", "percent": "%",
    "electronvolt": "eV", "per": "/", "squared": "²", "cubed": "³", "becquerel": "Bq",
}  # fmt: skip
_BAR = re.compile(r"[ \t]+\|[ \t]+")
_APART = re.compile(
    r"(^- [^\n]*|^[^\n]* \| [^\n]*)\n\n(?=- |[^\n]* \| )", re.MULTILINE
)  # items and rows, which stand together
_SPACES = re.compile(r"[ \t]*\n[ \t]*")
_WORDS = re.compile(
    r" ?[^\W_]+(?:(?:[.,;:]? |\n)[^\W_]+)*"
)  # with no command, special sign or end of a paragraph among them


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a LaTeX file."""
    written, notes = read_text(source)
    listings: list[str] = []
    written = _without_listings(written, listings)
    body = _BODY.search(written)
    title = _TITLE.search(written)
    preamble = written[: body.start()] if body else ""
    try:
        text = _plain(expanded(body[1] if body else written, preamble))
        named = one_line(_plain(expanded(title[1], preamble))) if title else ""
    except (RecursionError, ValueError, IndexError, AttributeError, KeyError) as error:
        raise ParseError("its LaTeX cannot be read: save it again, or as PDF") from error
    text = _LISTING.sub(lambda found: listings[int(found[1])], text)
    text = re.sub(r"\n{3,}", "\n\n", _SPACES.sub("\n", canonical(text))).strip("\n ")
    text = _APART.sub(r"\1\n", _BAR.sub(" | ", text))
    headings, levels, out, at = [], [], [], 0
    for found in _HEADING.finditer(text):
        out.append(text[at : found.start()])
        begin, words, at = sum(map(len, out)), one_line(found[2]), found.end()
        if words:
            headings.append((begin, begin + len(words)))
            levels.append(int(found[1]))
            out.append(words)
    text = "".join([*out, text[at:]])
    yield source.document(text, named, notes, headings=headings, levels=levels)


def _without_listings(written: str, listings: list[str]) -> str:
    """The text with a sign for each listing, in which a command or a comment is none."""

    def kept(found: re.Match[str]) -> str:
        listings.append(found["short"] if found["sign"] else f"\n\n{found['said'].strip(chr(10))}\n\n")
        return f"{_LISTED}{len(listings) - 1}{_LISTED}"

    return VERBATIM.sub(kept, written)


def _plain(written: str) -> str:
    from pylatexenc.latexwalker import LatexToken, LatexWalker

    class _ByWords(LatexWalker):  # type: ignore[misc]  # pylatexenc has no types
        """Takes words at once, where pylatexenc takes letters; arguments of macros (no `environments`) may be one letter."""

        def get_token(self, pos: int, include_brace_chars: Any = None, environments: bool = True, **more: Any) -> Any:  # noqa: ANN401
            if environments and (words := _WORDS.match(self.s, pos)):
                return LatexToken(tok="char", arg=words[0], pos=pos, len=len(words[0]), pre_space="")
            return super().get_token(pos, include_brace_chars, environments, **more)

    nodes, _, _ = _ByWords(written, latex_context=_known(), tolerant_parsing=True).get_latex_nodes()
    return str(_converter().nodelist_to_text(nodes))


@cache
def _known() -> Any:  # noqa: ANN401 - pylatexenc has no types
    """The macros with arguments that are no words of the text, or of which each is."""
    from pylatexenc.latexwalker import get_default_latex_context_db
    from pylatexenc.macrospec import std_macro

    known = get_default_latex_context_db()
    known.add_context_category(
        "decoct", macros=[std_macro(name, spec) for name, spec in _ARGUMENTS.items()], prepend=True
    )
    return known


def _unit_of(node: Any, l2tobj: Any) -> str:  # noqa: ANN401
    r"""The unit that stands last in a macro of siunitx: `\kilo\watt\per\second` is kW/s."""
    written = [one for one in node.nodeargd.argnlist if one is not None][-1].latex_verbatim()
    named = re.findall(r"\\([A-Za-z]+)", written)
    return "".join(_UNITS.get(name, name) for name in named) if named else _argument(node, l2tobj)


@cache
def _converter() -> Any:  # noqa: ANN401 - pylatexenc has no types
    from pylatexenc.latex2text import (
        EnvironmentTextSpec,
        LatexNodes2Text,
        MacroTextSpec,
        SpecialsTextSpec,
        get_default_latex_context_db,
    )

    def heading(level: int) -> Any:  # noqa: ANN401
        return lambda node, l2tobj: f"\n\n{_OPEN}{level}{_argument(node, l2tobj)}{_CLOSE}\n\n"

    known = get_default_latex_context_db()
    macros = [MacroTextSpec(name, simplify_repl=heading(level)) for name, level in _LEVELS.items()]
    macros += [
        MacroTextSpec(name, simplify_repl=lambda node, l2tobj: f" [{_argument(node, l2tobj)}]")
        for name in ("cite", "citep", "citet")
    ]
    macros += [
        MacroTextSpec("footnote", simplify_repl=lambda node, l2tobj: f" ({_argument(node, l2tobj)})"),
        MacroTextSpec("ref", simplify_repl=_argument),
        MacroTextSpec("href", simplify_repl=_argument),
        *(MacroTextSpec(name, simplify_repl=_argument) for name in ("multicolumn", "multirow", "num", "textsubscript")),
        MacroTextSpec("textsuperscript", simplify_repl=lambda node, l2tobj: f"^{_argument(node, l2tobj)}"),
        *(
            MacroTextSpec(
                name, simplify_repl=lambda node, l2tobj: f"{_argument(node, l2tobj, -2)} {_unit_of(node, l2tobj)}"
            )
            for name in ("SI", "qty")
        ),
        *(MacroTextSpec(name, simplify_repl=_unit_of) for name in ("si", "unit")),
        MacroTextSpec("ang", simplify_repl=lambda node, l2tobj: f"{_argument(node, l2tobj)}°"),
        MacroTextSpec("item", simplify_repl=lambda node, l2tobj: f"\n- {_argument(node, l2tobj)}".rstrip() + " "),
        *(
            MacroTextSpec(name, simplify_repl="")
            for name in ("label", "includegraphics", "maketitle", "hline", "toprule", "midrule")
        ),
        *(
            MacroTextSpec(name, simplify_repl="")
            for name in ("bottomrule", "tableofcontents", "bibliographystyle", "centering", "cline", "cmidrule")
        ),
    ]
    known.add_context_category(
        "decoct",
        prepend=True,
        macros=macros,
        environments=[
            *(EnvironmentTextSpec(name, simplify_repl=_table) for name in _TABLES),
            EnvironmentTextSpec("enumerate", simplify_repl=_numbered),
            EnvironmentTextSpec("comment", discard=True),
        ],
        specials=[SpecialsTextSpec("&", " | ")],
    )
    return LatexNodes2Text(latex_context=known, math_mode="verbatim", keep_comments=False, strict_latex_spaces=False)


def _split(node: Any, *marks: str) -> list[list[Any]]:  # noqa: ANN401
    """The nodes within an environment, divided where a macro or special sign of `marks` stands, which begins the part behind it."""
    parts: list[list[Any]] = [[]]
    for one in node.nodelist:
        if getattr(one, "macroname", None) in marks or getattr(one, "specials_chars", None) in marks:
            parts.append([])
        parts[-1].append(one)
    return parts


def _table(node: Any, l2tobj: Any) -> str:  # noqa: ANN401
    """A table as those of every format (`grid`), its spans resolved."""
    grid = TableGrid()
    covered: dict[
        int, int
    ] = {}  # by column: the rows that a cell above still reaches into, with blank cells where it does
    rows_of = _split(node, "\\", "tabularnewline")
    heads = _heads(rows_of)
    for number, row in enumerate(rows_of):
        cells: list[list[Any]] = [[]]
        for one in row:
            if getattr(one, "specials_chars", "") == "&":
                cells.append([])
            elif getattr(one, "macroname", "") not in ("\\", "tabularnewline"):
                cells[-1].append(one)
        said = [one_line(l2tobj.nodelist_to_text(cell)) for cell in cells]
        if not any(said):
            continue
        grid.begin_row(head=number < heads)
        column = 0
        for cell, words in zip(cells, said, strict=True):
            rows, columns = (_spans(cell, name) for name in ("multirow", "multicolumn"))
            if covered.get(column, 0) and not words:
                covered[column] -= 1
            else:
                grid.add(GridCell(words, rows=rows, columns=columns), column)
                covered[column] = rows - 1
            column += columns
    prose = Prose()
    grid.write(prose)
    return f"\n\n{prose.text}\n\n"


def _heads(rows: list[list[Any]]) -> int:
    """How many rows stand above the first line that is drawn below one, unless a line is drawn below each."""
    ruled = [
        n
        for n, row in enumerate(rows)
        if n and any(getattr(one, "macroname", "") in ("hline", "midrule") for one in row)
    ]
    return ruled[0] if ruled and ruled[0] < len(rows) - 1 and len(ruled) < len(rows) - 1 else 0


def _spans(cell: list[Any], name: str) -> int:
    """How many rows or columns a cell spans."""
    found = next((one for one in cell if getattr(one, "macroname", "") == name), None)
    given = [one for one in found.nodeargd.argnlist if one is not None] if found is not None else []
    said = given[0].latex_verbatim().strip("{} ") if given else ""
    return int(said) if said.isascii() and said.isdigit() and 0 < int(said) < _MOST_SPANNED else 1


def _numbered(node: Any, l2tobj: Any) -> str:  # noqa: ANN401
    """The items of a numbered list; one that says its own mark keeps it."""
    said, number = "", 0
    for part in _split(node, "item"):
        words = str(l2tobj.nodelist_to_text(part)).strip()
        if getattr(part[0] if part else None, "macroname", "") == "item" and not any(part[0].nodeargd.argnlist or ()):
            number += 1
            words = f"{number}. {words.removeprefix('-').strip()}"
        said += f"\n{words}" if words else ""
    return f"{said}\n"


def _argument(node: Any, l2tobj: Any, number: int = -1) -> str:  # noqa: ANN401
    """The text of the last argument that a macro has, or of another one."""
    given = [one for one in (node.nodeargd.argnlist if node.nodeargd else ()) if one is not None]
    last = given[number] if len(given) >= -number else None
    return str(l2tobj.nodelist_to_text([last])).strip("[] \n") if last is not None else ""
