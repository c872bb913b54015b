"""Real files of other projects, read by Decoct and beside it: what was read, read in part and said, refused and said, or lost.

    python benchmarks/real_files.py FOLDER [--out FILE] [--rows FILE]

FOLDER holds source distributions as `pip download --no-deps --no-binary :all: NAME` fetches them; their documents and test files are
read (at most `_MOST` a suffix and package, of different content). Beside Decoct's parser stands a plain reading of the same bytes: all text
of the markup, by lxml, zipfile, email, csv or pdfplumber, in whatever order. `numbers lost` are tokens with a digit that the plain reading
holds and Decoct's text (or the document's title, metadata and notes) does not; a file that loses one and does not say so is `to look at`.
The plain reading sees what no reader of the page sees (hidden and deleted text, navigation, fields' codes), so each of these is looked at
by eye; what was found is written in lab/docs/documents.md.
"""

from __future__ import annotations

import email
import email.policy
import hashlib
import io
import json
import re
import tarfile
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from lxml import etree
from setting import command_line, setting, tell, write

from decoct.data import Document
from decoct.documents.base import Failure, Source
from decoct.documents.code import GRAMMARS
from decoct.documents.formats import SUFFIXES, parse

_MOST = 6
_PLAIN_TEXT = 1  # of source code and plain text, which are read as they stand
_LARGEST = 1024 * 1024
_AS_IT_STANDS = frozenset({".txt", ".md", ".rst", ".json"})
_OLD = frozenset({".doc", ".xls", ".ppt"})
_NUMBER = re.compile(r"\w*\d\w*")


def files(folder: Path) -> Iterator[tuple[str, str, bytes]]:
    """Package, path and content of each file that may be a document."""
    for archive in sorted(folder.iterdir()):
        taken: Counter[str] = Counter()
        for path, data in _members(archive):
            suffix = PurePosixPath(path).suffix.lower()
            most = _PLAIN_TEXT if suffix in GRAMMARS or suffix in _AS_IT_STANDS else _MOST
            if (suffix in SUFFIXES or suffix in _OLD) and data and len(data) <= _LARGEST and taken[suffix] < most:
                taken[suffix] += 1
                yield re.sub(r"\.(tar\.gz|zip|tgz)$", "", archive.name), path, data


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    if archive.name.endswith(".zip"):
        with zipfile.ZipFile(archive) as opened:
            for name in sorted(opened.namelist()):
                yield name, opened.read(name)
        return
    with tarfile.open(archive) as opened:
        for member in sorted(opened.getmembers(), key=lambda one: one.name):
            if member.isfile() and (stream := opened.extractfile(member)) is not None:
                yield member.name, stream.read()


def plain(path: str, data: bytes) -> str | None:
    """All text of the file by other means than Decoct's; None where there is none for its kind."""
    reader = _PLAIN.get(PurePosixPath(path).suffix.lower())
    try:
        return reader(data) if reader else None
    except Exception:  # noqa: BLE001 - what other readers raise for files that were made to be broken
        return None


def _markup(data: bytes, *, html: bool = False) -> str:
    parser = etree.HTMLParser(encoding="utf-8") if html else etree.XMLParser(resolve_entities=False, recover=True)
    tree = etree.fromstring(data, parser)
    for one in tree.iter("script", "style", "template", "noscript", "head") if html else ():
        one.clear(keep_tail=True)
    return " ".join(tree.itertext())


def _of_zip(*names: str, tags: tuple[str, ...] = ()) -> Callable[[bytes], str]:
    """The text of the parts whose names match, of elements with these local names or of all."""

    def read(data: bytes) -> str:
        said = []
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            for name in opened.namelist():
                if any(re.fullmatch(one, name) for one in names):
                    tree = etree.fromstring(opened.read(name), etree.XMLParser(resolve_entities=False))
                    if not tags:
                        said.append(" ".join(tree.itertext()))
                        continue
                    for block in tree.iter("{*}p", "{*}si"):  # a word may stand in several runs
                        said.append("".join(map(_run, block.iter(*(f"{{*}}{tag}" for tag in tags)))))
        return " ".join(said)

    return read


def _run(text: etree._Element) -> str:
    """The words of a run; those that stand raised or lowered go on from none: "10" and a raised "3" are not 103."""
    run = text.getparent()
    style = run.find("{*}rPr") if run is not None else None
    raised = style is not None and (style.find("{*}vertAlign") is not None or style.get("baseline", "0") != "0")
    return f" {text.text} " if raised else text.text or ""


def _mail(data: bytes) -> str:
    message = email.message_from_bytes(data, policy=email.policy.default)
    texts = [one for one in message.walk() if one.get_content_maintype() == "text" and not one.is_attachment()]
    return " ".join(
        _markup(one.get_content().encode(), html=True) if one.get_content_subtype() == "html" else one.get_content()
        for one in texts
    )


