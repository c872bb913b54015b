"""Subtitles (`.srt`, `.vtt`): what is said, as running text, with time codes as places.

Cues are put together to paragraphs that end where a sentence does, some twenty seconds long. The time at which a paragraph begins stands
on a line of its own before it and is a heading, so that a citation names it. Marks of style are taken away; a speaker (`<v Ann>`) is
named.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.canonical import one_line
from decoct.documents.text import read_text
from decoct.errors import ParseError

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}"
_CUE = re.compile(rf"^[ \t]*{_TIME}[ \t]+-->[ \t]+{_TIME}[^\n]*\n((?:[^\n]*\S[^\n]*(?:\n|\Z))*)", re.MULTILINE)
_VOICE = re.compile(r"<v(?:\.[\w.]+)?[ \t]+([^>]+)>")
_STYLE = re.compile(r"</?[A-Za-z][^<>\n]*>|<\d[\d:.]*>|\{\\[^{}\n]*\}")
_ENDS = re.compile(r"[.!?…。！？][\"'”’»)]*\Z")
_SECONDS, _MOST = 20, 120  # of a paragraph: at least, where a sentence ends; at most


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a file of subtitles."""
    text, notes = read_text(source)
    cues = [(_seconds(found.group(1, 2, 3)), _words(found[7])) for found in _CUE.finditer(text)]
    if not cues:
        raise ParseError("it holds no subtitles with times, whatever its name says")
    written, headings, at = [], [], 0
    for begin, words in _paragraphs(cues):
        time = f"{begin // 3600:02}:{begin // 60 % 60:02}:{begin % 60:02}"
        headings.append((at, at + len(time)))
        written.append(f"{time}\n{words}")
        at += len(written[-1]) + 2
    if not written:
        raise ParseError("it holds no text")
    yield source.document("\n\n".join(written), metadata=notes, headings=headings)


def _seconds(parts: Sequence[str | None]) -> int:
    hours, minutes, seconds = (int(part or 0) for part in parts)
    return hours * 3600 + minutes * 60 + seconds


def _words(cue: str) -> str:
    return one_line(html.unescape(_STYLE.sub("", _VOICE.sub(r"\1: ", cue))))


def _paragraphs(cues: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    said: list[str] = []
    begin = 0
    for time, words in cues:
        if said and (time - begin >= _MOST or (time - begin >= _SECONDS and _ENDS.search(said[-1]))):
            yield begin, " ".join(said)
            said = []
        if words and words not in said[-1:]:  # rolling captions repeat their last line
            begin = begin if said else time
            said.append(words)
    if said:
        yield begin, " ".join(said)
