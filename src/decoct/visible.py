"""Text that nothing acts on, and files that no link leads elsewhere: for terminals, pages and files that people open.

A document or a model may write what a terminal obeys (escape sequences, a carriage return, a bell), what makes a line read otherwise
than it is (bidirectional overrides), or what no encoding can write (half a surrogate pair). Each such character becomes one that is
seen: control characters their pictures (ESC is ␛), the others U+FFFD. One stands for one, line feeds and tabs stay.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final, TextIO

from decoct.errors import ConfigError

_OVERRIDES: Final = "\u202a-\u202e\u2066-\u2069"
_ACTING = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_OVERRIDES}\ud800-\udfff]")
# In JSON every control character below 0x20 is escaped already, but the line breaks between values are not.
_ACTING_IN_JSON = re.compile(f"[\x7f-\x9f{_OVERRIDES}\u2028\u2029\ud800-\udfff]")
_PICTURES: Final = 0x2400
# What Markdown (GitHub's too) and the HTML in it act on anywhere in a line; an underscore inside a word is none.
_MARKUP = re.compile(r"[\\`*\[\]<>|~&$]|(?<![^\W_])_|_(?![^\W_])|(?<=:)(?=//)|(?<=www)(?=\.)")
_BLOCK = re.compile(r"^(\s*)(?:(\d{1,9})(?=[.)])|(?=[#+=-]))", re.MULTILINE)


def visible(text: str) -> str:
    """`text` with every character that something would act on shown instead, of the same length."""
    return _ACTING.sub(_shown, text)


def visible_line(text: str) -> str:
    """`text` on one line, white space folded: for titles, names and ids, which must not begin lines of their own."""
    return visible(" ".join(text.split()))


def visible_json(value: object, *, ascii_only: bool = False) -> str:
    """`value` as indented JSON in which such characters are escapes: it shows nothing that acts, and reads back as it was."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=2)
    return _ACTING_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def visible_markdown(text: str) -> str:
    """`text` as Markdown that shows it and does nothing: no markup, HTML, link, image, table, list or heading comes of it."""
    return _BLOCK.sub(r"\1\2\\", _MARKUP.sub(r"\\\g<0>", visible(text)))


def visible_markdown_line(text: str) -> str:
    """`text` as such Markdown within a line that has begun: a table's cell, a heading."""
    return _MARKUP.sub(r"\\\g<0>", visible_line(text))


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(_PICTURES + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def write_whole(path: Path, text: str) -> None:
    """Write `text` as the file `path`, in UTF-8 (half a surrogate pair as an escape), in a folder that is made if it is not there.

    It is whole or not there at all, and a symbolic link that someone laid in its place is replaced. `ConfigError` where that cannot be.
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
