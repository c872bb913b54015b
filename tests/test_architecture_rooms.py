"""No module leads back to itself, and the table of rooms is counted right."""

from __future__ import annotations

import ast

import rooms


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert rooms.circles(rooms.graph()) == []


def test_a_circle_is_found_whatever_its_length() -> None:
    edges = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"f"}, "f": {"e"}}
    assert rooms.circles(edges) == [["a", "b", "c"], ["e", "f"]]


def test_imports_are_found_inside_functions_unless_only_loading_counts() -> None:
    tree = ast.parse("from a import b\nif TYPE_CHECKING:\n    import c\ndef f():\n    from d import e\n")
    known = ["a.b", "c", "d", "x"]
    assert rooms.imports(tree, known) == {"a.b", "c", "d"}
    assert rooms.imports(tree, known, loading=True) == {"a.b"}


def test_a_room_is_a_folder_or_the_top() -> None:
    assert [rooms.room(one) for one in ("decoct.data", "decoct.answer", "decoct.answer.cited", "decoct")] == [
        "decoct",
        "decoct.answer",
        "decoct.answer",
        "decoct",
    ]
