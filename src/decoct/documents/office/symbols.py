"""Letters of the fonts that are all signs (Symbol, Wingdings), as Unicode has them; signs and formulas that fields show by their codes.

Word stores such a letter by its place in the font, often moved to U+F000. Symbol is as Adobe's encoding has it; of Wingdings are known the
signs that texts are marked with: boxes, bullets, ticks, arrows, numbers in circles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from decoct.documents.canonical import one_line
from decoct.documents.markup.formulas import DOWN, UP, bracketed, scripted

_PART = re.compile(
    r"((?:\\(?:[a-zA-Z]+(?: ?-?\d+)?|[^\s\w\\,;])\s*)*)\(([^()]*)\)"
)  # of a formula: its switches, what they set
_KEPT = str.maketrans("(),;", "\1\2\3\4")
_SET = {UP: "\5", DOWN: "\6"}
_SCRIPT = re.compile("([\5\6])([^\7]*)\7")
_LARGE = {"su": "∑", "pr": "∏"}
_CODED_SIGN = re.compile(r'SYMBOL\s+(\d+|0x[0-9a-f]+)(?:.*\\f\s+"?([^"\\]+))?', re.IGNORECASE)
_BUTTON = re.compile(r"(?:MACROBUTTON|GOTOBUTTON)\s+\S+\s+(.*)", re.IGNORECASE)
UNKNOWN = "\ufffd"
_SYMBOL = dict(
    enumerate(
        " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
        0x20,
    )
) | dict(
    enumerate(
        "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪", 0xA0
    )
) | dict(enumerate("〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭", 0xF1))  # fmt: skip
_WINGDINGS = {
    0x20: " ", 0x21: "✏", 0x22: "✂", 0x28: "☎", 0x29: "✆", 0x2A: "✉", 0x36: "⌛", 0x3F: "✍", 0x41: "✌", 0x46: "☞", 0x45: "☜",
    0x4A: "☺", 0x4C: "☹", 0x51: "✈", 0x52: "☼", 0x6C: "●", 0x6D: "❍", 0x6E: "■", 0x6F: "□", 0x70: "◻", 0x71: "❑", 0x72: "❒",
    0x73: "⬧", 0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x9F: "•", 0xA0: "▪", 0xA1: "○", 0xA4: "◉", 0xA7: "▪", 0xA8: "◻",
    0xAB: "★", 0xB2: "✧", 0xD8: "➢", 0xDC: "➲", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨",
    0xF1: "⇧", 0xF2: "⇩", 0xF3: "⬄", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
    **dict(enumerate("⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿", 0x80)),
}  # fmt: skip
_BRACKET_PARTS = {
    chr(at): part for at, part in enumerate("⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭", 0xF8EB)
}  # Adobe's places for parts of brackets
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS}
_MOVED = range(0xF000, 0xF100)


def is_of_signs(font: str) -> bool:
    """Whether the letters of the font are signs."""
    return font.strip().lower() in _FONTS


def sign(code: int, font: str) -> str:
    """The character at `code` of `font`: as it is in a font of letters, `UNKNOWN` where it is not known what it shows."""
    place = code - 0xF000 if code in _MOVED else code
    known = _FONTS.get(font.strip().lower())
    if known is not None:
        return known.get(place, UNKNOWN)
    return UNKNOWN if code in _MOVED or not 0x20 <= code < 0x110000 or 0xD800 <= code < 0xE000 else chr(code)


def readable(text: str, font: str) -> str:
    """`text` set in `font`, its signs as Unicode has them; letters at U+F000 in a font of letters are taken for Symbol's."""
    if is_of_signs(font):
        return "".join(sign(ord(letter), font) for letter in text)
    return (
        "".join(sign(ord(letter), "symbol") if ord(letter) in _MOVED else letter for letter in text)
        if holds_moved(text)
        else text
    )


def holds_moved(text: str) -> bool:
    """Whether letters of the text stand at U+F000, as those of symbol fonts do."""
    return not text.isascii() and any("\uf000" <= letter < "\uf100" for letter in text)


def as_shown(letter: str, font: str) -> str:
    """A letter of a PDF, as its font shows it where its place is no letter's: unchanged where that is not known."""
    if letter in _BRACKET_PARTS:
        return _BRACKET_PARTS[letter]
    known = next((signs for name, signs in _FONTS.items() if name in font.lower()), {})
    return known.get(ord(letter) - 0xF000, letter)


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
    if found := _CODED_SIGN.match(code):
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
