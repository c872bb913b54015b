"""In which language a text is, by its script, its function words, and where these do not tell by py3langid.

py3langid is offline, 5 MB with its model and sorts a text in .05 ms, but its model takes .3 to .8 s to load (lingua is 96 MB). English is
therefore told by function words alone, which also read the short questions that a statistical model is unsure of.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

from decoct.errors import ConfigError
from decoct.text.analysis import STEMMERS
from decoct.text.lists import listed
from decoct.text.words import WORD, is_stop

AUTO = "auto"
_SAMPLE = 2000  # characters of a document: more changes the verdict on one in thousands
_ENGLISH = 0.3  # English prose has 40 to 50 % function words, Dutch has 15 % words that are also English ones
_SURE = 0.9
_LETTERS = 40  # of a document: what is shorter is a label or a table cell, and takes the default
_SAME = {"nb": "no", "nn": "no"}
_KANA, _JAPANESE = re.compile(r"[\u3041-\u30ff]"), re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_SCRIPTS = (
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u3400-\u9fff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("lo", re.compile(r"[\u0e80-\u0eff]")),
    ("my", re.compile(r"[\u1000-\u109f]")),
    ("km", re.compile(r"[\u1780-\u17ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("ta", re.compile(r"[\u0b80-\u0bff]")),
)

# Scripts of several languages, none of them English: Cyrillic, Arabic, Devanagari.
_SHARED = re.compile(r"[\u0400-\u04ff\u0600-\u06ff\u0900-\u097f]")


def checked_language(language: str) -> str:
    """`language` if it is "auto" or an ISO 639-1 code; `ConfigError` where it is neither."""
    if language != AUTO and not re.fullmatch(r"[a-z]{2}", language):
        known = ", ".join(STEMMERS)
        raise ConfigError(f"the language {language!r} is no code of two letters; write auto, or one such as {known}")
    return language


def stemmed_as(text: str, language: str = AUTO) -> str:
    """The language as which a document is stemmed: the one its library was told, else its own."""
    return document_language(text) if language == AUTO else language


def document_language(text: str) -> str:
    """The ISO 639-1 code of the language that most of a document is in; English where it is too short or mixed to tell."""
    sample = text[:_SAMPLE]
    words = WORD.findall(sample.lower())
    if not words:
        return "en"
    english = sum(map(listed("words", "function").__contains__, words))
    foreign = sum(map(listed("words", "foreign").__contains__, words))
    if english >= _ENGLISH * len(words) or english > foreign:  # English text quotes names in other languages
        return "en"
    if (code := _by_script(sample)) is not None:
        return code
    if sum(map(str.isalpha, sample)) < _LETTERS:
        return "en"
    code, sure = classified(sample)
    return code if sure >= _SURE else "en"


def asked_in(question: str) -> str | None:
    """The language of a question; None where a few words do not tell it (names, keywords)."""
    if (code := _by_script(question)) is not None:
        return code
    words = [word.lower() for at, word in enumerate(WORD.findall(question)) if at == 0 or not word[:1].isupper()]
    english = sum(map(is_stop, words))
    if words and english >= 2 and english >= _ENGLISH * len(words):
        return "en"
    counts = Counter({code: sum(is_stop(word, code) for word in words) for code in STEMMERS if code != "en"})
    best, most = counts.most_common(1)[0]
    if english and english >= most:
        return "en"
    if most >= 2 and most > english:
        tied = [code for code, count in counts.items() if count == most]
        code = best if len(tied) == 1 else classified(question)[0]
        return code if code in tied else tied[0]
    code, sure = classified(question)
    return code if sure >= _SURE else None


def _by_script(text: str) -> str | None:
    """The language where a third of the letters are of a script that English does not have."""
    if text.isascii():
        return None
    letters = sum(map(str.isalpha, text))
    if _KANA.search(text) and 3 * len(_JAPANESE.findall(text)) > letters:
        return "ja"
    found = next((code for code, script in _SCRIPTS if 3 * len(script.findall(text)) > letters), None)
    return classified(text)[0] if found is None and 3 * len(_SHARED.findall(text)) > letters else found


def classified(text: str) -> tuple[str, float]:
    """The ISO 639-1 code (or a longer one) of the likeliest language by py3langid, and its probability from 0 to 1."""
    code, sure = _identifier().classify(text)
    return _SAME.get(code, code), float(sure)


@cache
def _identifier() -> Any:  # noqa: ANN401 - py3langid has no types
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
