"""Build a library anew from its own stored texts: for another embedder or chunker, or after an upgrade that needs it.

The new library grows beside the old one (`NAME.rebuild`) by an ordinary, resumable ingest and takes its place only when it is
complete: old -> `NAME.old`, new -> `NAME`, and the old one is removed. Cards go along (`decoct.retrieve.cards.carry`). The old one's
write lock is held all the while, as what another process wrote to it meanwhile would be lost.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from decoct.data import Document
from decoct.documents.base import Failure
from decoct.embed.base import Embedder
from decoct.errors import ConfigError, StaleIndexError, StoreError
from decoct.index.base import Store
from decoct.index.embedded.lock import WriteLock
from decoct.index.resolve import open_store, stored_settings
from decoct.ingest import Report
from decoct.library import Library
from decoct.retrieve.cards.carry import carry


def rebuild(
    location: str | Path,
    *,
    embedder: str | Embedder | None = None,
    chunker: str | Mapping[str, Any] | None = None,
    language: str | None = None,
    progress: Callable[[Report], None] | None = None,
) -> Report:
    """Rebuild the library at `location`, with its own embedder, chunker and language where no others are named.

    Run again after an interruption, it goes on where it stopped. `StoreBusyError` while another process writes to the library.
    """
    old = Path(location).expanduser().resolve()
    new, aside = old.with_name(f"{old.name}.rebuild"), old.with_name(f"{old.name}.old")
    if not old.exists() and aside.exists() and new.exists():  # interrupted between the two renames
        new.rename(old)
        shutil.rmtree(aside)
        return Report()
    settings = stored_settings(old)
    if settings is None:
        raise ConfigError(f"there is no library at {location} to rebuild")
    if aside.exists():  # what an interrupted rebuild left, or the user's own copy: not ours to remove unasked
        raise StoreError(f"{aside} is in the way; remove or rename it and run again")
    lock = WriteLock(old / "write.lock")
    lock.keep()
    try:
        source = open_store(old, settings, create=False)
        try:
            wanted = embedder if embedder is not None else settings["embedder_spec"]
            spoken = language or settings.get("language")
            with _target(new, wanted, chunker or json.loads(settings["chunker"]), spoken) as target:
                report = target.add(_documents(source), progress=progress)
                kept = {info.id for info in source.documents()}
                target.delete(*[info.id for info in target.documents() if info.id not in kept])
                try:
                    carry(source, target.store, target.embedder)
                except StaleIndexError as error:  # the library is complete without them, and they can be built
                    report.failures.append(Failure("cards", str(error), error.code))
        finally:
            source.close()
        old.rename(aside)
        new.rename(old)
    finally:
        lock.give_back()
    shutil.rmtree(aside)
    return report


def _target(folder: Path, embedder: str | Embedder, chunker: str | Mapping[str, Any], language: str | None) -> Library:
    """The library to fill; what an interrupted rebuild with other settings left there is thrown away."""
    try:
        return Library.open(folder, embedder=embedder, chunker=chunker, language=language)
    except StaleIndexError:
        if stored_settings(folder) is None:
            raise
        shutil.rmtree(folder)
        return Library.open(folder, embedder=embedder, chunker=chunker, language=language)


def _documents(source: Store) -> Iterator[Document]:
    for info in source.documents():
        yield source.document(info.id)
