"""Documents: list, read, remove, and upload as a job."""

from __future__ import annotations

import shutil
from contextlib import closing
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import TypeAdapter, ValidationError

from decoct.data import Document
from decoct.documents.places import DocumentExcerpt, excerpt_of
from decoct.errors import CorpusError
from decoct.index.filters import Given
from decoct.index.resolve import is_folder, open_store
from decoct.library import Library
from decoct.server.child import original_of, picture_of
from decoct.server.jobs import Job
from decoct.server.parameters import Where
from decoct.server.pool import Libraries
from decoct.server.problems import ProblemError, no_library
from decoct.server.replies import DeletedOut, DocumentOut, DocumentsOut, DocumentTextOut, JobOut
from decoct.server.spool import spooled
from decoct.server.state import Reads, Writes, caller_of, in_library, server_of
from decoct.server.work import Cancel

router = APIRouter(prefix="/api/v1/libraries/{lib}", tags=["documents"])
Id = Annotated[str, Query(min_length=1, max_length=2_000, description="The document's id, percent-encoded.")]
_WHERE = TypeAdapter(Where)
_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "properties": {
                        "files": {"type": "array", "maxItems": 100, "items": {"type": "string", "format": "binary"}}
                    },
                }
            },
            "application/json": {
                "schema": {"$ref": "#/components/schemas/DocumentsIn"},
                "example": {
                    "documents": [{"id": "note-1", "text": "The bridge was opened in 1934.", "title": "Notes"}]
                },
            },
        },
    }
}


@router.post("/documents", status_code=202, response_model=JobOut, openapi_extra=_FORM, summary="Upload documents")
async def upload(
    request: Request,
    lib: str,
    _: Writes,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
) -> JSONResponse:
    """Files as a form (`files`, up to 100), or documents and URLs as JSON. The answer is a job that can be followed and cancelled.

    With an `Idempotency-Key` a repeated request gives the first one's job; with the key of another content, 409.
    """
    job = await upload_job(request, lib, idempotency_key)
    return JSONResponse(job.as_dict(), 202, {"Location": f"/api/v1/libraries/{lib}/jobs/{job.id}"})


async def upload_job(request: Request, lib: str, once: str | None = None) -> Job:
    """The job of the request's body, or that of an earlier one with the idempotency key `once`; 409 where that had another content."""
    server = server_of(request)
    id_ = server.jobs.new_id()
    folder = server.jobs.folder(id_)
    sources, digest = await spooled(request, folder, server.settings)
    job = server.jobs.add(id_, lib, sources, owner=caller_of(request).key_id, once=once, digest=digest)
    if job.id != id_:
        shutil.rmtree(folder, ignore_errors=True)
        if job.digest != digest:
            raise ProblemError(409, "this Idempotency-Key was used for another content", code="idempotency")
    return job


