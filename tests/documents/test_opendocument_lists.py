"""Numbers of lists and headings in OpenDocument files: the expected ones are those that LibreOffice shows."""

from __future__ import annotations

import pytest
from test_new_shapes import opendocument

LOEXT = "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"


def level(number: int, kind: str, more: str = "", what: str = "list-level-style") -> str:
    name = what if what.startswith("outline") else f"{what}-number"
    return f'<text:{name} text:level="{number}" style:num-format="{kind}" {more}/>'


def style(name: str, *levels: str) -> str:
    return f'<text:list-style style:name="{name}">{"".join(levels)}</text:list-style>'


def items(*inner: str, more: str = "") -> str:
    return f"<text:list {more}>{''.join(inner)}</text:list>"


def item(words: str = "", *inner: str, more: str = "") -> str:
    said = f"<text:p>{words}</text:p>" if words else ""
    return f"<text:list-item {more}>{said}{''.join(inner)}</text:list-item>"


STYLES = "".join((
    style(
        "A",
        level(1, "1", 'style:num-suffix="."'),
        level(2, "1", f'text:display-levels="2" xmlns:loext="{LOEXT}" loext:num-list-format="%1%.%2%"'),
        level(3, "a", 'style:num-prefix="(" style:num-suffix=")" style:num-letter-sync="true"'),
    ),
    style("B", level(1, "I", 'style:num-suffix="."'), level(2, "1", 'text:display-levels="2" text:start-value="3"')),
    style("Law", level(1, "01, 02, 03, ...", 'style:num-prefix="§ "')),
    style("Note", level(1, "", 'style:num-prefix="Note" style:num-suffix=":"'), level(2, "1st")),
    style("Bare", level(1, "", 'style:num-suffix="."'), level(2, "1", 'text:display-levels="2" style:num-suffix=")"')),
    style("Dash", '<text:list-level-style-bullet text:level="1" text:bullet-char="x"/>'),
    style("Short", level(1, "i", 'style:num-suffix=")"')),
))  # fmt: skip


def lines(body: str, styles: str = STYLES, name: str = "a.odt") -> list[str]:
    kind = "presentation" if name.endswith("p") else "text"
    text = opendocument(name, f"<office:{kind}>{body}</office:{kind}>", styles).text
    return [line.strip() for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (  # a clause of a list that begins in another, as LibreOffice writes it
            items(
                item("Fees", items(item("Yearly"))),
                item(
                    "Annex",
                    items(item("Clause"), more='text:style-name="B"'),
                    more='text:start-value="7" text:style-override="A"',
                ),
                more='text:style-name="A"',
            ),
            ["1. Fees", "1.1 Yearly", "7. Annex", "VII.3 Clause"],
        ),
        (  # an interrupted sub-list that goes on: the item that only holds it counts for none
            items(item("One", items(item("sub"))), more='text:style-name="A"')
            + "<text:p>Between</text:p>"
            + items(
                item("", items(item("next"))), item("Two"), more='text:style-name="A" text:continue-numbering="true"'
            ),
            ["1. One", "1.1 sub", "Between", "1.2 next", "2. Two"],
        ),
        (  # a level behind a paragraph, or in another list, begins anew
            items(
                item("One", items(item("a")), "<text:p>and</text:p>", items(item("b")), items(item("c"))),
                more='text:style-name="A"',
            ),
            ["1. One", "1.1 a", "and", "1.1 b", "1.1 c"],
        ),
        (  # lists that continue others by their ids
            items(item("one"), more='text:style-name="A" xml:id="l1"')
            + items(item("other"), more='text:style-name="A"')
            + items(item("two"), more='text:style-name="A" text:continue-list="l1"'),
            ["1. one", "1. other", "2. two"],
        ),
        (items(item("first"), item("second"), more='text:style-name="Law"'), ["§ 01 first", "§ 02 second"]),
        (items(item("x", items(item("y"))), more='text:style-name="Note"'), ["Note: x", "1st. y"]),
        (items(item("x", items(item("y"))), more='text:style-name="Bare"'), ["x", "1) y"]),
        (items(item("", items(item("x"))), item("y"), more='text:style-name="A"'), ["1.1 x", "2. y"]),
        (items(item("none", more='text:start-value="0"'), item("y"), more='text:style-name="A"'), ["0. none", "1. y"]),
        (  # pandoc says of a list in another only its first level
            items(
                item("x", items(item("y"), item("z"), more='text:style-name="Short"')), more='text:style-name="Dash"'
            ),
            ["- x", "i) y", "ii) z"],
        ),
        (items(item("x", items(item("y")))), ["- x", "- y"]),
    ],
)
def test_items_of_a_text_have_the_numbers_that_are_shown(body: str, shown: list[str]) -> None:
    assert lines(body) == shown


