"""Front matter: the fields between two `---` lines at the top of a Markdown file, or, in TOML, between two `+++` lines.

Read is the flat part of YAML that front matter is made of: `key: value`, quoted or not, `key: [a, b]`, and a key with a list of
`- item` lines below it. Anything else (nested maps, block scalars) is passed over: it is still in the text. Of TOML the same is kept.
"""

from __future__ import annotations

import re
import tomllib
from datetime import date, time

_BLOCK = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\+{3}[ \t]*\n(.*?)^\+{3}[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_PAIR = re.compile(r"([A-Za-z_][\w .-]{0,99}?)[ \t]*:(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")
_LARGEST = 64 * 1024  # no front matter is longer; a text that begins with a rule may be


def front_matter(text: str) -> tuple[dict[str, object], int]:
    """The fields (texts and lists of texts, truth values and whole numbers), and where the body begins; `{}, 0` if there are none."""
    if text.startswith("+++"):
        return _toml(text)
    if not text.startswith("---") or not (block := _BLOCK.match(text, 0, _LARGEST)):
        return {}, 0
    fields: dict[str, object] = {}
    items: list[str] | None = None
    for line in block[1].split("\n"):
        if pair := _PAIR.match(line):
            value = (pair[2] or "").strip()
            items = [] if not value else None
            fields[pair[1].strip().lower()] = items if items is not None else _value(value)
        elif items is not None and (item := _ITEM.match(line)):
            items.append(_bare(item[1]))
        elif line.strip() and not line.startswith((" ", "\t", "#")):
            return {}, 0  # a rule and prose, not fields
    return fields, block.end()


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


def _value(value: str) -> object:
    if value.startswith("[") and value.endswith("]"):
        return [_bare(item) for item in value[1:-1].split(",") if item.strip()]
    if value in ("true", "false"):
        return value == "true"
    if re.fullmatch(r"-?(0|[1-9]\d{0,17})", value):
        return int(value)
    return "" if value in ("|", ">", "|-", ">-", "{}", "null", "~") else _bare(value)


def _bare(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return re.split(r"\s#\s", text, maxsplit=1)[0].rstrip()
