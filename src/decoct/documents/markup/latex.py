"""LaTeX (`.tex`, `.latex`): the text by pylatexenc, with formulas as they are written; sections are headings, cells stand between bars.

What commands say stands in `latex.toml`; of one that is not known, what is written behind it, and never a number glued to another. The
preamble, comments, lines of pictures and what conditions leave out are not read; keys of citations stand in brackets, notes in
brackets behind their words. Other files that it reads in, and struck-out text, are told in the metadata.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from decoct.data import Document
from decoct.documents.base import Source, left_out
from decoct.documents.canonical import canonical, one_line
from decoct.documents.counted import as_letters
from decoct.documents.markup.latex_macros import VERBATIM, braced, expanded
from decoct.documents.prose import Prose
from decoct.documents.tables.grid import GridCell, TableGrid
from decoct.documents.text import read_text
from decoct.errors import ParseError

_CLASS = re.compile(
    r"\\documentclass\s*(?:\[[^\]]*\])?\s*\{(article|report|book|amsart|amsbook|scr\w+|ext\w+|memoir|elsarticle|llncs)\}"
)
_SET = re.compile(r"\\(?:setcounter|addtocounter|refstepcounter|numberwithin|counterwithin\w*|tag|the[a-z]*section)\b")
_OTHER_WORDS = re.compile(
    r"\\usepackage\s*\[(?![^\]]*english)[^\]]*\]\s*\{babel\}|\\(?:setmainlanguage|setdefaultlanguage)\s*\{(?!english)"
)
_SECTIONS = ("chapter", "section", "subsection", "subsubsection")
_COUNTED = re.compile(
    r"\\(?:(?P<section>(?:sub){0,2}section|chapter)(?![A-Za-z*])|(?P<appendix>appendix)(?![A-Za-z])|(?P<caption>caption)(?![A-Za-z*])"
    r"|begin\s*\{(?P<begin>\w+)\*?\}|end\s*\{(?P<end>\w+)\*?\}|label\s*\{(?P<label>[^}]*)\})"
)
_FLOATS = {"figure": "figure", "wrapfigure": "figure", "table": "table", "wraptable": "table", "longtable": "table"}
_LIKE_TEXT = frozenset("document abstract center quote tabular minipage flushleft".split())
_EXAM = re.compile(r"\\documentclass\s*(?:\[[^\]]*\])?\s*\{exam\}")
_EXAM_ITEMS = ("question", "part", "subpart", "subsubpart", "choice")
_EXAM_PART = re.compile(
    r"\\(?P<end>begin|end)\s*\{(?P<begin>questions|(?:sub){0,2}parts|choices|checkboxes|oneparchoices)\}"
    r"|\\(?P<item>question|(?:sub){0,2}part|choice|CorrectChoice)(?![A-Za-z])\*?\s*(?P<points>\[[^\]]*\])?"
)
_SOLUTION = re.compile(r"\\begin\{(solution\w*)\}.*?\\end\{\1\}", re.DOTALL)
_ARGUMENT = re.compile(r"\s*(?:\[[^\]]*\])?\s*\{")
_REFERRED = re.compile(r"\\(ref|autoref|vref|cref|Cref)\s*\*?\{([^}]*)\}")
_LEVELS = {
    "part": 1,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "frametitle": 3,
    "framesubtitle": 4,
}
# Of the private use area: they stand around a heading, with its level, until its place is known.
_OPEN, _CLOSE = "\ue001", "\ue002"
_LISTED = "\ue003"
_LISTING = re.compile(f"{_LISTED}(\\d+){_LISTED}")
_HEADING = re.compile(f"{_OPEN}(\\d)([^{_OPEN}{_CLOSE}]*){_CLOSE}")
# Up to the last end: examples may show their own.
_BODY = re.compile(r"\\begin\s*\{document\}(?:(?P<ended>.*)\\end\s*\{document\}|(?P<open>.*))", re.DOTALL)
_TOLD = re.compile(r"\\(title|author|date)\s*(?:\[[^\]]*\])?\s*(?=\{)")
_APART_SIGN, _STRUCK = "\ue004", "\ue005"
_UNKNOWN = re.compile(rf"(?<=\d){_APART_SIGN}+(?=\w)|(?<=\w){_APART_SIGN}+(?=\d)")
_KNOWN = tomllib.loads(Path(__file__).with_name("latex.toml").read_text("utf-8"))
_VALUE = r"-?[\d.]*\d\s?(?:pt|em|ex|mm|cm|in|pc|bp|sp|mu|fil+|\\[a-z]+)(?![A-Za-z])"
_LENGTH = re.compile(
    r"\\[a-z]*(?:(?<!small)(?<!med)(?<!big)skip|kern|indent|width|height|sep|margin|length)\s*(?:=\s*)?"
    rf"{_VALUE}(?:\s+(?:plus|minus)\s*{_VALUE})*|\\cmidrule\s*\([lr]*\)\s*\{{[\d-]*\}}"
)  # that TeX's own commands are given, without braces
_GIVEN = re.compile(r"\{(u?\d)\}")
_FRAME = re.compile(r"\\begin\s*\{frame\}(?:<[^>]*>)?(?:\[[^\]]*\])?")
_OVERLAY = re.compile(
    r"(\\(?:item|only|onslide|uncover|visible|alert|textbf))<[\d+,.-]*>"
)  # on which of the steps of a slide
_READ_IN = re.compile(r"\\(?:input|include|subfile)\s*\{")
_CITES = "cite citep citet citealt citealp parencite textcite autocite footcite Citet Citep Citealt Citealp Parencite Textcite Autocite"
_ENDS = ("\\", "tabularnewline")  # of a row
_STRUCK_OUT = ("sout", "st", "xout")
_TABLES = {"tabular": "[{", "tabular*": "{[{", "tabularx": "{[{", "longtable": "[{", "tabulary": "{[{"}
_MOST_SPANNED = 1_000
_LONGEST = 2_000  # characters of a title or of authors
_NODE = re.compile(
    r"(?:\b(node)\b|;)(?:(?!\bnode\b)[^;])*\Z"
)  # the last of a path's nodes, or its end, behind which none is named
_BAR = re.compile(r"[ \t]+\|[ \t]+")
_DEPTH = "\ue006"
_INNER = re.compile(rf"\s*\n(?={_DEPTH})")
_APART = re.compile(
    rf"(^{_DEPTH}*- [^\n]*|^[^\n]* \| [^\n]*)\n\n(?={_DEPTH}*- |[^\n]* \| )", re.MULTILINE
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
    inside = (body["ended"] or body["open"] or "") if body else written
    preamble = written[: body.start()] if body else ""
    try:
        inside, solutions = with_exam(inside, preamble)
        read = with_numbers(_with_titles(expanded(inside, preamble)), preamble)
        told = _title_page(written, preamble)
        named = told.pop("title", "")
        text = "".join(f"{name.capitalize()}: {said}\n" for name, said in told.items() if said) + f"\n{_plain(read)}"
    except (RecursionError, ValueError, IndexError, AttributeError, KeyError) as error:
        raise ParseError("its LaTeX cannot be read: save it again, or as PDF") from error
    counts = {
        "files that are read in from elsewhere": len(_READ_IN.findall(read)),
        "struck-out text": text.count(_STRUCK),
        "solutions": solutions,
    }
    text = _without_signs(text.replace(_STRUCK, ""))
    text = _LISTING.sub(lambda found: listings[int(found[1])], text)
    text = re.sub(r"\n{3,}", "\n\n", _SPACES.sub("\n", canonical(text))).strip("\n ")
    text = _APART.sub(r"\1\n", _BAR.sub(" | ", text))
    text = re.sub(rf"(\n?)\n({_DEPTH}{{2,}})", lambda found: f"\n{'  ' * (len(found[2]) - 1)}", text).replace(
        _DEPTH, ""
    )
    headings, levels, out, at = [], [], [], 0
    for found in _HEADING.finditer(text):
        out.append(text[at : found.start()])
        begin, words, at = sum(map(len, out)), one_line(found[2]), found.end()
        if words:
            headings.append((begin, begin + len(words)))
            levels.append(int(found[1]))
            out.append(words)
    text = "".join([*out, text[at:]])
    yield source.document(text, named, {**notes, **told, **left_out(counts)}, headings=headings, levels=levels)


def _title_page(written: str, preamble: str) -> dict[str, str]:
    """The title, the authors and the date of a text, as its commands tell them."""
    told: dict[str, list[str]] = {}
    for found in _TOLD.finditer(written):
        told.setdefault(found[1], []).append(braced(written[found.end() : found.end() + _LONGEST], 0) or "")
    apart = {name: ", ".join(said if name == "author" else said[:1]) for name, said in told.items()}
    plain = {name: _plain(expanded(re.sub(r"\s*\\(?:and\b|\\)", ",", said), preamble)) for name, said in apart.items()}
    return {name: one_line(_without_signs(said)) for name, said in plain.items() if said.strip()}


def _without_signs(text: str) -> str:
    """The text without the signs of commands that are not known, numbers beside them set apart."""
    return _UNKNOWN.sub(" ", text).replace(_APART_SIGN, "")


def _without_listings(written: str, listings: list[str]) -> str:
    """The text with a sign for each listing, in which a command or a comment is none."""

    def kept(found: re.Match[str]) -> str:
        listings.append(found["short"] if found["sign"] else f"\n\n{found['said'].strip(chr(10))}\n\n")
        return f"{_LISTED}{len(listings) - 1}{_LISTED}"

    return VERBATIM.sub(kept, written)


def _with_titles(written: str) -> str:
    """The text with the titles of slides, which may be written behind the beginning of one, as commands."""
    written, parts, at = _OVERLAY.sub(r"\1", written), [], 0
    for found in _FRAME.finditer(written):
        parts += [written[at : found.start()], r"\begin{frame}"]
        at = found.end()
        for name in ("frametitle", "framesubtitle"):
            if (title := braced(written, at)) is not None:
                parts.append(f"\\{name}{{{title}}}")
                at += len(title) + 2
    return "".join([*parts, written[at:]])


def _plain(written: str) -> str:
    from pylatexenc.latexwalker import LatexToken, LatexWalker

    class _ByWords(LatexWalker):  # type: ignore[misc]  # pylatexenc has no types
        """Takes words at once, where pylatexenc takes letters; arguments of macros (no `environments`) may be one letter."""

        def get_token(self, pos: int, include_brace_chars: Any = None, environments: bool = True, **more: Any) -> Any:  # noqa: ANN401
            if environments and (words := _WORDS.match(self.s, pos)):
                return LatexToken(tok="char", arg=words[0], pos=pos, len=len(words[0]), pre_space="")
            return super().get_token(pos, include_brace_chars, environments, **more)

    nodes, _, _ = _ByWords(
        _LENGTH.sub(lambda found: "" if found[0][1] == "c" else _APART_SIGN, written),
        latex_context=_known(),
        tolerant_parsing=True,
    ).get_latex_nodes()
    return str(_converter().nodelist_to_text(nodes))


@cache
def _known() -> Any:  # noqa: ANN401 - pylatexenc has no types
    """The macros and environments with arguments that are no words of the text, or of which each is."""
    from pylatexenc.latexwalker import get_default_latex_context_db
    from pylatexenc.macrospec import std_environment, std_macro

    known = get_default_latex_context_db()
    macros = {name: said[0] for name, said in _KNOWN["macros"].items()}
    macros |= dict.fromkeys(_CITES.split(), "*[[{") | dict.fromkeys(_LEVELS, "*[{") | dict.fromkeys(_STRUCK_OUT, "{")
    known.add_context_category(
        "decoct",
        macros=[std_macro(name, arguments) for name, arguments in macros.items()],
        environments=[
            *(std_environment(name, said[0]) for name, said in _KNOWN["environments"].items()),
            *(std_environment(name, arguments) for name, arguments in _TABLES.items()),
        ],
        prepend=True,
    )
    return known


class _Arguments(dict[str, str]):
    r"""What a command was given, by `1`, `2` … as text and by `u1`, `u2` … as a unit: `\kilo\watt\per\second` is kW/s."""

    def __init__(self, node: Any, l2tobj: Any) -> None:  # noqa: ANN401
        super().__init__()
        self._given, self._l2tobj = (node.nodeargd.argnlist or ()) if node.nodeargd else (), l2tobj

    def __missing__(self, key: str) -> str:
        at = int(key.lstrip("u")) - 1
        given = self._given[at] if at < len(self._given) else None
        if given is None:
            return ""
        named = re.findall(r"\\([A-Za-z]+)", given.latex_verbatim()) if key.startswith("u") else []
        if named:
            return "".join(_KNOWN["units"].get(name, name) for name in named)
        return str(self._l2tobj.nodelist_to_text([given])).strip("[] \n")


@cache
def _converter() -> Any:  # noqa: ANN401 - pylatexenc has no types
    from pylatexenc.latex2text import (
        EnvironmentTextSpec,
        LatexNodes2Text,
        MacroTextSpec,
        SpecialsTextSpec,
        get_default_latex_context_db,
    )

    def says(pattern: str) -> Any:  # noqa: ANN401
        def said(node: Any, l2tobj: Any) -> str:  # noqa: ANN401
            given = _Arguments(node, l2tobj)
            return _GIVEN.sub(lambda found: given[found[1]], pattern)

        return said

    def says_above(pattern: str) -> Any:  # noqa: ANN401
        head = says(pattern)
        return lambda node, l2tobj: f"\n\n{head(node, l2tobj).lstrip()}{l2tobj.nodelist_to_text(node.nodelist)}\n\n"

    def citation(node: Any, l2tobj: Any) -> str:  # noqa: ANN401
        given = _Arguments(node, l2tobj)
        before, behind = (given["2"], given["3"]) if given["3"] else ("", given["2"])
        return f" [{f'{before} ' * bool(before)}{given['4']}{f', {behind}' * bool(behind)}]"

    def item(node: Any, l2tobj: Any) -> str:  # noqa: ANN401
        return f"\n- {_argument(node, l2tobj)}".rstrip() + " "

    macros = [MacroTextSpec(name, simplify_repl=says([*said, ""][1])) for name, said in _KNOWN["macros"].items()]
    macros += [
        MacroTextSpec(name, simplify_repl=says(f"\n\n{_OPEN}{level}{{3}}{_CLOSE}\n\n"))
        for name, level in _LEVELS.items()
    ]
    macros += [MacroTextSpec(name, simplify_repl=citation) for name in _CITES.split()]
    macros += [MacroTextSpec(name, simplify_repl=_STRUCK) for name in _STRUCK_OUT]
    macros += [MacroTextSpec("item", simplify_repl=item)]
    environments = [
        EnvironmentTextSpec(name, simplify_repl=says_above([*said, ""][1]))
        for name, said in _KNOWN["environments"].items()
    ]
    environments += [EnvironmentTextSpec(name, simplify_repl=_table) for name in _TABLES]
    environments += [EnvironmentTextSpec("comment", discard=True)]
    environments += [EnvironmentTextSpec(name, simplify_repl=_drawn) for name in _KNOWN["pictures"]["names"]]
    environments += [
        EnvironmentTextSpec(name, simplify_repl=_listed) for name in ("enumerate", "itemize", "description")
    ]
    known = get_default_latex_context_db()
    known.add_context_category(
        "decoct", prepend=True, macros=macros, environments=environments, specials=[SpecialsTextSpec("&", " | ")]
    )
    known.set_unknown_macro_spec(MacroTextSpec("", simplify_repl=_unknown))

    class _ByArguments(LatexNodes2Text):  # type: ignore[misc]
        """Sets what a command that is not known is given, one group behind the other, apart."""

        def nodelist_to_text(self, nodelist: Any) -> Any:  # noqa: ANN401
            return super().nodelist_to_text(list(_with_gaps(nodelist)))

    return _ByArguments(latex_context=known, math_mode="verbatim", keep_comments=False, strict_latex_spaces=False)


def _unknown(node: Any, l2tobj: Any) -> str:  # noqa: ANN401
    r"""The name of a command that stands for a word, as that of a program does: `\LaTeX`, or `\CTAN{}` with nothing else in it."""
    behind = node.parsing_state.s[node.pos + node.len :][:2]
    ends = not node.macro_post_space and (behind in ("{}", "\\ ") or behind[:1] in tuple(".,;:)'’"))
    word = "TeX" in node.macroname or (ends and not node.macroname.islower())
    return f"{node.macroname}{node.macro_post_space}" if word else _APART_SIGN


def _with_gaps(nodes: Any) -> Iterator[Any]:  # noqa: ANN401
    """The nodes, with a space before each further group behind a command that has no arguments of its own."""
    from pylatexenc.latexwalker import LatexCharsNode, LatexGroupNode

    groups = 0  # and the command
    for one in nodes:
        group = isinstance(one, LatexGroupNode)
        if group and groups > 1:
            yield LatexCharsNode(chars=" ", parsing_state=one.parsing_state)
        bare = hasattr(one, "macroname") and not (one.nodeargd and one.nodeargd.argnlist)
        groups = int(bare) or (groups + 1 if group and groups else 0)
        yield one


def _split(nodes: Iterable[Any], *marks: str) -> list[list[Any]]:
    """The nodes of an environment, divided where a macro or special sign of `marks` stands, which begins the part behind it."""
    parts: list[list[Any]] = [[]]
    for one in nodes:
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
    # Of a long table: what stands before each mark, and behind the last; the foot of a page ends it.
    *parts, body = _split(node.nodelist, "endfirsthead", "endhead", "endfoot", "endlastfoot")
    marks = [getattr(one[0], "macroname", "") if one else "" for one in (*parts[1:], body)]
    over = dict(zip(marks, (_split(one, *_ENDS) for one in parts), strict=True)) if parts else {}
    head = over.get("endfirsthead") or over.get("endhead") or []
    rows_of = [*head, *_split(body, *_ENDS), *(over.get("endlastfoot") or over.get("endfoot") or [])]
    heads = len(head) or _heads(rows_of)
    for number, row in enumerate(rows_of):
        cells: list[list[Any]] = [[]]
        for one in row:
            if getattr(one, "specials_chars", "") == "&":
                cells.append([])
            elif getattr(one, "macroname", "") not in _ENDS:
                cells[-1].append(one)
        said = [one_line(l2tobj.nodelist_to_text(cell)) for cell in cells]
        if any(getattr(one, "macroname", "") == "caption" for one in row):
            grid.caption = " ".join(said).strip()
            continue
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


def _drawn(node: Any, l2tobj: Any) -> str:  # noqa: ANN401
    r"""The words that stand in the nodes of a picture, `\node at (1,2) {words};`."""
    said = ""
    named = False
    for one in node.nodelist:
        if hasattr(one, "environmentname"):
            said += _drawn(one, l2tobj)
        elif hasattr(one, "nodelist"):
            words = str(l2tobj.nodelist_to_text(one.nodelist)).strip() if named else ""
            said += f"\n\n{words}\n\n" if words else ""
            named = False
        elif hasattr(one, "macroname"):
            named = named or one.macroname == "node"
        elif found := _NODE.search(getattr(one, "chars", "")):
            named = found[1] is not None
    return said


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


def _listed(node: Any, l2tobj: Any) -> str:  # noqa: ANN401
    """The items of a list, each with a sign for every list around it; those of a numbered one have a number, but where they say a mark."""
    said, number = "", 0
    for part in _split(node.nodelist, "item"):
        words = str(l2tobj.nodelist_to_text(part)).strip()
        item = getattr(part[0] if part else None, "macroname", "") == "item"
        if item and node.environmentname == "enumerate":
            own = any(part[0].nodeargd.argnlist or ())
            number += not own
            words = f"{f'{number}. ' * (not own)}{words.removeprefix('-').strip()}"
        words = _INNER.sub(f"\n{_DEPTH}", words)
        said += f"\n{_DEPTH * item}{words}" if words else ""
    return f"{said}\n"


def _argument(node: Any, l2tobj: Any) -> str:  # noqa: ANN401
    """The text of the last argument that a macro has."""
    given = [one for one in (node.nodeargd.argnlist if node.nodeargd else ()) if one is not None]
    return str(l2tobj.nodelist_to_text(given[-1:])).strip("[] \n")


def with_exam(text: str, preamble: str) -> tuple[str, int]:
    r"""The body of a text of the class `exam`, questions and parts as items, and how many solutions, seldom printed, were left out."""
    if (of_class := _EXAM.search(preamble)) is None:
        return text, 0
    solutions = 0
    if "answers" not in of_class[0] and "\\printanswers" not in preamble + text:
        text, solutions = _SOLUTION.subn("", text)
    counts = Counter[str]()

    def item(found: re.Match[str]) -> str:
        if found["begin"]:
            counts["choice"] *= found["end"] == "end"
            return f"\\{found['end']}{{enumerate}}"
        kind = found["item"].replace("CorrectC", "c")
        counts[kind] += 1
        for deeper in _EXAM_ITEMS[_EXAM_ITEMS.index(kind) + 1 :]:
            counts[deeper] = 0
        number = counts[kind]
        shown = {
            "question": f"{number}.",
            "part": f"({as_letters(number)})",
            "choice": f"{as_letters(number).upper()}.",
        }
        return f"\\item[{shown.get(kind, f'{number}.')}]{{}}{found['points'] or ''}"

    return _EXAM_PART.sub(item, text), solutions


def with_numbers(text: str, preamble: str) -> str:
    r"""The body of a text with the numbers of sections, figures and tables that its class gives, also in the place of `\ref`.

    A label whose number hangs on anything else keeps its key; texts of other classes, or that set counters, stay as they are.
    """
    of_class = _CLASS.search(preamble)
    if of_class is None or _SET.search(preamble + text):
        return text
    first = 0 if re.search("report|book|rprt|memoir", of_class[1]) else 1
    named = _OTHER_WORDS.search(preamble) is None
    labels, parts, at = dict[str, tuple[str, str]](), list[str](), 0
    counts, here, around, letters = Counter[str](), ("", ""), list[tuple[str, tuple[str, str]]](), False
    for found in _COUNTED.finditer(text):
        said, name = "", found["section"] or ""
        match found.lastgroup:
            case "section" if first <= _SECTIONS.index(name) < first + 3:
                here = name.replace("sub", ""), _next_section(counts, name, first, letters=letters)
                said = f"{here[1]} "
            case "appendix":
                letters = True
                counts.subtract({one: counts[one] for one in _SECTIONS})
            case "begin":
                around.append((found["begin"], here))
                here = here if found["begin"] in _LIKE_TEXT else ("", "")
            case "end" if around and around[-1][0] == found["end"]:
                here = around.pop()[1]
            case "caption":
                kind = next((_FLOATS[name] for name, _ in reversed(around) if name in _FLOATS), "")
                here = kind, _next(counts, kind) if kind else ""
                said = f"{kind.capitalize()} {here[1]}: " if kind and named else ""
            case "label" if here[1]:
                labels[found["label"]] = here
        opened = _ARGUMENT.match(text, found.end()) if said else None
        if opened and braced(text, opened.end() - 1):
            parts += [text[at : opened.end()], said]
            at = opened.end()
    return _REFERRED.sub(lambda found: _shown_reference(found, labels, named=named), "".join([*parts, text[at:]]))


def _next_section(counts: Counter[str], name: str, first: int, *, letters: bool) -> str:
    """The next number of a section, behind those of the ones around it; `letters`: it is of an appendix."""
    depth = _SECTIONS.index(name)
    counts[name] += 1
    for deeper in (*_SECTIONS[depth + 1 :], *(() if depth else ("figure", "table"))):
        counts[deeper] = 0
    outer, *inner = (counts[one] for one in _SECTIONS[first : depth + 1])
    return ".".join([as_letters(outer).upper() if letters else str(outer), *map(str, inner)])


def _next(counts: Counter[str], kind: str) -> str:
    """The next number of a kind; in books that of the chapter stands before it."""
    counts[kind] += 1
    return f"{counts['chapter']}." * bool(counts["chapter"]) + str(counts[kind])


def _shown_reference(found: re.Match[str], labels: dict[str, tuple[str, str]], *, named: bool) -> str:
    r"""What a reference shows: the number, behind the name of what it is where the command says that too."""
    told = [labels.get(key.strip(), ("", "")) for key in found[2].split(",")]
    if not all(number for _, number in told):
        return found[0]
    kind = told[0][0] if named and found[1].lower() in ("autoref", "cref") else ""
    numbers = ", ".join(number for _, number in told)
    return f"{kind if found[1] == 'cref' else kind.capitalize()} {numbers}".strip()
