"""Outlook's messages, and files of Office before 2007: read, converted where LibreOffice is, refused by name otherwise."""

from __future__ import annotations

import shutil
import stat
import struct
import subprocess
from pathlib import Path

import docx
import pytest
from compound_file import Tree, compound_file

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.formats import OLE, detect_format
from decoct.documents.formats import parse as parse_apart
from decoct.documents.office.ole import parse
from decoct.errors import ParseError

SUBJECT, BODY, HTML, HEADERS, SENDER, ADDRESS = 0x0037, 0x1000, 0x1013, 0x007D, 0x0C1A, 0x0C1F
NAME, EMAIL, FILE, SENT = 0x3001, 0x3003, 0x3707, 0x0039


def _properties(head: bytes, texts: dict[int, str], times: dict[int, int] | None = None) -> Tree:
    """A storage of MS-OXMSG with properties that are texts or times (in 100 ns since 1601)."""
    rows = [struct.pack("<HHIII", 0x1F, number, 6, 2 * len(said) + 2, 0) for number, said in texts.items()]
    rows += [struct.pack("<HHIQ", 0x40, number, 6, when) for number, when in (times or {}).items()]
    streams = {f"__substg1.0_{number:04X}001F": said.encode("utf-16-le") for number, said in texts.items()}
    return {"__properties_version1.0": head + b"".join(rows), **streams}


def message(texts: dict[int, str], *, to: tuple[str, str] = ("Bo Lind", "bo@example.org"), attached: str = "") -> bytes:
    """An Outlook message."""
    head = struct.pack("<8x4I8x", 1, int(bool(attached)), 1, int(bool(attached)))
    inside = dict(_properties(head, texts, {SENT: 133_500_000_000_000_000}))
    inside["__recip_version1.0_#00000000"] = _properties(bytes(8), {NAME: to[0], EMAIL: to[1]})
    if attached:
        inside["__attach_version1.0_#00000000"] = _properties(bytes(8), {FILE: attached})
    return compound_file(inside)


def read(name: str, data: bytes) -> Document:
    """What is read in this process, so that a changed PATH holds."""
    assert detect_format(Source.of(name, data))[0] is OLE
    (found,) = parse(Source.of(name, data))
    assert isinstance(found, Document)
    return found


def reason(name: str, data: bytes) -> str:
    with pytest.raises(ParseError) as caught:
        read(name, data)
    return str(caught.value)


def test_an_outlook_message_is_read_as_a_mail() -> None:
    texts = {SUBJECT: "Gate 7", BODY: "The gate opens at 8:15.\r\nÅse", SENDER: "Ann Vik", ADDRESS: "ann@example.org"}
    found = read("a.msg", message(texts, attached="plan.pdf"))
    assert found.title == "Gate 7"
    assert found.text.split("\n")[:2] == ["From: Ann Vik <ann@example.org>", "To: Bo Lind <bo@example.org>"]
    assert "The gate opens at 8:15.\nÅse" in found.text
    assert found.text.endswith("Attachments: plan.pdf")
    assert found.metadata["date"] == "2024-01-17T21:20:00+00:00"


def test_when_and_where_an_appointment_is_and_a_message_in_a_message_are_read() -> None:
    head, start = struct.pack("<8x4I8x", 1, 1, 1, 1), 133_500_000_000_000_000
    texts = {
        SUBJECT: "Gate 7",
        BODY: "Bring keys.",
        SENDER: "Vik, Ann",
        ADDRESS: "/o=Rig/cn=ann",
        0x8002: "Dock\\4, east",
    }
    inside = _properties(head[:24], {SUBJECT: "Keys", BODY: "In box 9."})
    tree = {
        **_properties(head, texts, {0x8000: start, 0x8001: start + 18_000_000_000, 0x8003: 0x0CB34557A3DD4000}),
        "__nameid_version1.0": {
            "__substg1.0_00030102": b"".join(
                struct.pack("<IHH", one, 6, at) for at, one in enumerate((0x820D, 0x820E, 0x8208, 0x8105))
            )
        },
        "__attach_version1.0_#00000000": {**_properties(bytes(8), {}), "__substg1.0_3701000D": inside},
    }
    said = read("a.msg", compound_file(tree)).text
    assert said.startswith('From: "Vik, Ann"\nSubject: Gate 7\n\nBring keys.')
    assert (
        "Start: 2024-01-17 21:20 UTC\nEnd: 2024-01-17 21:50 UTC\nLocation: Dock\\4, east\n\nSubject: Keys\n\nIn box 9."
        in said
    )


