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
            raise self.error(f"{name!r} must be a string, not {kind_of(value)}")
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
            raise self.error(f"{name!r} must be a whole number, not {kind_of(value)}")
        return value


def kind_of(value: object) -> str:
    """The name of a JSON value's type, for a message."""
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
        yield record_at(f"{path}:{number}", parsed_json(line, path, number))


def parsed_json(text: str, path: Path, number: int | None) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON value of `text`, line `number` of a file or all of it; `EvaluationError` with its place where it is none."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"{path}:{number if number is not None else error.lineno}"
        raise EvaluationError(f"{place}: not valid JSON ({error.msg} at character {error.colno})") from error


def record_at(place: str, value: object) -> Record:
    """The object at a place; `EvaluationError` where it is none."""
    if not isinstance(value, dict):
        raise EvaluationError(f"{place}: must be a JSON object, not {kind_of(value)}")
    return Record(place, value)
