"""Headings of real documents as questions to the sections under them: relevance in text of manuals, without a label made by hand.

A heading of three words and more names what its section tells ("Creating forms from models"), so the section is evidence for it, and
another section of the same document is not. Nothing is learned of spans or of answering from these.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from decoct.data import Document
from decoct.text.sentences import sentences
from decoct_lab.train.reader.example import ReaderExample
from decoct_lab.train.reader.questions import PassageToAsk

_SHORTEST, _LONGEST = 150, 1200  # characters of a section's text that is shown
_NEXT_MARK = re.compile(r"\n#+\s*\Z")  # a heading begins behind its marks in Markdown
_EACH = 3  # headings of one document


def passages_of(folders: Sequence[Path], seed: int) -> Iterator[PassageToAsk]:
    """Sections of the folders' documents in a random order fixed by the seed, each beside another section of its document."""
    chance = random.Random(seed)
    for folder in folders:
        for document in _documents(folder, chance):
            found = [section for _, section in _sections(document)]
            if len(found) >= 2:
                text = chance.choice(found)
                other = chance.choice([section for section in found if section != text] or [None])
                yield PassageToAsk(
                    folder.name, f"{folder.name}/{document.title or document.id}", document.title, text, other
                )


def heading_examples(folders: Mapping[str, Path], most: int, seed: int) -> list[ReaderExample]:
    """At most `most` headings of each folder's documents, each with its section and with another of the same document."""
    made: list[ReaderExample] = []
    for name, folder in folders.items():
        chance = random.Random(f"{seed}:{name}")
        found: list[ReaderExample] = []
        for document in _documents(folder, chance):
            found += _of_document(document, name, chance)
            if len(found) >= 2 * most:
                break
        made += found[: 2 * most]
    return made


def _documents(folder: Path, chance: random.Random) -> Iterator[Document]:
    from decoct.documents.base import Failure
    from decoct.documents.formats import parse
    from decoct.documents.sources import sources

    paths = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in (".html", ".rst", ".md", ".txt", ".gz")
    ]
    chance.shuffle(paths)
    for path in paths:
        for source in sources([path]):
            for document in () if isinstance(source, Failure) else parse(source):
                if isinstance(document, Document) and len(document.headings) > 3:
                    yield document


def _of_document(document: Document, name: str, chance: random.Random) -> Iterator[ReaderExample]:
    found = [
        (heading, section) for heading, section in _sections(document)
        if 3 <= len(heading.split()) <= 14 and heading.lower() not in section[:300].lower()
    ]  # fmt: skip
    if len({section for _, section in found}) < 2:
        return
    for heading, section in chance.sample(found, min(_EACH, len(found))):
        asked = chance.choice((heading, heading, f"How do I do this: {heading}", f"What is said about {heading}?"))
        example = ReaderExample(
            name, "heading", f"{name}/{document.title or document.id}", asked, document.title, section, relevance=True,
        )  # fmt: skip
        yield example
        _, other = chance.choice([pair for pair in found if pair[1] != section])
        silent = tuple((start, end, False) for start, end in sentences(other))
        yield ReaderExample(
            name, "other-section", example.document, asked, document.title, other, answers=False, relevance=False, sentences=silent
        )  # fmt: skip


def _sections(document: Document) -> list[tuple[str, str]]:
    """Headings and the text up to the next heading, where there is enough of it."""
    starts = [start for start, _ in document.headings] + [len(document.text)]
    found = []
    for row, (start, end) in enumerate(document.headings):
        section = _NEXT_MARK.sub("", document.text[end : starts[row + 1]]).strip()
        if len(section) >= _SHORTEST:
            found.append((" ".join(document.text[start:end].split()).strip("¶# ."), section[:_LONGEST]))
    return found
