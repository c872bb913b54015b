"""Writes small PDFs, so that tests need no writer of them: one string a page (lines by "\\n"), bookmarks, title, encryption."""

from __future__ import annotations

from collections.abc import Sequence


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def drawn_pdf(
    words: Sequence[tuple[float, float, str]],
    *,
    drawing: str = "",
    rotate: int = 0,
    size: int = 12,
    matrix: str = "1 0 0 1",
    fields: Sequence[tuple[tuple[float, float, float, float], str]] = (),
    links: Sequence[tuple[float, float, float, float]] = (),
    laid_over: Sequence[str] = (),
    first_letter: str = "",
) -> bytes:
    """A PDF of one page with words at places (from the lower left corner, in points), a drawing, and text fields filled with values.

    `links` lead to the page itself; `laid_over` are further annotations, as PDF writes them. The small letters stand for those that
    follow `first_letter`.
    """
    texts = [f"BT /F1 {size} Tf {matrix} {x} {y} Tm ({_escaped(text)}) Tj ET" for x, y, text in words]
    content = "\n".join([drawing, *texts])
    first = 6
    notes = " ".join(f"{first + at} 0 R" for at in range(len(fields) + len(links) + len(laid_over)))
    letters = " ".join(
        f"<{0x61 + at:02X}> <{chr(ord(first_letter or 'a') + at).encode('utf-16-be').hex()}>" for at in range(26)
    )
    mapped = f"/ToUnicode {first + len(fields) + len(links) + len(laid_over)} 0 R" if first_letter else ""
    coded = f"1 begincodespacerange <00> <FF> endcodespacerange 26 beginbfchar {letters} endbfchar"
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [{notes}] /DA (/F1 12 Tf) /DR << /Font << /F1 5 0 R >> >> >> >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Rotate {rotate} /Annots [{notes}] "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica {mapped} >>",
    ]
    for number, (box, value) in enumerate(fields):
        said = "/FT /Btn /V /Yes /AS /Yes" if value == "[x]" else f"/FT /Tx /V ({_escaped(value)})"
        objects.append(
            f"<< /Type /Annot /Subtype /Widget {said} /T (field{number}) /Rect [{' '.join(map(str, box))}] /DA (/F1 12 Tf) /P 3 0 R >>"
        )
    objects += [
        f"<< /Type /Annot /Subtype /Link /Rect [{' '.join(map(str, box))}] /Dest [3 0 R /Fit] >>" for box in links
    ]
    objects += [f"<< /Type /Annot {said} >>" for said in laid_over]
    objects.append(f"<< /Length {len(coded)} >>\nstream\n{coded}\nendstream")
    return _file(objects, "/Root 1 0 R")


def minimal_pdf(
    pages: Sequence[str],
    *,
    title: str = "",
    bookmarks: Sequence[tuple[str, int]] = (),
    encrypted: bool = False,
    first_size: int = 12,
) -> bytes:
    """A PDF of text pages in Helvetica; `bookmarks` are (words, page index); `first_size` is the size of the first page's first line."""
    objects: list[str] = []

    def add(body: str) -> int:
        objects.append(body)
        return len(objects)

    catalog, tree, font = add(""), add(""), add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    kids = []
    for number, page in enumerate(pages):
        lines = []
        for at, line in enumerate(page.split("\n")):
            size = first_size if number == at == 0 else 12
            lines.append(f"BT /F1 {size} Tf 1 0 0 1 72 {720 - 30 * at} Tm ({_escaped(line)}) Tj ET")
        content = "\n".join(lines)
        stream = add(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
        kids.append(
            add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 612 792] /Contents {stream} 0 R "
                f"/Resources << /Font << /F1 {font} 0 R >> >> >>"
            )
        )
    objects[tree - 1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>"
    outline = ""
    if bookmarks:
        root = len(objects) + 1
        first, last = root + 1, root + len(bookmarks)
        add(f"<< /Type /Outlines /First {first} 0 R /Last {last} 0 R /Count {len(bookmarks)} >>")
        for at, (words, page_index) in enumerate(bookmarks):
            following = f"/Next {first + at + 1} 0 R" if at + 1 < len(bookmarks) else ""
            add(f"<< /Title ({_escaped(words)}) /Parent {root} 0 R {following} /Dest [{kids[page_index]} 0 R /Fit] >>")
        outline = f"/Outlines {root} 0 R"
    objects[catalog - 1] = f"<< /Type /Catalog /Pages {tree} 0 R {outline} >>"
    trailer = f"/Root {catalog} 0 R"
    if title:
        trailer += f" /Info {add(f'<< /Title ({_escaped(title)}) >>')} 0 R"
    if encrypted:
        key = "00" * 32
        lock = add(f"<< /Filter /Standard /V 1 /R 2 /O <{key}> /U <{key}> /P -4 >>")
        trailer += f" /Encrypt {lock} 0 R /ID [<{'11' * 16}> <{'11' * 16}>]"
    return _file(objects, trailer)


def _file(objects: Sequence[str], trailer: str) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)
