"""Files that Decoct hands out (exports, reports, recipes, runs): written whole or not at all, and never through a symbolic link.

Who may write into the folder may have laid a link there under a name that can be guessed (`report.html`), so that our text would end up
in a file of ours elsewhere. A new file is written beside it and moved into its place: a link is replaced, what it points at is not touched.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from decoct.errors import ConfigError


def write_whole(path: Path, text: str) -> None:
    """Write `text` as the file `path`, in UTF-8 (half a surrogate pair as an escape), in a folder that is made if it is not there.

    `ConfigError` where that cannot be.
    """
    draft = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("xb") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise ConfigError(f"{path} cannot be written ({error.strerror}); name another place") from error


def appending(path: Path) -> TextIO:
    """The file `path` open for appending text; `ConfigError` where it is a symbolic link or cannot be opened."""
    try:
        return open(path, "a", encoding="utf-8", opener=_no_link)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written ({error.strerror}); is it a symbolic link? Name another place"
        ) from error


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
