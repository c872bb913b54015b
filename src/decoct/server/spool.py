"""Takes an upload to the disk before anything looks at it: `spool/<job>/manifest.json` and the files, synced.

So a job that was accepted is done whatever happens to the server. Nothing of a client's names becomes a path.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
from pathlib import Path
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from decoct.documents.files import CONTROLS
from decoct.index.embedded.files import sync
from decoct.server.problems import ProblemError
from decoct.server.settings import ServerSettings
from decoct.server.uploads import checked_apart, checked_documents, manifest_pieces, write_synced

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
