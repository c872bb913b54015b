"""Seconds of computing that a parser takes a megabyte of its file, on files of about 1 MB that are written here.

    python benchmarks/parse_speed.py [--out FILE] [--only KIND ...]

The words are the same in all, drawn from a fixed seed. Each file is parsed in this process, as the process apart does it; the time is that
of the processor, the best of `_ROUNDS`, so that a busy machine counts little. Compressed formats count by the size of the file. `--only`
measures some kinds again, and keeps the others of the result.
"""

from __future__ import annotations

import gc
import importlib
import io
import json
import random
import time
import zipfile
from collections.abc import Iterator, Sequence

import openpyxl
from setting import command_line, setting, tell, write

from decoct.data import Document
from decoct.documents.base import MB, Source
from decoct.documents.formats import detect_format
from decoct.documents.worker import _OBJECTS

_ROUNDS = 3
_WORDS = "the pump station harbour road delivery review of leave policy shelf count motor gear 12 4410 7.5 bearing oil seal valve".split()
_NAMES = ("Item", "Shelf", "Count", "Note", "Price")


def files() -> Iterator[tuple[str, str, bytes]]:
    """A name for the row, the file's name and its content."""
    draw = random.Random(1)

    def said(count: int) -> str:
        return " ".join(draw.choice(_WORDS) for _ in range(count))

    def rows(count: int) -> list[tuple[str, ...]]:
        return [(said(2), f"A{number}", str(number), said(5), f"{number / 7:.12g}") for number in range(count)]

    def blocks(pattern: str, size: int = MB) -> str:
        made: list[str] = []
        length = 0
        while length < size:
            made.append(pattern.format(said(12), said(12), number=len(made)))
            length += len(made[-1])
        return "".join(made)

    prose = blocks("{} {}.\n{} {}.\n\n".replace("{} {}", "{0} {1}"))
    yield "plain text", "a.txt", prose.encode()
    yield "reStructuredText, prose", "a.rst", f"Title\n=====\n\n{prose}".encode()
    yield "reStructuredText, a list", "b.rst", blocks("- {0} [#{number}]\n\n").encode()
    items = "".join(f"- {{0}} ``code`` :func:`~a.b` `link {at} <http://x.y/{{number}}>`_\n" for at in range(8))
    yield "reStructuredText, a changelog", "c.rst", blocks(f"{{number}}.0 (2024)\n{'-' * 16}\n\n{items}\n").encode()
    yield "Markdown, prose", "a.md", prose.encode()
    table = rows(16_000)
    yield "Markdown, one table", "b.md", _lines(table, "| {} | {} | {} | {} | {} |", "|---|---|---|---|---|").encode()
    yield "HTML, prose", "a.html", f"<body>{prose.replace(chr(10) * 2, '<p>')}".encode()
    row = "<tr>" + "<td>{}</td>" * 5 + "</tr>"
    yield "HTML, one table", "b.html", f"<body><table>{_lines(rows(9_000), row)}</table>".encode()
    yield "LaTeX", "a.tex", f"\\begin{{document}}\n{prose}\\end{{document}}".encode()
    yield "RTF", "a.rtf", ("{\\rtf1\\ansi " + prose.replace("\n\n", "\\par\n") + "}").encode()
    yield (
        "DocBook",
        "a.xml",
        f"<book><title>T</title><para>{prose.replace(chr(10) * 2, '</para><para>')}</para></book>".encode(),
    )
    yield "CSV", "a.csv", _lines(rows(22_000), "{},{},{},{},{}").encode()
    yield "XLSX, 30,000 rows of 5", "a.xlsx", _workbook([_NAMES, *rows(30_000)])
    yield (
        "XLSX, 8,000 rows of 20 numbers",
        "b.xlsx",
        _workbook([[n * k * 1.37 for k in range(20)] for n in range(8_000)]),
    )
    yield "ODS, 30,000 rows of 5", "a.ods", _sheet([_NAMES, *rows(30_000)])
    yield "PDF, 300 pages", "a.pdf", _pdf([[said(12) for _ in range(50)] for _ in range(300)])


def _lines(rows: Sequence[Sequence[str]], pattern: str, *below: str) -> str:
    return "\n".join([pattern.format(*_NAMES), *below, *(pattern.format(*row) for row in rows), ""])


def _workbook(rows: Sequence[Sequence[object]]) -> bytes:
    book, out = openpyxl.Workbook(write_only=True), io.BytesIO()
    sheet = book.create_sheet("S")
    for row in rows:
        sheet.append(list(row))
    book.save(out)
    return out.getvalue()


def _sheet(rows: Sequence[Sequence[str]]) -> bytes:
    names = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    body = "".join(f"<table:table-row>{''.join(cell.format(one) for one in row)}</table:table-row>" for row in rows)
    inside = f'<office:body><office:spreadsheet><table:table table:name="S">{body}</table:table></office:spreadsheet></office:body>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
        package.writestr("content.xml", f"<office:document-content {names}>{inside}</office:document-content>")
    return out.getvalue()


def _pdf(pages: Sequence[Sequence[str]]) -> bytes:
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>"]
    objects.append("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    for at, lines in enumerate(pages):
        drawn = "".join(f"BT /F 11 Tf 60 {780 - 14 * row} Td ({line}) Tj ET\n" for row, line in enumerate(lines))
        box = "/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>"
        objects += [f"<</Type/Page/Parent 2 0 R{box}/Contents {5 + 2 * at} 0 R>>"]
        objects += [f"<</Length {len(drawn)}>>stream\n{drawn}endstream"]
    body = "".join(f"{number} 0 obj {one} endobj\n" for number, one in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer<</Root 1 0 R/Size {len(objects) + 1}>>\n%%EOF".encode()


def main() -> None:
    """Time every file, print the table and write the result."""
    parser = command_line(__doc__, out="documents/parse-speed.json")
    parser.add_argument("--only", nargs="*", default=[], metavar="KIND")
    given = parser.parse_args()
    gc.set_threshold(_OBJECTS)
    old = {one["kind"]: one for one in json.loads(given.out.read_text())["files"]} if given.only else {}
    now = {name: setting()[name] for name in ("commit", "load_average")} if given.only else {}
    found = []
    for kind, name, data in files():
        if given.only and kind not in given.only:
            found.append(old[kind])
            continue
        format_, source = detect_format(Source.of(name, data))
        parse = importlib.import_module(f"decoct.documents.{format_.module}").parse
        seconds = []
        for _ in range(_ROUNDS):
            began = time.process_time()
            documents = [one for one in parse(source) if isinstance(one, Document)]
            seconds.append(time.process_time() - began)
            tell(kind)
        found.append({
            "kind": kind, "bytes": len(data), "characters": sum(len(one.text) for one in documents),
            "seconds": [round(one, 3) for one in seconds], "seconds a MB": round(min(seconds) * MB / len(data), 2),
            **now,
        })  # fmt: skip
        print(found[-1])
    write(given.out, {**setting(), "rounds": _ROUNDS, "files": found})


if __name__ == "__main__":
    main()
