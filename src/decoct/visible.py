"""Text that nothing acts on: for terminals, pages and files that people open.

A document or a model may write what a terminal obeys (escape sequences, a carriage return, a bell), what makes a line read otherwise
than it is (bidirectional overrides), or what no encoding can write (half a surrogate pair). Each such character becomes one that is
seen: control characters their pictures (ESC is ␛), the others U+FFFD. One stands for one, line feeds and tabs stay.
"""

from __future__ import annotations

import json
import re
from typing import Final

_OVERRIDES: Final = "\u202a-\u202e\u2066-\u2069"
_ACTING = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_OVERRIDES}\ud800-\udfff]")
# In JSON every control character below 0x20 is escaped already, but the line breaks between values are not.
_ACTING_IN_JSON = re.compile(f"[\x7f-\x9f{_OVERRIDES}\u2028\u2029\ud800-\udfff]")
_PICTURES: Final = 0x2400


def visible(text: str) -> str:
    """`text` with every character that something would act on shown instead, of the same length."""
    return _ACTING.sub(_shown, text)


def visible_line(text: str) -> str:
    """`text` on one line, white space folded: for titles, names and ids, which must not begin lines of their own."""
    return visible(" ".join(text.split()))


def visible_json(value: object, *, ascii_only: bool = False) -> str:
    """`value` as indented JSON in which such characters are escapes: it shows nothing that acts, and reads back as it was."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=2)
    return _ACTING_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(_PICTURES + code)
    return "\u2421" if code == 0x7F else "\ufffd"
