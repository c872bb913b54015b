"""Takes an upload to the disk before anything looks at it: `spool/<job>/manifest.json` and the files, synced.

So a job that was accepted is done whatever happens to the server. Nothing of a client's names becomes a path.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from decoct.documents.files import CONTROLS
from decoct.index.embedded.files import sync
from decoct.server.parameters import DocumentsIn
from decoct.server.problems import ProblemError, problem_of, too_large
from decoct.server.settings import ServerSettings

_PIECE = 1 << 20
_SMALL = 1 << 20  # bytes of JSON that a thread checks in a few milliseconds; more has a process of its own


async def spooled(request: Request, folder: Path, settings: ServerSettings) -> tuple[int, str]:
    """Write the body of `request` to `folder`: how many files, documents or URLs it has, and a digest that names its whole content.

    On an error nothing stays.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in {"multipart/form-data", "application/json"}:
        raise ProblemError(415, "send files as multipart/form-data, or documents as application/json")
    folder.mkdir(parents=True, mode=0o700)
    try:
        manifest = folder / "manifest.json"
        if kind == "multipart/form-data":
            items, digest = await _files(request, folder, settings)
            await asyncio.to_thread(write_synced, manifest, manifest_pieces(items))
            sources = len(items)
        else:
            sources, digest = await _documents(request, manifest, settings)
        await asyncio.to_thread(sync, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return sources, digest


async def _documents(request: Request, manifest: Path, settings: ServerSettings) -> tuple[int, str]:
    """Write the manifest of documents that came as JSON; how many there are, and the digest of their content."""
    body = manifest.with_name("body.json")
    with body.open("xb") as file:
        async for piece in request.stream():
            await asyncio.to_thread(file.write, piece)
    try:
        if body.stat().st_size <= _SMALL:
            items, digest = await asyncio.to_thread(
                checked_documents, body.read_bytes(), allow_urls=settings.allow_urls
            )
            await asyncio.to_thread(write_synced, manifest, manifest_pieces(items))
            return len(items), digest
        # Large bodies of one key are checked one after the other: each takes a process and its memory.
        who = getattr(request.state.caller, "key_id", "")
        async with request.app.state.turns.setdefault(who, asyncio.Lock()):
            return await checked_apart(body, manifest, allow_urls=settings.allow_urls)
    finally:
        body.unlink()


async def _files(request: Request, folder: Path, settings: ServerSettings) -> tuple[list[dict[str, Any]], str]:
    whole = hashlib.sha256()
    items: list[dict[str, Any]] = []
    most = settings.limits.upload_files
    try:
        form = await request.form(max_files=most, max_fields=10)
    except ProblemError:
        raise
    except HTTPException as error:
        raise ProblemError(422, f"the form cannot be read: {error.detail}", param="files") from error
    try:
        if (
            sum(part.size or 0 for _, part in form.multi_items() if isinstance(part, UploadFile))
            > settings.limits.upload_bytes
        ):
            raise too_large(settings.limits.upload_bytes)
        for part in form.getlist("files"):
            if not isinstance(part, UploadFile):
                raise ProblemError(422, "files: each part needs a file's name", param="files")
            name = document_name(part.filename or "")
            file = f"{len(items):04d}"
            whole.update(f"{name}\0".encode("utf-8", "replace"))
            whole.update(await asyncio.to_thread(_copy, part, folder / file))
            items.append({"kind": "file", "file": file, "name": name, "media_type": part.content_type or ""})
    finally:
        await form.close()
    if not items:
        raise ProblemError(422, "the form has no files: send them as `files`", param="files")
    return items, whole.hexdigest()


def document_name(sent: str) -> str:
    """The id that an uploaded file gets: its path as sent, without what would lead anywhere."""
    parts = [part for part in CONTROLS.sub("", sent).replace("\\", "/").split("/") if part not in {"", ".", ".."}]
    if parts and re.fullmatch(r"[A-Za-z]:", parts[0]):
        parts = parts[1:]
    name = "/".join(parts)[-500:]
    if not name:
        raise ProblemError(422, "files: a file needs a name", param="files")
    return name


def _copy(part: UploadFile, path: Path) -> bytes:
    digest = hashlib.sha256()
    with path.open("xb") as file:
        while piece := part.file.read(_PIECE):
            digest.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return digest.digest()


# Documents that came as JSON: checked against `DocumentsIn` and written as a manifest, one item a line.
#
# A large body is checked in a process of its own, `python -m decoct.server.spool`: parsed, 180 MB of JSON take 1.1 GB and two seconds, in
# which the server would answer nobody.
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
        sys.executable, "-P", "-m", "decoct.server.spool", stdin=pipe, stdout=pipe,
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
