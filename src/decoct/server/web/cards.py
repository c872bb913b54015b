"""The page of a library's cards: the questions that each document answers, its summary and keywords."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from decoct.data import Document
from decoct.errors import StaleIndexError
from decoct.library import Library
from decoct.retrieve.cards.card import KEYWORDS, SUMMARY
from decoct.retrieve.cards.index import OpenCards, card_questions
from decoct.server.state import in_library
from decoct.server.web.render import Field, library_of_page, page, source_address
from decoct.server.work import Cancel

router = APIRouter(include_in_schema=False)
PAGE = 20


@router.get("/cards")
async def cards(request: Request, library: Field = "", cursor: Field = "", find: Field = "") -> HTMLResponse:
    """A page of the cards; `find` keeps those that hold it. Without cards it says how they are made."""
    name = library_of_page(request, library)
    values: dict[str, Any] = {"library": name, "find": find, "cards": [], "next": None, "missing": False}
    if name:

        def work(opened: Library, cancel: Cancel) -> dict[str, Any]:
            try:
                made = opened.cards.opened()
            except StaleIndexError:  # there are none, or of another embedder or an older Decoct
                return {"missing": True}
            found = list(islice(_found(opened, made, find, cursor, cancel), PAGE + 1))
            more = found[PAGE - 1].id if len(found) > PAGE else None
            return {"cards": [_shown(made, name, card) for card in found[:PAGE]], "next": more}

        values.update(await in_library(request, name, work))
    return page(request, "cards.html", **values)


def _found(library: Library, made: OpenCards, word: str, after: str, cancel: Cancel) -> Iterator[Document]:
    wanted = word.casefold()
    for info in library.documents():
        cancel.check()
        if info.id > after and made.has(info.id):
            card = made.card(info.id)
            if wanted in card.text.casefold():
                yield card


def _shown(made: OpenCards, name: str, card: Document) -> dict[str, Any]:
    questions = [
        {"text": one.text, "href": source_address(name, card.id, one.answer.start, one.answer.end)}
        for one in card_questions(card)
    ]
    return {
        "id": card.id,
        "title": card.title or card.id,
        "questions": questions,
        "summary": _part(card.text, SUMMARY),
        "keywords": [word.strip() for word in _part(card.text, KEYWORDS).split(",") if word.strip()],
        "old": bool(made.outdated([card.id])),
    }


def _part(text: str, heading: str) -> str:
    return text.partition(f"\n{heading}\n")[2].partition("\n\n")[0].strip()
