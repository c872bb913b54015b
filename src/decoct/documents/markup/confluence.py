"""Pages of Confluence in its storage format as HTML: code, dates, tasks, titles of panels and links stand in elements of its own."""

from __future__ import annotations

import html
import re

from decoct.documents.office.fieldcodes import tick_box

_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_REWRITTEN = [
    (re.compile(pattern, re.DOTALL), shown)
    for pattern, shown in (
        (r'<ac:parameter\b[^>]*ac:name="title"[^>]*>(.*?)</ac:parameter>', r"<p>\1</p>"),
        (r"<ac:(parameter|task-id|task-uuid)\b[^>]*>.*?</ac:\1>", ""),
        (r"<ac:task-status>complete</ac:task-status>", tick_box(ticked=True) + " "),
        (r"<ac:task-status>.*?</ac:task-status>", tick_box(ticked=False) + " "),
        (r"<(/?)ac:task>", r"<\1li>"),
        (r"<(/?)ac:task-list>", r"<\1ul>"),
        (r"<(/?)ac:plain-text-body>", r"<\1pre>"),
        (r'<time datetime="([^"]*)"\s*(?:/>|></time>)', r"\1"),
        (r'<ac:link\b[^>]*>\s*<ri:\w+\b[^>]*?ri:(?:content-title|filename)="([^"]*)"[^>]*/>\s*</ac:link>', r"\1"),
        (r"</?(?:ac|ri):(?:link|link-body|plain-text-link-body|task-body|image|attachment|page)\b[^>]*>", ""),
        (r"<(/?)(?:ac|ri):[\w-]+[^>]*?(/?)>", r"<\1div>"),
    )
]


def as_page(text: str) -> str:
    """A page in HTML for one of the storage format; any other text as it is."""
    if "<ac:" not in text:
        return text
    text = _CDATA.sub(lambda found: html.escape(found[1]), text)
    for pattern, shown in _REWRITTEN:
        text = pattern.sub(shown, text)
    return text
