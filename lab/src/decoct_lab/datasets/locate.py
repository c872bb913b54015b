"""Finding a gold sentence in the text of its passage.

First as it stands; else after both are brought to one plain form: Unicode NFKC, straight quotes and dashes, every run of white space one
blank. The plain form remembers where its characters came from, so what is found is a range of the passage as it is. A sentence that is
still not found is the caller's to count and name; nothing is guessed.
"""

from __future__ import annotations

from decoct_lab.datasets.plain import plain


def locate(sentence: str, text: str) -> tuple[int, int] | None:
    """The characters of `text` that are `sentence` (its first occurrence), or None. Outer white space of the sentence is ignored."""
    sentence = sentence.strip()
    if not sentence:
        return None
    if (start := text.find(sentence)) >= 0:
        return start, start + len(sentence)
    wanted, form = plain(sentence).text.strip(), plain(text)
    at = form.text.find(wanted) if wanted else -1
    return form.origin(at, at + len(wanted)) if at >= 0 else None
