"""The page that a citation opens: the document around the cited characters, which are marked."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from decoct.library import Library
from decoct.server.child import picture_of
from decoct.server.routes.documents import DocId, End, Start, document_or_404, span_as_json
from decoct.server.state import in_library, server_of
from decoct.server.web.render import library_of_page, page
from decoct.server.work import Cancel

router = APIRouter(include_in_schema=False)
AROUND = 1_500
WHOLE = 100_000


@router.get("/source")
async def source(
    request: Request,
    doc_id: DocId,
    start: Start = 0,
    end: End | None = None,
    library: str = "",
    view: Annotated[str, Query(pattern="^(text|page)$")] = "text",
) -> HTMLResponse:
    """The text with its mark (without a span the document from its beginning), or the page of a PDF as a picture."""
    server, name = server_of(request), library_of_page(request, library)

    def work(opened: Library, _: Cancel) -> dict[str, Any]:
        document = document_or_404(opened, doc_id, "doc_id")
        whole = end is None  # the document from its beginning, nothing marked
        first, past, around = (0, min(len(document.text), WHOLE), 0) if end is None else (start, end, AROUND)
        told = {"whole": whole, "more": len(document.text) > past + around}
        has_page = picture_of(server.libraries.place(name), document) is not None
        return {**span_as_json(document, first, past, around), **told, "has_page": has_page}

    shown = await in_library(request, name, work)
    template = "source_part.html" if request.headers.get("hx-request") == "true" else "source.html"
    return page(request, template, library=name, span=shown, view=view)
