"""Words that a text shows as struck out (`~~110~~`): they are shown, and no reading sees them, so that nothing rests on them."""

from __future__ import annotations

import re

STRUCK = "\x1f"  # white space that no document holds: within what was struck out
_BETWEEN = re.compile(r"(?<![~\\])~~(?=[^\s~])(?:[^~\n]|~(?!~)|~~~~(?!~)|\n(?!\s*\n))*?[^\s~\\]~~(?!~)")
_LONGEST = 100  # characters: what is struck out and longer is no value beside the one that holds
_ENDED = re.compile(r"~|[.!?]\s")


def as_struck(words: str) -> str:
    """Words with the marks of what is struck out, the spaces around them outside; "" for sentences, which nothing beside them needs."""
    said = " ".join(words.split())
    if not said or len(said) > _LONGEST or _ENDED.search(said):
        return ""
    return f"{' ' * words[0].isspace()}~~{said}~~{' ' * words[-1].isspace()}"


def without_struck(text: str) -> str:
    """The text with white space in the place of what is struck out, each character where it stood; at its edges a space."""
    return _BETWEEN.sub(lambda found: f" {STRUCK * (len(found[0]) - 2)} ", text) if "~~" in text else text
