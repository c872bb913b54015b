r"""What a man page defines for itself, carried out: its macros (`.de`), strings (`.ds`), registers (`.nr`) and conditions (`.if`, `.ie`).

pandoc knows the macros of manuals and little of the language below them: a definition with a comment, or a condition that it cannot judge,
costs the page text. Here it becomes one that needs neither. Registers that it does not set are nought, so what is only for groff is left to
the branch for all others; and what `man` defines keeps its meaning, whatever the page says.
"""

from __future__ import annotations

import re
from operator import add, and_, eq, ge, gt, le, lt, or_, sub

from decoct.errors import ParseError

_OF_MAN = frozenset("TH SH SS PP P LP IP TP TQ RS RE B I R BR RB BI IB RI IR SM SB HP UR UE MT ME EX EE SY YS".split())
_MOST_CARRIED_OUT = 5_000_000  # characters: a page whose macros call themselves has no end
_LONGEST_STRING = 1_000
_COMMENT = re.compile(r"""(?<!\\)((?:\\\\)*)\\".*""")
_REQUEST = re.compile(r"[.'][ \t]*([^\s\\]+)[ \t]*(.*)")
_ARGUMENT = re.compile(r'"((?:[^"]|"")*)"?|((?:\\.|[^\s\\])+)')
_STRING = re.compile(r"\\\*(?:\((..)|\[([^]\s]+)\]|([^\s(\[]))")
_NUMBER = re.compile(r"\\n[+-]?(?:\((..)|\[([^]]+)\]|([^\s(\[]))")
_PARAMETER = re.compile(r"\\\$(?:([*@])|(\d)|\[(\d+)\]|\((\d\d))")
_COUNTED = re.compile(r"\\n(?:\(\.\$|\[\.\$\])")
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
            said = _COUNTED.sub(str(len(arguments)), line.replace("\\\\", "\\"))
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
