"""Memory that is not needed any more, given back to the system: writing a large index would else hold it beside everything new."""

from __future__ import annotations

import ctypes
import mmap
from functools import cache


def trim() -> None:
    """Have the C library return what it keeps for later.

    Writing a million chunks leaves some 300 MB of small holes behind. Only glibc can do it; others are left alone.
    """
    if (found := getattr(_c_library(), "malloc_trim", None)) is not None:
        found(0)


def let_go(address: int, size: int) -> None:
    """Forget the pages of a file that is mapped for reading at `address`: what is read there again is read from the file.

    Advice, so nothing is raised where a system does not take it.
    """
    start = address - address % mmap.PAGESIZE
    _c_library().madvise(start, address + size - start, mmap.MADV_DONTNEED)


@cache
def _c_library() -> ctypes.CDLL:
    found = ctypes.CDLL(None)
    found.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return found
