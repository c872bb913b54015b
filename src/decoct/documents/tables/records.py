"""One record of a CSV or JSON file to one document.

Layouts known: ours (`id`, `title`, `text`, any further scalar as metadata, `names` or `aliases`), BEIR (`_id`, `title`, `text`,
`metadata`) and FlashRAG (`id`, `contents`, whose first line is the title, often in quotes). A record without an id is named by its
source and line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from decoct.data import Document, Metadata, MetadataValue
from decoct.documents.base import Source
from decoct.documents.canonical import canonical, checked, one_line
from decoct.errors import ParseError
from decoct.text.identifiers import identifiers

ABSTRACT = "abstract"
TEXT = ("text", "contents", "content", "body", "passage", "document", ABSTRACT)
TITLE = ("title", "headline", "name")
ID = ("id", "_id", "doc_id", "docid", "document_id", "pid")
NAMES = ("names", "aliases")
ORIGIN = ("url", "source")  # where it was read, if it is a URL
KNOWN = frozenset((*TEXT, *TITLE, *ID, *NAMES, *ORIGIN))
_LONGEST = 1_000  # a longer value is prose, not something to filter by
_MOST_TEXTS = 100  # of a list
_MARKUP = re.compile(
    r"\s*<(p|div|section|article|blockquote|table|ul|ol|h[1-6])\b[^<>]*>.*>\s*", re.DOTALL | re.IGNORECASE
)
_LONGEST_MARKUP = 16 * 1024  # characters: a longer value is not parsed in this process
_MOST_DIGITS = 63  # stores hold 64-bit integers; a larger number is kept as text


class WrittenNumber(float):
    """A number of JSON that is told as it is written: `1.10` is not 1.1, where it is a version."""

    written: str

    def __new__(cls, written: str) -> WrittenNumber:
        """The number, with what was written for it."""
        made = super().__new__(cls, written)
        made.written = written
        return made

    def __str__(self) -> str:
        return self.written


def document(record: Mapping[str, object], source: Source, line: int | str, prose: str = "") -> Document:
    """The document of the record at `line`; `prose` is text beside the field that is one. `ParseError` says what is missing."""
    text_key, text = _first(record, TEXT)
    title_key, title = _first(record, TITLE)
    id_key, doc_id = _first(record, ID)
    _, origin = _first(record, ORIGIN)
    if text_key == "contents" and not title_key:
        first, found, rest = canonical(text).partition("\n")
        if found and rest.strip():
            title, text = first.strip().strip('"'), rest
    if not text_key and not prose:
        raise ParseError(f"it has no text: name the field one of {', '.join(TEXT)}")
    used = {text_key, title_key, id_key, *NAMES, "metadata"}
    inner = record.get("metadata")
    return Document(
        id=one_line(doc_id) or f"{source.name}#{line}",
        text=checked(canonical("\n\n".join(filter(None, (text, prose)))), source.limits.text_characters),
        title=one_line(title),
        source=one_line(origin) if "://" in origin else f"{source.origin or source.name}#{line}",
        metadata={
            **source.metadata,
            **(metadata_fields(inner) if isinstance(inner, Mapping) else {}),
            **metadata_fields({key: value for key, value in record.items() if key not in used}),
        },
        names=(*further_names(record), *[one.written for one in identifiers(doc_id) if one.written == doc_id]),
    )


def plain_value(said: str) -> str:
    """A value as its reader sees it: the words of one that is blocks of HTML and nothing beside them; any other as it is."""
    if not _MARKUP.fullmatch(said) or len(said) > _LONGEST_MARKUP:
        return said
    from decoct.documents.markup.html import Page, page_tree

    try:
        body = page_tree(canonical(said)).find("body")
    except ParseError:
        return said
    page = Page()
    if not any((block.tail or "").strip() for block in body):
        page.write(body)
    return page.prose.text or said


def _first(record: Mapping[str, object], keys: tuple[str, ...]) -> tuple[str, str]:
    """The first of `keys` with a value, and the value as text; two empty strings if there is none."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, str) and value.strip():
            return key, value
        if isinstance(value, int) and not isinstance(value, bool):
            return key, str(value)
        if isinstance(value, list) and value and is_plain(value):
            said = [str(one["text"] if isinstance(one, Mapping) else one) for one in value]
            return key, ("\n\n" if value == said else "").join(said)
    return "", ""


def is_plain(value: object) -> bool:
    """Whether it is a text or whole number, or a list of such and of the pieces of one, as programs for chats write it."""
    if isinstance(value, list):
        return all(isinstance(one.get("text") if isinstance(one, Mapping) else one, str | int) for one in value)
    return value is None or isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def text_field(record: Mapping[str, object]) -> str:
    """The name of the field that is the record's text; empty where there is none."""
    return _first(record, TEXT)[0]


def has_text(record: Mapping[str, object]) -> bool:
    """Whether a field of the record is its text, and no more than the abstract of what it is about."""
    return text_field(record) not in ("", ABSTRACT)


