"""The numbers of lists as they are shown (3, c, iii), and those that attributes say."""

from __future__ import annotations

_ORDINALS = {1: "st", 2: "nd", 3: "rd"}
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def whole(said: str | None, otherwise: int = 1, most: int = 10**9) -> int:
    """The number that an attribute says in digits, at most `most`; `otherwise` where it says none."""
    return min(int(said), most) if said and said.isascii() and said.isdigit() and len(said) < 10 else otherwise


def as_roman(number: int) -> str:
    """A number from 1 to 3,999 as Roman letters in lower case; another one in digits."""
    if not 0 < number < 4_000:
        return str(number)
    written = ""
    for value, letters in _ROMAN:
        written += letters * (number // value)
        number %= value
    return written


def as_letters(number: int) -> str:
    """Letters from a to z, aa, ab, as lists of HTML count; a number below 1 in digits."""
    if number < 1:
        return str(number)
    written = ""
    while number > 0:
        number, letter = divmod(number - 1, 26)
        written = chr(ord("a") + letter) + written
    return written


def counted(number: int, kind: str) -> str:
    """A number as a list shows it whose first is `kind`: `1`, `01`, `1st`, `a`, `A`, `i` or `I`; `aa` and `AA` where bb follows z."""
    match kind.lower():
        case "i":
            said = as_roman(number)
        case "a":
            said = as_letters(number)
        case "aa" if number > 0:
            said = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 20)
        case "1st":
            said = f"{number}{'th' if 10 < number % 100 < 14 else _ORDINALS.get(number % 10, 'th')}"
        case _:
            said = str(number).zfill(len(kind) if kind[:1] == "0" else 0)
    return said.upper() if kind.isupper() else said


def count_on(counts: dict[int, int], level: int, start: int) -> int:
    """The number of the next item at `level` of a list. `counts` holds the last number of each level; deeper ones begin anew."""
    forget_below(counts, level)
    counts[level] = counts.get(level, start - 1) + 1
    return counts[level]


def forget_below(counts: dict[int, int], level: int) -> None:
    """Let the levels below `level` begin anew."""
    for deeper in [one for one in counts if one > level]:
        del counts[deeper]
