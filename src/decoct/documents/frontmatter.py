"""Front matter: the fields between two `---` lines at the top of a Markdown file (YAML), or between two `+++` lines (TOML).

Kept are the fields that hold a text, a list of texts, a truth value or a whole number; every other value is kept as it is written, so
that `version: 1.10` stays 1.10 and a date is a date. A field that is no YAML (`title: A: B`, a tab) is taken as the text behind its colon
and costs no other field. Maps and lists of maps are passed over: they are still in the text.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import date, time

import yaml

from decoct.text.words import content_stems, stem, words

_LEAST = 2 / 3  # of the question's words
_SAID = re.compile(
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
_BLOCK = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\+{3}[ \t]*\n(.*?)^\+{3}[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^(?=[^\s#-][^\n]*?:(?:\s|$))", re.MULTILINE)  # where a field begins: at the margin
_PAIR = re.compile(r"([^:\n]{1,100}?)[ \t]*:[ \t]+([^\n]*\S)")
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})")
_NOTHING = frozenset({"", "null", "Null", "NULL", "~"})
_LARGEST = 64 * 1024  # no front matter is longer; a text that begins with a rule may be
_LOADER: type = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # gives every value as it is written


def front_matter(text: str) -> tuple[dict[str, object], int]:
    """The fields (texts and lists of texts, truth values and whole numbers), and where the body begins; `{}, 0` if there are none."""
    if text.startswith("+++"):
        return _toml(text)
    if not text.startswith("---") or not (block := _BLOCK.match(text, 0, _LARGEST)):
        return {}, 0
    fields = _mapping(block[1])
    if fields is None:
        if not _is_fields(block[1]):
            return {}, 0  # a rule and prose, not fields
        fields = {}
        for field in _FIELD.split(block[1]):
            if (one := _mapping(field)) is not None:
                fields |= one
            elif pair := _PAIR.match(field):
                fields[pair[1].strip()] = pair[2]
    return {key.strip().lower(): _value(value) for key, value in fields.items()}, block.end()


def _mapping(block: str) -> dict[str, object] | None:
    """The fields of a piece of YAML; None where it is none, or holds something else."""
    try:
        fields = yaml.load(block, _LOADER)  # noqa: S506 - a base loader: texts, lists and maps alone
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    if fields is None or fields == "":
        return {}
    return {str(key): value for key, value in fields.items()} if isinstance(fields, dict) else None


def _is_fields(block: str) -> bool:
    """Whether every line at the margin begins a field, or is a comment or an item of a list."""
    margin = [line for line in block.split("\n") if line.strip() and not line.startswith((" ", "\t", "#", "- "))]
    return all(_FIELD.match(line) for line in margin)


def _value(value: object) -> object:
    if isinstance(value, list):
        return [item for item in value if isinstance(item, str) and item not in _NOTHING]
    if not isinstance(value, str):
        return []  # a map
    if value in _NOTHING:
        return ""
    if value in {"true", "false"}:
        return value == "true"
    return int(value) if _WHOLE.fullmatch(value) else value


def _toml(text: str) -> tuple[dict[str, object], int]:
    block = _TOML.match(text, 0, _LARGEST)
    if block is None:
        return {}, 0
    try:
        fields = tomllib.loads(block[1])
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}, 0
    return {key.lower(): _flat(value) for key, value in fields.items() if not isinstance(value, dict)}, block.end()


def _flat(value: object) -> object:
    if isinstance(value, list):
        return [str(_flat(item)) for item in value if not isinstance(item, dict | list)]
    return value.isoformat() if isinstance(value, date | time) else value


@dataclass(frozen=True, slots=True)
class Field:
    """A field's key, the places of its line and of its value in the text; `named` is the share of the question's words that are said."""

    key: str
    line: tuple[int, int]
    value: tuple[int, int]
    named: float


def field_asked_for(question: str, text: str, title: str = "") -> Field | None:
    """The field of those that `text` begins with which the question asks for; None where there is none, or several are.

    The fields are front matter, or the lines `Key: value` with which minutes, data sheets and e-mails begin. One is asked for where the
    question says all words of its key (`next_review`), or a word that means it ("who wrote" an `author`), and that and what names the
    document are most of what the question says.
    """
    asked = content_stems(question)
    end = front_matter(text)[1] or _record(text)
    if not end or not asked:
        return None
    about = content_stems(title)
    for asking in (asked - about, asked):  # a word of the title asks for nothing, where another does: "release notes"
        found: list[tuple[int, Field]] = []
        for pair in _SAID.finditer(text, 0, end):
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
    title = len(lines[0]) + 1 if not _SAID.match(lines[0]) else 0
    pairs = lines[1:] if title else lines
    whole = len(pairs) >= _PAIRS and all(_SAID.match(line) for line in pairs)
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
