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
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from decoct.data import Document
from decoct.documents.base import Failure, Source
from decoct.documents.canonical import one_line
from decoct.documents.mail import message_document
from decoct.documents.package import parse as parse_package
from decoct.errors import ParseError

_OFFICE = {"WordDocument": "docx", "Workbook": "xlsx", "Book": "xlsx", "PowerPoint Document": "pptx"}
"""The stream by which each program's files are known, and what they are converted to."""
_MESSAGE, _LOCKED = "__properties_version1.0", "EncryptedPackage"


def parse(source: Source) -> Iterator[Document | Failure]:
    """Yield the document of a message, or of what LibreOffice made of an old Office file."""
    import olefile

    data = source.read()
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as opened:
            streams = {"/".join(path) for path in opened.listdir()}
    except (OSError, ValueError, IndexError, TypeError) as error:  # whatever a damaged file makes olefile raise
        raise ParseError("its data is damaged: fetch or save it again") from error
    if _LOCKED in streams:
        raise ParseError("it is encrypted: save a copy without a password")
    if _MESSAGE in streams:
        yield message_document(_as_mail(data), source)
        return
    kind = next((made for stream, made in _OFFICE.items() if stream in streams), "")
    if not kind:
        raise ParseError(
            "it is an old Office file of another program than Word, Excel, PowerPoint or Outlook: save it as PDF"
        )
    made = _converted(data, kind)
    yield from parse_package(replace(source, opener=lambda: io.BytesIO(made)))


def _as_mail(data: bytes) -> bytes:
    """An Outlook message as an e-mail: its headers, both its texts, and attachments by name."""
    import oxmsg

    try:
        message = oxmsg.Message.load(data)
        mail = EmailMessage()
        for name, said in _headers(message).items():
            if line := one_line(said):
                mail[name] = line
        mail.set_content(message.body or "")
        if message.html_body:
            mail.add_alternative(message.html_body, subtype="html")
        for one in message.attachments:
            name = one_line(one.file_name or "attachment")
            mail.add_attachment(b"", maintype="application", subtype="octet-stream", filename=name)
        return mail.as_bytes()
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, LookupError) as error:
        raise ParseError("its message is damaged: save it again, or as .eml") from error


def _headers(message: Any) -> dict[str, str]:  # noqa: ANN401 - oxmsg's types do not tell of what may be missing
    known = {name.lower(): said for name, said in message.message_headers.items()}
    to = ", ".join(f"{one.name} <{one.email_address}>" for one in message.recipients)
    date = format_datetime(message.sent_date) if message.sent_date else ""
    return {
        "From": message.sender or "",
        "To": known.get("to", to),
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
