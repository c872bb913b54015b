"""Source code: the file's text, with its definitions as headings, by tree-sitter (the extra `code`).

A heading is the line in which a function, class, method or type is defined, as deep as it is nested, so that a chunk of a method stands
under its class (`class Store: › def put(self, entry):`). What is a definition, each grammar's own `tags` query says. Without the extra, or
for a language that has no grammar in it, code is text without headings.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from functools import cache
from pathlib import PurePath
from typing import Any

from decoct.data import Document
from decoct.documents.base import Source
from decoct.documents.text import read_text

GRAMMARS = {
    ".py": "python", ".pyi": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript",
    ".ts": "typescript", ".tsx": "tsx", ".java": "java", ".go": "go", ".rs": "rust", ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp",
    ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp", ".rb": "ruby", ".php": "php", ".lua": "lua",
}  # fmt: skip
"""The grammar of each suffix."""
_PACKAGES = {
    "tsx": ("typescript", "language_tsx"),
    "typescript": ("typescript", "language_typescript"),
    "php": ("php", "language_php"),
}
_LONGEST = 100  # characters of a heading
_VALUES = frozenset({"constant", "variable", "field", "property"})  # definitions that nothing stands in


def parse(source: Source) -> Iterator[Document]:
    """Yield the one document of a file of source code."""
    text, notes = read_text(source)
    suffix = PurePath(source.bare_name).suffix.lower()
    found = definitions(text, GRAMMARS.get(suffix, ""))
    headings, levels = [(start, end) for start, end, _ in found], [level for _, _, level in found]
    yield source.document(text, metadata=notes, headings=headings, levels=levels)


def definitions(text: str, grammar: str) -> list[tuple[int, int, int]]:
    """Start and end of the line of each definition in `text`, and how deep it is nested, from 1; none without the grammar."""
    known = _grammar(grammar)
    if known is None:
        return []
    from tree_sitter import Parser, QueryCursor

    language, query = known
    data = text.encode()
    nodes = {
        (node.start_byte, node.end_byte)
        for name, captured in QueryCursor(query).captures(Parser(language).parse(data).root_node).items()
        if name.startswith("definition.") and name.partition(".")[2] not in _VALUES
        for node in captured
    }
    found: list[tuple[int, int, int]] = []
    over: list[int] = []  # the ends of the definitions that are open
    at = characters = 0
    for start, end in sorted(nodes, key=lambda place: (place[0], -place[1])):
        while over and over[-1] <= start:
            over.pop()
        over.append(end)
        characters, at = characters + len(data[at:start].decode()), start
        begin = text.rfind("\n", 0, characters) + 1
        begin += len(text[begin:characters]) - len(text[begin:characters].lstrip())
        line = text[begin : begin + _LONGEST].split("\n", 1)[0].rstrip()
        if line and (not found or found[-1][1] <= begin):  # of two in a line the outer one
            found.append((begin, begin + len(line), len(over)))
    return found


@cache
def _grammar(name: str) -> tuple[Any, Any] | None:
    """The language and its query of definitions; None where the extra is not installed, or has no such grammar."""
    package, function = _PACKAGES.get(name, (name, "language"))
    if not name or not all(map(importlib.util.find_spec, ("tree_sitter", f"tree_sitter_{package}"))):
        return None
    from tree_sitter import Language, Query

    module = importlib.import_module(f"tree_sitter_{package}")
    language = Language(getattr(module, function)())
    tags = module.TAGS_QUERY
    if package == "typescript":  # its query holds what JavaScript's has not
        tags += importlib.import_module("tree_sitter_javascript").TAGS_QUERY
    return language, Query(language, tags)
