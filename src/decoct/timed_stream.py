"""A connection on which nothing waits longer than is left: for httpcore's, of whichever httpcore a client carries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Left = Callable[[float | None, type[Exception]], float | None]
"""The shorter of a timeout and the seconds left; raises the given error where there are none."""


class TimedStream:
    """The connection `stream` of httpcore (`core`), whose reads and writes wait as long as `left` says."""

    def __init__(self, stream: Any, left: Left, core: Any) -> None:  # noqa: ANN401 - of one httpcore or the other
        self._stream, self._left, self._core = stream, left, core

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """See httpcore's `NetworkStream`, like all of these."""
        data: bytes = self._stream.read(max_bytes, self._left(timeout, self._core.ReadTimeout))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all of `buffer`."""
        self._stream.write(buffer, self._left(timeout, self._core.WriteTimeout))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> Any:  # noqa: ANN401
        """The same connection, encrypted."""
        left = self._left(timeout, self._core.ConnectTimeout)
        return TimedStream(self._stream.start_tls(ssl_context, server_hostname, left), self._left, self._core)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401
        """What is known of the connection."""
        return self._stream.get_extra_info(info)
