"""What stands over a place of a text."""

from __future__ import annotations

from decoct.text.outline import above, outline, sections

HOURS = (
    "# Opening hours\n\n1. Weekdays\n   - Shop: 9 to 18\n   - Cafe: 8 to 17\n"
    "2. Weekends\n   - Shop: 10 to 16\n     or later\n   - Cafe: closed"
)
FAULTS = (
    "# Faults\n\nRead this first.\n\n## E-1040\n\nThe belt is loose.\n\n### Tools\n\nA spanner.\n\n"
    "## E-1402\n\nThe door is open. Close it.\n\n- one item\n- another"
)


def test_an_item_is_below_the_one_that_is_less_indented() -> None:
    assert [(HOURS[part.start : part.end].split(), part.above[1:]) for part in outline(HOURS)] == [
        (["1.", "Weekdays"], ()),
        ("- Shop: 9 to 18 - Cafe: 8 to 17".split(), ("Weekdays",)),
        (["2.", "Weekends"], ()),
        ("- Shop: 10 to 16 or later - Cafe: closed".split(), ("Weekends",)),
    ]
    assert above(HOURS, HOURS.index("or later")) == ("Opening hours", "Weekends")


def test_a_sentence_is_below_its_headings() -> None:
    assert above(FAULTS, FAULTS.index("The belt")) == ("Faults", "E-1040")
    assert above(FAULTS, FAULTS.index("A spanner")) == ("Faults", "E-1040", "Tools")
    assert above(FAULTS, FAULTS.index("another")) == ("Faults", "E-1402")
    assert above(FAULTS, FAULTS.index("E-1402")) == ()  # a heading is in no part


def test_prose_is_one_part_and_code_has_no_headings() -> None:
    text = "It rains.\n\nIt snows in May.\n\n```\n# no heading\n- no item\n  - nor this\n```\nThe end comes."
    (part,) = outline(text)
    assert (part.start, part.end, part.above) == (0, len(text), ())
    assert outline("") == ()


def test_sections_have_their_heading_and_code() -> None:
    text = "Mowing\n======\n\nRun:\n\n```\nmow\n```\n"
    (section,) = sections(text)
    assert section.above == ("Mowing",)
    assert [text[slice(*one)] for one in section.code] == ["```\nmow\n```"]


def test_fields_beside_each_other_are_no_headings_but_one_alone_and_numbered_ones_are() -> None:
    fields = "patience\n\nForm: seconds\n\nDefault: 30\n\nHow long a gate may be quiet."
    assert above(fields, fields.index("How")) == ("patience",)
    under = "patience\n\nDefault: 30\n\nHow long a gate may be quiet."
    assert above(under, under.index("How")) == ("patience",)
    alone = "It may be closed.\n\nExample: a quiet gate\n\nIt is closed after half a minute."
    assert above(alone, alone.index("It is")) == ("Example: a quiet gate",)
    chapters = "Part 1: Gates\n\nChapter 1: Patience\n\nHow long a gate may be quiet."
    assert above(chapters, chapters.index("How")) == ("Chapter 1: Patience",)
