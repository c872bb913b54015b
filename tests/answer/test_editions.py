"""Which editions a later one replaces."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from decoct import Library
from decoct.answer.claim_evidence import ClaimEvidence
from decoct.answer.decision import ClaimCandidate
from decoct.answer.in_force import is_absent, replaced_editions
from decoct.answer.quoted import FoundWords, ReadPassage
from decoct.answer.short_answers import ShortAnswers
from decoct.data import Passage, Span
from decoct.reading.base import NOTHING_READ

TITLED = [
    ("a.md", "Shift rules, edition 2023"),
    ("b.md", "Shift rules, edition 2025"),
    ("c.md", "Harbour dues 2025"),
    ("d.md", "Minutes of May"),
    ("rules/storage-2023.md", "Storage"),
    ("rules/storage-2025.md", "Storage"),
    ("e.md", "Handbook, 3rd edition"),
    ("f.md", "Handbook, 4th edition"),
    ("parking-v1.md", "Parking"),
    ("parking-v2.md", "Parking"),
    ("notice-9.md", "Notice"),
    ("notice-14.md", "Notice"),
]
OLD = {"a.md", "rules/storage-2023.md", "e.md", "parking-v1.md"}


@pytest.mark.parametrize(
    ("question", "replaced"),
    [
        ("How long may a shift be?", OLD),
        ("How long might a shift be in 2023?", OLD - {"a.md", "rules/storage-2023.md"}),
        ("What did the 3rd edition say?", OLD - {"e.md"}),
    ],
)
def test_the_later_of_one_title_or_file_holds_unless_the_question_names_the_other(
    question: str, replaced: set[str]
) -> None:
    passages = [Passage("Words.", (Span(doc_id, 0, 6),), title=title) for doc_id, title in TITLED]
    assert replaced_editions(question, passages) == replaced


def test_a_name_with_a_word_more_is_an_edition_as_well() -> None:
    told = {"Rules v4 SUPERSEDED.md": "Ten days of notice are given.", "Rules v5.md": "Five days of notice are given."}
    passages = [Passage(text, (Span(doc_id, 9, 9 + len(text)),), title="Rules") for doc_id, text in told.items()]
    assert replaced_editions("How many days of notice?", passages) == {"Rules v4 SUPERSEDED.md"}
    assert not replaced_editions("How many days of notice were there in version 4?", passages)


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
        costs = library.ask("How much does the harbour crane cost?", caution=0.4)
        key = library.ask("With whom does the key of the crane lie?")
    assert [one.text for one in costs.answers] == ["48,000 euros"]
    assert "52,000" not in costs.text
    assert "the porter" in [one.text for one in key.answers]


SHORTER = """From: Ann Lee <ann@x.example>
To: Bob Ray <bob@x.example>
Date: Tue, 10 Mar 2026 10:00:00 +0000
Subject: Re: Outing of the print shop
Content-Type: text/plain; charset=utf-8

Bob, sorry, I misread the list: the coach takes 31, not 24. It leaves on Friday 5 June.
Bring rain gear.

Ann

"""
OLDER = """> The coach of the print shop's outing takes 24 people.
> The outing of the print shop is on 29 May.
> Lunch on the outing is at the Old Mill.
"""


def test_a_reply_that_says_less_of_the_question_holds_as_well(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_text(f"{SHORTER}On Mon, 9 Mar 2026, Bob Ray wrote:\n{OLDER}", "utf-8")
    with Library.open(tmp_path / "library") as library:
        library.add([tmp_path / "a.eml"])
        coach = library.ask("How many people does the coach of the print shop's outing take?")
        lunch = library.ask("Where is lunch on the outing of the print shop?")
    likely = [one.text for one in ShortAnswers().likely(coach.context)]
    assert likely[:2] == ["31, not 24", "24 people"]
    assert "24 people" not in [one.text for one in coach.answers]
    assert [one.text for one in lunch.answers] == ["at the Old Mill"]


TODAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("sentence", "words", "absent"),
    [
        ("From Friday 1 May 2026 the sauna costs 9 euros (so far 7 euros).", "9 euros", True),
        ("From Friday 1 May 2026 the sauna costs 9 euros (so far 7 euros).", "7 euros", False),
        ("The rent of 40 euros rises to 45 euros from 1 May 2026.", "40 euros", False),
        ("The rent of 40 euros rises to 45 euros from 1 May 2026.", "45 euros", True),
        ("Until 31 January 2026 it was 3 euros, since then 4 euros.", "3 euros", True),
        ("Until 31 January 2026 it was 3 euros, since then 4 euros.", "4 euros", False),
        ("After 1 May 2026 the warden is Ida Holm.", "Ida Holm", True),
        ("Since 1 May 2025 the warden is Ida Holm.", "Ida Holm", False),
        ("The new rent holds from 1 May 2026.", "1 May 2026", False),
        ("Item | Price | Price from 1 May 2026\nSauna | 7.00 | 9.00", "9.00", True),
        ("Item | Price | Price from 1 May 2026\nSauna | 7.00 | 9.00", "7.00", False),
        ("Item | Price | Valid from\nSauna | 7.00 | 1 May 2025\nSauna | 9.00 | 1 May 2026", "9.00", True),
        ("Item | Price | Valid from\nSauna | 7.00 | 1 May 2025\nSauna | 9.00 | 1 May 2026", "7.00", False),
        ("# Prices from 1 May 2026\n\nThe sauna costs 9 euros.", "9 euros", True),
    ],
)
def test_what_begins_later_or_has_ended_is_not_in_force(sentence: str, words: str, *, absent: bool) -> None:
    at = sentence.index(words)
    low, high = sentence.rfind("\n", 0, at) + 1, len(sentence[:at]) + len(sentence[at:].partition("\n")[0])
    passage = Passage(sentence, (Span("a", 0, len(sentence)),))
    found = FoundWords(ReadPassage(passage, NOTHING_READ, 0), (low, high), (at, at + len(words)), words, 0.9)
    assert is_absent(ClaimCandidate(found, ClaimEvidence("words", 0.0)), TODAY) == absent


def test_a_value_of_later_stands_behind_the_present_one(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Bath\n\nFrom 1 May 2126 the sauna costs 9 euros.", "utf-8")
    (tmp_path / "b.md").write_text("# Sauna\n\nThe sauna costs 7 euros. Towels are free.", "utf-8")
    with Library.open(tmp_path / "library") as library:
        library.add([tmp_path / "a.md", tmp_path / "b.md"])
        now, later = (
            library.ask(f"What {one} the sauna cost{end}?") for one, end in (("does", ""), ("will", " in 2126"))
        )
    assert "9 euros" not in [one.text for one in now.answers]
    assert ShortAnswers().likely(now.context)[0].text == "7 euros"
    assert ShortAnswers().likely(later.context)[0].text == "9 euros"
