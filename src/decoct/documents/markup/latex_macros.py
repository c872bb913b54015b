r"""What a LaTeX file defines for itself (`\newcommand`, `\def`), put in where it is used: no part of the text is known by its name alone.

Conditions that are decided in the file (`\iffalse`, `\newif\ifdraft` with `\drafttrue`) are: only the part that holds is kept.

Only definitions within the file are known, with arguments and a default for the first (LaTeX2e). What grows beyond a limit is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from decoct.errors import ParseError

_DEFINED = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s*\{?\s*\\(?P<name>[A-Za-z]+)\s*\}?\s*(?:\[(?P<count>\d)\])?"
    r"\s*(?:\[(?P<first>[^\]]*)\])?\s*(?=\{)|\\def\s*\\(?P<plain>[A-Za-z]+)(?P<given>(?:#\d)*)\s*(?=\{)"
)
_FOR_BOOKMARKS = re.compile(
    r"\\pdfstringdefDisableCommands\s*(?=\{)"
)  # what commands are in bookmarks alone (hyperref)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*\n?")
VERBATIM = re.compile(
    r"\\begin\{(?:(?P<kind>verbatim)|(?P<options>Verbatim|lstlisting|minted))\*?\}(?(options)(?:\[[^\]]*\])?(?:\{[^}\n]*\}(?=\n))?)"
    r"(?P<said>.*?)\\end\{(?:(?P=kind)|(?P=options))\*?\}"
    r"|\\(?:verb|lstinline)\*?(?P<sign>[^A-Za-z\s*{])(?P<short>.*?)(?P=sign)",
    re.DOTALL,
)
_NEW_CONDITION = re.compile(r"\\newif\s*\\if([A-Za-z@]+)")
_SET = re.compile(r"\\([A-Za-z@]+?)(true|false)(?![A-Za-z@])")
_CONDITION = re.compile(
    r"(?<!\\newif)\\(if(?!f?(?![A-Za-z@]))(?!thenelse)[A-Za-z@]+(?!\s*\{)|else|fi)(?![A-Za-z@])[ \t]*"
)
_USED = re.compile(r"\\([A-Za-z]+)")
_ROUNDS = 8  # of macros in macros
_GROWTH, _FREE = 4, 100_000  # times its size, and characters, that a text may grow


@dataclass(frozen=True, slots=True)
class _Macro:
    count: int
    first: str | None
    body: str


def expanded(text: str, preamble: str = "") -> str:
    """`text` without comments, the macros that it and its `preamble` define put in; `ParseError` where they grow without end."""
    known: dict[str, _Macro] = {}
    preamble = _uncommented(preamble)
    for found in reversed([*_FOR_BOOKMARKS.finditer(preamble)]):
        preamble = preamble[: found.start()] + preamble[found.end() + len(braced(preamble, found.end()) or "") + 2 :]
    _without_definitions(preamble, known)
    text = _without_definitions(_decided(_uncommented(text), preamble), known)
    most = _GROWTH * len(text) + _FREE
    for _ in range(_ROUNDS if known else 0):
        grown = _once(text, known, most)
        if grown == text:
            break
        text = grown
    return text


def _uncommented(text: str) -> str:
    return _COMMENT.sub(r"\1", text)


def _decided(text: str, preamble: str) -> str:
    r"""The text without what its decided conditions leave out: `\iffalse`, and those that `\newif` makes, as they were set last."""
    holds = {"true": True, "false": False, **dict.fromkeys(_NEW_CONDITION.findall(preamble + text), False)}
    holds |= {name: said == "true" for name, said in _SET.findall(preamble + text) if name in holds}
    parts: list[str] = []
    open_: list[bool | None] = []  # whether each condition around holds; None where that is not known
    at = 0
    for found in _CONDITION.finditer(text):
        name = found[1]
        if None in open_ or all(open_):
            parts.append(text[at : found.start()])
        at = found.end()
        if name.startswith("if"):
            open_.append(holds.get(name[2:]))
        elif open_ and name == "fi":
            open_.pop()
        elif open_ and open_[-1] is not None:
            open_[-1] = not open_[-1]
    return "".join([*parts, text[at:]])


def _without_definitions(text: str, known: dict[str, _Macro]) -> str:
    parts, at = [], 0
    for found in _DEFINED.finditer(text):
        if found.start() < at or (group := braced(text, found.end())) is None:
            continue
        count = int(found["count"] or 0) if found["name"] else len(found["given"] or "") // 2
        known[found["name"] or found["plain"]] = _Macro(count, found["first"], group)
        parts.append(text[at : found.start()])
        at = found.end() + len(group) + 2
    return "".join([*parts, text[at:]])


def _once(text: str, known: Mapping[str, _Macro], most: int) -> str:
    parts, at, size = [], 0, 0
    for found in _USED.finditer(text):
        macro = known.get(found[1])
        if macro is None or found.start() < at:
            continue
        given, end = _arguments(text, found.end(), macro)
        if given is None:
            continue
        said = _filled_body(macro.body, given)
        parts += [text[at : found.start()], said]
        size += found.start() - at + len(said)
        if size > most:
            raise ParseError("its macros grow without end: save it as PDF")
        at = end
    return "".join([*parts, text[at:]])


def _filled_body(body: str, given: list[str]) -> str:
    """A macro's body with what it was given; of an argument that it does not have, nothing."""
    return re.sub(r"#(\d)", lambda found: given[int(found[1]) - 1] if 0 < int(found[1]) <= len(given) else "", body)


def _arguments(text: str, at: int, macro: _Macro) -> tuple[list[str] | None, int]:
    """What a macro is given at `at`, and where that ends; None where something is missing."""
    given: list[str] = []
    for number in range(macro.count):
        start = at
        while start < len(text) and text[start].isspace():
            start += 1
        if number == 0 and macro.first is not None:
            end = text.find("]", start) if text.startswith("[", start) else -1
            given.append(text[start + 1 : end] if end > 0 else macro.first)
            at = end + 1 if end > 0 else at
            continue
        group = braced(text, start)
        if group is None:
            return None, at
        given.append(group)
        at = start + len(group) + 2
    return given, at


def braced(text: str, start: int) -> str | None:
    """What stands in the braces that open at `start`; None where none do."""
    if not text.startswith("{", start):
        return None
    depth, at = 0, start
    while at < len(text):
        match text[at]:
            case "\\":
                at += 1
            case "{":
                depth += 1
            case "}":
                depth -= 1
                if not depth:
                    return text[start + 1 : at]
        at += 1
    return None
