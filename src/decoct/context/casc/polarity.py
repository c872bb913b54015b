"""Whether a sentence denies: an odd number of negations, by the closed class of English negation words (Quirk et al. 1985, 10.54 ff.)."""

from __future__ import annotations

import re

_NEGATIONS = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|\w+n['’]t|without|no longer)\b", re.IGNORECASE
)
# Words with a negation in them that deny nothing.
_IDLE = re.compile(r"\b(?:not only|no doubt|no matter|no sooner|not until|no\. ?\d)", re.IGNORECASE)


def denies(text: str) -> bool:
    """Whether the negations of a sentence are odd in number ("not without" denies nothing)."""
    return len(_NEGATIONS.findall(_IDLE.sub("", text))) % 2 == 1
