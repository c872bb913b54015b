"""The paper-card (Eponon et al. 2026): one page of Markdown that stands for a document in a search, and that a person likes to read.

    # Title
    # Research questions                                   Q1: …?  Q2: …?     (by rules: # In its own words, S1: …)
    ## Problem, methods and main results                   at most 700 characters
    #### Keywords                                          phrases, the best first
    [source](…)

A card is at most 3,100 bytes (the paper's "3.1 KB"), checked where it is made. It is never quoted as evidence: it says which document to
open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from decoct.data import Document
from decoct.errors import ConfigError
from decoct.retrieve.cards.contributions import CardAsk, Role
from decoct.visible import visible, visible_markdown, visible_markdown_line

MOST_BYTES = 3100
MOST_SUMMARY = 700
# A title is shown up to here; file names and first lines that serve as titles can be any length.
MOST_TITLE = 300
_ORDER: tuple[Role, ...] = ("problem", "aim", "method", "result")
QUESTIONS = "# Research questions"
ANCHORS = "# In its own words"
SUMMARY = "## Problem, methods and main results"
KEYWORDS = "#### Keywords"


@dataclass(frozen=True, slots=True)
class Card:
    """What a card says.

    `questions` stand in the order why (problem), how (aim, method), results; `summary` has at most 700 characters; `keywords` best first.
    """

    doc_id: str
    title: str
    questions: tuple[CardAsk, ...]
    summary: str
    keywords: tuple[str, ...]
    link: str = ""

    def __post_init__(self) -> None:
        if len(self.summary) > MOST_SUMMARY:
            raise ConfigError(f"the summary of {self.doc_id!r} has {len(self.summary)} characters, over {MOST_SUMMARY}")
        if (size := len(self.markdown().encode("utf-8", "surrogatepass"))) > MOST_BYTES:
            raise ConfigError(
                f"the card of {self.doc_id!r} has {size} bytes, over {MOST_BYTES}; use `card_within_size`"
            )

    def markdown(self) -> str:
        """The card as it is indexed, exported and shown."""
        parts = [f"# {_line(self.title)[:MOST_TITLE] or _line(self.doc_id)[:MOST_TITLE]}"]
        if self.questions:
            parts.append(f"{self.heading}\n{self.joined()}")
        if self.summary:
            parts.append(f"{SUMMARY}\n{self.summary}".replace("\f", " "))
        if self.keywords:
            parts.append(f"{KEYWORDS}\n{', '.join(self.keywords)}")
        if self.link:
            parts.append(f"[source](<{self.link}>)")
        return "\n\n".join(parts) + "\n"

    @property
    def heading(self) -> str:
        """What stands over the questions, or over the sentences in their place."""
        return QUESTIONS if any(question.asks for question in self.questions) else ANCHORS

    def lines(self) -> list[str]:
        """The questions, or the sentences in their place, each as its line of the card."""
        sign = "Q" if self.heading == QUESTIONS else "S"
        return [f"{sign}{n}: {_line(question.text)}" for n, question in enumerate(self.questions, 1)]

    def joined(self) -> str:
        """Its lines, as they stand in the card."""
        return "\n".join(self.lines())


def title_and_summary(markdown: str) -> str:
    """The first line and the summary of a card as it is stored: a scorer that pays for every word reads no more."""
    title, _, rest = markdown.partition("\n")
    summary = rest.partition(f"\n{SUMMARY}\n")[2].partition("\n\n")[0]
    return f"{title.removeprefix('# ')}\n{summary.strip()}".strip()


def card_within_size(document: Document, questions: Sequence[CardAsk], summary: str, keywords: Sequence[str]) -> Card:
    """A card of `document` with as many of `questions`, then of `keywords`, from the first on, as its size allows.

    Questions may take up two fifths of what title, summary and link leave: with words as the index, keywords find more than questions
    do. A link that is too long is left out.
    """
    doc_id, title, link = document.id, document.title, document.source
    if len(link) > MOST_TITLE or re.search(r"[<>\s]", link):
        link = ""
    bare = Card(doc_id, title, (), summary[:MOST_SUMMARY], (), link)
    room = (
        MOST_BYTES - len(bare.markdown().encode("utf-8", "surrogatepass")) - len(f"{QUESTIONS}{KEYWORDS}\n\n\n\n\n\n")
    )
    share = room * 2 // 5
    asked: list[CardAsk] = []
    for question in questions:
        size = len(f"Q{len(asked) + 1}: {question.text}\n".encode("utf-8", "surrogatepass"))
        if size <= share:
            asked.append(question)
            share -= size
            room -= size
    asked.sort(key=lambda question: _ORDER.index(question.role))  # stable
    named = []
    for keyword in keywords:
        size = len(f"{keyword}, ".encode("utf-8", "surrogatepass"))
        if size <= room:
            named.append(keyword)
            room -= size
    return Card(doc_id, title, tuple(asked), bare.summary, tuple(named), link)


def _line(text: str) -> str:
    return " ".join(text.split())


# A card as a Markdown file of its own: the card's headings and link are Markdown, everything that documents or models said is text.
#
# In the library a card is text to be searched, character for character. A file is opened by programs that run what Markdown and the
# HTML in it say (images that are fetched, links, scripts), so each line is escaped that is not the card's own frame.
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
