"""A library that takes the place of another: what is built anew grows beside the old one, and changes places with it in one step.

The new one has the old one's name and the next generation, so that whoever has the old one open can tell (`store`), and its keys and
document numbers begin far above the old one's: what somebody still holds of the old library is nothing of the new.

Linux exchanges two names at once (`renameat2`). Elsewhere there is a moment between two renames; a mark in the new folder says that it is
complete, and whoever opens the library next finishes the second.
"""

from __future__ import annotations

import ctypes
import os
import shutil
from contextlib import suppress
from pathlib import Path

from decoct.index.embedded.files import sync

COMPLETE = "complete"

_AT_WORKING_FOLDER, _EXCHANGE = -100, 2


def successor_folder(folder: Path) -> Path:
    """Where the new library of `folder` grows."""
    return folder.with_name(f"{folder.name}.rebuild")


def put_in_place(folder: Path) -> Path:
    """Let the complete library `beside` the folder take its place; returns where the old one is now, to be removed."""
    new, aside = successor_folder(folder), _aside(folder)
    if _exchanged(new, folder):
        aside = new
    else:
        (new / COMPLETE).touch()
        sync(new)
        folder.rename(aside)
        with suppress(FileNotFoundError):  # whoever opened it just now did that
            new.rename(folder)
        (folder / COMPLETE).unlink(missing_ok=True)
    sync(folder.parent)
    return aside


def finish_interrupted(folder: Path) -> None:
    """Do the second rename of `put_in_place`, where the process died before it."""
    new = successor_folder(folder)
    if not folder.exists() and (new / COMPLETE).exists():
        with suppress(FileNotFoundError):  # another one was faster
            new.rename(folder)
    if (folder / COMPLETE).exists() and os.access(folder, os.W_OK):
        (folder / COMPLETE).unlink(missing_ok=True)


def is_there(file: Path) -> bool:
    """Whether the file of a library is there; one whose folder is between the two renames is, after the second."""
    folder = file.parent
    while not file.exists():
        if folder.exists() or not (successor_folder(folder) / COMPLETE).exists():
            return file.exists()  # another one may have done it just now
        finish_interrupted(folder)
    return True


def sweep(folder: Path) -> None:
    """Remove the old library that an interrupted rebuild left."""
    if folder.exists():
        shutil.rmtree(_aside(folder), ignore_errors=True)


def _aside(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.replaced")


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False where the system or the file system cannot."""
    try:
        exchange = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    names = os.fsencode(one), os.fsencode(other)
    done: int = exchange(_AT_WORKING_FOLDER, names[0], _AT_WORKING_FOLDER, names[1], _EXCHANGE)
    return done == 0
