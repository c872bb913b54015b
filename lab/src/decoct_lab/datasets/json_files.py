"""The further files of releases: one JSON value, one list, a whole text (`decoct_lab.datasets.records` reads JSON lines)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from decoct.errors import EvaluationError
from decoct_lab.datasets.records import Record, jsonl, kind_of, numbered_lines, parsed_json, record_at


def json_list(path: Path) -> Iterator[Record]:
    """The objects of a file that is one JSON list, plain or .gz."""
    value = json_value(path)
    if not isinstance(value, list):
        raise EvaluationError(f"{path}: must be a JSON list, not {kind_of(value)}")
    for index, item in enumerate(value):
        yield record_at(f"{path}[{index}]", item)


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
    return parsed_json("".join(text)[1:], path, None)
