"""Documents that came as JSON: checked against `DocumentsIn` and written as a manifest, one item a line.

A large body is checked in a process of its own, `python -m decoct.server.uploads`: parsed, 180 MB of JSON take 1.1 GB and two seconds, in
which the server would answer nobody.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from decoct.server.parameters import DocumentsIn
from decoct.server.problems import ProblemError, problem_of

CHECK_BYTES = 2 << 30  # address space of the process that checks


def checked_documents(body: bytes, *, allow_urls: bool) -> tuple[list[dict[str, Any]], str]:
    """The items of a body and the digest of their content; 422 where it is not `DocumentsIn`, or names URLs and may not."""
    try:
        given = DocumentsIn.model_validate_json(body)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_input=False)) from error
    if given.urls and not allow_urls:
        raise ProblemError(422, "this server fetches no URLs; start it with --allow-urls", code="urls", param="urls")
    items = [{"kind": "document", **one.model_dump()} for one in given.documents]
    items += [{"kind": "url", "url": url} for url in given.urls]
    if not items:
        raise ProblemError(422, "there are no documents", param="documents")
    return items, hashlib.sha256(given.model_dump_json().encode("utf-8", "surrogatepass")).hexdigest()


def manifest_pieces(items: list[dict[str, Any]]) -> Iterator[bytes]:
    """The manifest's bytes: one item a line, so that it can be read a line at a time (`manifest_items`)."""
    return (json.dumps(item).encode("utf-8", "backslashreplace") + b"\n" for item in items)


def manifest_items(path: Path) -> Iterator[dict[str, Any]]:
    """The items of a manifest, of which one at a time is in memory."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def write_synced(path: Path, pieces: Iterator[bytes]) -> None:
    """A new file of these pieces, on the disk when this returns."""
    with path.open("xb") as file:
        file.writelines(pieces)
        file.flush()
        os.fsync(file.fileno())


async def checked_apart(body: Path, manifest: Path, *, allow_urls: bool) -> tuple[int, str]:
    """Check the file `body` in a process of its own, which writes `manifest`; how many items it has, and their digest."""
    order = {"body": str(body), "manifest": str(manifest), "allow_urls": allow_urls}
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "decoct.server.uploads", stdin=pipe, stdout=pipe,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )  # fmt: skip
    try:
        out, _ = await child.communicate(json.dumps(order).encode())
    finally:
        if child.returncode is None:  # nobody waits for it any more
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    if child.returncode or not out:
        raise ProblemError(413, "these documents need more memory than an upload may take here; send less at once")
    found = json.loads(out)
    if "problem" in found:
        raise ProblemError(**found["problem"])
    return found["sources"], found["digest"]


def main() -> None:
    """Check what standard input names; one line of JSON tells what came of it."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (CHECK_BYTES, CHECK_BYTES))
    order = json.loads(sys.stdin.buffer.read())
    try:
        items, digest = checked_documents(Path(order["body"]).read_bytes(), allow_urls=order["allow_urls"])
    except (RequestValidationError, ProblemError) as error:
        told = problem_of(error)
        found: dict[str, Any] = {
            "problem": {"status": told.status_code, "message": told.detail, "code": told.code, "param": told.param}
        }
    else:
        write_synced(Path(order["manifest"]), manifest_pieces(items))
        found = {"sources": len(items), "digest": digest}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
