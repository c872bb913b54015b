from __future__ import annotations

from typing import Any

from decoct.cli.context import lines

TEXTS = {"a": "First. Second.", "b": "Third.", "c": "Fourth."}


def span(doc: str, start: int, end: int) -> dict[str, Any]:
    return {"doc_id": doc, "start": start, "end": end}


def record(layer: int, inputs: list[str], output: str | None, **more: Any) -> dict[str, Any]:
    usual = {
        "scores": [0.5, 0.25],
        "affinity": None,
        "tokens_before": 4,
        "tokens_after": 2,
        "kept": [],
        "dropped": [],
        "how": "fused",
    }
    return {"layer": layer, "inputs": inputs, "output": output, **usual, **more}


def text(doc: str, start: int, end: int) -> str:
    return TEXTS[doc][start:end]


def test_a_tree_shows_parts_below_what_became_of_them() -> None:
    records = [
        record(
            1,
            ["a:0-14", "b:0-6"],
            "merge-1",
            kept=[span("a", 0, 6)],
            dropped=[span("a", 7, 14), span("b", 0, 6)],
            affinity=1.5,
        ),
        record(2, ["merge-1", "c:0-7"], "merge-2", kept=[span("a", 0, 6)], how="grew"),
    ]
    assert lines(records, text) == [
        "merge-2  layer 2  4 -> 2 tokens  (grew)",
        "  + First.  (a 0-6)",
        "  of merge-1  score 0.500",
        "    merge-1  layer 1  4 -> 2 tokens  affinity 1.500",
        "      + First.  (a 0-6)",
        "      - Second.  (a 7-14)",
        "      - Third.  (b 0-6)",
        "      of a:0-14  score 0.500",
        "      of b:0-6  score 0.250",
        "  of c:0-7  score 0.250",
    ]


def test_nothing_kept_and_an_anchor_that_stayed_are_told() -> None:
    found = lines([record(1, ["a:0-14", "b:0-6"], None), record(1, ["c:0-7", "d:0-1"], "c:0-7", how="nothing")], text)
    assert [line for line in found if not line.startswith(" ")] == [
        "nothing  layer 1  4 -> 2 tokens",
        "c:0-7  layer 1  4 -> 2 tokens  (nothing)",
    ]


def test_no_merges_print_nothing() -> None:
    assert lines([], text) == []
