"""Bytes to text: which encoding a file is in.

In this order: a byte order mark; ISO-2022-JP, known by its shifts; what the server or the page declares, if it fits every byte; UTF-8, if
it fits every byte; UTF-16 without a mark, known by NULs at every second byte; and last a guess: an encoding of one byte a letter in which
the text is in a language and spelt with its letters (`encoding_guess`). Where none is, and there are enough bytes outside ASCII to judge
by, charset-normalizer's best. With fewer it is Windows-1252 (the web's default for what declares nothing) if they stand as in Western
languages, and unsure: one byte is as good Polish as French. If they stand otherwise (a short text in Greek or Cyrillic) it is refused.

A guess is recorded as the fallback `encoding.guessed`, and told in the document's metadata. Data that is no text in any of these ways is
refused, never decoded with holes.
"""

from __future__ import annotations

import codecs
import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from decoct.data import Metadata, MetadataValue
from decoct.errors import ParseError
from decoct.text.languages import classified
from decoct.trace import fallback

# UTF-32's little-endian mark begins with UTF-16's, so it must be tried first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# ESC is left out: ISO-2022 encodings and terminal logs use it.
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_HIGH = re.compile(rb"[\x80-\xff]")
_FEW = 48  # fewer bytes outside ASCII say too little about an encoding
_SAMPLE = 256 * 1024  # charset-normalizer is slow; this much decides
# The WHATWG encoding standard reads these labels as their Windows supersets, as every browser does.
_SUPERSETS = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}
AMBIGUOUS = "it holds too few characters outside ASCII to tell their encoding, and they are not as in Western languages: save it as UTF-8"
_NOT_TEXT = "it is not text, or in an encoding that could not be told: save it as UTF-8"


class Decoded(NamedTuple):
    """A text, and what to tell of how it was read: metadata `encoding_guessed` and `encoding_unsure`, where they are so."""

    text: str
    notes: Metadata


def decoded(data: bytes, declared: str = "") -> Decoded:
    """The text of `data`, without a byte order mark; `ParseError` if it is binary or in no known encoding."""
    encoding = encoding_of_mark(data)
    notes: Metadata = {}
    if not encoding:
        encoding, notes = detected(data, declared)
    try:
        return Decoded(refuse_binary(data.decode(encoding)), notes)
    except UnicodeDecodeError as error:
        raise ParseError(f"it is marked as {encoding} but is damaged at byte {error.start}: save it again") from error


def encoding_of_mark(data: bytes) -> str:
    """The encoding that a byte order mark names (one that takes the mark away), or the empty string."""
    return next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "")


def detected(data: bytes, *declared: str) -> tuple[str, Metadata]:
    """The name of the encoding in which every byte of `data` (without a mark) can be decoded, and what to tell of a guess."""
    for encoding in ("iso2022_jp_2" if b"\x1b$" in data else "", *map(_codec, declared), "utf-8"):
        if encoding and _decodes(data, encoding) and not _looks_wide(data):
            return encoding, {}
    if (wide := _looks_wide(data)) and _decodes(data, wide):
        return wide, {}
    sample = data[:_SAMPLE]
    if len(_CONTROLS.findall(sample)) * 100 > len(sample):  # legacy encodings of text hold next to none
        raise ParseError(_NOT_TEXT)
    encoding = _guess(data)
    fallback("encoding.guessed")
    notes: dict[str, MetadataValue] = {"encoding_guessed": re.sub("^cp(?=125)", "windows-", encoding)}
    if len(_HIGH.findall(sample)) < _FEW:
        fallback("encoding.unsure")
        notes["encoding_unsure"] = True
    return encoding, notes


def refuse_binary(text: str) -> str:
    """`text`, unless more than a tenth of it is control characters (a few alone are cleaned later): then `ParseError`."""
    controls = len(re.findall("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]", text))
    if controls > 4 and controls * 10 > len(text):
        raise ParseError(_NOT_TEXT)
    return text


def _codec(label: str) -> str:
    try:
        info = codecs.lookup(label.strip().strip("\"'"))
    except (LookupError, ValueError):  # an unknown label, or one with a NUL
        return ""
    # Python also registers codecs that are no text encodings (base64, zip …): a page may not choose those.
    return _SUPERSETS.get(info.name, info.name) if getattr(info, "_is_text_encoding", True) else ""


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except (UnicodeError, ValueError):
        return False
    return True


def _looks_wide(data: bytes) -> str:
    """UTF-16 without a mark: in most languages' text, line breaks and spaces make many high bytes zero and no low byte."""
    sample = data[: _SAMPLE & ~1]
    even, odd, half = sample[::2].count(0), sample[1::2].count(0), len(sample) // 2
    if half < 2:
        return ""
    if odd * 3 > half and even * 20 < odd:
        return "utf-16-le"
    return "utf-16-be" if even * 3 > half and odd * 20 < even else ""


