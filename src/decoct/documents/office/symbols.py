"""Letters of the fonts that are all signs (Symbol, Wingdings), as Unicode has them.

Word stores such a letter by its place in the font, often moved to U+F000. Symbol is as Adobe's encoding has it; of Wingdings are known the
signs that texts are marked with: boxes, bullets, ticks, arrows, numbers in circles.
"""

from __future__ import annotations

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
