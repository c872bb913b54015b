"""Real PDFs of kinds, read by Decoct, pdfplumber and docling's parser: what one reading has beyond the others, and the order of words.

    python benchmarks/pdf_peers.py FOLDER [--out FILE] [--only WORD] [--cache FOLDER]

FOLDER holds a folder a kind (`two-columns/PACKAGE+NAME.pdf`); the first `_PAGES` pages are compared; `--cache` keeps what peers read.
pdfplumber and docling-parse are peers, not dependencies: what is not installed is left out. docling's own order of reading needs a layout
model of a hub; its parser gives words in the order in which the file draws them.

A word of a peer is `lost` if neither its page here nor those beside it, the first or the last (where running heads are told) have it, nor
the same letters with other breaks; `glued` if it stands here only as a part of a longer word. `more` are words here that no peer has.
`order`: of pairs of words that the file draws one after the other, the share that stand so; TeX and word processors draw as one reads.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from setting import command_line, setting, tell, write

from decoct.documents.base import Source
from decoct.documents.paged.pdf import parse
from decoct.documents.places import PAGE_END
from decoct.errors import ParseError

_WORD = re.compile(r"[^\W_]+")
_DIVIDED = re.compile(r"[-\u2010]\s+")
_HYPHEN = re.compile(r"[-\u2010]\s*")
_MARKER = re.compile(r"\(cid:\d+\)")  # of pdfplumber, for a letter that the file does not tell
_PAGES = 5
_COUNTS = ("words", "lost", "numbers_lost", "glued")
PEERS = ("pdfplumber", "docling-parse")


def pdfplumber_pages(data: bytes) -> dict[str, list[str]]:
    """Each page in pdfplumber's lines, and its words as the file draws them, where narrow gaps and other sizes part words."""
    import pdfplumber

    found: dict[str, list[str]] = {"pdfplumber": [], "as drawn": []}
    with pdfplumber.open(io.BytesIO(data)) as opened:
        for page in opened.pages[:_PAGES]:
            words = page.extract_words(use_text_flow=True, extra_attrs=["size"], x_tolerance_ratio=0.15)
            found["as drawn"].append(" ".join(word["text"] for word in words))
            found["pdfplumber"].append(page.extract_text())
    return found


def docling_pages(data: bytes) -> dict[str, list[str]]:
    """The text of each page by docling's parser, in the order of the file."""
    from docling_core.types.doc.page import TextCellUnit
    from docling_parse.pdf_parser import DoclingPdfParser

    opened = DoclingPdfParser(loglevel="fatal").load(io.BytesIO(data))
    pages = [page for _, page in islice(opened.iterate_pages(), _PAGES)]
    words = ([cell.text for cell in page.iterate_cells(unit_type=TextCellUnit.WORD)] for page in pages)
    return {"docling-parse": [" ".join(one) for one in words]}


def readings(data: bytes, cache: Path | None) -> dict[str, list[str]]:
    """What each peer reads on each page; nothing where it cannot."""
    kept = cache / f"{hashlib.sha256(data).hexdigest()[:16]}.json" if cache else None
    if kept and kept.exists():
        return dict(json.loads(kept.read_text(encoding="utf-8")))
    found: dict[str, list[str]] = {}
    for read in (pdfplumber_pages, docling_pages):
        try:
            found |= read(data)
        except Exception as error:  # noqa: BLE001 - whatever a peer raises
            tell(f"{read.__name__}: {type(error).__name__}: {error}"[:200])
    if kept:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps(found), encoding="utf-8")
    return found


