"""Man pages (roff with the macros `man` or `mdoc`), as text: by mandoc where it is installed, else pandoc, else groff.

mandoc and pandoc (its program, or the wheel of the extra `man`) write HTML, which goes the way of every page (`html`); groff, which every
system with a `man` command but BSD and macOS has, writes lines. None may read another file: pages are given by standard input in an empty
folder, to mandoc, which refuses paths that leave it, to pandoc as `--sandbox`, and to groff without the requests that open files. A
page that is nothing but a reference to another (`.so man1/other.1`) says so.

The title is the page's name and section: `crontab(5)`. Headings are its sections.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from operator import add, and_, eq, ge, gt, le, lt, or_, sub
from pathlib import Path

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, one_line
from decoct.documents.markup.html import Page, page_tree
from decoct.documents.prose import LINE, PARAGRAPH, Prose
from decoct.documents.text import read_text
from decoct.errors import ParseError

_NAMED = re.compile(r"""^[.']\s*(?:TH|Dt)[ \t]+("[^"\n]*"|\S+)(?:[ \t]+("[^"\n]*"|\S+))?""", re.M)
_ELSEWHERE = re.compile(r"""(?:[.']\\".*\n|\s)*[.']\s*so[ \t]+(\S+)\s*""")
_MDOC = re.compile(r"^\.\s*Dd\b", re.M)
_READS_FILES = "so mso cf trf psbb open opena pso sy pi"
_INDENT = 7  # of groff's body
_RIGHT = " " * 200  # before what names the page at its end, where nothing stands left of it
_SUBSECTION = re.compile(r" {3}\S")  # groff indents a section's heading by nothing, that of its part by three
_TAGGED = re.compile(r"""^[.']IP[ \t]+("(?:[^"\n]|"")*"|(?:\\.|[^\s\\])+).*""", re.M)
_TABLE = re.compile(
    r"^(\.TS.*\n(?:.*;[ \t]*\n)?)((?:(?![.'])[^\n.]*\n)*[^\n.]*)\.[ \t]*$", re.M
)  # how its columns are set
_NO_COLUMN = re.compile(r"\([^)\n]*\)|[fF](?:[A-Z]{2}|\w)|[pPvV][+-]?\d+|[^lrcnasLRCNAS^_=\-\n]")
_COUNTED = re.compile(r"\(?(\d{1,3})[.)]")
# What stands in a page's name for no letter of it (a change of font, a break of no width), and for one letter.
_ESCAPES = re.compile(r"\\(?:f(?:\[[^]]*\]|\(..|.)|[&|^%:]|(?P<mark>[-e ])|\((?P<name>..)|\[(?P<long>[^]]*)\])")
_SIGNS = {"-": "-", "e": "\\", " ": " ", "hy": "-", "mi": "-", "en": "–", "em": "—", "rs": "\\", "aq": "'", "dq": '"'}


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a page."""
    text, notes = read_text(source)
    if found := _ELSEWHERE.fullmatch(text):
        raise ParseError(f"it holds no text, only a reference to {one_line(found[1])}, another page: add that one")
    prose = _written(text)
    named = _NAMED.search(text)
    name, section = (_plain((part or "").strip('"')) for part in named.groups()) if named else ("", "")
    title = one_line(f"{name.lower() if name.isupper() else name}({section})" if section else name)
    yield prose.document(source, title, notes)


def _plain(argument: str) -> str:
    r"""The words of a macro's argument: `sane\-usb` is `sane-usb`. An escape that is not known is left out."""
    return _ESCAPES.sub(lambda found: _SIGNS.get(found["mark"] or found["name"] or found["long"] or "", ""), argument)


def _written(text: str) -> Prose:
    """By the first converter that can read it."""
    failed = "it is a man page: to read it install mandoc or groff, or pip install 'decoct[man]'"
    for available, write in CONVERTERS.values():
        if program := available():
            try:
                return write(program, text)
            except ParseError as error:
                failed = str(error)
    raise ParseError(failed)


def by_mandoc(program: str, text: str) -> Prose:
    """By mandoc: its page without the line above and below."""
    html = _run([program, "-T", "html", "-K", "utf-8", "-O", "fragment,man=%N.%S"], text)
    tree = page_tree(f"<body>{html}</body>")
    for table in tree.xpath("//*[contains(@class, 'head') or contains(@class, 'foot')][self::table or self::div]"):
        table.getparent().remove(table)
    return _page(tree)


def by_pandoc(program: str, text: str) -> Prose:
    """By pandoc, which gives the page's body alone.

    It translates no characters, counts the items of a list itself (whose tags may be 1, 2, 4), keeps of a tag that begins with a number
    nothing else, and leaves out an address without words and a table whose columns are not plain.
    """
    for sign, said in re.findall(r"^\.tr (\\\(..)(\S)$", text, re.M):
        text = text.replace(sign, said)
    text = carried_out(text)
    text = _tagged(text)
    text = re.sub(r"^\.br\n\.ns\n\.TP\b", ".TQ", text, flags=re.M)
    text = re.sub(r"^\.(UR|MT) +(\S+)\n(?=\.(?:UE|ME)\b)", r".\1 \2\n\2\n", text, flags=re.M)
    text = _without_rules(_TABLE.sub(_columns, text))
    text = re.sub(r"(?<!\\)((?:\\\\)*)\\[|^]", r"\1", text)
    text = re.sub(r"^\.Os .*", ".Os", text, flags=re.M)
    macros = "mdoc" if _MDOC.search(text) else "man"
    html = _run([program, "--sandbox", "-f", macros, "-t", "html", "--wrap=none"], text)
    return _page(page_tree(f"<body>{html}</body>"))


def _columns(found: re.Match[str]) -> str:
    """A table with as many columns, all alike: pandoc leaves out one whose cells are joined or dressed."""
    return f"{found[1]}{'l ' * max(map(len, _NO_COLUMN.sub('', found[2]).split(chr(10))))}."


def _without_rules(text: str) -> str:
    """The page without the rules of its tables but the first of each, behind which pandoc sees rows: the others it takes for such."""
    lines, rules, cell = [], 0, False
    for line in text.split("\n"):
        rules = 0 if line.startswith(".TS") else rules
        rules += not cell and line in ("_", "=")
        cell = line.endswith("T{") or (cell and not line.startswith("T}"))
        if cell or rules < 2 or line not in ("_", "="):
            lines.append(line)
    return "\n".join(lines)


def _tagged(text: str) -> str:
    """The page with every item whose tag is no bullet, nor the number that comes next in a list, as one with a term."""
    last = 0

    def item(found: re.Match[str]) -> str:
        nonlocal last
        tag = found[1].strip('"').replace('""', '"') if found[1].startswith('"') else found[1]
        number = _COUNTED.fullmatch(tag)
        if tag == "o":
            return ".IP \\(bu"
        if not any(map(str.isalnum, tag)) or tag.startswith("\\(bu"):
            return found[0]
        if number and int(number[1]) in (0, 1, last + 1):
            last = int(number[1])
            return found[0]
        return f".TP\n\\&{tag}"

    return _TAGGED.sub(item, text)


def by_groff(program: str, text: str) -> Prose:
    """By groff: lines that begin at the margin are headings, or name the page at its top and bottom in two or three places."""
    wide = ["-rLL=500n", "-rLT=500n", "-rHY=0", "-dAD=l"]  # a paragraph is a line
    plain = ["-P-c", "-P-b", "-P-u", "-P-o"]
    # All macros must be loaded before they lose what opens files: the names under which they are whole, by groff's version.
    made, (text, *tables) = "", text.split("\n.TS")
    for table in tables:  # one in the middle of so long a line would seem to be what stands right at the page's end
        options, sign, rest = table.partition(";")
        text += (
            "\n.TS"
            + (options.replace("center", "").replace("centre", "") if options.count("\n") == 1 else options)
            + sign
            + rest
        )
    for macros in ("-mdoc",) if _MDOC.search(text) else ("-man-old", "-man"):
        with suppress(ParseError):
            made = _run(
                [program, "-S", "-k", "-t", "-T", "utf8", macros, *wide, *plain], f".nh\n.rm hy {_READS_FILES}\n{text}"
            )
            break
    lines = [line.rstrip() for line in canonical(made).split("\n")]
    prose = Prose()
    for line in lines:
        if not line:
            prose.gap(PARAGRAPH)
        elif line.startswith(_RIGHT) or (re.search(r"\S {3,}\S", line) and not line.startswith(" ")):
            continue
        elif _SUBSECTION.match(line):
            prose.title(line, 2)
        elif line.startswith(" "):
            prose.gap(LINE)
            prose.verbatim(line.removeprefix(" " * _INDENT))
        else:
            prose.title(line, 1)
    if not prose.headings:
        raise ParseError("groff finds no sections in it: is it a man page?")
    return prose


def _page(tree: object) -> Prose:
    page = Page()
    page.write(tree)
    return page.prose


def _run(command: list[str], text: str) -> str:
    with tempfile.TemporaryDirectory(prefix="decoct-") as nowhere:
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "GROFF_NO_SGR": "1", "HOME": nowhere}
        try:
            done = subprocess.run(
                command, input=text.encode(), capture_output=True, cwd=nowhere, env=environment, check=False
            )
        except OSError as error:
            said = error.strerror or error
            raise ParseError(f"{Path(command[0]).name} could not be run to read it: {said}") from error
    if not done.stdout.strip():
        raise ParseError(f"{Path(command[0]).name} finds no text in it: is it a man page?")
    return done.stdout.decode("utf-8", "replace")