@router.get(
    "/documents", response_model=DocumentsOut | DocumentTextOut, summary="A page of the documents, or one with its text"
)
async def list_(
    request: Request,
    lib: str,
    _: Reads,
    id: Id | None = None,
    cursor: Annotated[str, Query(max_length=2_000)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    where: Annotated[str, Query(max_length=2_000, description='A filter as JSON, {"year": 2020}.')] = "",
) -> JSONResponse:
    """In the order of their ids; `next` is the cursor of the page after this one. With `id` that document and its text."""
    chosen = _where(where)

    def work(library: Library, _: Cancel) -> dict[str, Any]:
        if id is None:
            return listing(library, cursor, limit, chosen)
        document = document_or_404(library, id)
        return {name: getattr(document, name) for name in DocumentTextOut.model_fields}

    return JSONResponse(await in_library(request, lib, work))


@router.delete("/documents", response_model=DeletedOut, summary="Remove a document")
async def delete(request: Request, lib: str, _: Writes, id: Id) -> dict[str, int]:
    """Remove it and everything of it; 404 if there is none of that id."""
    server = server_of(request)
    if not await server.workers.run(request, lambda _: remove(server.libraries, lib, id)):
        raise _missing(id)
    return {"deleted": 1}


def remove(libraries: Libraries, lib: str, *ids: str) -> int:
    """Remove documents through a store of its own, which gives the write lock back at once; how many there were."""
    if (place := libraries.place(lib)) is None:
        raise no_library(lib)
    with closing(open_store(place, {}, create=False)) as store:
        gone = store.delete(ids)
    for id_ in ids if is_folder(place) else ():
        original_of(Path(place), id_).unlink(missing_ok=True)
    return gone


def listing(library: Library, cursor: str, limit: int, where: Given | None, find: str = "") -> dict[str, Any]:
    """A page of the documents whose ids come after `cursor`, of those whose id or title holds `find`."""
    word = find.casefold()
    after = (
        info
        for info in library.documents(where)
        if info.id > cursor and (word in info.id.casefold() or word in info.title.casefold())
    )
    page = list(islice(after, limit + 1))
    return {
        "documents": [{name: getattr(info, name) for name in DocumentOut.model_fields} for info in page[:limit]],
        "next": page[limit - 1].id if len(page) > limit else None,
    }


def document_or_404(library: Library, doc_id: str, param: str = "id") -> Document:
    """The document; 404 if there is none of that id."""
    try:
        return library.document(doc_id)
    except CorpusError as error:
        raise _missing(doc_id, param) from error


def _missing(doc_id: str, param: str = "id") -> ProblemError:
    return ProblemError(404, f"there is no document {doc_id[:200]!r}", code="document", param=param)


def _where(text: str) -> Where | None:
    if not text:
        return None
    try:
        return _WHERE.validate_json(text)
    except ValidationError as error:
        raise ProblemError(422, 'where is to be JSON such as {"year": 2020}', param="where") from error


DocId = Annotated[str, Query(min_length=1, max_length=2_000)]
Start = Annotated[int, Query(ge=0, le=2**53)]
End = Annotated[int, Query(ge=1, le=2**53)]


@router.get("/span", response_model=DocumentExcerpt, summary="A document's text at a span")
async def span(
    request: Request,
    lib: str,
    _: Reads,
    doc_id: DocId,
    start: Start,
    end: End,
    around: Annotated[int, Query(ge=0, le=5_000, description="Characters before and after it.")] = 0,
) -> JSONResponse:
    """The characters `start` to `end` (code points), what stands around them, and where that is."""

    def work(library: Library, _: Cancel) -> dict[str, Any]:
        return span_as_json(document_or_404(library, doc_id, "doc_id"), start, end, around)

    return JSONResponse(await in_library(request, lib, work))


@router.get(
    "/page.png",
    response_class=Response,
    responses={200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}},
    summary="A PDF's page with a span marked",
)
async def page(request: Request, lib: str, _: Reads, doc_id: DocId, start: Start, end: End) -> Response:
    """The page on which the span begins, as a picture, its characters marked; 404 where the original was not kept."""
    server = server_of(request)

    def look_up(library: Library, _: Cancel) -> tuple[Path, Document]:
        document = document_or_404(library, doc_id, "doc_id")
        check_span(document, start, end)
        file = picture_of(server.libraries.place(lib), document)
        if file is None:
            raise ProblemError(404, "there is no picture of this document: its original is not there", code="original")
        return file, document

    file, document = await in_library(request, lib, look_up)
    png = await server.page_workers.run(request, lambda _: server.pictures.png(file, document, start, end))
    return Response(png, media_type="image/png", headers={"Cache-Control": "private, max-age=300"})


def check_span(document: Document, start: int, end: int) -> None:
    """422 for a span that is none of the document."""
    if not start < end <= len(document.text):
        length = len(document.text)
        raise ProblemError(422, f"a span of this document needs start < end <= {length}", code="span", param="end")


def span_as_json(document: Document, start: int, end: int, around: int) -> dict[str, Any]:
    """The document's text at a span, with `around` characters before and after it."""
    check_span(document, start, end)
    return asdict(excerpt_of(document, start, end, around))
