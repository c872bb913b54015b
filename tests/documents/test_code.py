"""Source code: definitions are headings, as deep as they are nested, in each language that the extra brings."""

from __future__ import annotations

import importlib.util

import pytest

from decoct.data import Document
from decoct.documents import code
from decoct.documents.base import Source
from decoct.documents.code import GRAMMARS, definitions
from decoct.documents.formats import parse
from decoct.documents.places import heading_at

PYTHON = (
    '"""Gäste 🙂."""\nLIMIT = 5\n\nclass Store:\n    """Keeps."""\n\n'
    "    def put(self, entry):\n        return LIMIT\n\n@cached\ndef main() -> int:\n    return 2\n"
)

LINES = {
    "javascript": "export class A {\n  run(x) { return 1 }\n}\nfunction b() {}\n",
    "typescript": "interface I { a: string }\nexport class A {\n  run(x: number): void {}\n}\n",
    "tsx": "export function App() { return <div/> }\n",
    "java": "public class A {\n  int run(int x) { return x; }\n}\n",
    "go": "type S struct {}\nfunc (s S) Run() int { return 1 }\n",
    "rust": "struct A { x: i32 }\nfn main() {}\n",
    "c": "int main(void) { return 1; }\n",
    "cpp": "class A { public: int run(); };\nint A::run() { return 1; }\n",
    "ruby": "class A\n  def run\n    1\n  end\nend\n",
    "php": "<?php\nclass A {\n  function run() { return 1; }\n}\n",
    "lua": "local function c() end\n",
}
"""Of each language lines that define something, deeper ones within those above, and lines that do not."""
NONE = {"}", "end", "1", "<?php"}


def _read(name: str, text: str) -> Document:
    (document,) = parse(Source.of(name, text.encode()))
    assert isinstance(document, Document)
    return document


def test_definitions_are_headings_at_their_characters() -> None:
    document = _read("store.py", PYTHON)
    assert document.text == PYTHON
    said = [(PYTHON[start:end], level) for (start, end), level in zip(document.headings, document.levels, strict=True)]
    assert said == [("class Store:", 1), ("def put(self, entry):", 2), ("def main() -> int:", 1)]
    assert heading_at(document, PYTHON.index("return LIMIT")) == "def put(self, entry):"


@pytest.mark.parametrize("grammar", sorted(LINES))
def test_every_language_has_its_definitions(grammar: str) -> None:
    text = LINES[grammar]
    expected = [
        (line.strip(), 2 if line.startswith(" ") else 1) for line in text.splitlines() if line.strip() not in NONE
    ]
    assert [(text[start:end], level) for start, end, level in definitions(text, grammar)] == expected


def test_every_grammar_is_tried() -> None:
    assert set(GRAMMARS.values()) == {*LINES, "python"}


def test_a_page_of_the_web_named_php_is_no_code() -> None:
    assert not _read("page.php", "<html><p>words</p></html>").levels
    assert _read("a.php", LINES["php"]).levels == (1, 2)


def test_broken_code_and_long_lines_are_read() -> None:
    assert _read("a.py", "def f(:\n  ((((").text.startswith("def f")
    (only,) = definitions(f"def f({'x, ' * 100}): pass", "python")
    assert (only[0], only[2]) == (0, 1)
    assert 90 < only[1] <= 100


def test_without_the_extra_code_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    code._grammar.cache_clear()
    document = _read("store.py", PYTHON)
    code._grammar.cache_clear()
    assert (document.text, document.headings) == (PYTHON, ())
