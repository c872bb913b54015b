"""A card as a Markdown file of its own: the card's headings and link are Markdown, everything that documents or models said is text.

In the library a card is text to be searched, character for character. A file is opened by programs that run what Markdown and the
HTML in it say (images that are fetched, links, scripts), so each line is escaped that is not the card's own frame.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from decoct.retrieve.cards.card import ANCHORS, KEYWORDS, QUESTIONS, SUMMARY
from decoct.visible import visible, visible_markdown, visible_markdown_line

_LINK = re.compile(r"\[source\]\(<([^<>\s]*)>\)")


def markdown_file(card: str) -> str:
    """The text of a stored card, escaped line by line."""
    first, _, rest = card.partition("\n")
    frame = [QUESTIONS, ANCHORS, SUMMARY, KEYWORDS]
    lines = [f"# {visible_markdown_line(first.removeprefix('# '))}"]
    for line in rest.split("\n"):
        link = _LINK.fullmatch(line)
        if line in frame:
            frame.remove(line)
            lines.append(line)
        elif link is not None and urlsplit(link[1]).scheme in ("", "http", "https"):
            lines.append(visible(line))
        else:
            lines.append(visible_markdown(line))
    return "\n".join(lines)