def as_lines(record: Mapping[str, object], above: str = "") -> str:
    """The fields of a record that has no text, a line each: `key: value`, those of inner objects as `outer / key: value`.

    An inner object of single values that stands in a list is one line: `parts | name: axle | amount: 2`.
    """
    lines: list[str] = []
    columns = columns_beside(record)
    for key, value in record.items():
        if key in columns:
            if key == columns[0]:
                rows = zip(*(_values_of(record[one]) for one in columns), strict=True)
                lines += _list_lines([dict(zip(columns, row, strict=True)) for row in rows], above)
            continue
        name = f"{above} / {one_line(str(key))}" if above else one_line(str(key))
        match value:
            case Mapping():
                lines.append(as_lines(value, name))
            case list():
                lines += _list_lines(_under_heads(value, record), name)
            case _ if said := _single_value(value):
                lines.append(f"{name}: {said}")
    return "\n".join(line for line in lines if line)


def columns_beside(record: Mapping[str, object]) -> list[str]:
    """The names of lists that are the columns of one table: all of single values, as long as each other, the first telling its rows apart.

    One holds numbers, and the first dates or numbers or three values: two short lists may be as long as each other by chance.
    """
    lists = {key: value for key, value in record.items() if isinstance(value, list) and key != "columns"}
    if len(lists) < 2 or len({len(value) for value in lists.values()}) > 1:
        return []
    if any(isinstance(one, Mapping | list) for value in lists.values() for one in value):
        return []
    said = [str(one) for one in next(iter(lists.values()))]
    numbers = any(value and all(isinstance(one, int | float | None) for one in value) for value in lists.values())
    told = len(said) > 2 or (len(said) > 1 and all(any(map(str.isdecimal, one)) for one in said))
    return list(lists) if numbers and told and len(set(said)) == len(said) else []


def _values_of(values: object) -> list[object]:
    return values if isinstance(values, list) else []


def _under_heads(values: list[object], beside: Mapping[str, object]) -> list[object]:
    """Lists of single values, as wide as the list of names `columns` beside them, as objects; other values as they are."""
    heads = beside.get("columns")
    if not isinstance(heads, list) or not all(isinstance(head, str) for head in heads):
        return values
    if heads is values or not all(isinstance(row, list) and len(row) == len(heads) for row in values):
        return values
    return [dict(zip(heads, row, strict=True)) for row in values if isinstance(row, list)]


def _list_lines(values: Sequence[object], name: str) -> Iterator[str]:
    """The lines of a list: its single values in one, lists within it set off by semicolons, each object on its own."""
    within = [one for one in values if isinstance(one, list)]
    plain = [
        _in_places(one) if isinstance(one, list) else _single_value(one)
        for one in values
        if not isinstance(one, Mapping)
    ]
    if said := "; ".join(filter(None, plain)) if within else _in_places(values):
        yield f"{name}: {said}"
    for one in values:
        if isinstance(one, Mapping):
            flat = [f"{one_line(str(key))}: {said}" for key, value in one.items() if (said := _single_value(value))]
            single = not any(isinstance(value, Mapping | list) for value in one.values())
            yield " | ".join(filter(None, [name, *flat])) if single and flat else as_lines(one, name)
    for inner in within:
        deeper = [one for one in inner if isinstance(one, Mapping | list)]
        yield from _list_lines(deeper, name) if deeper else ()


def _in_places(values: Sequence[object]) -> str:
    """Single values in one line, a blank for null, so that each is told in its place; empty where all are."""
    said = [(one, _single_value(one)) for one in values]
    kept = [words for one, words in said if words or one is None]
    return ", ".join(kept) if any(kept) else ""


def _single_value(value: object) -> str:
    """A single value as JSON writes it; empty for none, and for what is no single value."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) and str(value).strip() else ""


def further_names(record: Mapping[str, object]) -> tuple[str, ...]:
    """Further names: a list of texts, or (in CSV) one text with `|` between them."""
    found: list[str] = []
    for key in NAMES:
        value = record.get(key)
        values = value.split("|") if isinstance(value, str) else value
        found += [one_line(name) for name in values if isinstance(name, str)] if isinstance(values, list) else []
    return tuple(dict.fromkeys(name for name in found if name))


def metadata_fields(record: Mapping[str, object]) -> Metadata:
    """The fields that can be filtered by: numbers, truth values, short texts and lists of these texts."""
    kept: dict[str, MetadataValue] = {}
    for key, value in record.items():
        name = one_line(str(key))
        match value:
            case bool():
                kept[name] = value
            case int():
                kept[name] = value if value.bit_length() <= _MOST_DIGITS else _digits(value)
            case float() if math.isfinite(value):
                kept[name] = float(value)
            case str() if value.strip() and len(value) <= _LONGEST:
                kept[name] = canonical(value)
            case list() if texts := [
                canonical(one) for one in value if isinstance(one, str) and one.strip() and len(one) <= _LONGEST
            ]:
                kept[name] = texts[:_MOST_TEXTS]
    kept.pop("", None)
    return kept


def _digits(value: int) -> str:
    return (
        hex(value) if value.bit_length() > 4_000 * 3 else str(value)
    )  # Python refuses to print more than 4,300 digits
