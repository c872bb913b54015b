"""Tables of known content in PDFs by seven programs: under which head each value is read.

    python benchmarks/pdf_heads.py FOLDER [--out FILE]

The PDFs are written into FOLDER by weasyprint, wkhtmltopdf, reportlab, fpdf2, pdfLaTeX and LibreOffice (of XLSX and DOCX), where each is
installed: none is a dependency. A value is `right` in the column of all its heads, `wrong head` in that of another, else in a column
without a head, in one cell with another value, or in a line without bars. A label that stands for several rows is a value of each:
`label told once` where only one of them has it, `wrong row` where one that it does not stand for does. The tables were made while the
reading was.
"""

from __future__ import annotations

import subprocess
import tomllib
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from itertools import chain, groupby, takewhile
from pathlib import Path
from typing import Any, NamedTuple

from setting import HERE, command_line, setting, tell, write

from decoct.documents.base import Source
from decoct.documents.paged.pdf import parse

Rows = list[list[str]]
LEFT, ABOVE = "<", "^"  # a cell that goes on


class Asked(NamedTuple):
    """A table: its rows, heads first, its columns of numbers, and how many rows are heads."""

    rows: Rows
    numbers: list[int]
    heads: int

    def spans(self) -> dict[tuple[int, int], tuple[int, int]]:
        """For each cell how many rows and columns it covers."""
        rows, covered = self.rows, {}
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                if cell not in (LEFT, ABOVE):
                    across = len([*takewhile(lambda one: one == LEFT, row[column + 1 :])]) + 1
                    down = len([*takewhile(lambda one, c=column: one[c] == ABOVE, rows[at + 1 :])]) + 1  # type: ignore[misc]
                    covered[at, column] = down, across
        return covered

    def filled(self) -> Rows:
        """The rows with what every cell covers."""
        rows = [list(row) for row in self.rows]
        for (at, column), (down, across) in self.spans().items():
            for one in range(at, at + down):
                rows[one][column : column + across] = [rows[at][column]] * across
        return rows


def tables() -> dict[str, Asked]:
    """The tables by their names."""
    read = tomllib.loads((HERE / "pdf_heads.toml").read_text("utf-8"))
    rows = {name: [[cell.strip() for cell in row.split("|")] for row in one["rows"]] for name, one in read.items()}
    return {name: Asked(rows[name], one["numbers"], one.get("heads", 1)) for name, one in read.items()}


def _html(asked: Asked, align: str, rules: str, heads: str) -> str:
    style = {"lines": "td,th{border-bottom:1px solid #999}", "zebra": "tr:nth-child(even){background:#eee}"}
    style["grid"] = "td,th{border:1px solid #999}"
    style["top"] = "td,th{vertical-align:top}"
    said = ""
    for at, cells in groupby(asked.spans().items(), key=lambda one: one[0][0]):
        said += "<tr>"
        for (_, column), (down, across) in cells:
            tag, kind = "td" if at >= asked.heads else "th", "n" if column in asked.numbers else "t"
            over = f" rowspan={down}" * (down > 1) + f" colspan={across}" * (across > 1)
            said += f"<{tag} class={kind}{over}>{asked.rows[at][column]}</{tag}>"
    return (
        f"<meta charset=utf-8><style>body{{font:10pt sans-serif}}table{{border-collapse:collapse}}{style.get(rules, '')}"
        f"td,th{{padding:3px 10px}}td.n{{text-align:{align}}}th{{{heads and f'text-align:{heads}'}}}</style>"
        f"<h1>Report</h1><p>Some words before the table.</p><table>{said}</table><p>Counted by J. Moss.</p>"
    )


def weasyprint(to: Path, asked: Asked, *look: str) -> None:
    """A page of HTML, by weasyprint."""
    import_module("weasyprint").HTML(string=_html(asked, *look)).write_pdf(to)


def wkhtmltopdf(to: Path, asked: Asked, *look: str) -> None:
    """The same page by wkhtmltopdf."""
    page = to.with_suffix(".html")
    page.write_text(_html(asked, *look), "utf-8")
    subprocess.run(["wkhtmltopdf", "-q", page, to], check=False, capture_output=True)


def calc(to: Path, asked: Asked, rules: str, heads: str) -> None:
    """A spreadsheet by xlsxwriter, printed by LibreOffice."""
    with import_module("xlsxwriter").Workbook(to.with_suffix(".xlsx")) as book:
        sheet, border = book.add_worksheet("Sheet"), {"border": int(rules == "grid")}
        plain, head = book.add_format(border), book.add_format(border | ({"align": heads} if heads else {}))
        for (at, column), (down, across) in asked.spans().items():
            cell, look = asked.rows[at][column], plain if at >= asked.heads else head
            bare = cell.replace(",", "")
            number = at >= asked.heads and column in asked.numbers and bare.replace(".", "").isdigit()
            if down + across > 2:
                sheet.merge_range(at, column, at + down - 1, column + across - 1, cell, look)
            else:
                sheet.write(at, column, float(bare) if number else cell, look)


