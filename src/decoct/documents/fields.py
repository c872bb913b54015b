"""The field of a document's opening that a question asks for: "Who wrote the manual?", "When will the policy be reviewed next?".

The opening is front matter, or the lines `Key: value` with which minutes, data sheets and e-mails begin, behind a title or not.

A field is asked for where the question says all words of its key (`next_review`), or a word that means it ("who wrote" an `author`). It is
the answer where that and what names the document, its title above all, are most of what the question says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from decoct.documents.frontmatter import front_matter
from decoct.text.words import content_stems, stem, words

_LEAST = 2 / 3  # of the question's words
_PAIR = re.compile(
    r"^([A-Za-z_][\w .-]{0,99}?)[ \t]*[:=][ \t]+(?P<quote>[\"']?)(?P<value>\S.*?)(?P=quote)[ \t]*$", re.MULTILINE
)
_PAIRS, _OPENING = 2, 4_000  # lines that are an opening; characters of the longest
# What questions say for the usual keys of metadata (Dublin Core's elements, and what site generators call theirs).
_MEANT = {
    key: meant
    for keys, meant in (
        ("author creator by", "author wrote written writer creator writing"),
        ("from", "author wrote written writer sent sender sends"),
        ("date published", "date published issued dated released"),
        ("updated lastmod modified", "updated modified revised changed"),
        ("reviewed", "reviewed checked"),
        ("version revision", "version edition revision"),
        ("license licence", "license licence licensed rights"),
        ("maintainer", "maintainer maintains responsible"),
        ("owner", "owner owns responsible"),
        ("chair", "chair chaired chairs chairman chairwoman led"),
    )
    for key in keys.split()
}
# What a document is called, whatever it is about.
_DOCUMENT = frozenset(
    map(stem, "document page file text article manual guide report paper post email mail message letter".split())
)


@dataclass(frozen=True, slots=True)
class Field:
    """A field's key, the places of its line and of its value in the text; `named` is the share of the question's words that are said."""

    key: str
    line: tuple[int, int]
    value: tuple[int, int]
    named: float


def field_asked_for(question: str, text: str, title: str = "") -> Field | None:
    """The field of those that `text` begins with which the question asks for; None where there is none, or several are."""
    asked = content_stems(question)
    end = front_matter(text)[1] or _record(text)
    if not end or not asked:
        return None
    about = content_stems(title)
    for asking in (asked - about, asked):  # a word of the title asks for nothing, where another does: "release notes"
        found: list[tuple[int, Field]] = []
        for pair in _PAIR.finditer(text, 0, end):
            if said := _asking_words(asking, pair[1]):
                named = len(said | (asked & (about | _DOCUMENT))) / len(asked)
                line = (pair.start(), pair.end("value") + len(pair["quote"]))
                found.append((len(said), Field(pair[1], line, pair.span("value"), named)))
        most = max((count for count, _ in found), default=0)
        best = [field for count, field in found if count == most]
        if best:
            return best[0] if len(best) == 1 and best[0].named >= _LEAST else None
    return None


def _record(text: str) -> int:
    """Where the fields end with which a text without front matter begins, two at the least; 0 where it begins with none."""
    head = text[:_OPENING].lstrip("\n")
    begin = len(text[:_OPENING]) - len(head)
    lines = head.split("\n\n", 1)[0].split("\n")
    title = len(lines[0]) + 1 if not _PAIR.match(lines[0]) else 0
    pairs = lines[1:] if title else lines
    whole = len(pairs) >= _PAIRS and all(_PAIR.match(line) for line in pairs)
    return begin + title + sum(len(line) + 1 for line in pairs) if whole else 0


def _asking_words(asked: frozenset[str], key: str) -> frozenset[str]:
    """The words of the question that ask for the key; none where it does not say all that the key does."""
    said: set[str] = set()
    for word in words(key.replace("_", " ")):
        meant = asked & content_stems(f"{word} {_MEANT.get(word, '')}")
        if not meant and content_stems(word):
            return frozenset()
        said |= meant
    return frozenset(said)