def _notebook(data: bytes) -> str:
    cells = json.loads(data).get("cells", [])
    return " ".join("".join(cell["source"]) for cell in cells)


def _csv(data: bytes) -> str:
    return data.decode("utf-8")


def _pdf(data: bytes) -> str:
    import pdfplumber

    with pdfplumber.open(io.BytesIO(data)) as opened:
        words = (page.extract_words(extra_attrs=["size"]) for page in opened.pages)  # raised letters are smaller
        return "\n".join(" ".join(word["text"] for word in page) for page in words)


_PLAIN: dict[str, Callable[[bytes], str]] = {
    ".docx": _of_zip(r"word/(document|footnotes|endnotes|header\d*|footer\d*)\.xml", tags=("t",)),
    ".pptx": _of_zip(r"ppt/(slides|notesSlides)/[^/]+\.xml", tags=("t",)),
    ".xlsx": _of_zip(r"xl/sharedStrings\.xml", tags=("t",)),
    ".odt": _of_zip(r"content\.xml"),
    ".ods": _of_zip(r"content\.xml"),
    ".odp": _of_zip(r"content\.xml"),
    ".epub": _of_zip(r".*\.x?html?"),
    ".html": lambda data: _markup(data, html=True),
    ".htm": lambda data: _markup(data, html=True),
    ".xhtml": lambda data: _markup(data, html=True),
    ".xml": _markup,
    ".docbook": _markup,
    ".eml": _mail,
    ".ipynb": _notebook,
    ".csv": _csv,
    ".tsv": _csv,
    ".jsonl": _csv,
    ".md": _csv,
    ".rst": _csv,
    ".txt": _csv,
    ".srt": _csv,
    ".pdf": _pdf,
}


def judged(package: str, path: str, data: bytes) -> dict[str, Any]:
    """One row: how the file ended, and what the plain reading holds beyond it."""
    began = time.perf_counter()
    found = list(parse(Source.of(path, data)))
    seconds = time.perf_counter() - began
    documents = [one for one in found if isinstance(one, Document)]
    failures = [one.reason for one in found if isinstance(one, Failure)]
    notes = [str(one.metadata["left_out"]) for one in documents if "left_out" in one.metadata]
    beside = plain(path, data)
    lost: list[str] = []
    if documents and beside is not None:
        ours = "\n".join(
            [*(f"{one.text}\n{one.title}\n{dict(one.metadata)}\n{one.id}" for one in documents), *failures]
        )
        held = Counter(_NUMBER.findall(_letters(ours)))
        glued = re.sub(r"\W+", "", _letters(ours))
        lost = sorted(one for one in set(_NUMBER.findall(_letters(beside))) - held.keys() if one not in glued)
    ended = "refused" if not documents else "in part" if failures or notes else "read"
    return {
        "package": package, "path": path, "suffix": PurePosixPath(path).suffix.lower(), "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest()[:16], "documents": len(documents), "ended": ended, "seconds": round(seconds, 3),
        "characters": sum(len(one.text) for one in documents), "said": [*failures, *notes][:5], "compared": beside is not None,
        "numbers_lost": lost[:20], "numbers_lost_count": len(lost),
    }  # fmt: skip


def _letters(text: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFKC", text).lower().replace("\xad", "")


def main() -> None:
    """Read the files of the folder, print the table and write the result."""
    parser = command_line(__doc__, out="documents/real-files.json")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=Path)
    given = parser.parse_args()
    rows, seen = [], set()
    for package, path, data in files(given.folder):
        digest = hashlib.sha256(data).digest()
        if digest not in seen:
            seen.add(digest)
            rows.append(judged(package, path, data))
            tell(f"{len(rows)}: {path}")
    if given.rows:
        given.rows.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    table = []
    by_suffix: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_suffix[row["suffix"]].append(row)
    for suffix, of_it in sorted(by_suffix.items()):
        ended = Counter(row["ended"] for row in of_it)
        compared = [row for row in of_it if row["compared"] and row["documents"]]
        table.append({
            "suffix": suffix, "files": len(of_it), **{name: ended[name] for name in ("read", "in part", "refused")},
            "compared": len(compared), "to look at": sum(bool(row["numbers_lost"]) and not row["said"] for row in compared),
            "seconds": round(sum(row["seconds"] for row in of_it), 1), "MB": round(sum(row["bytes"] for row in of_it) / 2**20, 2),
        })  # fmt: skip
    for line in table:
        print(line)
    packages = sorted({row["package"] for row in rows})
    write(
        given.out,
        {
            **setting(),
            "packages": packages,
            "files": len(rows),
            "formats": len(by_suffix),
            "by suffix": table,
            "rows": rows,
        },
    )


if __name__ == "__main__":
    main()
