"""Which editions a later one replaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from decoct import Library
from decoct.answer.editions import replaced_editions

NAMES = [
    "Shift rules, edition 2023",
    "Shift rules, edition 2025",
    "Harbour dues 2025",
    "Minutes of May",
    "Tide tables 2019",
]


@pytest.mark.parametrize(
    ("question", "replaced"),
    [
        ("How long may a shift be?", {"Shift rules, edition 2023"}),
        ("How long might a shift be in 2023?", set()),
        ("What are the dues of 2025?", {"Shift rules, edition 2023"}),
    ],
)
def test_the_later_year_of_one_name_holds_unless_the_question_names_the_other(
    question: str, replaced: set[str]
) -> None:
    assert replaced_editions(question, NAMES) == replaced


MAIL = """From: Ann Lee <ann@x.example>
To: Bob Ray <bob@x.example>
Date: Tue, 10 Mar 2026 10:00:00 +0000
Subject: Re: The crane
Content-Type: text/plain; charset=utf-8

Bob,

we agreed a new figure this morning. The harbour crane costs 48,000 euros now.

Ann

"""
SIGNED = """On Mon, 9 Mar 2026, Bob Ray wrote:
> Ann,
>
> the offer came in. The harbour crane costs 52,000 euros.
> The key of the crane lies with the porter.
"""
RULED = """-----Original Message-----
From: Bob Ray
Sent: Monday, 9 March 2026 09:12
To: Ann Lee
Subject: The crane

Ann, the harbour crane costs 52,000 euros.
The key of the crane lies with the porter.
"""


@pytest.mark.parametrize("quotation", [SIGNED, RULED])
def test_a_reply_holds_before_what_it_quotes(tmp_path: Path, quotation: str) -> None:
    (tmp_path / "crane.eml").write_text(MAIL + quotation, "utf-8")
    with Library.open(tmp_path / "library") as library:
        library.add([tmp_path / "crane.eml"])
        costs = library.ask("How much does the harbour crane cost?")
        key = library.ask("With whom does the key of the crane lie?")
    assert [one.text for one in costs.answers] == ["48,000 euros"]
    assert "52,000" not in costs.text
    assert "the porter" in [one.text for one in key.answers]
