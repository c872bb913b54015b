"""Citations in a reply: `[1]`, `[1, 3]`, `[1][2]`, `[1-3]`, `[Passage 2]`, `【1】`, checked against the context, also while it is written.

`CitedText` takes a reply in pieces and hands out text that will not change any more: what might become a mark is held back from its
opening bracket to its close, with the white space before it. So what was streamed equals the final text, however it was cut.

Every mark is rewritten as one `[n]` a passage, so that each citation has a place of its own; n counts the cited passages in the order of
their first use in the answer. A number that names no passage is taken out (the mark too, with the space before it, if none of its numbers
remains) and counted as `trace.fallback("citation.invalid")`: an answer never shows a citation of nothing. Numbers of four digits and
more are years, not citations, and stay. A mark that was copied from a passage with the words before it (`argv[1]`, a reference of the
document's own) is a quotation, not a citation, and stands as it is; one with the full-width brackets that a context has for a document's
mark gets the document's own, as does what was `shielded`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from decoct import trace
from decoct.answer.sources import Mark, citations_of
from decoct.context.layouts import LONGEST, unshielded
from decoct.data import Citation, Context

_OPENING = re.compile(r"[\[【［]")
_BRACKET = re.compile(r"[\[【［\]】］]")
_NUMBERS = r"\d{1,3}(?:\s*[-–—]\s*\d{1,3})?"
_MARK = re.compile(
    r"[\[【]\s*(?:(?:passages?|sources?|documents?|citations?|refs?)\s*)?"
    rf"(?P<numbers>{_NUMBERS}(?:\s*(?:[,;&]|and)\s*{_NUMBERS})*)\s*[\]】]",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d+)(?:\s*[-–—]\s*(\d+))?")
_BEFORE = 120  # characters before a mark that are looked at to tell whether it was copied with them
_COPIED_WORDS = 3  # a mark after a space was copied if so many words before it stand before it in a passage too


def cited(reply: str, context: Context) -> tuple[str, tuple[Citation, ...]]:
    """The reply, without white space around it, with every mark in the form `[n]`, and the citations in text order."""
    told = CitedText(context)
    text = told.feed(reply) + told.close()
    return text, told.citations()


class CitedText:
    """The text of a reply as it comes, with its marks checked and numbered; see the module's text. `close` ends it."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._numbers: dict[int, int] = {}  # index of a passage -> its number in the answer
        self._marks: list[Mark] = []
        self._said: list[str] = []
        self._length = self._invalid = 0
        self._space: list[
            str
        ] = []  # white space not handed out yet: it may stand before an invalid mark, or at the end
        self._held = ""  # an opening bracket and what follows, while it may become a mark
        self._before = ""  # the end of the reply as it was written, before what is looked at
        self._copying = False  # whether the last thing was a mark that was copied
        self._flat: tuple[str, ...] | None = None

    def feed(self, piece: str) -> str:
        """Take the next piece; return what can be shown of all so far and was not returned before."""
        return self._fed(piece, ended=False)

    def close(self) -> str:
        """The rest, without the white space at the end."""
        rest = self._fed("", ended=True)
        if self._invalid:
            trace.fallback("citation.invalid", self._invalid)
        return rest

    @property
    def first(self) -> int | None:
        """Where in the text the first citation stands; None while there is none."""
        return self._marks[0].start if self._marks else None

    def citations(self) -> tuple[Citation, ...]:
        """The citations of all that was handed out, in text order, each with its source."""
        return citations_of("".join(self._said), self._marks, self._context)

    def _fed(self, piece: str, *, ended: bool) -> str:
        text, self._held = self._held + piece, ""
        since, at = len(self._said), 0
        while at < len(text):
            if not _OPENING.match(text, at):
                following = _OPENING.search(text, at)
                end = following.start() if following else len(text)
            else:
                other = _BRACKET.search(text, at + 1, at + LONGEST + 2)
                if other is None and not ended and len(text) - at <= LONGEST + 1:
                    self._held = text[at:]
                    break
                mark = _MARK.fullmatch(text, at, other.end()) if other is not None else None
                if mark is not None:
                    self._mark(mark)
                    at = mark.end()
                    continue
                if other is not None and self._is_shown(text[at : other.end()]):
                    self._plain(f"[{text[at + 1 : other.start()]}]", text[at : other.end()], copying=True)
                    at = other.end()
                    continue
                end = at + 1 if other is None else max(at + 1, other.start())
            self._plain(text[at:end], text[at:end])
            at = end
        return "".join(self._said[since:])

    def _say(self, text: str) -> None:
        self._said.append(unshielded(text))
        self._length += len(text)

    def _plain(self, text: str, written: str, *, copying: bool = False) -> None:
        """`text` is no citation; the reply had `written` for it, a mark of a document where it is `copying`."""
        solid = text.rstrip()
        if solid:
            if self._length == 0:
                solid = solid.lstrip()
            else:
                self._say("".join(self._space))
            self._say(solid)
            self._space.clear()
        self._space.append(text[len(text.rstrip()) :])
        self._remember(written, copying=copying)

    def _remember(self, written: str, *, copying: bool) -> None:
        self._before = (self._before + written[-_BEFORE:])[-_BEFORE:]
        self._copying = copying

    def _mark(self, mark: re.Match[str]) -> None:
        if self._is_copied(mark[0]):
            self._plain(mark[0], mark[0], copying=True)
            return
        numbers = list(dict.fromkeys(_numbers(mark["numbers"])))
        valid = [number - 1 for number in numbers if 1 <= number <= len(self._context.passages)]
        self._invalid += len(numbers) - len(valid)
        space = "".join(self._space)
        self._space = [] if valid else [space.rstrip(" \t")]
        if valid and self._length:
            self._say(space)
        for index in valid:
            number = self._numbers.setdefault(index, len(self._numbers) + 1)
            written = f"[{number}]"
            self._marks.append(Mark(number, self._length, self._length + len(written), index))
            self._say(written)
        self._remember(mark[0], copying=False)

    def _is_shown(self, written: str) -> bool:
        """Whether the context has `written` for a mark that a document has with other brackets."""
        passages = self._context.passages
        return written[0] == "［" and written in self._context.text and not any(written in one.text for one in passages)

    def _is_copied(self, mark: str) -> bool:
        words = self._before.split()
        glued = bool(words) and not self._before[-1].isspace()
        # The first of the words may be cut: it is compared from where it begins here, which is still its end.
        needed = words[-1:] if glued else words[-_COPIED_WORDS:]
        if len(needed) < (1 if glued else _COPIED_WORDS) or (words[-1][-1] in "]】" and not self._copying):
            return False
        if self._flat is None:
            self._flat = tuple(" ".join(passage.text.split()) for passage in self._context.passages)
        copied = " ".join(needed) + ("" if glued else " ") + mark
        return any(copied in flat for flat in self._flat)


def _numbers(listed: str) -> Iterator[int]:
    """The numbers named, ranges spelled out; of a range that runs backwards only its ends."""
    for found in _RANGE.finditer(listed):
        first = int(found[1])
        last = int(found[2]) if found[2] else first
        yield from range(first, last + 1) if first <= last else (first, last)
