"""Words that stand for numbers: months, ordinals, spelt-out numbers and what multiplies them."""

from __future__ import annotations

from decoct.text.lists import table

MONTHS: dict[str, int] = {
    name: number for number, line in enumerate(table("dates")["months"], 1) for name in line.split()
}
ORDINALS: dict[str, int] = {word: number for number, word in enumerate(table("dates")["ordinals"].split(), 1)}
ONES: list[str] = table("numbers")["ones"].split()
TENS: list[str] = table("numbers")["tens"].split()
SPELT: dict[str, float] = {word: float(i) for i, word in enumerate(ONES)} | {
    word: 20.0 + 10 * i for i, word in enumerate(TENS)
}
SCALES: dict[str, float] = table("numbers")["scales"]
PARTS: dict[str, int] = table("numbers")["parts"]
