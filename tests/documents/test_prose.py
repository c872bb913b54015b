"""Running text out of blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoct.documents.prose import CELL, LINE, PARAGRAPH, SPACE, Prose, column_bars, leads_elsewhere


def test_the_widest_gap_wins_and_none_stands_at_the_ends() -> None:
    prose = Prose()
    prose.gap(PARAGRAPH)
    prose.say(" one\n two ")
    prose.gap(CELL)
    prose.gap(LINE)
    mark = prose.mark()
    prose.say(" three")
    prose.say("four ")
    assert prose.text == "one two\nthreefour"
    assert prose.since(mark) == (8, 17)
    prose.gap(PARAGRAPH)
    assert prose.since(prose.mark()) is None
    assert prose.length == 17


def test_verbatim_text_does_not_begin_with_blank_lines() -> None:
    prose = Prose()
    prose.verbatim(" \n")
    prose.verbatim("\n  a\n\n  b")
    assert prose.text == "  a\n\n  b"
    assert prose.length == len(prose.text)
    prose = Prose()
    prose.verbatim(" ")
    prose.gap(LINE)
    prose.verbatim("\na")
    assert prose.text == "a"


def test_verbatim_text_stays() -> None:
    prose = Prose()
    prose.verbatim("  a\n   b")
    prose.verbatim("  \n")
    assert prose.text == "  a\n   b"


STEP = st.text(alphabet="ab \n\t\u00a0", max_size=4) | st.sampled_from([SPACE, CELL, LINE, PARAGRAPH])


@given(st.lists(STEP, max_size=12))
def test_lengths_are_exact(steps: list[str]) -> None:
    prose = Prose()
    for step in steps:
        if step in (SPACE, CELL, LINE, PARAGRAPH):
            prose.gap(step)
        else:
            mark = prose.mark()
            prose.say(step)
            if found := prose.since(mark):
                assert prose.text[slice(*found)] == prose.text[found[0] :]
    assert prose.length == len(prose.text)
    assert prose.text == prose.text.strip()


@pytest.mark.parametrize(
    ("lines", "bars"),
    [
        (("Tank (l)\t6\t5", "Meter\tat 6\tat 8", "Bin (%)\t\t5"), [True, True]),
        (("\tMon\tTue", "", "Kiosk\t3\t5"), [True, True]),  # a blank corner
        (("Bin (%)\t\t5", "Tank (l)\t6\t5", ""), [True, True]),
        (("Kite\t28\tBo\tfull", "Wren\t12\tAl", ""), [True, True, True]),  # the end of the other row is blank
        (("Depot (old)\t12", "Site\tkWh", ""), [True]),
        (("1.\tWash", "", "(b)\tRinse"), [False]),
        (("\t1.\tWash", "\t2.\tRinse", ""), [False, False]),
        (("\tThanks.", "Name:\tBo", ""), [False]),
        (("Name:\tBo\tPhone:\t12", "Role:\tCook\tRoom:\t3", ""), [False, True, False]),
        (("Total:\t3\t5", "Kiosk\t3\t5", ""), [True, True]),
        (("Now\tthen", "One line", "A\tB\tC"), []),
        (("No tab", "No tab", ""), []),
    ],
)
def test_tabs_that_part_columns(lines: tuple[str, str, str], bars: list[bool]) -> None:
    assert column_bars(*lines) == bars


def test_targets() -> None:
    assert leads_elsewhere("page.html#part")
    for target in ("", "#part", "mailto:a@b.c", "JavaScript:void(0)", "data:text/plain,x"):
        assert not leads_elsewhere(target)
