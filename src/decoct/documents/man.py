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
from pathlib import Path

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, one_line
from decoct.documents.html import Page, page_tree
from decoct.documents.prose import LINE, PARAGRAPH, Prose
from decoct.documents.roff import carried_out
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
