"""The names by which a document may be mentioned, and the number that stands for a name in the store.

Everything here looks at one document alone, so it is done once, at ingest, and never again when other documents come or go: two chunks
are linked when the same name stands in both (`decoct.text.names.runs`), and a mention leads to a document when it equals one of the
document's own names: its title (also without what stands in brackets, and before a comma), the subject of its first sentence where that
shares a word with the title, what it says it is "known as", its aliases, and (weakly) the runs inside its title.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b

from decoct.data import Document
from decoct.text.names import is_common, normal, runs, title_without_brackets

_SUBJECT = re.compile(r"^(.{2,100}?)(?:\s*\(|,|\s+(?:is|was|are|were|refers|has|had|may)\b)")
_KNOWN_AS = re.compile(
    r"\b(?:known|called|referred to|stylized|titled|named|abbreviated)\s+"
    r"(?:(?:simply|professionally|commonly|collectively|internationally|also|as|by|to|the|in \w+|his|her|stage|ring|name)\s+)*[\"“'‘]?"
    r"((?:[A-Z0-9][\w.'’&-]*)(?:[ -](?:(?:of|the|and|de|la|von|van|in|for|on|&)\s)*[A-Z0-9][\w.'’&-]*){0,5})"
)

TITLE, SHORT_TITLE, SUBJECT, ALIAS, PART = 1.0, 0.9, 0.8, 0.7, 0.5  # how surely a name means its document
_OPENING = 300  # characters in which a document says what it is called
_LONGEST = 8  # words of a subject


@lru_cache(maxsize=1 << 16)
def name_number(name: str) -> int:
    """The number that stands for a normalised name in the store: 63 bits of its digest."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little") >> 1


def own_names(document: Document) -> dict[str, float]:
    """The normalised names of a document, each with how surely it means the document (0 to 1)."""
    found: dict[str, float] = {}

    def add(name: str, strength: float) -> None:
        key = normal(name)
        if len(key) > 1 and not is_common(key):
            found[key] = max(strength, found.get(key, 0.0))

    for alias in document.names:
        add(alias, ALIAS)
    if document.title:
        base = title_without_brackets(document.title)
        add(base, TITLE)
        add(document.title, TITLE)
        add(base.partition(",")[0], SHORT_TITLE)
        opening = document.text[:_OPENING]
        if (subject := _subject(opening, base)) is not None:
            add(subject, SUBJECT)
        for match in _KNOWN_AS.finditer(opening):
            add(match.group(1), ALIAS)
        for name, _, _ in runs(base):
            add(name, PART)
    return found


def _subject(opening: str, title: str) -> str | None:
    match = _SUBJECT.match(opening[:160])
    if match is None:
        return None
    subject = match.group(1).strip(" \"“”'")
    shared = set(normal(subject).split()) & set(normal(title).split())
    return subject if subject[:1].isupper() and len(subject.split()) <= _LONGEST and shared else None
