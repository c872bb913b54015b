"""Damaged files of every format: a document, a failure, never anything else, never a hang, never a file touched.

Seeds are small good files. Mutations are those of a fuzzer: bits, bytes, blocks deleted, doubled, exchanged, overwritten with hostile
numbers, tokens of the format strewn in, two files spliced. For zip files the parts inside are damaged too, as damage
outside only meets the checksum. Everything is seeded: a failing case names its number, and `_damaged(number)` gives it back.
"""

from __future__ import annotations

import gzip
import io
import random
import re
import time
import zipfile
from functools import cache
from pathlib import Path

import docx
import pytest
from minimal_pdf import minimal_pdf
from small_files import book, deck, message, workbook

from decoct.data import Document
from decoct.documents.base import Failure, Limits
from decoct.documents.formats import parse
from decoct.documents.sources import sources

LIMITS = Limits(seconds=20)
PATIENCE = 300.0  # seconds for one file of a few KB: a hang, not a slow machine
TOKENS = (
    *(b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc2\x85", b"\xe2\x80\xa8", b"\f", b"\r\n", b'"'),
    *(b"{", b"[" * 50, b"\\ud800", b"1e999", b"NaN", b"9" * 30, b"-1"),
    *(
        b"<div>" * 50,
        b"</",
        b"<!--",
        b"<![CDATA[",
        b"&#0;",
        b"w:hyperlink",
        b"<w:p>",
        b"<!DOCTYPE x [<!ENTITY a 'b'>]>",
    ),
    *(b"---\n", b"](", b"```"),
    *(b"%PDF-1.4", b"stream", b"endobj", b"xref", b"/Kids [2 0 R]", b"obj", b"<<" * 50),
    *(b"PK\x03\x04", b"\x1f\x8b\x08"),
    *(b"\n.SH ", b"\n.so /etc/passwd\n", b"\\f(BI", b"\n.de x\n.x\n..\n.x\n", b"\n.TS\n", b"\n.while 1 .nop\n"),
    *(
        b"\n.. note::\n\n   ",
        b":ref:`",
        b"\n====\n",
        b"|x|_",
        b"+---+\n",
        b"<sup>" * 40,
        b"<math><msup>",
        b"<a href=#x>",
    ),
    *(b'<c r="XFD1048576">', b'<row r="99999999">', b"<a:t>", b'baseline="9"', b"<itemref idref='c0'/>", b"../" * 9),
    *(
        b"\nContent-Type: multipart/mixed; boundary=b\n\n--b\n",
        b"=?utf-8?q?=ff?=",
        b"\nContent-Type: message/rfc822\n\n",
    ),
)


def _docx() -> bytes:
    made = docx.Document()
    made.add_heading("A heading", 1)
    made.add_paragraph("Words of a paragraph, and more of them.")
    table = made.add_table(2, 2)
    table.cell(0, 0).text = "cell"
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def _zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return out.getvalue()


@cache
def _seeds() -> tuple[tuple[str, bytes], ...]:
    front = b"---\ntitle: T\naliases: [a, b]\n---\n"
    markdown = (
        front + b'# Head\n\nA [link](to.md "t") and `code`.\n\n| a | b |\n|---|---|\n| [x](y) | 1 |\n\n> - quoted\n'
    )
    head = b"<!DOCTYPE html><html><head><meta charset=utf-8><title>T</title></head><body><nav>n</nav>"
    body = b"<main><h1>Head</h1><p>A <a href='x'>link</a>.</p><pre> c</pre><table><tr><td>1<td>2</table></main>"
    page = head + body + b"</body></html>"
    lines = b'{"id": "1", "title": "T", "text": "words", "names": ["N"], "year": 1912}\n'
    lines += b'{"_id": 2, "text": "more", "metadata": {"a": 1.5}}\n'
    table = b'id,title,text\n1,T,"words, and\nmore"\n2,U,other\n'
    pdf = minimal_pdf(["First page\nwith words", "Second page"], title="A title", bookmarks=[("First page", 0)])
    plain = "Plain words – in UTF-8.\n\nAnd a second paragraph. ".encode() * 4
    rst = b"=====\nTitle\n=====\n\nA :ref:`role <x>` and `link <http://e.org>`_.\n"
    rst += b"\n.. note:: Words\n\n===  ===\na    b\n===  ===\n1    2\n===  ===\n"
    roff = (
        b".TH SOW 1\n.SH NAME\nsow \\- put peas\n.SH OPTIONS\n.TP\n.B \\-d\nHow \\fIdeep\\fR.\n.TS\nl l.\na\tb\n.TE\n"
    )
    mail = message("words\n", "<p>2<sup>8</sup></p>", {"a.bin": b"x"}).as_bytes()
    formulas = b"<title>1. T - U</title><h1>1. T</h1><p>2<sup>64</sup><math><msup><mn>2</mn><mn>6</mn></msup></math><pre>a <b>b</b>\n</pre>"
    notebook = b'{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": ["# T"]}, {"cell_type": "code", "source": "1", "outputs": '
    notebook += b'[{"output_type": "stream", "text": ["x"]}, {"data": {"text/html": "<p>w</p>"}}]}]}'
    xml = b'<?xml version="1.0"?><!DOCTYPE book SYSTEM "b.dtd"><book><title>T</title><para>A <b>w</b>.</para></book>'
    names = "xmlns:office='urn:oasis:names:tc:opendocument:xmlns:office:1.0' xmlns:text='urn:oasis:names:tc:opendocument:xmlns:text:1.0'"
    inside = "<office:body><text:h>T</text:h><text:p>w</text:p></office:body>"
    odt = f"<office:document-content {names}>{inside}</office:document-content>".encode()
    cells = "<t:table-row><t:table-cell t:number-columns-repeated='2'><text:p>9</text:p></t:table-cell></t:table-row>"
    sheet = f"<office:body><office:spreadsheet><t:table t:name='S'>{cells}</t:table></office:spreadsheet></office:body>"
    table_names = f"{names} xmlns:t='urn:oasis:names:tc:opendocument:xmlns:table:1.0'"
    ods = f"<office:document-content {table_names}>{sheet}</office:document-content>".encode()
    old = b"<Workbook xmlns='urn:schemas-microsoft-com:office:spreadsheet' xmlns:s='urn:schemas-microsoft-com:office:spreadsheet'>"
    old += b"<Styles><Style s:ID='p'><NumberFormat s:Format='0%'/></Style></Styles><Worksheet s:Name='S'><Table><Row s:Index='2'>"
    old += b"<Cell s:MergeAcross='1' s:StyleID='p'><Data s:Type='Number'>0.5</Data></Cell></Row></Table></Worksheet></Workbook>"
    tex = rb"\newif\ifx \newcommand{\p}[1]{P #1}\begin{document}\section{T} \p{8} \SIrange{1}{2}{\metre} \iffalse n \else y \fi"
    tex += rb"\begin{tabular}{ll}a & \multicolumn{1}{c}{b}\\1 & 2\end{tabular} \cite[5]{k} $x^2$ \verb|z| \sout{s}\end{document}"
    return (
        ("a.tex", tex),
        ("b.xml", old),
        ("a.ods", _zipped({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet", "content.xml": ods})),
        ("c.csv", b"R;2023;\n;U;V\nN;1;2\nM;3;4\n\nItem;Q;P;X\nLamp;2;3;4\nSofa;1;2;3\n"),
        ("a.txt", plain),
        ("a.rst", rst),
        ("a.1", roff),
        ("a.eml", mail),
        ("b.html", formulas * 3),
        ("a.pptx", deck([("Title", "words"), ("Second", "more")], "a note")),
        ("a.xlsx", workbook({"S": [["a", "b"], ["x", 1.5], ["y", None]]})),
        ("a.epub", book(["<h1>One</h1><p>words <a href='x'>link</a></p>", "<p>more</p>"])),
        ("a.rtf", rb"{\rtf1\ansi{\info{\title T}}\pard Words \'e9 \u8364?\par\trowd\cellx9\intbl a\cell b\cell\row}"),
        ("a.ipynb", notebook),
        ("a.vtt", b"WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ann>Words &amp; more.\n" * 3),
        ("a.xml", xml),
        ("a.mbox", b"From a@example.org Mon Feb  5 10:00:00 2024\n" + mail + b"\n" + b"From b Mon 2024\n" + mail),
        (
            "a.mht",
            b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n"
            + page
            + b"\n--b--\n",
        ),
        ("a.odt", _zipped({"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": odt})),
        ("x.zip", _zipped({"a.md": markdown, "b/c.csv": table})),
        ("a", plain),
        ("wide.txt", plain.decode().encode("utf-16")),
        ("a.md", markdown),
        ("a.html", page),
        ("a.csv", table),
        ("a.jsonl", lines),
        ("a.json", b"[" + lines.strip().replace(b"\n", b",") + b"]"),
        ("a.pdf", pdf),
        ("a.docx", _docx()),
        ("a.jsonl.gz", gzip.compress(lines * 20)),
        ("a.md.gz", gzip.compress(markdown)),
    )


def _mutated(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at, end = sorted((rng.randrange(len(out) + 1), rng.randrange(len(out) + 1)))
        match rng.randrange(8):
            case 0 if out:
                out[at % len(out)] ^= 1 << rng.randrange(8)
            case 1 if out:
                out[at % len(out)] = rng.randrange(256)
            case 2:
                del out[at : at + rng.randrange(1, 64)]
            case 3:
                out[at:at] = out[at : min(end, at + 256)] * rng.randrange(1, 8)
            case 4:
                out[at:at] = rng.choice(TOKENS) * rng.choice((1, 1, 1, 40))
            case 5:
                out[at : at + 4] = rng.choice((b"\x00" * 4, b"\xff" * 4, b"\x7f\xff\xff\xff", b"\x00\x00\x00\x80"))
            case 6:
                del out[at:]
            case _:
                _, other = rng.choice(_seeds())
                cut = rng.randrange(len(other))
                out[at:end] = other[cut : cut + rng.randrange(1, 512)]
    return bytes(out)


_BODY = re.compile(r"content.xml|document.xml|slide\d+.xml|sheet\d+.xml|workbook.xml|[.]opf|c \d.xhtml|container.xml")


def _mutated_inside(data: bytes, rng: random.Random) -> bytes:
    """A zip with some of its parts damaged, whole as a zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        victim = rng.choice([*old.namelist(), *(name for name in old.namelist() if _BODY.search(name))])
        for name in old.namelist():
            new.writestr(name, _mutated(old.read(name), rng) if name == victim else old.read(name))
    return out.getvalue()


def _damaged(number: int) -> tuple[str, bytes]:
    rng = random.Random(number)
    name, data = rng.choice(_seeds())
    inside = rng.random() < 0.6
    if name.endswith((".docx", ".pptx", ".xlsx", ".epub", ".odt", ".ods", ".zip")) and inside:
        return name, _mutated_inside(data, rng)
    if name.endswith(".gz") and inside:
        return name, gzip.compress(_mutated(gzip.decompress(data), rng), mtime=0)
    return name, _mutated(data, rng)


def _check(number: int, folder: Path) -> None:
    name, data = _damaged(number)
    file = folder / f"{number}-{name}"
    file.write_bytes(data)
    start = time.monotonic()
    found = [
        item
        for source in sources([file], limits=LIMITS)
        for item in ([source] if isinstance(source, Failure) else parse(source))
    ]
    assert time.monotonic() - start < PATIENCE, f"case {number} ({name}) takes too long"
    assert found, f"case {number} ({name}) gave neither a document nor a failure"
    for item in found:
        if isinstance(item, Document):
            _sound(item)
        else:
            assert item.reason
            assert "its reader gave up" not in item.reason, f"case {number} ({name}): {item.reason}"
            assert item.source.startswith(str(file))
    assert file.read_bytes() == data
    file.unlink()


def _sound(document: Document) -> None:
    assert document.text.strip()
    "".join([document.id, document.title, document.source, document.text, *document.names, *document.metadata]).encode(
        "utf-8"
    )
    assert "\0" not in document.text
    for start, end in [*document.headings, *((link.start, link.end) for link in document.links)]:
        assert 0 <= start < end <= len(document.text)


@pytest.mark.parametrize("block", range(6))
def test_damaged_files(block: int, tmp_path: Path) -> None:
    before = sorted(Path.cwd().iterdir())
    for number in range(block * 100, block * 100 + 100):
        _check(number, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert sorted(Path.cwd().iterdir()) == before


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ten_thousand_damaged_files(tmp_path: Path) -> None:
    for number in range(1_000, 11_000):
        _check(number, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_seeds_themselves_are_good() -> None:
    from reading import read

    for name, data in _seeds():
        found = read(name, data)
        assert found
        assert all(isinstance(item, Document) for item in found), name