def word(to: Path, asked: Asked, style: str) -> None:
    """A document by python-docx, printed by LibreOffice."""
    made = import_module("docx").Document()
    made.add_heading("Report", 1)
    rows = asked.rows
    table = made.add_table(len(rows), len(rows[0]), style or None)
    for (at, column), (down, across) in asked.spans().items():
        place = table.cell(at, column)
        if down + across > 2:
            place = place.merge(table.cell(at + down - 1, column + across - 1))
        place.text = rows[at][column]
        if at >= asked.heads and column in asked.numbers:
            place.paragraphs[0].alignment = 2
    made.save(to.with_suffix(".docx"))


def reportlab(to: Path, asked: Asked, align: str, rules: str) -> None:
    """A table by reportlab."""
    parts, styles = import_module("reportlab.platypus"), import_module("reportlab.lib.styles")
    style = styles.getSampleStyleSheet()["Normal"]
    top = asked.heads
    drawn: dict[str, list[Any]] = {
        "grid": [("GRID", (0, 0), (-1, -1), 0.5, "black"), ("VALIGN", (0, 0), (-1, -1), "MIDDLE")],
        "lines": [("LINEBELOW", (0, top - 1), (-1, top - 1), 1, "black")],
    }
    looks: list[Any] = [("ALIGN", (at, top), (at, -1), align.upper()) for at in asked.numbers] + drawn.get(rules, [])
    for (at, column), (down, across) in asked.spans().items():
        if down + across > 2:
            looks.append(("SPAN", (column, at), (column + across - 1, at + down - 1)))
            looks += [("ALIGN", (column, at), (column, at), "CENTER")] * (across > 1)
    rows = [["" if cell in (LEFT, ABOVE) else cell for cell in row] for row in asked.rows]
    cells = [[parts.Paragraph(cell, style) if len(cell) > 30 else cell for cell in row] for row in rows]
    widths = [150 if any(len(row[at]) > 30 for row in rows) else None for at in range(len(rows[0]))]
    parts.SimpleDocTemplate(str(to)).build(
        [parts.Table(cells, widths, style=looks), parts.Paragraph("Counted by J. Moss.", style)]
    )


def fpdf(to: Path, asked: Asked, width: str, heads: str, align: str) -> None:
    """Cells of one width by fpdf2; without a width, and where a cell is long, its own table."""
    made = import_module("fpdf").FPDF()
    made.add_page()
    made.set_font("Helvetica", size=10)
    rows, spans = asked.rows, asked.spans()
    if not width or any(len(cell) > 30 for row in rows for cell in row):
        width = ""
        with made.table(borders_layout="ALL" if heads == "grid" else "NONE", num_heading_rows=asked.heads) as table:
            for _, places in groupby(spans, key=lambda place: place[0]):
                row = table.row()
                for at, column in places:
                    down, across = spans[at, column]
                    row.cell(rows[at][column], rowspan=down, colspan=across)
    for at, cells in enumerate(rows if width else ()):
        for column, cell in enumerate(cells):
            down, across = spans.get((at, column), (1, 1))
            said = "" if cell in (LEFT, ABOVE) else cell
            look = heads if at < asked.heads else align if column in asked.numbers else "L"
            if cell != LEFT:
                made.cell(int(width) * across, 8, said, align="C" if across > 1 else look)
        made.ln()
    made.output(str(to))


def latex(to: Path, asked: Asked, align: str) -> None:
    """A table by pdfLaTeX."""
    rows, spans = asked.rows, asked.spans()
    long = [any(len(row[at]) > 30 for row in rows) for at in range(len(rows[0]))]
    shape = "".join(align if at in asked.numbers else "p{45mm}" if one else "l" for at, one in enumerate(long))
    lines = []
    for at, row in enumerate(rows):
        cells, ruled = [], ""
        for column, cell in enumerate(row):
            across = spans.get((at, column), (1, 1))[1]
            said = "" if cell == ABOVE else cell.replace("%", r"\%")
            if cell != LEFT:
                cells.append(rf"\multicolumn{{{across}}}{{c}}{{{said}}}" if across > 1 else said)
            ruled += rf"\cline{{{column + 1}-{column + across}}}" * (across > 1)
        lines.append(" & ".join(cells) + r"\\" + ruled)
    table = rf"\begin{{tabular}}{{{shape}}}{''.join(lines)}\end{{tabular}}"
    text = rf"\documentclass{{article}}\begin{{document}}\section*{{Report}}Words.\par {table}\end{{document}}"
    to.with_suffix(".tex").write_text(text, "utf-8")
    subprocess.run(["pdflatex", "-interaction=batchmode", to.stem], cwd=to.parent, check=False, capture_output=True)


