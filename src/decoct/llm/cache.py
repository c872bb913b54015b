"""Replies and losses on disk, so that a run that is repeated or resumed pays for nothing twice.

One SQLite file in a folder, in WAL mode: any number of threads and processes read and write it. The key is the SHA-256 of everything that
decides the reply: model fingerprint, prompt fingerprint, messages, parameters and schema. Only good replies are kept; an error is
asked again next time. The cache is never worth a failed run: where it cannot be read or written it is put aside and made anew, and if
that fails too the run goes on without it; either way the trace says so.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from decoct import trace
from decoct.errors import ModelError
from decoct.llm.base import LLM, Losses, Reply, Request

_Kept = TypeVar("_Kept")

# Part of every key: raise it when what is stored changes its meaning.
_FORMAT: Final = 1
# Seconds to wait for another process that is writing.
_BUSY: Final = 30.0


def replies_folder() -> Path:
    """Where a library keeps replies: DECOCT_CACHE, else `~/.cache/decoct/replies`."""
    return Path(os.environ.get("DECOCT_CACHE") or "~/.cache/decoct/replies").expanduser()


@dataclass(frozen=True, slots=True)
class Cached:
    """`llm` with its replies and losses kept in `folder`. What else the model can do is passed through."""

    llm: LLM
    folder: Path
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return Cached, (self.llm, self.folder)  # in another process it is opened anew, on that machine's folder

    @property
    def fingerprint(self) -> str:
        """That of the model: a cached reply is the model's."""
        return self.llm.fingerprint

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        # Abilities that are not cached (`stream`, `tokenizer`, `close` …) are the model's own; one it lacks is an AttributeError here too.
        if name.startswith("_") or name == "llm":
            raise AttributeError(name)
        return getattr(self.llm, name)

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        """See `LLM.complete`. Requests that are equal within the batch are sent once."""
        keys = [_key("complete", self.fingerprint, _described(request)) for request in requests]
        known = self._read(keys, _reply_of)
        missing = {key: request for key, request in zip(keys, requests, strict=True) if key not in known}
        fresh = dict(zip(missing, self.llm.complete(list(missing.values())), strict=True)) if missing else {}
        replies = ((key, asdict(reply)) for key, reply in fresh.items() if isinstance(reply, Reply))
        self._write((key, {name: value for name, value in one.items() if name != "cached"}) for key, one in replies)
        outcomes: list[Reply | ModelError] = []
        for key in keys:
            outcome = known[key] if key in known else fresh[key]
            outcomes.append(outcome)
            if isinstance(outcome, Reply):
                known[key] = replace(outcome, cached=True)
        if hits := [one for one in outcomes if isinstance(one, Reply) and one.cached]:
            trace.count(
                cache_hits=len(hits),
                cached_prompt_tokens=sum(one.prompt_tokens for one in hits),
                cached_completion_tokens=sum(one.completion_tokens for one in hits),
            )
        return outcomes

    @property
    def losses(self) -> Callable[[Sequence[tuple[str, str]]], list[Losses]]:
        """See `SupportsLogprobs.losses`; an AttributeError where the model has none, so that the ability can be asked for."""
        compute: Callable[[Sequence[tuple[str, str]]], list[Losses]] = self.llm.losses  # type: ignore[attr-defined]

        def cached(pairs: Sequence[tuple[str, str]]) -> list[Losses]:
            keys = [_key("losses", self.fingerprint, list(pair)) for pair in pairs]
            known = self._read(keys, lambda value: Losses(tuple(value["values"]), tuple(map(tuple, value["offsets"]))))
            hits = sum(key in known for key in keys)
            missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in known}
            if missing:
                fresh = dict(zip(missing, compute(list(missing.values())), strict=True))
                self._write((key, asdict(one)) for key, one in fresh.items())
                known |= fresh
            trace.count(cache_hits=hits)
            return [known[key] for key in keys]

        return cached

    def _read(self, keys: Sequence[str], build: Callable[[Any], _Kept]) -> dict[str, _Kept]:
        def query(connection: sqlite3.Connection) -> dict[str, _Kept]:
            rows = connection.execute(
                "SELECT entries.key, entries.value FROM json_each(?) AS asked CROSS JOIN entries ON entries.key = asked.value",
                (json.dumps(list(keys)),),
            )
            return {key: build(json.loads(value)) for key, value in rows}

        return self._with_file(query) or {}

    def _write(self, entries: Iterable[tuple[str, Any]]) -> None:
        rows = [(key, json.dumps(value)) for key, value in entries]
        if rows:
            self._with_file(
                lambda connection: connection.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?)", rows)
            )

    def _with_file(self, work: Callable[[sqlite3.Connection], Any]) -> Any:  # noqa: ANN401
        """What `work` returns on an open cache file; None, with a fallback in the trace, where there can be none."""
        path = self.folder / "llm.sqlite3"
        with self._lock:
            for attempt in (1, 2):
                try:
                    self.folder.mkdir(parents=True, exist_ok=True)
                    with closing(sqlite3.connect(path, timeout=_BUSY)) as connection, connection:
                        connection.execute("PRAGMA journal_mode=WAL")
                        connection.execute("PRAGMA synchronous=NORMAL")
                        connection.execute(
                            "CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID"
                        )
                        return work(connection)
                except (sqlite3.DatabaseError, ValueError, TypeError, KeyError) as error:
                    trace.fallback("llm.cache_unusable")
                    # Busy or full is no damage: only a file that is broken is put aside, and once.
                    if attempt == 2 or isinstance(error, sqlite3.OperationalError) or not _put_aside(path):
                        return None
                except OSError:
                    trace.fallback("llm.cache_unusable")
                    return None
        return None


def _put_aside(path: Path) -> bool:
    try:
        path.replace(path.with_suffix(".damaged"))
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _key(*parts: Any) -> str:  # noqa: ANN401
    text = json.dumps([_FORMAT, *parts], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _described(request: Request) -> list[Any]:
    messages = [[message.role, message.content] for message in request.messages]
    schema = dict(request.schema) if request.schema is not None else None
    told = [request.likeliest] if request.likeliest else []  # a key of before stays what it was
    parameters = [request.max_tokens, request.temperature, schema, list(request.stop), request.seed, *told]
    return [request.prompt, messages, *parameters]


def _reply_of(stored: dict[str, Any]) -> Reply:
    likeliest = tuple((str(token), float(value)) for token, value in stored.get("likeliest", ()))
    return Reply(**{**stored, "likeliest": likeliest}, cached=True)
