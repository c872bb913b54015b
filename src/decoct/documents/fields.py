"""The field of a document's front matter that a question asks for: "Who wrote the manual?", "When will the policy be reviewed next?".

A field is asked for where the question says all words of its key (`next_review`), or a word that means it ("who wrote" an `author`). It is
the answer where that and what names the document, its title above all, are most of what the question says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from decoct.documents.frontmatter import front_matter
from decoct.text.words import content_stems, stem, words

_LEAST = 2 / 3  # of the question's words
_PAIR = re.compile(r"([A-Za-z_][\w .-]{0,99}?)[ \t]*[:=][ \t]+(\S.*?)[ \t]*$")
_QUOTES = "\"'"
# What questions say for the usual keys of metadata (Dublin Core's elements, and what site generators call theirs).
_MEANT = {
    "author": "author wrote written writer creator writing",
    "creator": "author wrote written writer creator",
    "by": "author wrote written writer creator",
    "date": "date published issued dated released",
    "published": "date published issued released",
    "updated": "updated modified revised changed",
    "lastmod": "updated modified revised changed",
    "modified": "updated modified revised changed",
    "reviewed": "reviewed checked",
    "version": "version edition revision",
    "revision": "version edition revision",
    "license": "license licence licensed rights",
    "licence": "license licence licensed rights",
    "maintainer": "maintainer maintains responsible",
    "owner": "owner owns responsible",
    "chair": "chair chaired chairs chairman chairwoman led",
}
# What a document is called, whatever it is about.
_DOCUMENT = frozenset(map(stem, "document page file text article manual guide report paper post".split()))


@dataclass(frozen=True, slots=True)
class Field:
    """A field's key, the places of its line and of its value in the text; `named` is the share of the question's words that are said."""

    key: str
    line: tuple[int, int]
    value: tuple[int, int]
    named: float


def field_asked_for(question: str, text: str, title: str = "") -> Field | None:
    """The field of the front matter that `text` begins with which the question asks for; None where there is none, or several are."""
    asked = content_stems(question)
    _, end = front_matter(text)
    if not end or not asked:
        return None
    about = content_stems(title)
    for asking in (asked - about, asked):  # a word of the title asks for nothing, where another does: "release notes"
        found: list[tuple[int, Field]] = []
        for key, line, value in _fields(text[:end]):
            if said := _asking_words(asking, key):
                named = len(said | (asked & (about | _DOCUMENT))) / len(asked)
                found.append((len(said), Field(key, line, value, named)))
        most = max((count for count, _ in found), default=0)
        best = [field for count, field in found if count == most]
        if best:
            return best[0] if len(best) == 1 and best[0].named >= _LEAST else None
    return None


def _asking_words(asked: frozenset[str], key: str) -> frozenset[str]:
    """The words of the question that ask for the key; none where it does not say all that the key does."""
    said: set[str] = set()
    for word in words(key.replace("_", " ")):
        meant = asked & content_stems(f"{word} {_MEANT.get(word, '')}")
        if not meant and content_stems(word):
            return frozenset()
        said |= meant
    return frozenset(said)


def _fields(block: str) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
    at = 0
    for line in block.split("\n"):
        if pair := _PAIR.match(line):
            start, end = pair.span(2)
            if end - start > 2 and line[start] == line[end - 1] and line[start] in _QUOTES:
                start, end = start + 1, end - 1
            yield pair[1], (at, at + pair.end(2)), (at + start, at + end)
        at += len(line) + 1
