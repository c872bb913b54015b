"""Front matter: the fields between two `---` lines at the top of a Markdown file (YAML), or between two `+++` lines (TOML).

Kept are the fields that hold a text, a list of texts, a truth value or a whole number; every other value is kept as it is written, so
that `version: 1.10` stays 1.10 and a date is a date. A field that is no YAML (`title: A: B`, a tab) is taken as the text behind its colon
and costs no other field. Maps and lists of maps are passed over: they are still in the text.
"""

from __future__ import annotations

import re
import tomllib
from datetime import date, time

import yaml

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
