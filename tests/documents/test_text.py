"""A text file is its text; data that holds no words is told apart, as it costs hundreds of times its size."""

from __future__ import annotations

import base64
import gzip
import random

import pytest
from reading import one, refused

from decoct.documents.base import Source
from decoct.documents.text import declared_charset

NUMBERS = ",".join(str(number * 7919 % 1000) for number in range(5_000))


@pytest.mark.parametrize("name", ["ones.txt", "ones.md", "ones.rst"])
@pytest.mark.parametrize("data", ["1," * 50_000, NUMBERS, "=\n" * 50_000, "\u2014\n" * 20_000])
def test_a_long_file_without_words_is_refused_and_says_so(name: str, data: str) -> None:
    assert "hardly a letter" in refused(name, data)


def test_encoded_data_is_refused_and_says_so() -> None:
    assert "no text" in refused("picture.txt", base64.b64encode(random.Random(1).randbytes(30_000)))


@pytest.mark.parametrize(
    "data",
    [
        "1," * 400,  # short
        "The pump ran for 12 hours. " * 1_000,
        "\u6a4b\u306f1934\u5e74\u306b\u958b\u901a\u3057\u305f\u3002" * 2_000,  # Japanese has no spaces
        "Reading " + NUMBERS + " of the sensor at the bridge over the Aare. " * 100,
    ],
)
def test_text_is_read(data: str) -> None:
    assert one("a.txt", data).text.strip() == data.strip()


def test_the_charset_of_a_media_type() -> None:
    source = Source.of("a.txt", b"x", media_type='text/plain; charset="utf-8"')
    assert declared_charset(source) == "utf-8"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Statistical Translation\n\nWe propose a model.", "Statistical Translation"),
        ("\nTides of the sound\n==================\nHigh water is at six.", "Tides of the sound"),
        (
            "HARBOUR OFFICE\nNOTICE No. 9 of 2026\nIssued on Monday\n\nAll ships wait.",
            "HARBOUR OFFICE NOTICE No. 9 of 2026",
        ),
        ("Dear Ann,\n\nthe boat is late.", ""),
        ("Ann Miller\n12 Kiln Lane\n\nThe boat is late.", ""),
        ("From: Ann\n\nThe boat is late.", ""),
        ("- milk\n\n- bread", ""),
        ("The boat is late.\n\nIt comes at six.", ""),
        ("boat 6 12.5 late\n\nboat 7", ""),
        ("2026-03-01 06:12 12.5 13.5 late\n\nMore", ""),
        ("STOP\nGO\nSTOP\nGO\nSTOP", ""),
        ("Tides of the sound", ""),
    ],
)
def test_a_first_line_is_the_title_where_it_surely_is_one(text: str, title: str) -> None:
    assert one("a.txt", text).title == title


MANUAL = """The Kiln

1. Firing
---------

Fire slowly.

1.1. Limits

kiln.hold <minutes>
  How long the top is held. The default value is
  20. More may crack it.

kiln.cool
  How it cools.

2. Notes
--------

Name      Size    Colour
====================
small     2       red
"""


def test_underlined_and_numbered_lines_and_entries_are_headings() -> None:
    read = one("kiln.txt", MANUAL)
    named = [(read.text[start:end], level) for (start, end), level in zip(read.headings, read.levels, strict=True)]
    assert named == [
        ("1. Firing", 1),
        ("1.1. Limits", 2),
        ("kiln.hold <minutes>", 7),
        ("kiln.cool", 7),
        ("2. Notes", 1),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ann,\n\n  the pump runs.\n\nYours\n  Bo\n",
        "1. Open it.\n\n2. Close it.\n\n3. Wait.\n\n4. Go.\n",
        "1. Open it\n2. Close it\n3. Wait\n",
    ],
)
def test_letters_and_steps_have_no_headings(text: str) -> None:
    assert one("letter.txt", text).headings == ()


def test_a_manual_in_info_is_read_without_what_leads_through_it() -> None:
    nodes = [
        "This is oil.info, produced by makeinfo.\n",
        "File: oil.info,  Node: Top,  Next: Parts,  Up: (dir)\n\nOil: A manual\n*************\n\nIt has 12 parts.\n\n"
        "* Menu:\n\n* Parts::   Of it,\n    and more.\n\n   Behind it.\n\n",
        "File: oil.info,  Node: Parts,  Up: Top\n\n1 Parts\n*******\n\nA rotor of 7 kg.\n\n"
        "1.1 `seal`: Stop leaks\n======================\n\nOf rubber.\n\n",
        "File: oil.info,  Node: Index,  Up: Top\n\nIndex\n*****\n\n\0\b[index\0\b]\n* Menu:\n\n* rotor:   Parts.  (line 6)\n\n",
        "Tag Table:\nNode: Top\x7f14\n",
    ]
    document = one("oil.info.gz", gzip.compress("\x1f\n".join(nodes).encode()))
    assert document.title == "Oil: A manual"
    assert [document.text[slice(*found)] for found in document.headings] == [
        document.title,
        "1 Parts",
        "1.1 `seal`: Stop leaks",
    ]
    assert all(said in document.text for said in ("12 parts", "Behind it."))
    assert all(said not in document.text for said in ("Node:", "line 6", "Of it", "and more", "makeinfo"))


def test_a_field_over_the_end_of_a_head_is_no_heading() -> None:
    text = "Date: 7 May\n--------------------------------\n\n1. Oil\n\n2.1 Seals\n\n2.2 Rotors\n\nWords.\n"
    document = one("a.txt", text)
    assert "Date: 7 May" not in [document.text[slice(*found)] for found in document.headings]


def test_what_a_program_writes_first_is_no_title() -> None:
    assert one("a.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:Ann Lee\nEND:VCARD\n").title == ""
    assert one("a.txt", "MANUAL OF PUMPS\n\nOpen it.\n").title == "MANUAL OF PUMPS"
