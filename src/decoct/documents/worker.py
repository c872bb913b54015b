"""The process in which documents are parsed that might take too long, too much memory, or the process down (`documents.apart`).

It reads requests from standard input and writes replies to what was standard output, each with its length in eight bytes before it. A
request is a JSON object (module of the parser, source without its bytes, limits, seconds) and then the bytes; a reply is one JSON
object. JSON, because what parses untrusted bytes should not be trusted to send objects. It ends by itself when its input ends, when
nothing came for half a minute, and when a request takes more computing than it may.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import sys
import warnings
from contextlib import suppress
from dataclasses import asdict, replace
from typing import IO, Any, BinaryIO

from decoct.data import Document, Link
from decoct.documents.base import MB, Failure, Limits, Source
from decoct.errors import ParseError
from decoct.trace import recording

IDLE = 30.0  # seconds
READY = b"decoct"
_GRACE = 15  # seconds beyond all its time after which a request whose parent is gone ends the process
TIMED = hasattr(signal, "setitimer")  # not on Windows
SLACK = 6  # times the seconds of computing that a document may take by the clock
_OBJECTS = (
    500_000  # made beyond those that ended, before circles are looked for: a large table is many objects and no circle
)
_MEMORY = 4096 * MB  # address space; the largest tree of a page takes a fifth


def send(stream: IO[bytes], *parts: bytes) -> None:
    """Write the parts, each after its length."""
    for part in parts:
        stream.write(len(part).to_bytes(8, "big"))
        stream.write(part)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes:
    """The next part; `EOFError` if the stream ended before it was whole."""
    length = stream.read(8)
    part = stream.read(int.from_bytes(length, "big")) if len(length) == 8 else b""
    if len(length) < 8 or len(part) < int.from_bytes(length, "big"):
        raise EOFError
    return part


def packed(item: Document | Failure) -> dict[str, Any]:
    """A document or failure as JSON-ready data."""
    return {"kind": "failure" if isinstance(item, Failure) else "document", **asdict(item)}


def unpacked(fields: dict[str, Any]) -> Document | Failure:
    """What `packed` was given."""
    if fields.pop("kind") == "failure":
        return Failure(**fields)
    fields["names"] = tuple(fields["names"])
    fields["headings"] = tuple((start, end) for start, end in fields["headings"])
    fields["levels"] = tuple(fields["levels"])
    fields["links"] = tuple(Link(**link) for link in fields["links"])
    return Document(**fields)


def answer(request: dict[str, Any], data: bytes) -> dict[str, Any]:
    """Parse one source: its items, or the error that it raised, and the fallbacks that were counted."""
    limits = Limits(**request["limits"])
    source = Source.of(request["name"], data, origin=request["origin"], media_type=request["media_type"], limits=limits)
    source = replace(source, language=request["language"])
    reply: dict[str, Any] = {"items": []}
    with recording() as trace, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # libraries warn of what they pass over
        try:
            parser = importlib.import_module(request["module"]).parse
            reply["items"] = [packed(item) for item in parser(source)]
        except ParseError as error:
            reply["error"] = str(error)
        except MemoryError:
            reply["error"] = "reading it needs too much memory: split it"
        except Exception as error:  # noqa: BLE001 - a library met what its writers did not think of: the source's failure, not ours
            reply["error"] = f"its reader gave up ({type(error).__name__}): save it again, or as another format"
    reply["fallbacks"] = dict(trace.fallbacks)
    return reply


def main() -> None:
    """Answer requests until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to parent and child; the parent decides
    requests, replies = sys.stdin.buffer, _private_output()
    _bound_memory()
    gc.set_threshold(_OBJECTS)
    replies.write(READY)
    replies.flush()
    while _comes(requests):
        try:
            request, data = json.loads(receive(requests)), receive(requests)
        except EOFError:
            return
        _deadline(max(request["seconds"], 0.001))
        reply = answer(request, data)
        _deadline(0)
        send(replies, json.dumps(reply).encode())


def _private_output() -> BinaryIO:
    """Standard output, away from what libraries print."""
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return os.fdopen(kept, "wb")


def _comes(stream: IO[bytes]) -> bool:
    if sys.platform == "win32":  # pipes cannot be waited for there
        return True
    return bool(select.select([stream], [], [], IDLE)[0])


def _deadline(seconds: float) -> None:
    """End the process after these seconds of computing, whatever native code is running (the signal's default); 0 takes it back.

    Waiting does not count, so that a busy machine takes no document for a hostile one; the parent bounds the time by the clock.
    """
    if TIMED:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.alarm(0 if not seconds else int(seconds * SLACK) + _GRACE)  # if the parent is gone


def _bound_memory() -> None:
    try:
        import resource
    except ImportError:
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(OSError, ValueError):  # macOS has the name, and refuses
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY if most < 0 else min(_MEMORY, most), most))


if __name__ == "__main__":
    main()
