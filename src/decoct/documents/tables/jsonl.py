"""JSON lines, JSON arrays and single JSON objects: one document a record.

JSON lines are read as a stream: one line in memory, a bad line is a failure of its own. A file whose first line is no whole value
(an array or an object over several lines) is decoded value by value from its text; there, what follows a syntax error cannot be
told apart, so the rest of the file is one failure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from decoct.data import Document, Metadata
from decoct.documents.base import PIECE, Failure, Source, size
from decoct.documents.encoding import decoded
from decoct.documents.messages.chat import ChatLog, is_message
from decoct.documents.tables.records import (
    ID,
    KNOWN,
    TEXT,
    TITLE,
    WrittenNumber,
    as_lines,
    columns_beside,
    document,
    has_text,
    is_plain,
    metadata_fields,
    plain_value,
    text_field,
)
from decoct.errors import ParseError

TEXT_FIELDS = frozenset(TEXT)
_NAMING = frozenset((*ID, *TITLE))
_WHOLE = 4_000  # characters of an object that stays whole
_SHORT = 100  # characters of a value that is told with each record
_HEAD = 64 * 1024
_LINES_NAMED = re.compile(r"\.(jsonl|ndjson)$", re.IGNORECASE)
_LEAD = b"\xef\xbb\xbf\xff\xfe \t\r\n"  # byte order marks and white space
_SPACE = re.compile(r"[ \t\r\n]*")
# What JSON forbids and writers do: NaN and Infinity are read as null, control characters in strings as themselves.
# Memory for a deep value is bounded by Python's recursion limit.
_DECODER = json.JSONDecoder(
    parse_constant=lambda _: None,
    parse_float=WrittenNumber,
    strict=False,
    object_hook=lambda fields: {
        key: plain_value(value) if isinstance(value, str) else value for key, value in fields.items()
    },
)
_BAD = (ValueError, RecursionError)


def parse(source: Source) -> Iterator[Document | Failure]:
    """Yield a document or a failure for each record, in order."""
    before, count, log = -1, 0, ChatLog()
    for line, value, beside in _records(source):
        before, count = line, count + 1 if line == before else 1
        if isinstance(value, Failure):
            yield value
        else:
            place = f"{line}.{count}" if count > 1 else str(line)  # several on one line
            yield _record(value, source, place, beside, log)
    if before < 0:
        raise ParseError("it holds no records")


def _records(source: Source) -> Iterator[tuple[int, Any, Metadata]]:
    """The values of a file with their lines, and what is told of each beside it; of one that is a single object, its records."""
    values = _lines(source) if _is_lines(source) else _values(source)
    listed = source.head(64).replace(b"\0", b"").lstrip(_LEAD).startswith(b"[")
    first = list(islice(values, 2))
    if len(first) == 1 and not listed and not _LINES_NAMED.search(source.bare_name):
        yield from _unwrapped(*first[0])
    else:
        for line, value in chain(first, values):
            yield line, value, {}


def _unwrapped(line: int, value: Any) -> Iterator[tuple[int, Any, Metadata]]:  # noqa: ANN401
    """The value with its line; of an object without text whose one list of objects holds the records, these with what they are of.

    What stands beside the list is told with each, and, where words or further objects are in it, a record of its own. A short object
    with such stays whole, as an order with its lines, unless its parts have texts and names, or several of them hold further ones.
    """
    if isinstance(value, dict) and not TEXT_FIELDS & value.keys():
        lists = [
            key for key, one in value.items() if isinstance(one, list) and one and all(isinstance(r, dict) for r in one)
        ]
        chats = [key for key in lists if any(map(is_message, value[key]))]
        lists = chats if len(chats) == 1 else lists
        if len(lists) == 1:
            records, beside = value[lists[0]], {key: one for key, one in value.items() if key != lists[0]}
            words = any(isinstance(one, str | list | dict) and one for one in beside.values())
            named = all(has_text(one) and _NAMING & one.keys() for one in records)
            nested = any(isinstance(part, dict | list) for one in records for part in one.values())
            if words and not named and not chats and (len(records) == 1 or not nested) and _is_short(value):
                yield line, value, {}
                return
            if words:
                yield 0, beside, {}
            short = {key: one for key, one in beside.items() if not isinstance(one, list) and len(str(one)) <= _SHORT}
            told = metadata_fields({key: one for key, one in short.items() if "://" not in str(one)})
            yield from ((number, record, told) for number, record in enumerate(records, 1))
            return
    yield line, value, {}


def _is_short(value: dict[str, Any]) -> bool:
    try:
        return len(as_lines(value)) <= _WHOLE
    except RecursionError:
        return False


def _record(value: Any, source: Source, line: str, beside: Metadata, log: ChatLog) -> Document | Failure:  # noqa: ANN401 - any JSON value
    if not isinstance(value, dict):
        return source.failure("the record is not a JSON object with fields", "record", line)
    try:
        value = log.shown(value, text_field(value))
        apart = {"metadata", *metadata_fields(value)} if has_text(value) else set()
        columns = [] if has_text(value) else columns_beside(value)
        known = {key for key in KNOWN if key not in columns}
        further = {key: one for key, one in value.items() if not (is_plain(one) if key in known else key in apart)}
        words = (
            {}
            if has_text(value)
            else {key: one for key, one in beside.items() if isinstance(one, str) and key not in value}
        )
        said = "\n".join(filter(None, (as_lines(words), as_lines(further))))
        value = {key: one for key, one in value.items() if key not in columns or key not in KNOWN}
        return document(value, replace(source, metadata={**source.metadata, **beside}), line, said)
    except ParseError as error:
        return source.failure(f"the record cannot be used: {error}", "record", line)
    except RecursionError:
        return source.failure("the record cannot be used: it is nested too deeply", "record", line)


def _is_lines(source: Source) -> bool:
    """Whether to read line by line: unless it begins with `[`, is in UTF-16, or has a first line that is no JSON value (`.json` only)."""
    head = source.head(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith((b"[", b"\xff\xfe", b"\xfe\xff")) or b"\x00" in head[:4]:
        return False
    if _LINES_NAMED.search(source.bare_name) or len(head.splitlines()[:1]) == 0:
        return True
    first, ended, _ = head.partition(b"\n")
    try:
        _decode(first)
    except _BAD:
        return len(first) == len(head) >= _HEAD - 3 and not ended  # a first line too long to judge: surely a record
    return True


def _decode(line: bytes) -> Any:  # noqa: ANN401 - any JSON value
    return _DECODER.decode(line.decode("utf-8"))


def _lines(source: Source) -> Iterator[tuple[int, Any]]:
    """Line numbers and values (or failures) of JSON lines; blank lines are passed over."""
    most, number = source.limits.text_characters, 0
    with source.opener() as stream:
        while line := stream.readline(most + 1):
            number += 1
            if len(line) > most and not line.endswith(b"\n"):
                while line and not line.endswith(b"\n"):
                    line = stream.readline(PIECE)
                yield number, source.failure(f"the line is longer than the limit of {size(most)}", "size", number)
                continue
            line = line.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else line.strip()
            if line:
                try:
                    value = _decode(line)
                except _BAD as error:
                    value = source.failure(f"the line is not JSON: {_reason(error)}", "record", number)
                yield number, value


def _values(source: Source) -> Iterator[tuple[int, Any]]:
    """Line numbers and values of one JSON array, or of JSON values after one another."""
    text, _ = decoded(source.read())  # JSON is UTF-8; a guess is counted in the trace
    place = _skip(text, 0)
    in_array = text.startswith("[", place)
    place = _skip(text, place + in_array)
    line, counted = 1, 0
    while place < len(text) and not (in_array and text[place] == "]"):
        line, counted = line + text.count("\n", counted, place), place
        try:
            value, place = _DECODER.raw_decode(text, place)
        except _BAD as error:
            yield line, source.failure(f"the JSON is damaged from here on: {_reason(error)}", "record", line)
            return
        yield line, value
        place = _skip(text, place)
        if in_array and text.startswith(",", place):
            place = _skip(text, place + 1)
        elif in_array and not text.startswith("]", place):
            break
    if in_array and (not text.startswith("]", place) or _skip(text, place + 1) < len(text)):
        yield line, source.failure("the JSON array is broken off or goes on wrongly after this record", "record", line)


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _reason(error: Exception) -> str:
    match error:
        case RecursionError():
            return "it is nested too deeply"
        case UnicodeDecodeError():
            return "it is not in UTF-8; convert the file"
        case json.JSONDecodeError():
            return f"{error.msg.lower()} at column {error.colno}"
        case _:
            return str(error)