OUTLINE = (
    '<text:outline-style style:name="Outline">'
    + level(1, "A", 'style:num-prefix="Part " style:num-suffix="."', "outline-level-style")
    + level(2, "1", 'text:display-levels="2"', "outline-level-style")
    + level(3, "", "", "outline-level-style")
    + '</text:outline-style><style:style style:name="P1" style:list-style-name=""/>'
)


def heading(words: str, depth: int = 1, more: str = "") -> str:
    return f'<text:h text:outline-level="{depth}" {more}>{words}</text:h>'


def test_headings_are_numbered_by_the_outline_or_the_list_that_they_stand_in() -> None:
    in_list = f"<text:list-item>{heading('Fees')}{items('<text:list-item>' + heading('Late', 2) + '</text:list-item>')}"
    body = (
        heading("Scope") + heading("Terms", 2) + heading("Plain", 3) + heading("Preface", 1, 'text:style-name="P1"')
        + heading("Rates", 2) + heading("Head", 1, 'text:is-list-header="true"')
        + heading("Annex", 1, 'text:restart-numbering="true" text:start-value="24"')
        + items(f"{in_list}</text:list-item>", more='text:style-name="A"') + heading("Map", 2)
        + items(f"<text:list-item>{items('<text:list-item>' + heading('Old', 2) + '</text:list-item>')}</text:list-item>",
                more='text:style-name="Outline"')
    )  # fmt: skip
    document = opendocument("a.odt", f"<office:text>{body}</office:text>", STYLES + OUTLINE)
    shown = [
        "Part A. Scope", "A.1 Terms", "Plain", "Preface", "A.2 Rates", "Head", "Part X. Annex", "1. Fees", "1.1 Late",
        "X.1 Map", "X.2 Old",
    ]  # fmt: skip
    assert document.text.split("\n\n") == shown
    assert [document.text[start:end] for start, end in document.headings] == shown


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (  # lists of one shape go on where their numbers look alike
            items(item("a"), item("b"), more='text:style-name="A"')
            + items(item("", items(item("sub"))), item("c"), more='text:style-name="A2"'),
            ["1. a", "2. b", "sub", "3. c"],
        ),
        (items(item("a"), more='text:style-name="A"') + items(item("b"), more='text:style-name="B"'), ["1. a", "I. b"]),
        (
            items(item("a"), more='text:style-name="A"') + "<text:p>x</text:p>" + items(item("b"), more='text:style-name="A"'),
            ["1. a", "x", "2. b"],
        ),
        (
            items(item("a"), more='text:style-name="A"')
            + items(item("x"), more='text:style-name="Dash"')
            + items(item("b"), more='text:style-name="A"'),
            ["1. a", "- x", "1. b"],
        ),
    ],
)  # fmt: skip
def test_items_on_a_slide_have_the_numbers_that_are_shown(body: str, shown: list[str]) -> None:
    styles = STYLES + style("A2", level(1, "1", 'style:num-suffix="."'), level(2, ""))
    box = f"<draw:frame><draw:text-box>{body}</draw:text-box></draw:frame>"
    page = f"<draw:page>{box}{box}</draw:page>"
    assert lines(page, styles, "a.odp") == [*shown, *shown]
