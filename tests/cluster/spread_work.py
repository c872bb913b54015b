"""A small library, a model that can be sent to other processes, and what two structures must agree on."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import zstandard

from decoct import Document, Library, trace
from decoct.errors import ModelError, ModelTimeoutError, ModelUnavailableError
from decoct.llm.base import Reply, Request
from decoct_lab.structure.build import StructureReport

PEOPLE = ("Ada Stone", "Karl Elm", "Lena Ash", "Otto Birk", "Mina Fox")
TOWNS = ("Norwick", "Elmford", "Graz", "Brno", "Lund")


def documents(count: int) -> list[Document]:
    return [
        Document(
            f"d{n:03}",
            f"{PEOPLE[n % 5]} was born in {TOWNS[n % 3]} in {1850 + n}. The bridge of {TOWNS[n % 4]} was built by {PEOPLE[(n + 1) % 5]}. "
            f"It stands {n} metres above the river Elm, and {PEOPLE[(n + 2) % 5]} wrote of it. Number {n} is painted in colour {n % 7}.",
            f"Bridge {n}",
        )
        for n in range(count)
    ]


@dataclass(frozen=True)
class SmallModel:
    """Finds names by their capitals. It fails on prompts that hold `fails`, and on all where `away`."""

    fails: str = ""
    away: bool = False

    @property
    def fingerprint(self) -> str:
        return "small"

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        replies = [self._reply(request) for request in requests]
        trace.count(model_calls=len(requests), prompt_tokens=7 * len(requests), completion_tokens=len(requests))
        trace.fallback("small.asked", len(requests))
        return replies

    def _reply(self, request: Request) -> Reply | ModelError:
        if self.away:
            return ModelUnavailableError("nobody answers")
        said = request.messages[-1].content
        if self.fails and self.fails in said:
            return ModelTimeoutError("too slow")
        names = sorted({name for name in (*PEOPLE, *TOWNS) if name in said})
        if request.schema is None:
            return Reply(f"A summary of {len(said)} characters about {', '.join(names)}.")
        (first, *_) = request.schema["properties"]
        if first == "triples":
            found = [{"subject": a, "relation": "meets", "object": b} for a, b in pairwise(names)]
            return Reply(json.dumps({"triples": found}))
        return Reply(json.dumps({"names": names}))


def filled(home: Path, count: int) -> Path:
    with Library.open(home) as opened:
        opened.add(documents(count))
    return home


def made(home: Path, name: str) -> dict[str, Any]:
    """Every file of a finished structure, every part it was made of, and its record; without seconds."""
    folder = home / "structures" / name
    found: dict[str, Any] = {path.name: path.read_bytes() for path in sorted(folder.glob("made-*/*"))}
    record = json.loads((folder / "current.json").read_text())
    found["record"] = {
        key: value for key, value in record.items() if key not in ("seconds", "made", "changes", "library")
    }
    with closing(sqlite3.connect(folder / "parts.db")) as parts:
        rows = parts.execute("SELECT document, digest, fingerprint, chunks, body, failed, reasons, spent FROM parts")
        unpack = zstandard.ZstdDecompressor().decompress
        found["parts"] = sorted((*row[:4], unpack(row[4]), *row[5:]) for row in rows)
    assert len(found) >= 3
    return found


def told(report: StructureReport) -> dict[str, object]:
    return {key: value for key, value in report.as_dict().items() if key not in ("seconds", "bytes")}


def without_times(line: str) -> dict[str, Any]:
    """A row of a record but for its seconds."""
    row: dict[str, Any] = json.loads(line)
    cost = row.get("cost", {})
    return {**row, "cost": {key: value for key, value in cost.items() if not re.search("seconds|stages", key)}}


def record(folder: Path) -> list[dict[str, Any]]:
    return [without_times(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
