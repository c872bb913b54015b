"""What Markdown and HTML hide: the address behind a link's label, an image, a tag. Who opens the page reads none of it.

A document may be its own source (`documents/markup/markdown.py`), so such markup stands in passages. A reader that takes an address for
words finds names in it ("utm_campaign=hynek") and spends its window on it. All is told by its form, since a passage does not say what
format it is of: an address must look like one, so `row[0](x)` stays, and prose about tags loses no word that is not one of an address.
"""

from __future__ import annotations

import re

# Behind `](`: what begins with a scheme, a fragment or a path, or ends in a suffix; a title in quotes may follow.
_LIKE_ONE = r"(?:[a-z][a-z0-9+.-]*:|\#|[\w.~-]*/|[\w-]+\.[a-z]{2,5}(?=[\s)>]))"
_DESTINATION = rf"""(?<=\]\()<?{_LIKE_ONE}[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*>?(?=[ \t]+["'(]|\))"""
_ATTRIBUTE = r"""(?<=\s)(?:href|src|srcset)\s*=\s*(?:"[^"<>\n]*"|'[^'<>\n]*')(?=[^<>]{0,500}>)"""
_DEFINITION = r"""(?<=\]:)[ \t]*<?(?:[a-z][a-z0-9+.-]*:/|[\w.~-]*/)\S*(?=[ \t]*$)"""
_ADDRESS = re.compile(f"{_DESTINATION}|{_ATTRIBUTE}|{_DEFINITION}", re.IGNORECASE | re.MULTILINE)
_TAG = re.compile(r"(?<!`)</?[a-z][a-z0-9-]*(?:\s[^<>]*)?/?>|<!--(?:(?!<!--).)*?-->", re.IGNORECASE | re.DOTALL)
_BEHIND = r"\((?:[^()\n]|\([^()\n]*\))*\)"
_IMAGE = re.compile(rf"!\[[^\[\]\n]*\]{_BEHIND}")
_LINK = re.compile(rf"\[([^\[\]\n]*)\]{_BEHIND}")


def without_hidden_addresses(text: str) -> str:
    """`text` with spaces in the place of addresses that markup hides: every other character stands where it stood."""
    return _ADDRESS.sub(lambda found: " " * len(found[0]), text)


def shown(text: str) -> str:
    """The words that `text` shows where it is rendered: no image, no tag, of a link its label."""
    return _LINK.sub(r"\1", _IMAGE.sub(" ", _TAG.sub(" ", text)))