def _pandoc() -> str:
    if program := shutil.which("pandoc"):
        return program
    found = find_spec("pypandoc")
    inside = Path(found.origin).parent / "files" / "pandoc" if found and found.origin else None
    for candidate in (inside, inside.with_suffix(".exe")) if inside else ():
        if candidate.is_file():
            return str(candidate)
    return ""


# In the order in which they are tried: how each is found, and what it does.
CONVERTERS: dict[str, tuple[Callable[[], str], Callable[[str, str], Prose]]] = {
    "mandoc": (lambda: shutil.which("mandoc") or "", by_mandoc),
    "pandoc": (_pandoc, by_pandoc),
    "groff": (lambda: shutil.which("groff") or "", by_groff),
}


# What a man page defines for itself, carried out: its macros (`.de`), strings (`.ds`), registers (`.nr`) and conditions (`.if`, `.ie`).
#
# pandoc knows the macros of manuals and little of the language below them: a definition with a comment, or a condition that it cannot
# judge, costs the page text. Here it becomes one that needs neither. Registers that it does not set are nought, so what is only for groff
# is left to the branch for all others; and what `man` defines keeps its meaning, whatever the page says.
_OF_MAN = frozenset("TH SH SS PP P LP IP TP TQ RS RE B I R BR RB BI IB RI IR SM SB HP UR UE MT ME EX EE SY YS".split())
_MOST_CARRIED_OUT = 5_000_000  # characters: a page whose macros call themselves has no end
_LONGEST_STRING = 1_000
_COMMENT = re.compile(r"""(?<!\\)((?:\\\\)*)\\".*""")
_REQUEST = re.compile(r"[.'][ \t]*([^\s\\]+)[ \t]*(.*)")
_ARGUMENT = re.compile(r'"((?:[^"]|"")*)"?|((?:\\.|[^\s\\])+)')
_STRING = re.compile(r"\\\*(?:\((..)|\[([^]\s]+)\]|([^\s(\[]))")
_NUMBER = re.compile(r"\\n[+-]?(?:\((..)|\[([^]]+)\]|([^\s(\[]))")
_PARAMETER = re.compile(r"\\\$(?:([*@])|(\d)|\[(\d+)\]|\((\d\d))")
_ARGUMENTS_COUNTED = re.compile(r"\\n(?:\(\.\$|\[\.\$\])")
_GOES_ON = re.compile(r"(?<!\\)(?:\\\\)*(?<!\\\{)\\$")
_GROUP = re.compile(r"(?<!\\)\\([{}])")
_MODE = re.compile(r"([notev])(?!\w)")
_DEFINED = re.compile(r"[dr][ \t]*([^\s\\]+)")
_EQUAL = re.compile(r"(['\"])(.*?)\1(.*?)\1")
_COMPARED = re.compile(r"\(*(-?\d{1,9})[a-z]?(?:([<>=]=?|[-+:&])(-?\d{1,9})[a-z]?)?\)*(?=[\s\\]|$)")
_JUDGED = {"<": lt, ">": gt, "=": eq, "==": eq, "<=": le, ">=": ge, "-": sub, "+": add, ":": or_, "&": and_}


