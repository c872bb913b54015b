from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.text.sentences import sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Dr. J. K. Rowling met Mr. Smith. They left.", ["Dr. J. K. Rowling met Mr. Smith.", "They left."]),
        ("It is 3.14 m, e.g. Good. See Fig. 3 there.", ["It is 3.14 m, e.g. Good.", "See Fig. 3 there."]),
        ("They paid Acme Inc. The U.S. Army left.", ["They paid Acme Inc.", "The U.S. Army left."]),
        ('"Is it?" he said. "Yes!" She went.', ['"Is it?" he said.', '"Yes!"', "She went."]),
        ("It ended.[12] Next (really.) Last", ["It ended.[12]", "Next (really.)", "Last"]),
        ("He waited ... and left... Then came.", ["He waited ... and left...", "Then came."]),
        (
            "World War I. The war ended on Jan. 5 in Room No. 7.",
            ["World War I.", "The war ended on Jan. 5 in Room No. 7."],
        ),
        ("今日は晴れ。明日は「雨！」本当？はい", ["今日は晴れ。", "明日は「雨！」", "本当？", "はい"]),
        ("यह घर है। वह गया।", ["यह घर है।", "वह गया।"]),
        ("ما هذا؟ هذا بيت.", ["ما هذا؟", "هذا بيت."]),
        ("born at St. Mary 's , in Ohio . The next one .", ["born at St. Mary 's , in Ohio .", "The next one ."]),
        ("Heading\n\nText here", ["Heading", "Text here"]),
        ("# Head\ntext\n- one\n- two\n1. three", ["# Head", "text", "- one", "- two", "1. three"]),
        (
            "This line of prose is long enough to have been wrapped\nIn a file. Next",
            ["This line of prose is long enough to have been wrapped\nIn a file.", "Next"],
        ),
        ("Short title\nThen text", ["Short title", "Then text"]),
        (
            "Three years.[^1] No water.[^care]\n[^1]: Five in Oslo.",
            ["Three years.[^1]", "No water.[^care]", "[^1]: Five in Oslo."],
        ),
        (
            "Run:\n```sh\nmake all. Then\nls -l\n\ncat x\n```\nIt prints. Done",
            ["Run:", "```sh", "make all. Then", "ls -l", "cat x", "```", "It prints.", "Done"],
        ),
        (
            "cat x\n```\nIt prints what\nis there and\nstops. Then:\n```sh\nls\n```\nDone",
            ["cat x", "```", "It prints what\nis there and\nstops.", "Then:", "```sh", "ls", "```", "Done"],
        ),
        (
            "Never closed:\n```\nthis line is long enough to be wrapped prose\nand goes on",
            ["Never closed:", "```", "this line is long enough to be wrapped prose\nand goes on"],
        ),
        (
            "08:15 pump two was stopped by hand for cleaning\n08:16 pump two runs\n10:02 quiet",
            ["08:15 pump two was stopped by hand for cleaning", "08:16 pump two runs", "10:02 quiet"],
        ),
        (
            "Mar 12 10:22:01 gate opened for the lorry of the brewery\nMar 12 10:25:40 gate closed",
            ["Mar 12 10:22:01 gate opened for the lorry of the brewery", "Mar 12 10:25:40 gate closed"],
        ),
        (
            "The train of 10:22 was late and that of the evening at\n18.30 left without those who had come from it",
            ["The train of 10:22 was late and that of the evening at\n18.30 left without those who had come from it"],
        ),
        (
            "It sets how many may be open at once. The default value is\n  100. A larger one helps.\n1. Open it",
            [
                "It sets how many may be open at once.",
                "The default value is\n  100.",
                "A larger one helps.",
                "1. Open it",
            ],
        ),
        (
            "4. Turn it until the mark on the lid is seen above\n5. Wait",
            ["4. Turn it until the mark on the lid is seen above", "5. Wait"],
        ),
        ("| a | b |\n| c | d |", ["| a | b |", "| c | d |"]),
        (
            "Code | Remedy\nE1 | Fill it. If it stays, 5 … | Wait! Go.\nE2 | None.",
            ["Code | Remedy", "E1 | Fill it. If it stays, 5 … | Wait! Go.", "E2 | None."],
        ),
        ("1. Introduction begins. 2. It ends.", ["1. Introduction begins.", "2. It ends."]),
        ("Ratio 1.\nIn the end", ["Ratio 1.", "In the end"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_splits_as_a_reader_would(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_overlong_runs_are_broken_at_clauses_then_words_then_anywhere() -> None:
    clauses = "word, " * 400
    assert all(len(part) <= 1200 and part.endswith(",") for part in split(clauses))
    assert [len(part) for part in split("x" * 3000)] == [1200, 1200, 600]


@given(st.text(alphabet=st.sampled_from('aA b.1?!\n。”"[]()-|#,X é\u3000\x1c')) | st.text())
def test_ranges_are_ordered_trimmed_and_cover_all_text(text: str) -> None:
    covered = 0
    for start, end in sentences(text):
        assert not text[covered:start].strip()
        assert text[start:end] == text[start:end].strip()
        assert covered <= start < end
        covered = end
    assert not text[covered:].strip()


@pytest.mark.parametrize("unit", [".", " \n", "a. ", "[1]", ".[1", '."', "\n", "x", "Mr. ", ". " * 30 + "a"])
def test_time_is_linear_in_hostile_text(unit: str) -> None:
    start = time.process_time()
    sentences(unit * (300_000 // len(unit)))
    assert time.process_time() - start < 5  # quadratic work would take hours


@pytest.mark.parametrize("repeats", [1, 300])
def test_what_a_caller_does_with_the_ranges_changes_no_later_answer(repeats: int) -> None:
    text = "One is here. Two is there. " * repeats
    found = sentences(text)
    expected = [*found]
    found.clear()
    assert sentences(text) == expected
    assert len(expected) == 2 * repeats
