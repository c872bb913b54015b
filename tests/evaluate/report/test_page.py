from __future__ import annotations

import re
from pathlib import Path

import tiny
from markdown_it import MarkdownIt

from decoct.data import Span
from decoct.evaluate.record import Header, RecordedQuestion, Row, Run
from decoct.evaluate.report.excerpts import excerpts, marked
from decoct.evaluate.report.markdown import markdown
from decoct.evaluate.report.page import page
from decoct.evaluate.report.tables import tables
from decoct.evaluate.session import Setup, execute
from decoct.evaluate.system import systems


def test_gold_is_marked_to_the_character() -> None:
    span = Span("d", 10, 20)
    assert marked("0123456789", span, [Span("d", 12, 14), Span("e", 10, 20)]) == [
        ("01", False),
        ("23", True),
        ("456789", False),
    ]
    assert marked("0123456789", span, [Span("d", 0, 99)]) == [("0123456789", True)]
    assert marked("0123456789", span, [Span("d", 11, 13), Span("d", 12, 15)]) == [
        ("0", False),
        ("1", True),
        ("2", True),
        ("34", True),
        ("56789", False),
    ]


def test_the_page_is_self_contained_and_escapes_what_it_shows(tmp_path: Path) -> None:
    recipe = tmp_path / "<b>.toml"
    recipe.write_text('[retrieve]\nuse = "bm25"\n')
    run = tiny.run(tmp_path, f"naive,{recipe}")
    text = page(tables([run]), excerpts([run], cache=tmp_path / "cache"))
    assert "<svg" in text
    assert not re.search(r"""src=|href="(?!#)|<script|@import|url\((?!#)|<!DOCTYPE svg""", text)
    assert "<b>.toml" not in text
    assert "&lt;b&gt;" in text


def test_markdown_escapes_what_it_shows(tmp_path: Path) -> None:
    recipe = tmp_path / "<img src=x>[a](b)|.toml"
    recipe.write_text('[retrieve]\nuse = "bm25"\n')
    text = markdown(tables([tiny.run(tmp_path, f"naive,{recipe}")]))
    kinds = {
        token.type
        for one in MarkdownIt("commonmark").enable("table").parse(text)
        for token in (one, *(one.children or ()))
    }
    assert not kinds & {"html_inline", "html_block", "link_open", "image"}
    rows = [line for line in text.splitlines() if "img src=x" in line and line.startswith("|")]
    assert rows
    assert all(r"\<img src=x\>\[a\](b)\|" in row for row in rows)


def test_questions_are_shown_side_by_side_with_their_texts(tmp_path: Path) -> None:
    bare = tmp_path / "words.toml"
    bare.write_text('[retrieve]\nuse = "bm25"\n')
    setup = Setup((25,), cache=tmp_path / "cache")
    execute(tiny.dataset(), systems(["naive", str(bare)]), setup, tmp_path / "run")
    shown = excerpts([tmp_path / "run"], cache=tmp_path / "cache")
    for one in shown:
        assert one.sides[0].value != one.sides[1].value
        texts = ["".join(piece for piece, _ in passage.pieces) for side in one.sides for passage in side.passages]
        assert all(any(text in whole for whole in tiny.TEXTS.values()) for text in texts)
    gone = excerpts([tmp_path / "run"], cache=tmp_path / "nowhere")
    assert [one.question for one in gone] == [one.question for one in shown]


def test_excerpts_are_of_the_first_measure_on_which_two_systems_differ(tmp_path: Path) -> None:
    header = Header(
        {"name": "x", "title": "X"}, {"a": {}, "b": {}}, (100,), ("judge", "token_f1"), "e", "t", "sentence"
    )
    cost = {"tokens": 9}
    with Run.start(tmp_path, header) as run:
        run.ask([RecordedQuestion("q", "Q?"), RecordedQuestion("r", "R?")])
        run.add(
            Row(name, 100, one, {"judge": 1.0, "token_f1": float(name == "b" and one == "r")}, cost)
            for name in "ab"
            for one in "qr"
        )
    (shown,) = excerpts([tmp_path])
    assert (shown.metric, shown.question.id) == ("token_f1", "r")