@pytest.mark.parametrize(
    ("name", "data", "module"),
    [
        ("a.doc", b"{\\rtf1 x}", "rtf"),
        ("a.doc", b"<html><p>x</p></html>", "html"),
        ("graph.dot", b"digraph { a }", "text"),
    ],
)
def test_other_files_of_such_names_are_what_they_are(name: str, data: bytes, module: str) -> None:
    assert detect_format(Source.of(name, data))[0].module.rpartition(".")[2] == module


def test_headers_that_came_with_it_win() -> None:
    headers = "From: Ann <a@example.org>\r\nTo: All <all@example.org>\r\nDate: Mon, 5 Feb 2024 10:00:00 +0100\r\n"
    found = read("x.bin", message({SUBJECT: "S", BODY: "Words.", HEADERS: headers}))
    assert found.metadata == {
        "from": "Ann <a@example.org>",
        "to": "All <all@example.org>",
        "date": "2024-02-05T10:00:00+01:00",
    }


def test_what_cannot_be_read_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "install LibreOffice" in reason("a.doc", compound_file({"WordDocument": b"x" * 600}))
    assert "save it as .xlsx" in reason("a.xls", compound_file({"Workbook": b"x" * 600}))
    assert "encrypted" in reason("a.docx", compound_file({"EncryptedPackage": b"x"}))
    assert "another program" in reason("a.vsd", compound_file({"VisioDocument": b"x"}))
    assert "damaged" in reason("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    assert "no text" in reason("a.msg", compound_file({"__properties_version1.0": b"x"}))


def test_what_libreoffice_makes_of_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = docx.Document()
    made.add_paragraph("The lift carries 8 people.")
    made.save(str(tmp_path / "made.docx"))
    program = tmp_path / "soffice"
    program.write_text(
        f'#!/bin/sh\nwhile [ "$1" != --outdir ]; do shift; done\n/bin/cp "{tmp_path}/made.docx" "$2/document.docx"\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = read("old/lift.doc", compound_file({"WordDocument": b"x" * 600}))
    assert (found.id, found.text) == ("old/lift.doc", "The lift carries 8 people.")
    program.write_text("#!/bin/sh\necho no filter >&2\nexit 3\n")
    assert "no filter" in reason("lift.doc", compound_file({"WordDocument": b"y" * 600}))


@pytest.mark.services
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize(("new", "old"), [("docx", "doc"), ("xlsx", "xls"), ("pptx", "ppt")])
def test_files_of_old_office_are_read_by_libreoffice(tmp_path: Path, new: str, old: str) -> None:
    source = tmp_path / f"lift.{new}"
    if new == "docx":
        document = docx.Document()
        document.add_paragraph("The lift carries 8 people.")
        document.save(str(source))
    elif new == "xlsx":
        import openpyxl

        book = openpyxl.Workbook()
        book.active.append(["lift", "people"])
        book.active.append(["A", 8])
        book.save(source)
    else:
        import pptx

        slides = pptx.Presentation()
        slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text = "The lift carries 8 people."
        slides.save(str(source))
    settings = f"-env:UserInstallation=file://{tmp_path}/settings"
    subprocess.run(
        ["soffice", settings, "--headless", "--convert-to", old, "--outdir", str(tmp_path), str(source)],
        check=True,
        capture_output=True,
    )
    (found,) = parse_apart(Source.of(f"lift.{old}", (tmp_path / f"lift.{old}").read_bytes()))
    assert isinstance(found, Document)
    assert "8" in found.text
