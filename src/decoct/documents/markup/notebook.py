"""Jupyter notebooks (`.ipynb`, versions 3 and 4): text cells as they are, code and what it put out in fences, so that the text is Markdown.

Of an output its plain text is read, or where that only names an object its HTML as a page, its Markdown, LaTeX or JSON; pictures
and widgets are not, and pictures are counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from decoct.data import Document
from decoct.documents.base import Source, left_out
from decoct.documents.canonical import canonical, checked, one_line
from decoct.documents.encoding import decoded
from decoct.documents.markup.html import main_page, page_tree
from decoct.documents.markup.markdown import structure
from decoct.errors import ParseError

_WRITTEN = ("text/markdown", "text/latex")
_FENCE = re.compile(r"^`{3,}", re.MULTILINE)


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a notebook."""
    written, notes = decoded(source.read(), "utf-8")  # its pictures are no words, so it is not read as a text
    try:
        notebook = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise ParseError("its notebook is damaged: save it again") from error
    cells = _cells(notebook)
    if cells is None:
        raise ParseError("it is no notebook, whatever its name says")
    language = _language(notebook)
    outputs = [one for cell in cells for one in cell.get("outputs") or () if isinstance(one, dict)]
    kinds = [kind for one in outputs if isinstance(data := one.get("data"), dict) for kind in data]
    notes = {**notes, **left_out({"pictures": sum(kind.startswith("image/") for kind in kinds)})}
    text = "\n\n".join(part for cell in cells for part in _parts(cell, language) if part.strip())
    text = checked(canonical(text), source.limits.text_characters)
    headings, links, first, levels = structure(text)
    title = one_line(_title(notebook) or first)
    yield source.document(text, title, notes, headings=headings, links=links, levels=levels)


def _cells(notebook: Any) -> list[dict[str, Any]] | None:  # noqa: ANN401 - any JSON
    if not isinstance(notebook, dict):
        return None
    sheets = notebook.get("worksheets")
    holders = [notebook] if sheets is None else sheets if isinstance(sheets, list) else []
    found = [holder.get("cells") for holder in holders if isinstance(holder, dict)]
    if not any(isinstance(cells, list) for cells in found):
        return None
    return [cell for cells in found if isinstance(cells, list) for cell in cells if isinstance(cell, dict)]


def _language(notebook: dict[str, Any]) -> str:
    about = notebook.get("metadata")
    known = about.get("language_info") if isinstance(about, dict) else None
    name = known.get("name") if isinstance(known, dict) else None
    return name if isinstance(name, str) and re.fullmatch(r"[\w+#.-]{1,30}", name) else ""


def _title(notebook: dict[str, Any]) -> str:
    about = notebook.get("metadata")
    title = about.get("title") if isinstance(about, dict) else None
    return title if isinstance(title, str) else ""


def _parts(cell: dict[str, Any], language: str) -> Iterator[str]:
    source = _lines(cell.get("source", cell.get("input")))
    match cell.get("cell_type"):
        case "code":
            yield _fenced(source, language)
            outputs = cell.get("outputs")
            for output in outputs if isinstance(outputs, list) else []:
                yield _fenced(_output(output), "text")
        case "heading":
            level = cell.get("level")
            yield f"{'#' * (level if isinstance(level, int) and 0 < level < 7 else 1)} {one_line(source)}"
        case _:
            yield source.strip("\n")


def _output(output: Any) -> str:  # noqa: ANN401
    if not isinstance(output, dict):
        return ""
    trace = output.get("traceback")
    if isinstance(trace, list) and trace:
        return "\n".join(map(str, trace))
    data = output.get("data", output)  # version 3 has no inner map
    if not isinstance(data, dict):
        return ""
    plain = _lines(data.get("text/plain")) or _lines(output.get("text"))
    page = _lines(data.get("text/html"))
    if page and (not plain.strip() or plain.strip().startswith("<")):
        return main_page(page_tree(page)).prose.text
    written = next((words for kind in _WRITTEN if (words := _lines(data.get(kind)))), "")
    said = written if plain.strip().startswith("<") and written else plain or written
    if not said and (value := data.get("application/json")) is not None:
        said = json.dumps(value, ensure_ascii=False)
    return said


def _lines(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


def _fenced(code: str, language: str) -> str:
    if not code.strip():
        return ""
    fence = "`" * max([3, *(len(found[0]) + 1 for found in _FENCE.finditer(code))])
    return f"{fence}{language}\n{code.strip(chr(10))}\n{fence}"
