"""Where a text may be cut without cutting a word.

A word is what stands between white space. Where that is longer than a part may be (an address, a row of a data dump) or where a script is
written without spaces, words are those of Unicode's default word borders (UAX 29, as the library `regex` finds them): numbers, contractions
and runs of Katakana stay whole, a Chinese character is a word, and in Thai, Lao, Khmer and Burmese every written syllable part may end
one, but for the vowels that are written before their consonant. No dictionary is asked: text in those scripts has spaces between
phrases, and they are taken first.
"""

from __future__ import annotations

from itertools import pairwise

import regex

_AHEAD = 32  # characters behind the limit that say whether a word ends there
_NEAR = 256  # characters before the limit in which a cluster (a letter with its marks, an emoji with its parts) must have begun

_LINE = regex.compile(r"(?<=\n)(?=.)|(?<=.)(?=\n)")
_CLAUSE = regex.compile(r"(?<=[;,:—؛،])(?=\s)|(?<=[，、；：])")
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
_LEADING = "(?<![เแโใไເແໂໃໄ])"  # written before the consonant that they follow in speech
# Japanese words mostly begin with another script than the ending before them.
_PHRASE = regex.compile(r"(?<=\p{Hiragana})(?=[\p{Han}\p{Katakana}])")
_SPACE = regex.compile(rf"(?<=\s)(?=\S)|(?<=\S)(?=\s)|{_LEADING}(?:(?<={_UNSPACED})|(?={_UNSPACED}))\b", regex.WORD)
_WORD = regex.compile(rf"{_LEADING}\b", regex.WORD)
_CLUSTER = regex.compile(r"\X")


def border(text: str, start: int, limit: int) -> int:
    """Where to cut `text` after `start` and at `limit` at the latest.

    In the second half of that range after a line or a clause; else between words; in a word only where one fills the whole range, and
    then between what is seen as characters. Always more than `start`, if `limit` is. Time is linear in the range.
    """
    size = limit - start
    window = text[start : limit + _AHEAD]
    if window.isascii() and window[: size + 1].isalnum() and len(window) > size:
        return limit  # all one word: a megabyte of base64 is cut in no time
    for pattern, least in ((_LINE, size // 2), (_CLAUSE, size // 2), (_PHRASE, size // 2), (_SPACE, 0), (_WORD, 0)):
        found = max((m.end() for m in pattern.finditer(window) if least < m.end() <= size), default=0)
        if found:
            return start + found
    near = max(0, size - _NEAR)
    ends = (near + m.end() for m in _CLUSTER.finditer(window, near))
    return start + max((end for end in ends if end <= size), default=size)


def words(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The range as consecutive parts that hold a word, or what stands between words, each."""
    window = text[start : end + _AHEAD]
    borders = [0, *(m.end() for m in _WORD.finditer(window) if 0 < m.end() < end - start), end - start]
    return [(start + a, start + b) for a, b in pairwise(borders) if a < b]
