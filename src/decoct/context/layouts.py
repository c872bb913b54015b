"""How passages are written for the reader."""

from __future__ import annotations

from dataclasses import dataclass

from decoct.context.marks import harmless_lines
from decoct.data import Draft, Passage


@dataclass(frozen=True, slots=True)
class Numbered:
    """`[n] Title`, the text on the next line, a blank line between passages; without a title `[n] text`.

    The numbers are what a reader cites by, so they run from 1 in the order of the draft. No line of a document can pose as the head of a
    passage: marks at the beginnings of its lines and titles are shown with full-width brackets (`marks`).
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