def compared(data: bytes, name: str, peers: dict[str, list[str]]) -> dict[str, Any]:
    """One row: what each reading has beyond the other."""
    try:
        [read] = parse(Source.of(name, data))
    except ParseError as error:
        return {"said": str(error)}
    ours = [_plain(page) for page in read.text.split(PAGE_END)]
    row: dict[str, Any] = {"said": str(read.metadata.get("left_out", "")), "pages": len(ours)}
    peers = {peer: [_plain(page) for page in pages] for peer, pages in peers.items()}
    drawn = peers.get("as drawn", [])
    row["order"] = _order(drawn, ours)
    for peer, theirs in peers.items():
        if theirs:
            row[peer] = _beyond(ours, theirs) | {"order": _order(drawn, theirs)}
    theirs = [page for pages in peers.values() for page in pages]
    said = {word for page in theirs for word in _WORD.findall(page)}
    letters = " ".join("".join(_WORD.findall(page)) for page in theirs)
    more = [
        one for one in dict.fromkeys(_WORD.findall(" ".join(ours[:_PAGES]))) if one not in said and one not in letters
    ]
    return row | {"more": len(more), "more_examples": more[:12]} if said else row


def _plain(text: str) -> str:
    return _MARKER.sub("", unicodedata.normalize("NFKC", text).lower().replace("\xad", ""))


def _beyond(ours: Sequence[str], theirs: Sequence[str]) -> dict[str, Any]:
    """Words of `theirs` that `ours` lacks on the page and those beside it."""
    kinds: dict[str, Counter[str]] = {"lost": Counter(), "glued": Counter(), "divided": Counter()}
    count = 0
    for number, page in enumerate(theirs):
        near = " ".join([*ours[max(0, number - 1) : number + 2], ours[0], ours[-1]])
        words, letters = set(_WORD.findall(near)), "".join(_WORD.findall(near))
        divided = {found.end() for found in _DIVIDED.finditer(page)} | {
            found.start() for found in _DIVIDED.finditer(page)
        }
        for found in _WORD.finditer(page):
            word = found.group()
            count += 1
            number_of_page = word.isdigit() and (not page[: found.start()].strip() or not page[found.end() :].strip())
            if not number_of_page and word not in words and not divided & {*found.span()}:
                kinds["glued" if word in near else "lost" if word not in letters else "divided"][word] += 1
    lost = list(kinds["lost"])
    return {
        "words": count, "lost": len(lost), "numbers_lost": sum(any(map(str.isdigit, word)) for word in lost),
        "glued": len(kinds["glued"]), "lost_examples": lost[:12], "glued_examples": list(kinds["glued"])[:12],
    }  # fmt: skip


def _order(drawn: Iterable[str], said: Iterable[str]) -> float:
    """The share of pairs of words that stand next to each other where the file draws them so; hyphens count for nothing."""
    there, pairs = (
        [pair for page in pages for pair in pairwise(_WORD.findall(_HYPHEN.sub("", page)))] for pages in (said, drawn)
    )
    held = set(there)
    return round(sum(pair in held for pair in pairs) / max(len(pairs), 1), 3)


def _table(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Sums over the files of a kind that were read here and by both peers, and the mean order of words by each reading."""
    read = [row for row in rows if all(peer in row and row[peer]["words"] for peer in PEERS)]
    count = max(len(read), 1)
    return {"files": len(rows), "refused": sum("pages" not in row for row in rows), "compared": len(read)} | {
        **{f"{name}, {peer}": sum(row[peer][name] for row in read) for peer in PEERS for name in _COUNTS},
        "more": sum(row["more"] for row in read), "order": round(sum(row["order"] for row in read) / count, 3),
        **{f"order, {peer}": round(sum(row[peer]["order"] for row in read) / count, 3) for peer in PEERS},
    }  # fmt: skip


def main() -> None:
    """Read the files of the folder, print a line each and the table, write the result."""
    parser = command_line(__doc__, out="documents/pdf-peers.json")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    rows = []
    for path in sorted(given.folder.glob("*/*.pdf")):
        if given.only in str(path):
            data = path.read_bytes()
            row = {
                "kind": path.parent.name,
                "file": path.name,
                "bytes": len(data),
                "sha256": hashlib.sha256(data).hexdigest()[:16],
            }
            rows.append(row | compared(data, path.name, readings(data, given.cache)))
            tell(f"{len(rows)}: {path.name}")
    kinds = {row["kind"]: [one for one in rows if one["kind"] == row["kind"]] for row in rows}
    write(given.out, {**setting(), "by kind": {kind: _table(of_it) for kind, of_it in kinds.items()}, "rows": rows})


if __name__ == "__main__":
    main()
