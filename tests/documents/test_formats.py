"""Which parser reads what, and the border of errors."""

from __future__ import annotations

import subprocess
import sys

import pytest
from minimal_pdf import minimal_pdf
from reading import one, read, refused

from decoct.documents.base import Failure, Source
from decoct.documents.formats import FORMATS, detect_format, parse


@pytest.mark.parametrize(
    ("name", "data", "media_type", "module"),
    [
        ("a.txt", b"words", "", "text"),
        ("a.MD", b"# words", "", "markdown"),
        ("a.htm", b"<p>words", "", "html"),
        ("a.tsv", b"a\tb", "", "table"),
        ("a.json.GZ", None, "", "jsonl"),
        ("README", b"words", "", "text"),
        ("page", b" <!-- x --> <!DOCTYPE html><p>words", "", "html"),
        ("page.php", b"<html><p>words", "", "html"),
        ("https://e.org/a.md?x=1.pdf", b"# words", "text/plain; charset=utf-8", "markdown"),
        ("https://e.org/a.md", b"<p>words", "text/html", "html"),
        ("https://e.org/a", b"id,text", "text/csv", "table"),
        ("https://e.org/a", b"words", "text/x-unknown", "text"),
        ("a.txt", b"%PDF-1.4", "", "pdf"),
        ("wide", "words".encode("utf-16"), "", "text"),
        ("wide", ("words and words " * 9).encode("utf-16-le"), "", "text"),
        ("odd.xyz", "Zürich".encode("cp1252"), "", "text"),
    ],
)
def test_format(name: str, data: bytes | None, media_type: str, module: str) -> None:
    import gzip

    source = Source.of(name, gzip.compress(b'{"text": "x"}') if data is None else data, media_type=media_type)
    assert detect_format(source)[0].module.rpartition(".")[2] == module


@pytest.mark.parametrize(
    "data",
    [
        b"wOFF\0\1\0\0" + bytes(range(256)) * 20,
        b"\x7fELF" + bytes(200),
        b"SQLite format 3\0" + b"text " * 500,
        bytes(10),
    ],
)
def test_what_is_no_known_format_says_what_is(data: bytes) -> None:
    reason = refused("file.bin", data)
    assert "format is not known" in reason
    assert "Markdown" in reason


def test_empty_files() -> None:
    for format_ in FORMATS:
        for suffix in format_.suffixes:
            assert refused("a" + suffix, b"") == "it is empty"
            for blank in (b"\n \t\n", b"\xef\xbb\xbf"):
                (failure,) = read("a" + suffix, blank)
                assert isinstance(failure, Failure)


def test_plain_text_is_untouched_but_for_line_ends() -> None:
    assert one("a.txt", b"  one\r\n\r\n two \x00\n").text == "  one\n\n two  \n"
    assert one("a.txt", b"x").title == ""


def test_a_source_that_breaks_while_read_is_a_failure() -> None:
    def broken() -> object:
        raise OSError(5, "Input/output error")

    (failure,) = parse(Source("a.txt", broken))  # type: ignore[arg-type]
    assert failure == Failure("a.txt", "it cannot be read: Input/output error", "unreadable")


def test_source_metadata_reaches_every_document() -> None:
    from dataclasses import replace

    cases = {
        "a.txt": b"x",
        "a.md": b"x",
        "a.html": b"x",
        "a.csv": b"text\nx",
        "a.jsonl": b'{"text": "x"}',
        "a.pdf": minimal_pdf(["x"]),
    }
    for name, data in cases.items():
        (document,) = parse(replace(Source.of(name, data), metadata={"set": "one"}))
        assert not isinstance(document, Failure)
        assert document.metadata["set"] == "one"


def test_parsers_are_imported_when_needed() -> None:
    program = (
        "import sys, decoct.documents.formats, decoct.documents.sources\n"
        "heavy = {'lxml', 'docx', 'pypdfium2', 'markdown_it', 'httpx', 'charset_normalizer'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
