"""Tables of known content in PDFs by seven programs: under which head each value is read.

    python benchmarks/pdf_heads.py FOLDER [--out FILE]

The PDFs are written into FOLDER by weasyprint, wkhtmltopdf, reportlab, fpdf2, pdfLaTeX and LibreOffice (of XLSX and DOCX), where each is
installed: none is a dependency. A value is `right` in the column of its own head, `wrong head` in that of another, else in a column without
a head, in one cell with another value, or in a line without bars. The tables were made while the reading was.
"""

from __future__ import annotations

import subprocess
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from setting import HERE, command_line, setting, tell, write

from decoct.documents.base import Source
from decoct.documents.paged.pdf import parse

Rows = list[list[str]]


def tables() -> dict[str, tuple[Rows, list[int]]]:
    """The rows of each table, heads first, and its columns of numbers."""
    read = tomllib.loads((HERE / "pdf_heads.toml").read_text("utf-8"))
    rows = {name: [[cell.strip() for cell in row.split("|")] for row in one["rows"]] for name, one in read.items()}
    return {name: (rows[name], one["numbers"]) for name, one in read.items()}


def _html(rows: Rows, numbers: Sequence[int], align: str, rules: str, heads: str) -> str:
    style = {"lines": "td,th{border-bottom:1px solid #999}", "zebra": "tr:nth-child(even){background:#eee}"}
    said = "".join(
        "<tr>"
        + "".join(f"<{tag} class={'n' if at in numbers else 't'}>{cell}</{tag}>" for at, cell in enumerate(row))
        + "</tr>"
        for row, tag in zip(rows, chain(["th"], ["td"] * len(rows)), strict=False)
    )
    return (
        f"<meta charset=utf-8><style>body{{font:10pt sans-serif}}table{{border-collapse:collapse}}{style.get(rules, '')}"
        f"td,th{{padding:3px 10px}}td.n{{text-align:{align}}}th{{{heads and f'text-align:{heads}'}}}</style>"
        f"<h1>Report</h1><p>Some words before the table.</p><table>{said}</table><p>Counted by J. Moss.</p>"
    )


def weasyprint(to: Path, rows: Rows, numbers: Sequence[int], *look: str) -> None:
    """A page of HTML, by weasyprint."""
    import_module("weasyprint").HTML(string=_html(rows, numbers, *look)).write_pdf(to)


def wkhtmltopdf(to: Path, rows: Rows, numbers: Sequence[int], *look: str) -> None:
    """The same page by wkhtmltopdf."""
    page = to.with_suffix(".html")
    page.write_text(_html(rows, numbers, *look), "utf-8")
    subprocess.run(["wkhtmltopdf", "-q", page, to], check=False, capture_output=True)


def calc(to: Path, rows: Rows, numbers: Sequence[int], rules: str, heads: str) -> None:
    """A spreadsheet by xlsxwriter, printed by LibreOffice."""
    with import_module("xlsxwriter").Workbook(to.with_suffix(".xlsx")) as book:
        sheet, border = book.add_worksheet("Sheet"), {"border": int(rules == "grid")}
        plain, head = book.add_format(border), book.add_format(border | ({"align": heads} if heads else {}))
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                bare = cell.replace(",", "")
                number = at and column in numbers and bare.replace(".", "").isdigit()
                sheet.write(at, column, float(bare) if number else cell, plain if at else head)


def word(to: Path, rows: Rows, numbers: Sequence[int], style: str) -> None:
    """A document by python-docx, printed by LibreOffice."""
    made = import_module("docx").Document()
    made.add_heading("Report", 1)
    table = made.add_table(0, len(rows[0]), style or None)
    for at, row in enumerate(rows):
        for column, (place, cell) in enumerate(zip(table.add_row().cells, row, strict=True)):
            place.text = cell
            if at and column in numbers:
                place.paragraphs[0].alignment = 2
    made.save(to.with_suffix(".docx"))


def reportlab(to: Path, rows: Rows, numbers: Sequence[int], align: str, rules: str) -> None:
    """A table by reportlab."""
    parts, styles = import_module("reportlab.platypus"), import_module("reportlab.lib.styles")
    style = styles.getSampleStyleSheet()["Normal"]
    drawn: dict[str, list[Any]] = {
        "grid": [("GRID", (0, 0), (-1, -1), 0.5, "black")],
        "lines": [("LINEBELOW", (0, 0), (-1, 0), 1, "black")],
    }
    looks: list[Any] = [("ALIGN", (at, 1), (at, -1), align.upper()) for at in numbers] + drawn.get(rules, [])
    cells = [[parts.Paragraph(cell, style) if len(cell) > 30 else cell for cell in row] for row in rows]
    widths = [150 if any(len(row[at]) > 30 for row in rows) else None for at in range(len(rows[0]))]
    parts.SimpleDocTemplate(str(to)).build(
        [parts.Table(cells, widths, style=looks), parts.Paragraph("Counted by J. Moss.", style)]
    )