LOOKS: dict[Callable[..., None], list[tuple[str, ...]]] = {
    weasyprint: [
        ("right", "", ""),
        ("right", "zebra", "left"),
        ("center", "lines", "left"),
        ("right", "grid", ""),
        ("left", "top", "left"),
    ],
    wkhtmltopdf: [("right", "", ""), ("right", "zebra", "left"), ("left", "lines", "")],
    calc: [("", ""), ("grid", ""), ("", "center"), ("", "right")],
    word: [("",), ("Light Shading",), ("Table Grid",)],
    reportlab: [("right", ""), ("left", "lines"), ("right", "grid")],
    fpdf: [("30", "L", "R"), ("26", "C", "R"), ("", "", ""), ("", "grid", "")],
    latex: [("l",), ("r",), ("c",)],
}


def write_pdfs(folder: Path) -> dict[Path, Asked]:
    """Each PDF that a program here can write, with its table."""
    made: dict[Path, Asked] = {}
    for program, looks in LOOKS.items():
        for (name, asked), number in ((one, n) for one in tables().items() for n in range(len(looks))):
            to = folder / f"{program.__name__}-{name}-{number}.pdf"
            try:
                program(to, asked, *looks[number])
            except ImportError as error:
                tell(f"{program.__name__}: {error}")
                break
            made[to] = asked
    sources = [one for one in folder.iterdir() if one.suffix in {".xlsx", ".docx"}]
    printed: list[str | Path] = ["soffice", "--headless", "--convert-to", "pdf", "--outdir", folder, *sources]
    if sources:
        subprocess.run(printed, check=False, capture_output=True)
    return {path: one for path, one in made.items() if path.exists()}


def _cells(line: str) -> list[str]:
    return [_plain(cell) for cell in line.removeprefix("|").split(" | ")] if "|" in line else []


def _plain(cell: str) -> str:
    bare = cell.strip(" |").replace(",", "")
    return f"{float(bare):g}" if bare.replace(".", "", 1).isdigit() else cell.strip(" |")


def scored(text: str, asked: Asked) -> Counter[str]:
    """How each value of the table is told in the text."""
    lines = [(_cells(line), line) for line in text.split("\n")]
    filled = [[_plain(cell) for cell in row] for row in asked.filled()]
    heads, rows = filled[: asked.heads], filled[asked.heads :]
    parts = [[set(map(_plain, cell.split(" / "))) for cell in cells] for cells, _ in lines]
    under = [max(parts, key=lambda one: sum(any(head in cell for cell in one) for head in row)) for row in heads]
    tall = [column for column in range(len(rows[0])) if any(row[column] == ABOVE for row in asked.rows[asked.heads :])]
    told: Counter[str] = Counter()
    for row in rows:
        alone = [value for column, value in enumerate(row) if value and column not in tall]
        cells, _ = max(
            lines, key=lambda one: (sum(value in one[0] for value in alone), sum(value in one[1] for value in alone))
        )
        for column, value in enumerate(row):
            if not value:
                continue
            names = {one[column] for one in heads} - {""}
            places = [at for at, cell in enumerate(cells) if cell == value]
            said = [set[str]().union(*(line[at] for line in under if at < len(line))) - {""} for at in places]
            others = {one[column] for one in rows} - {value, ""}
            if names in said:
                told["right"] += 1
            elif column in tall and others.intersection(cells):
                told["wrong row"] += 1
            elif column in tall and not places:
                told["label told once"] += 1
            elif any((one - names) & {*chain(*heads)} for one in said):
                told["wrong head"] += 1
            elif places:
                told["column without a head"] += 1
            else:
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
    for path, asked in made.items():
        [read] = parse(Source.of(path.name, path.read_bytes()))
        files[path.name] = scored(read.text, asked)
    sums = sum(files.values(), Counter[str]())
    right = sum(set(one) == {"right"} for one in files.values())
    faults = {name: one for name, one in files.items() if set(one) != {"right"}}
    result = {"files": len(files), "values": sum(sums.values()), "told": sums, "files wholly right": right}
    write(given.out, {**setting(), **result, "not wholly right": faults})


if __name__ == "__main__":
    main()
