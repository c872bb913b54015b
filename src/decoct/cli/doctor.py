"""`decoct doctor`: is everything in order, and what to do where it is not."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import TYPE_CHECKING, Any

import typer

from decoct.cli import options, show
from decoct.counted import counted
from decoct.errors import DamagedStoreError, DecoctError

if TYPE_CHECKING:
    from decoct.index.abilities import Checked
    from decoct.library import Library

_BASE = ("numpy", "onnxruntime", "tokenizers", "tantivy", "faiss-cpu", "pypdfium2", "python-docx", "lxml")
_EXTRAS = {"openai": "openai", "torch": "sentence_transformers", "telemetry": "opentelemetry"}
_SAMPLE = 200  # chunks whose text is compared with their document's
_NAMED = 10  # damaged things named in the table; --json names all


def run(library: options.LibraryOption = None, json: options.JSONOption = False) -> None:
    """Check the installation, the bundled model, the settings and the library; the exit code is 1 when something is broken.

    Of the library everything is read: digests of texts, chunks and vectors are computed again and compared, and what differs is named.
    """
    rows = [*_installation(), *_library(library, json)]
    if json:
        show.as_json(rows)
    else:
        show.table([{name: row[name] for name in ("what", "state", "detail")} for row in rows])
    if any(row["state"] == "broken" for row in rows):
        raise typer.Exit(1)


def _row(what: str, state: str, detail: str) -> dict[str, Any]:
    return {"what": what, "state": state, "detail": detail}


def _checked(what: str, check: Callable[[], str]) -> dict[str, Any]:
    try:
        return _row(what, "ok", check())
    except DecoctError as error:
        return _row(what, "broken", str(error))


def _installation() -> Iterator[dict[str, Any]]:
    yield _row("python", "ok", ".".join(map(str, sys.version_info[:3])))
    for package in _BASE:
        try:
            yield _row(package, "ok", version(package))
        except PackageNotFoundError:
            yield _row(package, "broken", "not installed: reinstall decoct")
    for extra, module in _EXTRAS.items():
        there = importlib.util.find_spec(module) is not None
        yield _row(f"extra {extra}", "ok" if there else "absent", "" if there else f"pip install 'decoct[{extra}]'")
    yield _checked("bundled embedder", _embedder)
    yield _checked("settings", _settings)


def _embedder() -> str:
    import time

    from decoct.embed.minilm import verify
    from decoct.embed.resolve import open_embedder

    verify()
    model = open_embedder("minilm")
    model.embed(["a first text loads the model"], "query")
    start = time.perf_counter()
    model.embed(["how long does one query take?"], "query")
    return f"{model.fingerprint}, {1000 * (time.perf_counter() - start):.0f} ms a query"


def _settings() -> str:
    from decoct.llm.resolve import open_llm

    mine = options.settings()
    if mine.llm is None:
        return "no language model configured: answers are quoted words"
    return f"language model {open_llm(mine.llm, mine.models).fingerprint}"


def _library(library: str | None, quiet: bool) -> Iterator[dict[str, Any]]:
    place = library or options.settings().library
    what = f"library {place}"
    try:
        opened = options.open_library(place)
    except DamagedStoreError as error:
        yield _row(what, "broken", str(error))
        yield from _readable(place)
        return
    except DecoctError as error:
        yield _row(what, "broken" if library else "absent", str(error))
        return
    try:
        with opened:
            yield from _inside(opened, what, quiet)
    except DecoctError as error:  # damage that only shows where the library is read
        yield _row(what, "broken", str(error))


def _inside(opened: Library, what: str, quiet: bool) -> Iterator[dict[str, Any]]:
    from decoct.index.abilities import SupportsVerify

    status = opened.status()
    yield _row(
        what,
        "ok",
        f"{counted(status.documents, 'document')}, {counted(status.chunks, 'chunk')}, {status.bytes / 1e6:.1f} MB",
    )
    if isinstance(opened.store, SupportsVerify):
        told: Any = show.progress(quiet, lambda done: f"{done[0]} of {done[1]} documents checked")
        for checked in opened.store.verify(told and (lambda *done: told(done))):
            yield _checked_row(checked)
        show.end_progress()
    keys = list(islice((key for info in opened.documents() for key in opened.store.chunk_keys(info.id)), _SAMPLE))
    wrong = sum(opened.store.text(chunk.span) != chunk.text for chunk in opened.store.chunks(keys))
    detail = f"{len(keys)} chunks compared with their documents, {wrong} differ"
    yield _row("provenance", "broken" if wrong else "ok", detail)


def _readable(place: str) -> Iterator[dict[str, Any]]:
    """What can still be told of a library that cannot be opened."""
    from decoct.index.embedded.verify import verified
    from decoct.index.resolve import folder_of

    try:
        for checked in verified(folder_of(place, "checking what cannot be opened").absolute()):
            yield _checked_row(checked)
    except (DecoctError, OSError):  # its first page: the row before has said so
        return


def _checked_row(checked: Checked) -> dict[str, Any]:
    if checked.damaged:
        named = ", ".join(checked.damaged[:_NAMED])
        more = f" and {len(checked.damaged) - _NAMED} more" if len(checked.damaged) > _NAMED else ""
        detail = f"{len(checked.damaged)} damaged: {named}{more}"
        if checked.what.startswith("index "):
            detail += "; it is built again at the next search"
        return {**_row(checked.what, "broken", detail), "checked": checked.checked, "damaged": list(checked.damaged)}
    detail = f"{checked.checked} checked, all as stored"
    if checked.what.startswith("index "):
        detail = (
            f"{checked.behind} changes behind: brought up to date at the next search"
            if checked.behind
            else "up to date"
        )
    state = "behind" if checked.behind else "ok"
    return {**_row(checked.what, state, detail), "checked": checked.checked, "damaged": []}
