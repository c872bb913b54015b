"""The layout of a CASC context: lines under the headings of their sections, numbered for citation, then what was not found."""

from __future__ import annotations

from dataclasses import dataclass

from decoct.context.casc.notes import Gap
from decoct.context.marks import harmless_lines
from decoct.data import Draft, Passage


@dataclass(frozen=True, slots=True)
class Sections:
    """A passage's title is the heading it stands under, written once for passages in a row; `[n]` counts through all of them.

    A document's own words stand on one line, so that none of them can pose as a line or heading; see `marks` for what they begin with.
    """

    def render(self, draft: Draft) -> str:
        """The context text; gaps (note `gaps`) come last, and alone where there is no passage."""
        parts: list[str] = []
        heading = ""
        for number, passage in enumerate(draft.passages, 1):
            if passage.title and passage.title != heading:
                heading = passage.title
                parts.append(heading)
            parts.append(self.block(number, passage))
        parts += [f"NOT FOUND: {gap.text}" for gap in draft.notes.get("gaps", ()) if isinstance(gap, Gap)]
        return "\n".join(parts)

    def block(self, number: int, passage: Passage) -> str:
        """Line `number`."""
        text = " ".join(passage.text.split()) if passage.kind == "quote" else passage.text
        return f"[{number}] {harmless_lines(text)}"
