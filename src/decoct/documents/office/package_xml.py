"""The XML of packages, read without entities, network or document type, and the names and words that Office's drawings share."""

from __future__ import annotations

from typing import Any

from lxml import etree

from decoct.documents.canonical import one_line

DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
RELATED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MARKUP = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"


def xml_root(data: bytes, *, huge: bool = False) -> Any:  # noqa: ANN401 - lxml has no types
    """The root of a part; `lxml.etree.LxmlError` where it is no XML, or deeper or longer than libxml2 likes and not told to be `huge`."""
    return etree.fromstring(
        data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=huge)
    )


def xml_root_or_none(data: bytes) -> Any:  # noqa: ANN401
    """The root of a part; None where it is no XML."""
    try:
        return xml_root(data)
    except etree.LxmlError:
        return None


def drawn_words(element: Any) -> str:  # noqa: ANN401
    """The words of a drawing in one line: runs as they are, and a space between paragraphs and at line breaks."""
    parts = element.iter(*(f"{DRAWING}{name}" for name in ("p", "br", "t")))
    return one_line("".join(part.text or "" if part.tag == f"{DRAWING}t" else " " for part in parts))


def diagram_lines(data: bytes) -> list[str]:
    """The words of a diagram's part (SmartArt), a line a shape; none where it is no XML."""
    root = xml_root_or_none(data)
    points = root.iter(f"{DIAGRAM}pt") if root is not None else ()
    return list(filter(None, map(drawn_words, points)))
