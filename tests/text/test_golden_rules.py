"""The 48 golden rules for English of Pragmatic Segmenter (Kevin S. Dias, MIT), as pySBD's tests have them (Nipun Sadvilkar, MIT).

They stand in `golden_rules.json` as other people's data: a text and its sentences. One is marked there as failing by pySBD's own authors.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from decoct.text.sentences import sentences

RULES = json.loads(Path(__file__).with_name("golden_rules.json").read_text("utf-8"))


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def test_all_golden_rules_but_one_hold() -> None:
    failing = [rule["text"] for rule in RULES if split(rule["text"]) != rule["sentences"]]
    assert len(RULES) == 48
    assert [text[:27] for text in failing] == ["At 5 a.m. Mr. Smith went to"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is void . . . unless signed by a notary.", ["It is void . . . unless signed by a notary."]),
        ("a) Open it b) Close it", ["a) Open it b) Close it"]),  # only numbers go on in one line with brackets
        ("We had plan b. The rest came.", ["We had plan b.", "The rest came."]),
        ("1. Wait 5. The end came.", ["1. Wait 5.", "The end came."]),  # five is not the next item
        ("He said [...", ["He said [..."]),
        ("It closed in May 1. It was 2. It rained.", ["It closed in May 1.", "It was 2.", "It rained."]),
    ],
)
def test_what_only_looks_like_a_rule_is_left(text: str, expected: list[str]) -> None:
    assert split(text) == expected
