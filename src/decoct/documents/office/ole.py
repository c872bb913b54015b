"""Files of Office before 2007, and of Outlook: the compound files that hold them are all alike outside, and told apart by their streams.

- A message (`.msg`) is read by python-oxmsg and goes the way of every e-mail (`mail`).
- Word, Excel and PowerPoint (`.doc .xls .ppt`) are converted by LibreOffice where it is installed (`soffice`), in an empty
  folder and with settings of its own, and go the way of what they became (`package`). Without it the error says so.
- A package behind a password is refused.
"""

from __future__ import annotations

import io
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, formataddr
from pathlib import Path
from typing import Any

from decoct.data import Document
from decoct.documents.base import Failure, Source
from decoct.documents.canonical import one_line
from decoct.documents.messages.mail import message_document
from decoct.documents.package import parse as parse_package
from decoct.errors import ParseError

_OFFICE = {"WordDocument": "docx", "Workbook": "xlsx", "Book": "xlsx", "PowerPoint Document": "pptx"}
"""The stream by which each program's files are known, and what they are converted to."""
_NAMED = "__nameid_version1.0/__substg1.0_00030102"
"""The stream that tells which number a message's further properties have in it: eight bytes each."""
_WHEN_AND_WHERE = {0x820D: "DTSTART", 0x820E: "DTEND", 0x8208: "LOCATION", 0x8104: "DTSTART", 0x8105: "DUE"}
"""By their own numbers (MS-OXPROPS), properties of appointments and tasks, as calendars call them."""
_FIRST_NAMED, _NEVER = 0x8000, 4501  # a property's number, and a year
_SENDER = (0x0C1A, 0x0C1F, 0x5D01)  # its name and addresses
_INNER = "__substg1.0_3701000D"  # the storage of a message in an attachment
_MESSAGE, _LOCKED = "__properties_version1.0", "EncryptedPackage"


def parse(source: Source) -> Iterator[Document | Failure]:
    """Yield the document of a message, or of what LibreOffice made of an old Office file."""
    import olefile

    data = source.read()
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as opened:
            streams = {"/".join(path) for path in opened.listdir()}
            named = opened.openstream(_NAMED).read() if _NAMED in streams else b""
    except (OSError, ValueError, IndexError, TypeError) as error:  # whatever a damaged file makes olefile raise
        raise ParseError("its data is damaged: fetch or save it again") from error
    if _LOCKED in streams:
        raise ParseError("it is encrypted: save a copy without a password")
    if _MESSAGE in streams:
        yield message_document(_as_mail(data, named), source)
        return
    kind = next((made for stream, made in _OFFICE.items() if stream in streams), "")
    if not kind:
        raise ParseError(
            "it is an old Office file of another program than Word, Excel, PowerPoint or Outlook: save it as PDF"
        )
    made = _converted(data, kind)
    yield from parse_package(replace(source, opener=lambda: io.BytesIO(made)))


def _as_mail(data: bytes, named: bytes) -> bytes:
    """An Outlook message as an e-mail."""
    import oxmsg

    try:
        return _mail(oxmsg.Message.load(data), named).as_bytes()
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, LookupError, RecursionError) as error:
        raise ParseError("its message is damaged: save it again, or as .eml") from error


def _mail(message: Any, named: bytes) -> EmailMessage:  # noqa: ANN401 - oxmsg's types do not tell of what may be missing
    """Its headers, both its texts, when and where it is, messages in it, and other attachments by name."""
    mail = EmailMessage()
    for name, said in _headers(message).items():
        if line := one_line(said):
            mail[name] = line
    mail.set_content(message.body or "")
    if message.html_body:
        mail.add_alternative(message.html_body, subtype="html")
    if told := [*_when_and_where(message, named)]:
        mail.add_alternative("\n".join(["BEGIN:VEVENT", *told]), subtype="calendar")
    for one in message.attachments:
        inside = next((inner for inner in one._storage.storages if inner.name == _INNER), None)
        if inside is not None:
            # Its properties stand behind a head that is eight bytes shorter.
            streams = [
                replace(each, bytes_=each.bytes_[:24] + bytes(8) + each.bytes_[24:]) if each.name == _MESSAGE else each
                for each in inside.streams
            ]
            mail.add_attachment(_mail(type(message)(replace(inside, streams=tuple(streams))), named))
        else:
            name = one_line(one.file_name or "attachment")
            mail.add_attachment(b"", maintype="application", subtype="octet-stream", filename=name)
    return mail


def _when_and_where(message: Any, named: bytes) -> Iterator[str]:  # noqa: ANN401
    """The lines of a calendar for an appointment or a task."""
    said = {one.pid: one.value for one in message.properties if one.pid >= _FIRST_NAMED}
    for number, _, at in struct.iter_unpack("<IHH", named[: len(named) // 8 * 8]):
        value = said.get(_FIRST_NAMED + at)
        if isinstance(value, datetime):
            value = f"{value:%Y%m%dT%H%M%SZ}" if value.year < _NEVER else ""
        if value and number in _WHEN_AND_WHERE:
            yield f"{_WHEN_AND_WHERE[number]}:{one_line(str(value)).replace(chr(92), chr(92) * 2)}"


def _headers(message: Any) -> dict[str, str]:  # noqa: ANN401
    known = {name.lower(): said for name, said in message.message_headers.items()}
    texts = [message.properties.str_prop_value(number) or "" for number in _SENDER]
    address = next((one for one in texts[1:] if "@" in one), "")  # Exchange has another for its own people
    date = format_datetime(message.sent_date) if message.sent_date else ""
    return {
        "From": known.get("from") or formataddr((texts[0], address)).removesuffix(" <>"),
        "To": known.get("to", ", ".join(formataddr((one.name, one.email_address)) for one in message.recipients)),
        "Cc": known.get("cc", ""),
        "Date": known.get("date", date),
        "Subject": message.subject,
    }


def _converted(data: bytes, kind: str) -> bytes:
    """The file as LibreOffice saves it in today's format."""
    program = shutil.which("soffice") or shutil.which("libreoffice")
    if program is None:
        raise ParseError(f"it is an old Office file: install LibreOffice to read it, or save it as .{kind}")
    with tempfile.TemporaryDirectory(prefix="decoct-") as folder:
        given = Path(folder, "document")
        given.write_bytes(data)
        settings = f"-env:UserInstallation=file://{folder}/settings"
        command = [program, settings, "--headless", "--norestore", "--convert-to", kind, "--outdir", folder, str(given)]
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": folder, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(command, capture_output=True, cwd=folder, env=environment, check=False)
        made = given.with_suffix(f".{kind}")
        if not made.is_file():
            lines = done.stderr.decode("utf-8", "replace").splitlines()
            said = one_line(" ".join(line for line in lines if not line.startswith("Warning")))[:200]
            told = said or f"status {done.returncode}"
            raise ParseError(f"LibreOffice cannot convert it ({told}): save it as .{kind}, and without a password")
        return made.read_bytes()
