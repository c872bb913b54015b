r"""What fields of Word and of RTF show by their codes alone: formulas (`EQ \f(1,2)`), signs, buttons; and what is chosen in a form."""

from __future__ import annotations

import re
from collections.abc import Sequence

from decoct.documents.canonical import one_line
from decoct.documents.markup.formulas import DOWN, UP, bracketed, scripted
from decoct.documents.office.symbols import sign

_PART = re.compile(
    r"((?:\\(?:[a-zA-Z]+(?: ?-?\d+)?|[^\s\w\\,;])\s*)*)\(([^()]*)\)"
)  # of a formula: its switches, what they set
_KEPT = str.maketrans("(),;", "\1\2\3\4")
_SET = {UP: "\5", DOWN: "\6"}
_SCRIPT = re.compile("([\5\6])([^\7]*)\7")
_LARGE = {"su": "∑", "pr": "∏"}
_SYMBOL = re.compile(r'SYMBOL\s+(\d+|0x[0-9a-f]+)(?:.*\\f\s+"?([^"\\]+))?', re.IGNORECASE)
_BUTTON = re.compile(r"(?:MACROBUTTON|GOTOBUTTON)\s+\S+\s+(.*)", re.IGNORECASE)


def tick_box(*, ticked: bool) -> str:
    """A box of a form."""
    return "[x]" if ticked else "[ ]"


def list_item(items: Sequence[str], at: int) -> str:
    """The item of a list that is chosen; empty for none."""
    return items[at] if at < len(items) else ""


def code_shown(code: str, before: str = "") -> str:
    """What a field's code shows behind the character `before`; empty for one that only its result tells."""
    code = one_line(code)
    if code[:3].upper() == "EQ ":
        return _formula(code[3:], before)
    if found := _SYMBOL.match(code):
        number, font = int(found[1], 16 if "x" in found[1].lower() else 10), (found[2] or "").strip()
        return sign(number, font) if font or "\\u" in code else bytes([number % 256]).decode("cp1252", "replace")
    button = _BUTTON.match(code)
    return button[1] if button else ""


def _formula(said: str, before: str) -> str:
    said, parts = re.sub(r'\\\*\s*(?:"[^"]*"|\S+)\s*', "", said), 1
    while parts:
        said, parts = _PART.subn(_set, said)

    def script(found: re.Match[str]) -> str:
        behind = found.string[found.start() - 1 : found.start()] if found.start() else before
        return scripted(UP if found[1] == _SET[UP] else DOWN, found[2], behind, starts=not behind.strip())

    said = said.translate({new: old for old, new in _KEPT.items()})
    return _SCRIPT.sub(script, said).strip()


def _set(found: re.Match[str]) -> str:
    switches, said = re.findall("[a-z]+|(?<=c\\\\).", found[1].lower()), found[2]
    parts = [one.strip() for one in re.split("," if "," in said else ";", said)]
    match switches[:1]:
        case ["s"]:
            said = f"{_SET[UP if 'up' in switches else DOWN]}{said}\7"
        case ["o", *_] if len(parts) == 2 and parts[0].startswith(_SET[UP]):  # how a word is read stands above it
            said = f"{parts[1]}({parts[0][1:-1]})"
        case ["f"]:
            said = "/".join(map(bracketed, parts))
        case ["r"]:
            said = f"{bracketed(parts[-1])}^(1/{parts[0]})" if any(parts[:-1]) else "√" + bracketed(parts[-1])
        case ["i"] if len(parts) == 3:
            large = next((_LARGE[one] for one in switches if one in _LARGE), "∫")
            said = f"{large}_{bracketed(parts[0])}^{bracketed(parts[1])} {parts[2]}"
        case ["b"] if switches[-1] in "[{":
            said = f"{switches[-1]}{said}{']' if switches[-1] == '[' else '}'}"
        case _:
            said = f"({said})"
    return said.translate(_KEPT)
