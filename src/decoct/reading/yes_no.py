"""Whether a question asks for yes or no, by its grammar."""

from __future__ import annotations

import re

AUXILIARIES = "is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must"
"""The auxiliary verbs of English that take any subject, as alternatives of a pattern; "am" takes "I" alone."""
# English asks for yes or no by putting the auxiliary verb first (Quirk et al. 1985, A Comprehensive Grammar, 11.5).
_AUXILIARY = re.compile(
    r"\W*(?:(?:and|but|so|then)\s+)?"
    r"(?:(?:and|but|so|then|in|at|on|for|if|when|after|before|during|since|with|under|as)\b[^,?]*,\s*"
    r"|(?:as|in|at|on|for|with|under|during|since)\b(?=\s\w)(?:(?!\b(?:wh\w+|how)\b)[^,?]){1,80}?\s"
    r"(?=\w+ (?:i|we|you|they|he|she|it|there|my|our|your|the|an?)\b))?"
    rf"(?:{AUXILIARIES}|am|isn't|aren't|wasn't|weren't|"
    r"don't|doesn't|didn't|hasn't|haven't|can't|couldn't|won't|wouldn't|shouldn't)\b(?!.*\bor\b)",
    re.IGNORECASE,
)


def asks_yes_or_no(question: str) -> bool:
    """Whether the (English) question begins with an auxiliary verb and offers no choice by "or"."""
    return _AUXILIARY.match(question[:2000]) is not None
