"""Answer values in one form, so that "1,280 MB" and "1280 MB", "eleven" and "11" are found as the same.

The form: Unicode NFKC, lower case, every dash a hyphen, thousands separators dropped, number words to twenty as digits, a
unit's % and ° at its number, cut into words and numbers. A value is found where its pieces stand in a row: "5 mg" is not in "15
mg", "no" not in "know". Units are not converted: a set names its aliases.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import accumulate

from decoct.text.lists import SPELT

_NUMBERS = {word: str(int(number)) for word, number in SPELT.items() if number <= 20}
_DASHES = re.compile(r"[\u2010-\u2015\u2212]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
# A number with its decimals; a word with inner apostrophes left out; a sign that carries meaning by itself.
_PIECES = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+|[%°$€£+/<>=-]")


def pieces(text: str) -> list[str]:
    """The words, numbers and signs of `text` in the form described above. Hyphens between words and full stops are dropped."""
    form = _DASHES.sub("-", unicodedata.normalize("NFKC", text).casefold()).replace("'", "").replace("’", "")
    found = [_NUMBERS.get(piece, piece) for piece in _PIECES.findall(_THOUSANDS.sub("", form))]
    # A hyphen counts as a minus only before a number and not after a word or number ("B-12", "2019-2021" are two pieces).
    kept = []
    for i, piece in enumerate(found):
        if piece == "-" and not (
            i + 1 < len(found) and found[i + 1][0].isdigit() and (i == 0 or found[i - 1] in "+/<>=-")
        ):
            continue
        kept.append(piece)
    return kept


def occurrences(value: Sequence[str], text: Sequence[str]) -> list[tuple[int, int]]:
    """Where the pieces of a value stand in a row among the pieces of a text: half-open ranges; none for an empty value."""
    if not value:
        return []
    first, size = value[0], len(value)
    return [(i, i + size) for i, piece in enumerate(text) if piece == first and list(text[i : i + size]) == list(value)]


def mentioned(values: Iterable[str], text: str) -> set[str]:
    """Those of `values` that `text` mentions; a value inside a longer one of them that is mentioned there does not count.

    With the values "2021" and "24 March 2021", the text "on 24 March 2021" mentions the second only.
    """
    words = pieces(text)
    found: set[str] = set()
    ends = [0] * len(words)  # for each place the farthest end of a longer value that begins there …
    reach: list[int] = []  # … or before it, once all values of a length are known
    size = -1
    for value in sorted(values, key=lambda v: (-len(pieces(v)), v)):
        parts = pieces(value)
        if len(parts) != size:
            size, reach = len(parts), list(accumulate(ends, max))
        for start, end in occurrences(parts, words):
            if end > reach[start]:
                found.add(value)
                ends[start] = max(ends[start], end)
    return found