def fpdf(to: Path, rows: Rows, numbers: Sequence[int], width: str, heads: str, align: str) -> None:
    """Cells of one width by fpdf2; without a width, and where a cell is long, its own table."""
    made = import_module("fpdf").FPDF()
    made.add_page()
    made.set_font("Helvetica", size=10)
    if not width or any(len(cell) > 30 for row in rows for cell in row):
        width = ""
        with made.table(borders_layout="NONE") as table:
            for row in rows:
                table.row(row)
    for at, row in enumerate(rows if width else ()):
        for column, cell in enumerate(row):
            made.cell(int(width), 8, cell, align=heads if not at else align if column in numbers else "L")
        made.ln()
    made.output(str(to))


def latex(to: Path, rows: Rows, numbers: Sequence[int], align: str) -> None:
    """A table by pdfLaTeX."""
    long = [any(len(row[at]) > 30 for row in rows) for at in range(len(rows[0]))]
    shape = "".join(align if at in numbers else "p{45mm}" if one else "l" for at, one in enumerate(long))
    said = "".join(" & ".join(row).replace("%", r"\%") + r"\\" for row in rows)
    table = rf"\begin{{tabular}}{{{shape}}}{said}\end{{tabular}}"
    text = rf"\documentclass{{article}}\begin{{document}}\section*{{Report}}Words.\par {table}\end{{document}}"
    to.with_suffix(".tex").write_text(text, "utf-8")
    subprocess.run(["pdflatex", "-interaction=batchmode", to.stem], cwd=to.parent, check=False, capture_output=True)


LOOKS: dict[Callable[..., None], list[tuple[str, ...]]] = {
    weasyprint: [("right", "", ""), ("right", "zebra", "left"), ("center", "lines", "left")],
    wkhtmltopdf: [("right", "", ""), ("right", "zebra", "left"), ("left", "lines", "")],
    calc: [("", ""), ("grid", ""), ("", "center"), ("", "right")],
    word: [("",), ("Light Shading",), ("Table Grid",)],
    reportlab: [("right", ""), ("left", "lines"), ("right", "grid")],
    fpdf: [("30", "L", "R"), ("26", "C", "R"), ("", "", "")],
    latex: [("l",), ("r",), ("c",)],
}


def write_pdfs(folder: Path) -> dict[Path, Rows]:
    """Each PDF that a program here can write, with the rows of its table."""
    made: dict[Path, Rows] = {}
    for program, looks in LOOKS.items():
        for (name, (rows, numbers)), number in ((one, n) for one in tables().items() for n in range(len(looks))):
            to = folder / f"{program.__name__}-{name}-{number}.pdf"
            try:
                program(to, rows, numbers, *looks[number])
            except ImportError as error:
                tell(f"{program.__name__}: {error}")
                break
            made[to] = rows
    sources = [one for one in folder.iterdir() if one.suffix in {".xlsx", ".docx"}]
    asked: list[str | Path] = ["soffice", "--headless", "--convert-to", "pdf", "--outdir", folder, *sources]
    if sources:
        subprocess.run(asked, check=False, capture_output=True)
    return {path: rows for path, rows in made.items() if path.exists()}


def _cells(line: str) -> list[str]:
    return [_plain(cell) for cell in line.removeprefix("|").split(" | ")] if "|" in line else []


def _plain(cell: str) -> str:
    bare = cell.strip(" |").replace(",", "")
    return f"{float(bare):g}" if bare.replace(".", "", 1).isdigit() else cell.strip(" |")


def scored(text: str, rows: Rows) -> Counter[str]:
    """How each value of the table is told in the text."""
    lines = [(_cells(line), line) for line in text.split("\n")]
    heads = [_plain(head) for head in rows[0]]
    top = max((cells for cells, _ in lines), key=lambda cells: sum(head in cells for head in heads))
    column = {head: top.index(head) for head in heads if head in top}
    told: Counter[str] = Counter()
    for row in rows[1:]:
        values = [_plain(cell) for cell in row]
        cells, _ = max(
            lines, key=lambda one: sum(bool(value) and (value in one[0] or value in one[1]) for value in values)
        )
        under = dict(enumerate(cells))
        for head, value in zip(heads, values, strict=True):
            if value and under.get(column.get(head, -1)) == value:
                told["right"] += 1
            elif value and value in cells:
                others = any(under.get(place) == value for place in column.values())
                told["wrong head" if others else "column without a head"] += 1
            elif value:
                told["two values in one cell" if any(value in cell for cell in cells) else "no bars"] += 1
    return told


def main() -> None:
    """Write the PDFs, read them, write the result."""
    parser = command_line(__doc__, out="documents/pdf-heads.json")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    made = write_pdfs(given.folder)
    files: dict[str, Any] = {}
    for path, rows in made.items():
        [read] = parse(Source.of(path.name, path.read_bytes()))
        files[path.name] = scored(read.text, rows)
    sums = sum(files.values(), Counter[str]())
    right = sum(set(one) == {"right"} for one in files.values())
    faults = {name: one for name, one in files.items() if set(one) != {"right"}}
    result = {"files": len(files), "values": sum(sums.values()), "told": sums, "files wholly right": right}
    write(given.out, {**setting(), **result, "not wholly right": faults})


if __name__ == "__main__":
    main()