def carried_out(page: str) -> str:
    """The page without definitions and conditions, its own macros written out where they are called."""
    return "\n".join(_Page(page).lines)


class _Page:
    def __init__(self, text: str) -> None:
        self.lines: list[str] = []
        self._waiting = [_COMMENT.sub(r"\1", line) for line in reversed(text.split("\n"))]
        self._macros: dict[str, list[str]] = {}
        self._strings: dict[str, str] = {}
        self._registers: dict[str, int] = {}
        self._otherwise: list[bool] = []  # whether the `.el` that comes is carried out, innermost last
        self._done = 0
        while self._waiting:
            self._line(self._waiting.pop())

    def _line(self, line: str) -> None:
        if self._waiting and _GOES_ON.search(line):
            self._waiting[-1] = line[:-1] + self._waiting[-1]
            return
        found = _REQUEST.fullmatch(line)
        name, rest = found.groups() if found else ("", "")
        if name in ("de", "de1", "am", "am1", "ig"):
            self._define(name, rest.split())
        elif name in ("ds", "as"):
            string, _, said = rest.partition(" ")
            before = self._strings.get(string, "") if name == "as" else ""
            self._strings[string] = (before + self._filled(said.lstrip().removeprefix('"')))[:_LONGEST_STRING]
        elif name == "nr":
            register, said, *_ = (*self._filled(rest).split(), "", "")
            value = re.match(r"[+-]?\d{1,9}", said)
            self._registers[register] = int(value[0]) if value else 0
        elif name == "als":
            new, old, *_ = (*self._filled(rest).split(), "", "")
            self._macros[new] = [f".{old} \\$@"]
        elif name in ("if", "ie"):
            holds, said = self._judged(self._filled(rest))
            if name == "ie":
                self._otherwise.append(not holds)
            self._branch(said, holds=holds)
        elif name == "el":
            self._branch(rest, holds=bool(self._otherwise) and self._otherwise.pop())
        elif name in self._macros and name not in _OF_MAN:
            self._call(self._macros[name], _arguments(self._filled(rest)))
        elif name != "rm" and (said := self._filled(_GROUP.sub("", line))).strip() not in (".", "'"):
            text = said[:1] in (".", "'") and line[:1] not in (".", "'")  # no request, though a string of it begins so
            self.lines.append(f"\\&{said}" if text else said)

    def _define(self, request: str, words: list[str]) -> None:
        """Keep a macro's lines, up to the line that ends it; what is added to one, or to be ignored, is passed over."""
        name, end, *_ = [*[""][request != "ig" :], *words, "", ""]
        body = []
        while self._waiting and (line := self._waiting.pop()).rstrip() != f".{end or '.'}":
            body.append(line)
        if request.startswith("de"):
            self._macros[name] = body

    def _call(self, body: list[str], arguments: list[str]) -> None:
        def given(found: re.Match[str]) -> str:
            if found[1]:
                return " ".join(f'"{one}"' if found[1] == "@" else one for one in arguments)
            number = int(found[2] or found[3] or found[4])
            return arguments[number - 1] if 0 < number <= len(arguments) else ""

        for line in reversed(body):
            said = _ARGUMENTS_COUNTED.sub(str(len(arguments)), line.replace("\\\\", "\\"))
            self._waiting.append(_PARAMETER.sub(given, said))
            self._done += len(self._waiting[-1]) + 1
        if self._done > _MOST_CARRIED_OUT:
            raise ParseError("its macros have no end")

    def _branch(self, said: str, *, holds: bool) -> None:
        """Carry out, or pass over, a line or the group of lines that it opens."""
        lines, depth = [said], _opened(said)
        while self._waiting and depth > 0:
            lines.append(self._waiting.pop())
            depth += _opened(lines[-1])
        if said.startswith("\\{"):
            lines[-1] = lines[-1].rpartition("\\}")[0] or lines[-1]
            lines[0] = lines[0][2:].strip().removesuffix("\\")
        if holds:
            self._waiting += [line for line in reversed(lines) if line.strip() not in ("", ".", "'")]

    def _judged(self, said: str) -> tuple[bool, str]:
        """Whether a condition holds, and what stands behind it. One that is not understood does not hold."""
        bare = said.lstrip("! \t")
        denied = said[: len(said) - len(bare)].count("!") % 2 == 1
        bare = _NUMBER.sub("0", bare) if "\\n" in bare.partition(" ")[0] else bare
        if found := _MODE.match(bare):
            holds = found[1] in "no"
        elif found := _DEFINED.match(bare):
            holds = any(found[1] in known for known in (self._macros, self._strings, self._registers))
        elif found := _EQUAL.match(bare):
            holds = found[2] == found[3]
        elif found := _COMPARED.match(bare):
            value = int(found[1])
            holds = (int(_JUDGED[found[2]](value, int(found[3]))) if found[2] else value) > 0
        else:
            found = re.match(r"\S*?(?=\s|\\\{|$)", bare)
            holds = denied
        return holds != denied, bare[found.end() if found else 0 :].lstrip()

    def _filled(self, said: str) -> str:
        """With the strings and registers that the page sets."""
        if "\\" not in said:
            return said
        said = _STRING.sub(lambda found: self._strings.get(found[found.lastindex or 0], found[0]), said)
        known = self._registers
        return _NUMBER.sub(lambda found: str(known.get(found[found.lastindex or 0], found[0])), said)


def _opened(line: str) -> int:
    marks = _GROUP.findall(line)
    return marks.count("{") - marks.count("}")


def _arguments(said: str) -> list[str]:
    return [found[1].replace('""', '"') if found[1] is not None else found[2] for found in _ARGUMENT.finditer(said)]
