"""JSON lines, JSON arrays and single JSON objects: one document a record.

JSON lines are read as a stream: one line in memory, a bad line is a failure of its own. A file whose first line is no whole value
(an array or an object over several lines) is decoded value by value from its text; there, what follows a syntax error cannot be
told apart, so the rest of the file is one failure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from decoct.data import Document
from decoct.documents.base import PIECE, Failure, Source, size
from decoct.documents.encoding import decoded
from decoct.documents.records import KNOWN, TEXT, as_lines, document, has_text
from decoct.errors import ParseError

TEXT_FIELDS = frozenset(TEXT)
_HEAD = 64 * 1024
_SPACE = re.compile(r"[ \t\r\n]*")
# What JSON forbids and writers do: NaN and Infinity are read as null, control characters in strings as themselves.
# Memory for a deep value is bounded by Python's recursion limit.
_DECODER = json.JSONDecoder(parse_constant=lambda _: None, strict=False)
_BAD = (ValueError, RecursionError)


def parse(source: Source) -> Iterator[Document | Failure]:
    """Yield a document or a failure for each record, in order."""
    any_record = False
    for line, value in _lines(source) if _is_lines(source) else _values(source):
        for number, record in _unwrapped(value, line):
            any_record = True
            yield record if isinstance(record, Failure) else _record(record, source, number)
    if not any_record:
        raise ParseError("it holds no records")


def _unwrapped(value: Any, line: int) -> Iterator[tuple[int, Any]]:  # noqa: ANN401
    """The value with its line; of an object without text whose one list of objects holds the records, these with their numbers."""
    if isinstance(value, dict) and not TEXT_FIELDS & value.keys():
        lists = [
            one for one in value.values() if isinstance(one, list) and one and all(isinstance(r, dict) for r in one)
        ]
        if len(lists) == 1:
            yield from enumerate(lists[0], 1)
            return
    yield line, value


def _record(value: Any, source: Source, line: int) -> Document | Failure:  # noqa: ANN401 - any JSON value
    if not isinstance(value, dict):
        return source.failure("the record is not a JSON object with fields", "record", line)
    try:
        further = {} if has_text(value) else {key: one for key, one in value.items() if key not in KNOWN}
        return document(value, source, line, as_lines(further))
    except ParseError as error:
        return source.failure(f"the record cannot be used: {error}", "record", line)
    except RecursionError:
        return source.failure("the record cannot be used: it is nested too deeply", "record", line)


def _is_lines(source: Source) -> bool:
    """Whether to read line by line: unless it begins with `[`, is in UTF-16, or has a first line that is no JSON value (`.json` only)."""
    head = source.head(_HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith((b"[", b"\xff\xfe", b"\xfe\xff")) or b"\x00" in head[:4]:
        return False
    if re.search(r"\.(jsonl|ndjson)(\.gz)?$", source.name, re.IGNORECASE) or len(head.splitlines()[:1]) == 0:
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
