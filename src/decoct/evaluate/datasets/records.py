"""Reading JSON and JSON lines so that every fault is named with its file and line.

A `Record` is one object of a file and the place it came from. Its readers check type and content as they go, so that a loader reads as
the list of a format's fields.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from decoct.errors import EvaluationError
from decoct.registry import nearest


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object and its place, `file:line` (or `file[index]` in a file that is one JSON value)."""

    place: str
    data: dict[str, Any]

    def error(self, message: str) -> EvaluationError:
        """An error that names the place; to be raised by the caller."""
        return EvaluationError(f"{self.place}: {message}")

    def only(self, known: Iterable[str]) -> None:
        """Refuse a field that is not in `known`."""
        known = tuple(known)
        for name in self.data:
            if name not in known:
                raise self.error(f"unknown field {name!r}; {nearest(name, known)}")

    def text(self, name: str, *, default: str | None = None) -> str:
        """The string at `name`, not blank unless a default is given. An integer (an id) is taken as its digits."""
        if name not in self.data:
            if default is None:
                raise self.error(f"the field {name!r} is missing")
            return default
        value = self.data[name]
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise self.error(f"{name!r} must be a string, not {_kind(value)}")
        if default is None and not value.strip():
            raise self.error(f"{name!r} is empty")
        return value

    def texts(self, name: str, *, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """The list of strings at `name`, none of them blank; the list may be empty."""
        if name not in self.data:
            if default is None:
                raise self.error(f"the field {name!r} is missing")
            return default
        value = self.data[name]
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise self.error(f"{name!r} must be a list of strings")
        if any(not v.strip() for v in value):
            raise self.error(f"{name!r} holds an empty string")
        return tuple(value)

    def records(self, name: str, *, default: tuple[Record, ...] | None = None) -> tuple[Record, ...]:
        """The list of objects at `name`, also as the hub stores it: an object of lists."""
        if name not in self.data:
            if default is None:
                raise self.error(f"the field {name!r} is missing")
            return default
        value = self.rows(name)
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise self.error(f"{name!r} must be a list of objects")
        return tuple(Record(f"{self.place} {name}[{i}]", v) for i, v in enumerate(value))

    def rows(self, name: str) -> Any:  # noqa: ANN401 - any JSON value
        """The value at `name`; where it is an object of lists, as the hub stores a list of objects, its rows as objects."""
        value = self.data.get(name)
        if not isinstance(value, dict) or not value or not all(isinstance(column, list) for column in value.values()):
            return value
        if len({len(column) for column in value.values()}) > 1:
            raise self.error(f"the lists of {name!r} are not of one length")
        return [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]

    def number(self, name: str) -> int:
        """The integer at `name`."""
        value = self.data.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(f"{name!r} must be a whole number, not {_kind(value)}")
        return value


def _kind(value: object) -> str:
    return "nothing" if value is None else type(value).__name__


def _opened(path: Path) -> IO[bytes]:
    try:
        return cast("IO[bytes]", gzip.open(path, "rb")) if path.name.endswith(".gz") else path.open("rb")
    except FileNotFoundError:
        raise EvaluationError(f"{path} does not exist; --data takes the folder that holds it") from None
    except NotADirectoryError:
        raise EvaluationError(
            f"{path.parent} is a file; the set has several: --data takes the folder that holds {path.name}"
        ) from None
    except OSError as error:
        raise EvaluationError(f"{path} cannot be read: {error.strerror}") from error


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 text file (plain or .gz) with their numbers from 1, split at line feeds only; blank ones left out."""
    number = 0
    with _opened(path) as raw:
        try:
            for number, line in enumerate(raw, start=1):
                if text := line.decode("utf-8").strip("\r\n \t\ufeff"):
                    yield number, text
        except UnicodeDecodeError as error:
            raise EvaluationError(f"{path}:{number}: not valid UTF-8 ({error.reason})") from error
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise EvaluationError(f"{path}: a damaged .gz file, after line {number}; fetch it again") from error


def jsonl(path: Path) -> Iterator[Record]:
    """The objects of a JSON-lines file, plain or .gz."""
    for number, line in numbered_lines(path):
        yield _record(f"{path}:{number}", _parsed(line, path, number))


def json_list(path: Path) -> Iterator[Record]:
    """The objects of a file that is one JSON list, plain or .gz."""
    value = json_value(path)
    if not isinstance(value, list):
        raise EvaluationError(f"{path}: must be a JSON list, not {_kind(value)}")
    for index, item in enumerate(value):
        yield _record(f"{path}[{index}]", item)


def release(path: Path, *patterns: str) -> Path | None:
    """A release's file: `path` itself where it is a file, else the first of the folder that one of the patterns names, in their order."""
    if path.is_file():
        return path
    return next((file for pattern in patterns for file in sorted(path.glob(pattern)) if file.is_file()), None)


def json_objects(path: Path) -> Iterator[Record]:
    """The objects of a file that is one JSON list, or JSON lines where its name says so."""
    return jsonl(path) if path.name.removesuffix(".gz").endswith(".jsonl") else json_list(path)


def whole_text(path: Path) -> str:
    """The text of a UTF-8 file, such as a book or a page."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise EvaluationError(f"{path}: not valid UTF-8 ({error.reason})") from error
    except OSError as error:
        raise EvaluationError(f"{path} cannot be read: {error.strerror}") from error


def json_value(path: Path) -> Any:  # noqa: ANN401 - any JSON value
    """The value of a JSON file, plain or .gz."""
    text, at = [], 0
    for number, line in numbered_lines(path):
        text.append("\n" * (number - at) + line)  # blank lines are put back, so that a fault is named with its line
        at = number
    return _parsed("".join(text)[1:], path, None)


def _parsed(text: str, path: Path, number: int | None) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"{path}:{number if number is not None else error.lineno}"
        raise EvaluationError(f"{place}: not valid JSON ({error.msg} at character {error.colno})") from error


def _record(place: str, value: object) -> Record:
    if not isinstance(value, dict):
        raise EvaluationError(f"{place}: must be a JSON object, not {_kind(value)}")
    return Record(place, value)
