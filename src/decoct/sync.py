"""Keep a library equal to files and folders: what is new or changed is stored, what vanished is found and, if asked for, removed.

A stored document is gone when the file that it came from is no longer there, or is there and no longer holds that record. This is told
by the path kept with each document, never by its id. Nothing is removed on a doubt: where a folder is missing, gives no file at all (a
disk that is not mounted looks so), or could not be read in part, all of it is kept and the report says why. A file that cannot be read
and is not known may be one that vanished, under another name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from decoct.feed import RECORD, Feed, ReadFile, Root
from decoct.index.abilities import caught_up
from decoct.index.base import Store
from decoct.ingest import Report

# Documents removed in one transaction.
BATCH = 500


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a stored document came from: a file, and the line of a record (empty for a whole file)."""

    path: str
    line: str = ""


def finish(store: Store, sources: dict[str, str], feed: Feed, report: Report, *, prune: bool) -> None:
    """Find what is gone among the documents stored before (`sources` by id), and remove it if `prune` allows."""
    known = {origin_of(source, doc_id).path for doc_id, source in sources.items()}
    broken = [path for path, read in feed.read.items() if read.failures and path not in known]
    doubts = {root.path: doubt for root in feed.roots if (doubt := _doubt(root, broken))}
    removable = []
    for doc_id, source in sources.items():
        origin = origin_of(source, doc_id)
        roots = [root.path for root in feed.roots if is_within(origin.path, root.path)]
        if not roots or doc_id in feed.ids or not _is_gone(doc_id, origin, feed.read.get(origin.path)):
            continue
        report.gone_ids.append(doc_id)
        if doubts.keys().isdisjoint(roots):
            removable.append(doc_id)
    if report.gone:
        report.kept += doubts.values()
    if prune:
        for at in range(0, len(removable), BATCH):
            report.removed += store.delete(removable[at : at + BATCH])
        if removable:
            caught_up(store)
        removed = set(removable)
        # A document that only moved has its text under the old id no longer.
        report.same_text = {id_: other for id_, other in report.same_text.items() if other not in removed}


def origin_of(source: str, doc_id: str = "") -> Origin:
    """The file, by its absolute path, and line of a stored document's source; a URL, or what is no path, is itself the path.

    The first version of Decoct kept paths as they were given: such a one counts from the working directory, if the id of the document
    fits it.
    """
    found = RECORD.fullmatch(source)
    path, line = (found["path"], found["line"]) if found and not os.path.lexists(source) else (source, "")
    if doc_id and "://" not in path and not Path(path).is_absolute():
        there = os.path.realpath(path)
        if f"{there}#{line}".endswith(f"/{doc_id}") or there.endswith(f"/{doc_id}"):
            path = there
    return Origin(path, line)


def is_within(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _is_gone(doc_id: str, origin: Origin, read: ReadFile | None) -> bool:
    if read is None:
        return not _exists(origin.path)
    if read.failures:
        return False
    if not origin.line:
        return not read.whole
    if doc_id.endswith(f"#{origin.line}"):  # named by its line, under whatever name the file was given then
        return origin.line not in read.lines
    return True  # it has an id of its own, which the file no longer gives


def _exists(path: str) -> bool:
    """Whether there is something at `path`; also where that cannot be told."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return True
    return True


def _doubt(root: Root, broken: Sequence[str]) -> str:
    """Why nothing of `root` may be removed; empty if nothing speaks against it."""
    if unread := [*root.unread, *(path for path in broken if is_within(path, root.path))]:
        more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
        return f"nothing of {root.path} is removed: {unread[0]}{more} could not be read"
    if not root.files:
        return f"nothing of {root.path} is removed: there is no file in it"
    return ""
