"""Mailboxes (`.mbox`, RFC 4155): every message is a document of its own, named after the line at which it begins.

A message begins at a line `From ` with a date, at the start of the file or behind a blank line. Lines of the text that were escaped
(`>From `) are restored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from decoct.data import Document
from decoct.documents.base import Failure, Source
from decoct.documents.messages.mail import message_document
from decoct.errors import ParseError

_BEGIN = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\d{4}[^\n]*\n")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)


def parse(source: Source) -> Iterator[Document | Failure]:
    """Yield a document or a failure for each message, in order."""
    data = source.read()
    begins = list(_BEGIN.finditer(data))
    if not begins or data[: begins[0].start()].strip():
        raise ParseError('it is not a mailbox, whatever its name says: a mailbox begins with a line "From "')
    line, counted = 1, 0
    for number, begin in enumerate(begins):
        line += data.count(b"\n", counted, begin.start())
        counted = begin.start()
        end = begins[number + 1].start() if number + 1 < len(begins) else len(data)
        try:
            message = _ESCAPED.sub(rb"\1", data[begin.end() : end])
            yield message_document(message, replace(source, name=f"{source.name}#{line}"))
        except ParseError as error:
            yield source.failure(str(error), "record", line)
