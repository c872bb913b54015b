"""The answer in a model's reply, taken in pieces: without its thinking, without what stands before "Answer:", with its marks checked.

What is handed out piece by piece is the final text: a reply in one piece goes the same way. Whether the reply says that the
context holds no answer is told from its opening (the first line, at most 300 characters) or its first citation, whichever comes first,
and held back till then: an opening that says so, and no citation anywhere, is no answer; nor is the sentence that the prompt gives for
that case, unless a citation stands before it. What is written to a turn that no passage can answer by itself (`reading/turn_kinds.py`)
is shown and claims nothing (outcome "passages").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, TypeAlias

from decoct import trace
from decoct.answer.base import NO_ANSWER, says_not_found
from decoct.answer.citations import CitedText
from decoct.answer.unsupported import denied_by, of_another, told_unsupported, unmet, unsupported
from decoct.data import Answer, Context
from decoct.reading.turn_kinds import turn_kind

Style: TypeAlias = Literal["short", "reasoned"]

_OPEN, _CLOSE = "<think>", "</think>"
_OPENING = 300
# Bounded, so that no run of white space is looked at from each of its places.
_ANSWER = re.compile(r"\banswer\s{0,16}:[*_]{0,4}", re.IGNORECASE)
_MAY_BECOME_ANSWER = re.compile(r"(?:a|an|ans|answ|answe|answer\s{0,16}(?::[*_]{0,4})?)", re.IGNORECASE)
_LONGEST_MARK = 32  # characters of "Answer:" with all that may stand in it


class ReplyText:
    """Reads a reply in `style`; `sink` is handed the answer's text as soon as it is certain. `answer` ends it."""

    def __init__(self, style: Style, context: Context, sink: Callable[[str], None] | None = None) -> None:
        self._thinking = _Thinking()
        self._start = _Start() if style == "short" else _AfterMark()
        self._cited = CitedText(context)
        self._context, self._sink = context, sink
        self._text: list[str] = []
        self._given = 0  # how many of them the sink has
        self._opening = ""
        self._is_answer: bool | None = None

    def feed(self, piece: str) -> None:
        """Take the next piece of the reply."""
        self._told(self._cited.feed(self._start.feed(self._thinking.feed(piece))))

    def answer(self) -> Answer | None:
        """The answer when all pieces were taken, without the words of one that found nothing; None for an empty reply."""
        rest = self._start.feed(self._thinking.close()) + self._start.close()
        self._told(self._cited.feed(rest) + self._cited.close())
        text = "".join(self._text)
        if not text:
            return None
        if self._is_answer is None:
            self._is_answer = not says_not_found(text)
        self._give()
        if not self._is_answer:
            if self._sink is not None:
                self._sink(NO_ANSWER)
            return Answer(NO_ANSWER, (), self._context, found=False)
        citations = self._cited.citations()
        if not citations:
            trace.fallback("cited.uncited")
        question = self._context.question
        found = tuple(dict.fromkeys((*unsupported(text, citations, question), *unmet(citations, question))))
        denied = denied_by(text, citations, question)
        other = of_another(text, citations, question, self._context.passages)
        if found or denied or other:
            trace.fallback("cited.unsupported", len(found) + bool(denied) + bool(other))
            told = told_unsupported(found, denied, other)
            text += told
            if self._sink is not None:
                self._sink(told)
        if turn_kind(question) != "question":
            return Answer(text, citations, self._context, found=False, outcome="passages")
        return Answer(text, citations, self._context)

    def _told(self, text: str) -> None:
        if not text:
            return
        self._text.append(text)
        if len(self._opening) < _OPENING:
            self._opening += text
        if self._is_answer is None:
            self._is_answer = self._decided()
        self._give()

    def _give(self) -> None:
        if self._is_answer and self._sink is not None:
            for piece in self._text[self._given :]:
                self._sink(piece)
            self._given = len(self._text)

    def _decided(self) -> bool | None:
        """Whether what was told so far is an answer; None while that cannot be told."""
        first = self._cited.first
        line = self._opening.find("\n", 0, _OPENING)
        end = line if line >= 0 else _OPENING
        if (first is None or end < first) and end <= len(self._opening) and not says_not_found(self._opening):
            return True
        return None if first is None else NO_ANSWER.lower() not in "".join(self._text)[:first].lower()


class _Start:
    """A short answer is all of the reply, without an "Answer:" that it begins with."""

    def __init__(self) -> None:
        self._held: str | None = ""

    def feed(self, piece: str) -> str:
        if self._held is None:
            return piece
        self._held = (self._held + piece).lstrip()
        if not self._held or _MAY_BECOME_ANSWER.fullmatch(self._held):
            return ""
        return self.close()

    def close(self) -> str:
        text, self._held = self._held or "", None
        mark = _ANSWER.match(text)
        return text[mark.end() :] if mark else text


class _AfterMark:
    """A reasoned answer is what follows the first "Answer:"; all of the reply where there is none."""

    def __init__(self) -> None:
        self._thought: list[str] | None = []
        self._end = ""  # of the thought: the mark may begin in it

    def feed(self, piece: str) -> str:
        if self._thought is None:
            return piece
        text = self._end + piece
        # The first character of a cut end is only there to tell whether a word begins after it.
        mark = _ANSWER.search(text, 1 if len(self._end) > _LONGEST_MARK else 0)
        if mark is not None and mark.end() < len(text):
            self._thought = None
            return text[mark.end() :]
        self._thought.append(piece)
        self._end = text[-_LONGEST_MARK - 1 :]
        return ""

    def close(self) -> str:
        if self._thought is None:
            return ""
        text, self._thought = "".join(self._thought), None
        mark = _ANSWER.search(text)
        if mark is not None:
            return text[mark.end() :]
        trace.fallback("cited.no-answer-mark")
        return text


class _Thinking:
    """Leaves out what stands between `<think>` and `</think>`, or after a `<think>` that is never closed."""

    def __init__(self) -> None:
        self._inside, self._held = False, ""

    def feed(self, piece: str) -> str:
        text, at, parts = self._held + piece, 0, []
        while True:
            tag = _CLOSE if self._inside else _OPEN
            found = text.find(tag, at)
            end = found if found >= 0 else len(text) - _partial(text[at:], tag)
            if not self._inside:
                parts.append(text[at:end])
            if found < 0:
                self._held = text[end:]
                return "".join(parts)
            self._inside, at = not self._inside, found + len(tag)

    def close(self) -> str:
        """What was held and did not become a tag."""
        rest, self._held = ("" if self._inside else self._held), ""
        return rest


def _partial(text: str, tag: str) -> int:
    """How many characters at the end of `text` may be the beginning of `tag`."""
    return next((n for n in range(min(len(tag) - 1, len(text)), 0, -1) if text.endswith(tag[:n])), 0)
