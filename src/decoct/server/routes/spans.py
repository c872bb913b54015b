"""The exact characters behind a citation: as text, and drawn on the page of a PDF."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from decoct.data import Document
from decoct.documents.excerpts import DocumentExcerpt, excerpt_of
from decoct.library import Library
from decoct.server.child import picture_of
from decoct.server.problems import ProblemError
from decoct.server.routes.documents import document_or_404
from decoct.server.state import Reads, in_library, server_of
from decoct.server.work import Cancel

router = APIRouter(prefix="/api/v1/libraries/{lib}", tags=["documents"])
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
        place = server.libraries.place(lib)
        file = picture_of(place, document) if place else None
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
