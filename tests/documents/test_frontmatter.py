"""Front matter."""

from __future__ import annotations

import pytest

from decoct.documents.frontmatter import front_matter

TEXT = """---
title: 'It is' # a comment
Count: 12
zip: 0123
open: false
list: [a, "b c"]
many:
  - one
  - 'two'
none: null
nested:
  key: x
url: http://e.org/a:b
---
body"""


def test_fields() -> None:
    text = TEXT
    fields, begin = front_matter(text)
    assert text[begin:] == "body"
    assert fields["count"] == 12
    assert fields["zip"] == "0123"
    assert fields["open"] is False
    assert fields["list"] == ["a", "b c"]
    assert fields["many"] == ["one", "two"]
    assert fields["none"] == ""
    assert fields["nested"] == []
    assert fields["url"] == "http://e.org/a:b"


@pytest.mark.parametrize(
    "text",
    ["", "--", "---\n", "---\na: b\n", "text\n---\na: b\n---\n", "---\nprose, no field\n---\n", "--- x\na: b\n---\n"],
)
def test_none(text: str) -> None:
    assert front_matter(text) == ({}, 0)


def test_empty_block_and_end_marks() -> None:
    assert front_matter("---\n---\nbody") == ({}, 8)
    assert front_matter("---\na: b\n...\nbody") == ({"a": "b"}, 13)
    assert front_matter("---\na: b\n---") == ({"a": "b"}, 12)


def test_toml() -> None:
    text = '+++\nTitle = "A"\ndate = 2023-11-02\nservings = 4\ntags = ["b", 1]\n[extra]\nx = 1\n+++\nbody'
    assert front_matter(text) == (
        {"title": "A", "date": "2023-11-02", "servings": 4, "tags": ["b", "1"]},
        text.index("body"),
    )
    for none in ("+++\nno field\n+++\n", "+++\na = 1\n", "+++ x\na = 1\n+++\n"):
        assert front_matter(none) == ({}, 0)
