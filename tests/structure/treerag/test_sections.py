"""Sections of a document, worked out by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from decoct.data import Chunk, Document, Span
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import ModelUnavailableError
from decoct.llm.base import Request
from decoct_lab.structure.base import Chunked
from decoct_lab.structure.treerag.method import SectionTrees
from decoct_lab.structure.treerag.sections import ChunkSection, from_headings, from_similarity
from decoct_testing.scripted import ScriptedLLM

MANUAL = """# Pumps

Pumps move water.

## Safety

Wear gloves.

### Hands

Keep hands away.

## Repair

Call the maker.
"""


def document(text: str, headings: tuple[str, ...] = (), title: str = "Manual") -> Document:
    places = tuple((text.index(heading), text.index(heading) + len(heading)) for heading in headings)
    return Document("m", text, title, headings=places)


def chunked(one: Document, *texts: str) -> Chunked:
    chunks = []
    for number, text in enumerate(texts):
        start = one.text.index(text)
        chunks.append(Chunk(Span("m", start, start + len(text)), text, one.title, key=10 + number))
    return Chunked(one, tuple(chunks))


def test_marks_say_the_level_of_a_heading() -> None:
    one = chunked(
        document(MANUAL, ("Pumps", "Safety", "Hands", "Repair")),
        "# Pumps\n\nPumps move water.",
        "## Safety\n\nWear gloves.",
        "### Hands\n\nKeep hands away.",
        "## Repair\n\nCall the maker.",
    )
    assert from_headings(one.document, one.chunks, 3) == [
        ChunkSection("Pumps", 1, 0, 4),
        ChunkSection("Safety", 2, 1, 3),
        ChunkSection("Hands", 3, 2, 3),
        ChunkSection("Repair", 2, 3, 4),
    ]
    assert [section.level for section in from_headings(one.document, one.chunks, 2)] == [1, 2, 2, 2]


def test_underlines_and_numbers_say_it_too() -> None:
    text = "Top\n===\n\nA.\n\nInner\n-----\n\nB.\n\nNext\n====\n\nC.\n"
    one = chunked(document(text, ("Top", "Inner", "Next")), "Top\n===\n\nA.", "Inner\n-----\n\nB.", "Next\n====\n\nC.")
    assert [(s.title, s.level, s.first, s.past) for s in from_headings(one.document, one.chunks, 3)] == [
        ("Top", 1, 0, 2),
        ("Inner", 2, 1, 2),
        ("Next", 1, 2, 3),
    ]
    text = "1. Scope\nA.\n1.2 Terms\nB.\n2. Duties\nC.\n"
    one = chunked(
        document(text, ("1. Scope", "1.2 Terms", "2. Duties")), "1. Scope\nA.", "1.2 Terms\nB.", "2. Duties\nC."
    )
    assert [s.level for s in from_headings(one.document, one.chunks, 3)] == [1, 2, 1]


def test_a_chunk_belongs_to_the_section_in_which_it_begins() -> None:
    one = chunked(document("Intro.\nHead\nBody one. Body two.", ("Head",)), "Intro.\nHead\nBody one.", "Body two.")
    assert from_headings(one.document, one.chunks, 3) == [ChunkSection("Head", 1, 1, 2)]


def test_cuts_fall_where_neighbours_share_no_word() -> None:
    texts = ["apples pears", "pears plums", "plums apples", "bolts nuts", "nuts screws", "screws bolts"]
    # six chunks, one level: round(6 ^ (1/2)) = 2 parts, cut between the third and the fourth, which share nothing
    assert from_similarity(texts, depth=1, few=3) == [ChunkSection("", 1, 0, 3), ChunkSection("", 1, 3, 6)]
    assert from_similarity(texts, depth=1, few=6) == []
    assert from_similarity(["?", "!", ".", ";", "-"], depth=2, few=2) == []


def tree(one: Chunked, method: SectionTrees) -> tuple[list[Any], tuple[str, ...]]:
    (part,) = method.read([one])
    return json.loads(part.body), part.failed


def test_nodes_carry_their_path_and_quote_what_is_below() -> None:
    one = chunked(
        document(MANUAL, ("Pumps", "Safety", "Hands", "Repair"), title="Manual"),
        "# Pumps\n\nPumps move water.",
        "## Safety\n\nWear gloves.",
        "### Hands\n\nKeep hands away.",
        "## Repair\n\nCall the maker.",
    )
    nodes, failed = tree(one, SectionTrees(default_tokenizer()))
    assert failed == ()
    titles = [node[5] for node in nodes]
    assert titles[:4] == [
        "Manual › Pumps",
        "Manual › Pumps › Safety",
        "Manual › Pumps › Safety › Hands",
        "Manual › Pumps › Repair",
    ]
    # "Safety" holds two chunks; the whole holds the first, "Safety" and the last
    assert [(node[0], node[4], node[5]) for node in nodes[4:]] == [
        (1, [1, 2], "Manual › Pumps › Safety"),
        (2, [0, 4, 3], "Manual › Pumps"),
    ]
    for node in nodes:
        text, places = node[1], node[2]
        assert text == "\n".join(MANUAL[start:end] for start, end in places)


LONG = ["Apples grow.", "Pears grow.", "Bolts hold.", "Nuts hold.", "Screws turn."]


def scripted(request: Request) -> str:
    asked = request.messages[-1].content
    if "sections in their order" in asked:
        return json.dumps(
            {"sections": [{"title": "Fruit", "first": 1, "level": 1}, {"title": "Metal", "first": 3, "level": 1}]}
        )
    return "Metal parts." if "Nuts" in asked and "Apples" not in asked else "All of it."


def test_a_model_outlines_what_has_no_headings() -> None:
    one = chunked(document(" ".join(LONG)), *LONG)
    nodes, failed = tree(one, SectionTrees(default_tokenizer(), ScriptedLLM(scripted)))
    assert failed == ()
    assert [node[5] for node in nodes[:5]] == ["Manual › Fruit"] * 2 + ["Manual › Metal"] * 3
    assert [(node[1], node[3], node[4]) for node in nodes[5:]] == [
        ("All of it.", "rewrite", [0, 1]),
        ("Metal parts.", "rewrite", [2, 3, 4]),
        ("All of it.", "rewrite", [5, 6]),
    ]


def test_an_outline_out_of_order_is_a_failure_and_leaves_a_tree() -> None:
    bad = json.dumps({"sections": [{"title": "B", "first": 4, "level": 1}, {"title": "A", "first": 2, "level": 1}]})
    llm = ScriptedLLM(lambda request: bad if "sections in their order" in request.messages[-1].content else "Said.")
    one = chunked(document(" ".join(LONG)), *LONG)
    nodes, failed = tree(one, SectionTrees(default_tokenizer(), llm))
    assert [reason.partition(":")[0] for reason in failed] == ["outline"]
    assert sum(node[0] == 0 for node in nodes) == 5


def test_a_summary_that_fails_is_made_of_sentences() -> None:
    llm = ScriptedLLM(lambda request: "" if "summary" in request.messages[-1].content else scripted(request))
    one = chunked(document(" ".join(LONG)), *LONG)
    nodes, failed = tree(one, SectionTrees(default_tokenizer(), llm))
    assert len(failed) == 3
    assert all(node[3] == "quote" for node in nodes)


def test_a_model_that_nobody_answers_for_ends_the_build() -> None:
    gone = ScriptedLLM(lambda _: ModelUnavailableError("nobody answers"))
    with pytest.raises(ModelUnavailableError):
        SectionTrees(default_tokenizer(), gone).read([chunked(document(" ".join(LONG)), *LONG)])


def test_the_estimate_counts_outlines_and_summaries() -> None:
    one = chunked(document(" ".join(LONG)), *LONG)
    assert SectionTrees(default_tokenizer()).estimate([one]).calls == 0
    llm = ScriptedLLM(scripted)
    method = SectionTrees(default_tokenizer(), llm)
    expected = method.estimate([one])
    method.read([one])
    assert (len(llm.requests), expected.calls) == (
        4,
        5,
    )  # an outline and three sections; of five chunks there could be four
