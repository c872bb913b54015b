"""Build a library anew from its own stored texts: for another embedder or chunker, or after an upgrade that needs it.

The new library grows beside the old one (`NAME.rebuild`) by an ordinary, resumable ingest and changes places with it only when it holds
every document; then the old one is removed. Cards go along (`decoct.retrieve.cards.build`). The old one's write lock is held all the
while, as what another process wrote to it meanwhile would be lost. Who only reads it goes on with the new one
(`decoct.index.embedded.store`).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from decoct.documents.base import Failure
from decoct.embed.base import Embedder
from decoct.errors import DamagedStoreError, StaleIndexError, StoreError, UnknownLibraryError
from decoct.index.embedded import EmbeddedStore
from decoct.index.embedded.lock import WriteLock
from decoct.index.embedded.opening import finish_interrupted, put_in_place, sweep
from decoct.index.resolve import folder_of, stored_settings
from decoct.ingest import Report
from decoct.library import Library
from decoct.retrieve.cards.build import carry_cards


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
    old = folder_of(location, "building anew").resolve()
    finish_interrupted(old)
    sweep(old)
    settings = stored_settings(old)
    if settings is None:
        raise UnknownLibraryError(f"there is no library at {location} to rebuild")
    with WriteLock(old / "write.lock").held():
        with EmbeddedStore.open(old, settings=settings, create=False) as source:
            _check_texts(source, old)
            wanted = embedder if embedder is not None else settings["embedder_spec"]
            spoken = language or settings.get("language")
            with _target(source, wanted, chunker or json.loads(settings["chunker"]), spoken) as target:
                documents = (source.document(info.id) for info in source.documents())
                report = target.add(documents, progress=progress)
                if report.failures:
                    raise _incomplete(old, report)
                kept = {info.id for info in source.documents()}
                target.delete(*[info.id for info in target.documents() if info.id not in kept])
                try:
                    carry_cards(source, target.store, target.embedder)
                except StaleIndexError as error:  # the library is complete without them, and they can be built
                    report.failures.append(Failure("cards", str(error), error.code))
        replaced = put_in_place(old)
    shutil.rmtree(replaced)
    return report


def _target(
    source: EmbeddedStore, embedder: str | Embedder, chunker: str | Mapping[str, Any], language: str | None
) -> Library:
    """The library to fill; what an interrupted rebuild with other settings left there is thrown away."""
    folder = source.begin_successor()
    try:
        return Library.open(folder, embedder=embedder, chunker=chunker, language=language)
    except StaleIndexError:
        if stored_settings(folder) is None:
            raise
        shutil.rmtree(folder)
        return Library.open(source.begin_successor(), embedder=embedder, chunker=chunker, language=language)


def _check_texts(source: EmbeddedStore, folder: Path) -> None:
    """`DamagedStoreError` where a text is not what was stored: what is built from it would pass for sound."""
    damaged = [one for checked in source.verify() if checked.what in {"documents", "texts"} for one in checked.damaged]
    if damaged:
        raise DamagedStoreError(
            f"the library {folder} stays as it was: of {', '.join(dict.fromkeys(damaged))} the text or title is not what was stored; "
            "delete it and ingest it again, then build the library anew"
        )


def _incomplete(folder: Path, report: Report) -> StoreError:
    first = report.failures[0]
    more = f" and {len(report.failures) - 1} more" if len(report.failures) > 1 else ""
    return StoreError(
        f"the library {folder} stays as it was: {first.source} cannot be stored again ({first.reason}){more}; "
        "replace or delete what cannot, and run again"
    )
