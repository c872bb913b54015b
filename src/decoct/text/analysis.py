"""How a text is cut into the words by which it is found: the one analyser of the index, of questions and of signatures.

- Words are what stands between characters that are neither letter nor digit, lower-cased, and stemmed by the Snowball stemmer of the text's
  language (tantivy's); a language without one is not stemmed. Words of 40 bytes and more are left out.
- A word in another form of Unicode is the same word (`folded`): composed or not, with ligatures, soft hyphens or zero-width spaces in it.
- Scripts that put no space between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) and Korean, whose particles cling to words, are cut
  into overlapping pairs of characters, Chinese characters also into single ones: pairs find nearly what a dictionary's words find
  (Nie, Gao, Zhang and Zhou, "On the use of words and n-grams for Chinese information retrieval", IRAL 2000) and need no dictionary.

A question is analysed in every language that the library holds: each of its words has then one to a few stems.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

# ISO 639-1 codes and tantivy's names of the languages that have a Snowball stemmer.
STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
ENGLISH = ("en",)
UNSTEMMED = "none"  # any language without a stemmer

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = f"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u31f0-\u31ff\uac00-\ud7af{_HAN}"
_RUN = re.compile(f"[{_UNSPACED}]+")
_CHINESE = re.compile(f"[{_HAN}]")

_UNSEEN = re.compile("[\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]")


class _Forms(dict[int, str]):
    """For `str.translate`: what a character becomes in `folded`, found when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        form = unicodedata.decomposition(character).startswith("<")
        if form and (unicodedata.category(character)[0] == "L" or unicodedata.category(character) == "Nd"):
            character = unicodedata.normalize("NFKC", character)
        self[code] = "" if _UNSEEN.match(character) else character
        return self[code]


_FORMS = _Forms()


def folded(text: str) -> str:
    """`text` in the one form in which words are compared; its length may change, so offsets are those of the text itself.

    Composed letters (NFC); ligatures, full-width and other forms of a letter or digit as the letter (NFKC, but of these alone: the
    raised 2 of m² stays); without what is not seen: soft hyphens, zero-width spaces and joiners, marks of direction and variation.
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text.translate(_FORMS))


def stems(text: str, languages: Sequence[str] = ENGLISH) -> list[str]:
    """The words of `text` in order, as the index knows them; of several languages the different stems of each word."""
    text = folded(text)
    if not is_unspaced(text):
        return _spaced(text, languages)
    parts = (_paired(piece) if unspaced else _spaced(piece, languages) for piece, unspaced in pieces(text))
    return list(chain.from_iterable(parts))


def is_unspaced(text: str) -> bool:
    """Whether `text` holds a character of a script that is searched by pairs."""
    return not text.isascii() and _RUN.search(text) is not None


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of `text` in order: stretches with spaces between words, and (True) runs without."""
    at = 0
    for run in _RUN.finditer(text):
        yield text[at : run.start()], False
        yield run.group(), True
        at = run.end()
    yield text[at:], False


def _paired(run: str) -> list[str]:
    """The overlapping pairs of a run, and its Chinese characters alone; a run of one character is that character."""
    if len(run) == 1:
        return [run]
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    return pairs + _CHINESE.findall(run)


def _spaced(text: str, languages: Sequence[str]) -> list[str]:
    stemmers = dict.fromkeys(STEMMERS.get(language, "") for language in languages)
    ways: list[list[str]] = [_analyzer(stemmer).analyze(text) for stemmer in stemmers]
    if len(ways) == 1:
        return ways[0]
    return list(chain.from_iterable(dict.fromkeys(same) for same in zip(*ways, strict=True)))


@cache
def _analyzer(stemmer: str) -> Any:  # noqa: ANN401 - tantivy has no types
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    steps = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(40)).filter(Filter.lowercase())
    return (steps.filter(Filter.stemmer(stemmer)) if stemmer else steps).build()
