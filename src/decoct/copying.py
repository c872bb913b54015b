"""Copy a library from one store to another, whatever they are: a folder to a server, a server to a folder, one server to another.

Documents go over whole, with their vectors, names and traits, so nothing is embedded again. Each is compared by a digest of everything that
a store keeps of it (`decoct.index.entries`): one that is the same in the target is passed over, so an interrupted copy goes on where it
stopped, and one that was written is read back and compared. What belongs to the library is copied in the same way (`COMPANIONS`). What a
structure's building read (`parts.db`, the part that models were paid for) goes along between folders; chunks have other keys in a copy, so
the structure is put together again by `decoct structure build`, which then asks no model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path

from decoct import plugins
from decoct.errors import ConfigError, CorpusError, DamagedStoreError, MissingAbilityError, UnknownLibraryError
from decoct.index.abilities import SupportsCompanions, SupportsEntries, caught_up, session_of
from decoct.index.base import Entry, Store
from decoct.index.entries import digest_of
from decoct.index.resolve import folder_of, is_folder, open_store, stored_settings, without_password

# The stores that may belong to a library.
COMPANIONS = ("cards",)

# Documents read at a time, and characters of text in them after which a batch is written.
PAGE, BATCH_CHARACTERS = 200, 1_000_000


@dataclass(slots=True)
class CopyReport:
    """What was copied: `unchanged` documents were the same in the target, `others` are only there, and `structures` are to be built."""

    documents: int = 0
    done: int = 0
    copied: int = 0
    unchanged: int = 0
    chunks: int = 0
    others: list[str] = field(default_factory=list)
    companions: dict[str, CopyReport] = field(default_factory=dict)
    structures: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """As JSON-ready data."""
        return asdict(self, dict_factory=lambda pairs: {name: value for name, value in pairs if name != "done"})


def copy_library(
    source: str | Path, target: str | Path, progress: Callable[[CopyReport], None] | None = None
) -> CopyReport:
    """Copy everything at `source` to `target`, which is made where it is not there.

    `StaleIndexError` where the target has documents that were built otherwise, `UnknownLibraryError` where there is nothing to copy,
    `DamagedStoreError` where a document does not come back from the target as it was read from the source.
    """
    settings = stored_settings(source)
    if not settings:
        raise UnknownLibraryError(f"there is no library at {without_password(source)} to copy")
    if _same_place(source, target):
        raise ConfigError(f"{without_password(source)} cannot be copied to itself; name another place")
    _check_free(target)
    with (
        closing(open_store(source, {}, create=False)) as here,
        closing(open_store(target, settings)) as there,
    ):
        report = _copied(here, there, f"{without_password(source)} to {without_password(target)}", progress)
        for name in COMPANIONS:
            _companion(here, there, name, report)
    _structures(source, target, report)
    return report


def _copied(here: Store, there: Store, what: str, progress: Callable[[CopyReport], None] | None) -> CopyReport:
    if not isinstance(here, SupportsEntries) or not isinstance(there, SupportsEntries):
        raise MissingAbilityError(
            f"{what}: a store that does not give whole documents back cannot be copied or checked"
        )
    report = CopyReport(documents=here.status().documents)
    with session_of(there):
        for batch in _batches(here):
            ids = [entry.document.id for entry in batch]
            wanted = {entry.document.id: digest_of(entry) for entry in batch}
            before = _digests(there, ids)
            new = [entry for entry in batch if before.get(entry.document.id) != wanted[entry.document.id]]
            if new:
                there.put(new)
                after = _digests(there, [entry.document.id for entry in new])
                for entry in new:
                    if after.get(entry.document.id) != wanted[entry.document.id]:
                        raise DamagedStoreError(
                            f"{what}: document {entry.document.id!r} does not come back as it was written; "
                            "was it changed meanwhile? Run it again"
                        )
            report.copied += len(new)
            report.unchanged += len(batch) - len(new)
            report.done += len(batch)
            report.chunks += sum(len(entry.chunks) for entry in batch)
            if progress is not None:
                progress(report)
        caught_up(there)
    report.others = _only_in(there, here)
    return report


def _batches(store: SupportsEntries) -> Iterator[list[Entry]]:
    ids = (info.id for info in store.documents())  # type: ignore[attr-defined]
    batch: list[Entry] = []
    size = 0
    while page := list(islice(ids, PAGE)):
        for doc_id in page:
            for entry in store.entries([doc_id]):
                batch.append(entry)
                size += len(entry.document.text)
            if size >= BATCH_CHARACTERS:
                yield batch
                batch, size = [], 0
    if batch:
        yield batch


def _digests(store: SupportsEntries, ids: Sequence[str]) -> dict[str, bytes]:
    with suppress(CorpusError):
        return {entry.document.id: digest_of(entry) for entry in store.entries(ids)}
    return {}


def _only_in(there: Store, here: Store) -> list[str]:
    if there.status().documents == here.status().documents:
        return []
    ids = (info.id for info in there.documents())
    found: list[str] = []
    while page := list(islice(ids, PAGE)):
        known = here.digests(page)
        found += [doc_id for doc_id in page if doc_id not in known]
    return found


def _companion(here: Store, there: Store, name: str, report: CopyReport) -> None:
    if not isinstance(here, SupportsCompanions):
        return
    place = here.companion(name)
    if not (settings := stored_settings(place)):
        return
    if not isinstance(there, SupportsCompanions):
        report.left.append(f"{name}: the target's kind of store cannot keep them")
        return
    with (
        closing(open_store(place, {}, create=False)) as own,
        closing(open_store(there.companion(name), settings)) as other,
    ):
        report.companions[name] = _copied(own, other, name, None)


def _structures(source: str | Path, target: str | Path, report: CopyReport) -> None:
    if not is_folder(source) or "copy" not in plugins.points("structures"):
        return
    names, copied = plugins.load("structures", "copy")(
        folder_of(source, "this"), folder_of(target, "this") if is_folder(target) else None
    )
    report.structures += copied
    report.left += [f"structure {name}: structures are kept in folders" for name in names if name not in copied]


def _check_free(target: str | Path) -> None:
    """`ConfigError` where the library would lie among other files."""
    folder = folder_of(target, "this") if is_folder(target) else None
    if folder is None or not folder.is_dir() or (folder / "library.db").is_file():
        return
    if other := next((one.name for one in folder.iterdir() if not one.name.startswith(".")), None):
        raise ConfigError(f"{target} holds {other} and no library: name a new folder, or an empty one")


def _same_place(source: str | Path, target: str | Path) -> bool:
    if is_folder(source) and is_folder(target):
        return folder_of(source, "this").resolve() == folder_of(target, "this").resolve()
    return str(source) == str(target)