def _guess(data: bytes) -> str:
    from charset_normalizer import from_bytes

    sample = data[:_SAMPLE]
    high = len(_HIGH.findall(sample))
    if (encoding := single_byte_encoding(sample)) and _decodes(data, encoding):
        return encoding
    if high < _FEW and _decodes(data, "cp1252") and _is_western(sample):
        return "cp1252"
    if high < _FEW:
        raise ParseError(AMBIGUOUS)
    # The sample begins near the first byte outside ASCII and ends at a line, so that no character is cut.
    first = _HIGH.search(data)
    begin = data.rfind(b"\n", 0, first.start()) + 1 if first else 0
    sample = data[begin : begin + _SAMPLE]
    cut = sample.rfind(b"\n")
    for match in from_bytes(sample[:cut] if cut > 0 and len(data) > begin + _SAMPLE else sample):
        if _decodes(data, match.encoding):
            return match.encoding
    raise ParseError(_NOT_TEXT)


def _is_western(sample: bytes) -> bool:
    """Whether bytes outside ASCII stand as in Western languages: singly in words of ASCII letters, or as signs between words.

    In Greek, Cyrillic, Hebrew, Arabic or Asian text nearly every letter is one, so they stand together.
    """
    runs: list[bytes] = re.findall(rb"[\x80-\xff]+", sample)
    letters = sum(len(run) for run in re.findall(rb"[\xc0-\xff]{3,}", sample))
    alone = len(re.findall(rb"(?<![A-Za-z\xc0-\xff])[\xc0-\xff]{1,2}(?![A-Za-z\xc0-\xff])", sample))
    longest = max(map(len, runs), default=0)
    # Czech or Polish of another encoding, or of DOS, has signs within words: "lu»ouèký", "Stra\u00e1e" as "Straáe".
    within = len(re.findall(r"(?<=[^\W\d_])[€‚„†-‰‹›“”•™¡-©«¬®-±´¶¸-¹»-¿×÷](?=[^\W\d_])", sample.decode("cp1252")))
    return letters == 0 and longest <= 4 and (alone + within) * 4 <= len(runs)


# Which encoding of one byte a letter a text is in, told by the language that it then is.
#
# Each of the usual encodings is tried. In the right one the text is in some language, and its letters beyond ASCII are those of that
# language, with capitals at the beginning of words and no signs between letters; in a wrong one ("б" for "Â", "¿" for "ż") they are not.
_SURE = 0.9  # probability of the language
_GOOD = 0.9  # of the characters outside ASCII that fit, at the least
_OFTEN, _LEAST = 10, 0.45  # the commonest letters, and their share of a text: in prose .6 to .7, of any letters .3
_SHORT_SAMPLE = 4_000  # bytes: more decides nothing
_FEW_LETTERS = 24  # outside ASCII, for a script that is not Latin: with fewer, several encodings give words
_SIGNS = frozenset("«»„“”‚‘’‹›–—…°§№€£©®•±×÷½¼¾¿¡²³µ\u00a0\u00ad")
_INSIDE = frozenset("’·\u00ad")  # may stand between letters
_HIGH_LETTER = re.compile(r"[^\x00-\x7f]")


def single_byte_encoding(data: bytes) -> str:
    """The encoding of one byte a character in which `data` reads as some language; empty where none or several do."""
    first = next((at for at, byte in enumerate(data) if byte > 0x7F), 0)
    sample = data[max(0, first - _SHORT_SAMPLE // 2) :][:_SHORT_SAMPLE]
    found: dict[str, tuple[float, str]] = {}
    for name, table in _tables().items():
        for encoding in table["encodings"]:
            try:
                text = sample.decode(encoding)
            except UnicodeDecodeError:
                continue
            score = _fits(text, name, table["letters"])
            if score >= _GOOD and text not in found:
                found[text] = score, encoding
    ranked = sorted(found.values(), key=lambda one: -one[0])
    if not ranked or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < 1e-9):
        return ""
    return ranked[0][1]


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(resources.files("decoct.documents").joinpath("alphabets.toml").read_text("utf-8"))


def _fits(text: str, script: str, letters: dict[str, str]) -> float:
    """The share of the characters outside ASCII that a text in its language has there; 0 for a language of another script."""
    odd = [(found.start(), found.group()) for found in _HIGH_LETTER.finditer(text)]
    if not odd or (script == "other" and len(odd) < _FEW_LETTERS):
        return 0.0
    if sum(character.isalpha() or character in _SIGNS for _, character in odd) < _GOOD * len(odd):
        return 0.0
    code, sure = classified(text)
    known = letters.get(code, "")
    if not known or sure < _SURE:
        return 0.0
    if script == "other":
        said = [character.lower() for _, character in odd if character.isalpha()]
        often = known[:_OFTEN]
        if not said or sum(character in often for character in said) < _LEAST * len(said):
            return 0.0
    return sum(_stands(text, at, known) for at, _ in odd) / len(odd)


def _stands(text: str, at: int, known: str) -> bool:
    """Whether the character at a place can stand there in a language of these letters."""
    character, before, after = text[at], text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if character.isalpha():
        return character.lower() in known and not (character.isupper() and before.islower())
    return character in _SIGNS and (character in _INSIDE or not (before.isalpha() and after.isalpha()))
