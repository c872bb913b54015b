r"""The one way to the terminal: what any command writes passes through here, and comes out clean (`decoct.visible`) and encodable.

`main` puts `Clean` in the place of standard output and standard error, so that no command has to think of it and none can forget it,
`--stream` included. Nothing is told apart by whether a terminal is there: what was piped is often shown by one later. For the exact
characters there is `--json`, which escapes them.

Our own control sequences are a line of progress that is written over itself, `\r` TEXT `\x1b[K` in one piece on standard error, of which
only TEXT is cleaned.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TextIO, cast

from decoct.visible import visible

_START: Final = "\r"
_END: Final = "\x1b[K"


class Clean:
    """A text stream that writes only what is safe to show; all else is the stream's own, but for its bytes, which would go past it."""

    def __init__(self, stream: TextIO, *, redraws: bool = False) -> None:
        self.behind, self._redraws = stream, redraws

    def write(self, text: str) -> int:
        """Write `text` cleaned; what the stream's encoding lacks as an escape."""
        framed = self._redraws and text.startswith(_START) and text.endswith(_END)
        inner = text[len(_START) : -len(_END)] if framed else text
        safe = _encodable(visible(inner.replace("\r\n", "\n")), self.behind.encoding)
        self.behind.write(f"{_START}{safe}{_END}" if framed else safe)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each of `lines`."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self.behind, name)


@contextmanager
def clean_streams() -> Iterator[None]:
    """Standard output and standard error are clean inside."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = cast("TextIO", Clean(sys.stdout)), cast("TextIO", Clean(sys.stderr, redraws=True))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def stream_behind(stream: TextIO) -> TextIO:
    """The stream behind a clean one, for bytes of a protocol."""
    return stream.behind if isinstance(stream, Clean) else stream


def _encodable(text: str, encoding: str | None) -> str:
    if text.isascii() or not encoding:
        return text
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text
