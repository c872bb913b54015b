"""Words: how a text is cut into them, which of them say what it is about, and their stems.

A word is a run of letters and digits; what stands between is not part of it ("Newton's" is "newton" and "s", "twenty-one" two words), as
in the index. Stems are the index's (`decoct.text.analysis`). Words of one relation ("married", "wife") can be brought together beyond that:
comparing sentences with a question wants it, searching does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

from decoct.text.analysis import ENGLISH, STEMMERS, folded, is_unspaced, pieces, stems
from decoct.text.lists import listed, table

WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """The words of `text` in order, without regard to case."""
    return WORD.findall(folded(text).casefold())


def terms(text: str) -> list[str]:
    """The telling words of `text`, in order, with repetitions. Single characters are left out unless they are digits."""
    found = WORD.findall(folded(text).lower())
    return [word for word in found if not is_stop(word) and (len(word) > 1 or word.isdigit() or not word.isascii())]


def is_stop(word: str, language: str = "en") -> bool:
    """Whether `word` (in lower case) is a function word of `language` or one by which it asks; others' are tantivy's."""
    if language == "en":
        return word in listed("words", "function")
    if word in table("words")["asking"].get(language, "").split():
        return True
    stopper = _stopper(STEMMERS.get(language, ""))
    return stopper is not None and not stopper.analyze(word)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of one English word; the words of one relation have one ("died" and "death")."""
    found = stems(word)
    plain = found[0] if found else word.casefold()
    return _families().get(plain, plain)


def content(text: str) -> Iterator[tuple[str, str]]:
    """The content words of `text` in order, each as its stem and as written; scripts without spaces by pairs of characters."""
    text = folded(text)
    if is_unspaced(text):
        for piece, unspaced in pieces(text):
            yield from ((pair, pair) for pair in stems(piece)) if unspaced else _content(piece)
    else:
        yield from _content(text)


def content_stems(text: str) -> frozenset[str]:
    """The stems of the content words of `text`."""
    if is_unspaced(text):
        return frozenset(found for found, _ in content(text))
    return frozenset(map(stem, set(WORD.findall(folded(text).lower())) - listed("words", "function")))


def question_stems(question: str, languages: Sequence[str] = ENGLISH) -> list[str]:
    """The different stems of a question that speak of its subject, in order; all of them where none does.

    They are those of its own language where its function words tell it, else those of all `languages`.
    """
    language = question_language(question, languages)
    return list(dict.fromkeys(stems(subject(question, languages), languages if language is None else (language,))))


def subject(question: str, languages: Sequence[str] = ENGLISH) -> str:
    """The question's words that speak of its subject, in order; the question where none does."""
    language = question_language(question, languages) or languages[0]
    return " ".join(word for word in WORD.findall(folded(question)) if not is_stop(word.lower(), language)) or question


def question_language(question: str, languages: Sequence[str] = ENGLISH) -> str | None:
    """Which of `languages` a question is in, by its function words; None where they do not tell."""
    if len(languages) == 1:
        return languages[0]
    asked = words(question)
    counts = {language: sum(is_stop(word, language) for word in asked) for language in languages}
    best = max(languages, key=lambda language: counts[language])
    return best if list(counts.values()).count(counts[best]) == 1 else None


def singular(word: str) -> str:
    """WordNet's rules of detachment for nouns, the first that fits; names like "James" lose their s on both sides alike."""
    for suffix, instead in _DETACHED:
        if word.endswith(suffix) and len(word) > len(suffix) + 1:
            return word[: -len(suffix)] + instead
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


_DETACHED = (("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x"), ("zes", "z"), ("ies", "y"), ("men", "man"))


def _content(text: str) -> Iterator[tuple[str, str]]:
    function = listed("words", "function")
    for word in WORD.findall(text):
        if word.lower() not in function:
            yield stem(word), word


@cache
def _families() -> dict[str, str]:
    lines = [line.split() for line in table("words")["families"].splitlines() if line]
    return {stems(word)[0]: stems(line[0])[0] for line in reversed(lines) for word in line}


@cache
def _stopper(language: str) -> Any | None:  # noqa: ANN401 - tantivy has no types
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    try:
        return TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stopword(language)).build()
    except ValueError:  # tantivy has no list for it
        return None
