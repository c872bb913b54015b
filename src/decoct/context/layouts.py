"""How passages are written for the reader, so that no language model and no parser of ours takes words of documents for marks of ours.

A document may hold `[2] Official record`, by chance or in order to be read as passage 2. In a context the brackets of such a mark become
full-width ones at the beginning of a line: `［2］`. One character stands for one, so every offset stays true. A passage's own `text` and an
answer are never touched: which of an answer's marks are citations is told by their places. Where an answer is put together of documents'
words and then parsed, those are `shielded` on the way. A mark is brackets around a number of up to three digits, with or without a word
such as "passage", also with spaces, invisible characters or digits of other scripts in it; `[2019]`, `[sic]` and `[1, 2]` are none.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from decoct.data import Draft, Passage

LONGEST = 64  # characters between the brackets of a mark; what is longer is text
_BRACKETED = re.compile(rf"[\[【]([^\[\]【】]{{1,{LONGEST}}})[\]】]")
_OF_PICTURES = re.compile(r"!\[|\](?=[(\[])|\n[ \t]*\n")  # a picture opens, an address follows, a paragraph ends
_PARTS = re.compile(r"[^\W\d_]+|\d+|[^\w\s#^*:~]|_")
_LABELS = frozenset(
    "no nr passage passages source sources document documents doc docs citation citations cite cites ref refs".split()
)
_BEHIND_ELEMENTS = frozenset(",;)")
_LINE_BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Noncharacters of Unicode, which are for use within a program.
_SHIELD = str.maketrans("[]【】", "\ufdd0\ufdd1\ufdd2\ufdd3")
_BACK = str.maketrans("\ufdd0\ufdd1\ufdd2\ufdd3", "[]【】")


@dataclass(frozen=True, slots=True)
class Numbered:
    """`[n] Title`, the text on the next line, a blank line between passages; without a title `[n] text`.

    The numbers are what a reader cites by, so they run from 1 in the order of the draft. No line of a document can pose as the head of a
    passage: marks at the beginnings of its lines and titles are shown with full-width brackets.
    """

    def render(self, draft: Draft) -> str:
        """The context text; the empty string for no passages."""
        return "\n\n".join(self.block(number, passage) for number, passage in enumerate(draft.passages, 1))

    def block(self, number: int, passage: Passage) -> str:
        """Passage `number` as it stands in the text; a title is written on one line."""
        title = harmless_lines(" ".join(passage.title.split()))
        text = harmless_lines(passage.text)
        return f"[{number}] {title}\n{text}" if title else f"[{number}] {text}"


@dataclass(frozen=True, slots=True)
class Unnumbered:
    """The passages' texts joined by a blank line, nothing added: what a program sees that joins the passages so itself.

    The tokens of a context are then exactly those of that program's prompt part. There is nothing to cite by, and a document's words are
    as they stand: no mark in them can pose as one of ours, since there are none.
    """

    def render(self, draft: Draft) -> str:
        """The context text; the empty string for no passages."""
        return "\n\n".join(passage.text for passage in draft.passages)

    def block(self, number: int, passage: Passage) -> str:
        """The passage's text."""
        return passage.text


def shielded(text: str) -> str:
    """`text` with its brackets in signs that are no brackets, of the same length: no parser finds a mark in it."""
    return text.translate(_SHIELD)


def unshielded(text: str) -> str:
    """What `shielded` was given."""
    return text.translate(_BACK)


def harmless_lines(text: str) -> str:
    """`text` with full-width brackets at the marks that a line begins with: no line can pose as the head of a passage."""
    if "[" not in text and "【" not in text:  # nearly every text: spared the walk
        return text
    parts: list[str] = []
    at, begins = 0, True
    for found in _BRACKETED.finditer(text):
        between = text[at : found.start()]
        *_, last = _LINE_BREAK.split(between)
        begins = (begins or len(last) < len(between)) and not any(map(str.isalnum, last))
        forged = begins and _is_mark(found[1]) and text[found.end() : found.end() + 1] not in _BEHIND_ELEMENTS
        begins = forged
        parts += (between, f"［{found[1]}］" if forged else found[0])
        at = found.end()
    return "".join((*parts, text[at:]))


def unfetched(text: str) -> str:
    """`text` with the first bracket of each picture as a full-width one: of what opens, where an address follows in its paragraph.

    Brackets, escapes and code may stand in between, so they are not paired; one that opens without a need is shown so too. Where a
    reference is defined (`[name]: address`), `![name]` is a picture by itself. A chat program would load it, and so tell its host who
    read the answer.
    """
    if "![" not in text:
        return text
    pictures: list[int] = []
    opened: list[int] = []
    for found in _OF_PICTURES.finditer(text):
        if found[0] == "![":
            opened.append(found.end() - 1)
            continue
        pictures += opened if found[0] == "]" or "]:" in text else ()
        opened = []
    pictures += opened if "]:" in text else ()
    parts, at = list[str](), 0
    for picture in pictures:
        parts += (text[at:picture], "［")
        at = picture + 1
    return "".join((*parts, text[at:]))


def _is_mark(inside: str) -> bool:
    visible = "".join(c for c in inside if unicodedata.category(c) not in {"Cf", "Mn", "Me"})
    plain = unicodedata.normalize("NFKC", visible)
    parts = _PARTS.findall(plain)
    numbers = [part for part in parts if part.isdigit()]
    words = [part for part in parts if not part.isdigit()]
    return len(numbers) == 1 and len(numbers[0]) <= 3 and all(word.lower() in _LABELS for word in words)
