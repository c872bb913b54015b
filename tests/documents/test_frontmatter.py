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


def test_one_odd_field_costs_no_other() -> None:
    text = "---\ngröße: 3\nOwner-Büro: Ann\ntitle: Pumps: a guide\nversion: 1.10\ndate: 2024-05-01\n\tbad: x\n---\nbody"
    fields, begin = front_matter(text)
    assert text[begin:] == "body"
    assert fields["größe"] == 3
    assert fields["owner-büro"] == "Ann"
    assert fields["title"] == "Pumps: a guide"
    assert fields["version"] == "1.10"
    assert fields["date"] == "2024-05-01"


def test_yaml_beyond_flat_lines() -> None:
    fields, _ = front_matter(
        '---\nsummary: |\n  Two\n  lines\n"quoted key": "a: b"\ntags:\n- one\n- two\nlong: >-\n  folded\n  text\n---\n'
    )
    assert fields == {"summary": "Two\nlines\n", "quoted key": "a: b", "tags": ["one", "two"], "long": "folded text"}


def test_aliases_do_not_grow() -> None:
    bomb = (
        "---\na: &a [x, x]\n"
        + "".join(f"{two}: &{two} [*{one}, *{one}]\n" for one, two in zip("abcdefgh", "bcdefghi", strict=True))
        + "---\n"
    )
    fields, _ = front_matter(bomb)
    assert fields["a"] == ["x", "x"]
    assert fields["i"] == []
