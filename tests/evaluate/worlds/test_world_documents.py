"""Documents of a world and the questions of several statements: what is labelled is written, and the arithmetic is right."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoct_lab.worlds.documents import DocumentPlan, WrittenDocument, conflicts_of, document, said_in
from decoct_lab.worlds.families import SPLITS, Family, families
from decoct_lab.worlds.more import aggregate, compare, two_hop
from decoct_lab.worlds.world import Stated

LENGTH = Family(
    "length", "bridge", "length", "How long is {e}?",
    dict.fromkeys(("paper", "report", "blog"), ("The length of {e} is {v} at room temperature.", "For {e} we measured {v}.")),
    units=(("m", 1.0),), low=10, high=90, compare="Which is longer, {e} or {o}?",
)  # fmt: skip
FILLER = tuple(f"Filler {n} of {{o}} has {{n}} parts and {{m}} more." for n in range(8))


def written(style: str = "paper", role: str = "plain", true: bool = True, **more: Any) -> WrittenDocument:
    plan = DocumentPlan(true, style, 2015, role)
    return document(
        "d1", LENGTH, "Norvane", Stated(40.0), plan, filler=FILLER, rival=("Quilwick", Stated(70.0)), rng=random.Random(1), **more
    )  # fmt: skip


def test_a_document_says_its_value_of_its_thing_once() -> None:
    made = written()
    assert (made.said, made.true, made.silent) == ("40 m", True, False)
    assert made.record["text"].count("40 m") == 1
    assert "Norvane" in made.record["title"]
    assert (made.record["kind"], made.record["date"][:5]) == ("paper", "2015-")


def test_a_silent_document_says_nothing_of_the_value() -> None:
    made = written(role="silent")
    assert made.silent
    assert "40 m" not in made.record["text"]


def test_an_erratum_says_the_old_value_and_the_new() -> None:
    made = written("erratum", "erratum", old=Stated(50.0))
    assert "50 m" in made.record["text"]
    assert "40 m" in made.record["text"]
    assert made.said == "40 m"


def test_a_condition_takes_the_place_of_the_usual_one_or_stands_before() -> None:
    used: set[str] = set()
    texts = [written(condition="in deep water", used=used).record["text"] for _ in range(2)]
    assert "room temperature" not in " ".join(texts)
    assert any("The length of Norvane is 40 m in deep water." in text for text in texts)
    assert any("In deep water, for Norvane we measured 40 m." in text for text in texts)


def test_sources_do_not_write_alike_while_there_are_templates() -> None:
    used: set[str] = set()
    first, second = (written(used=used).record["text"] for _ in range(2))
    assert ("we measured" in first) != ("we measured" in second)
    assert len(used) == 2


def test_a_copy_is_the_same_text_with_a_word_at_its_end() -> None:
    made = written()
    copy = made.copy("d9", random.Random(2))
    assert copy.record["text"].startswith(made.record["text"])
    assert (copy.record["id"], copy.copied, made.copied) == ("d9", True, False)
    assert copy.record["venue"] != made.record["venue"]
    renamed = copy.renamed("d2")
    assert (renamed.record["id"], renamed.copied, copy.record["id"]) == ("d2", True, "d9")


def side(name: str, said: str, true: bool, silent: bool = False) -> WrittenDocument:
    return WrittenDocument({"id": name}, said, true, silent=silent)


def test_conflicts_are_the_pairs_of_which_one_is_wrong() -> None:
    sides = [side("a", "40 m", True), side("b", "50 m", False), side("c", "40 m", True), side("d", "50 m", False, True)]
    found = conflicts_of(sides, LENGTH, "numeric")
    assert [(one["documents"], one["values"]) for one in found] == [
        (["a", "b"], ["40 m", "50 m"]),
        (["b", "c"], ["50 m", "40 m"]),
    ]
    assert {(one["type"], one["about"]) for one in found} == {("numeric", "length")}
    assert conflicts_of(sides[:2], LENGTH, "unit")[0]["type"] == "unit"
    assert said_in(sides) == {"a": "40 m", "b": "50 m", "c": "40 m"}


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_the_winner_of_a_comparison_has_the_greater_value(seed: int) -> None:
    record = compare("k", (LENGTH,), FILLER, random.Random(seed))
    assert record is not None
    said = record["notes"]["said"]
    values = [float(said[f"k-d{n}"].removesuffix(" m").replace(",", "")) for n in (1, 2, 3)]
    assert values[0] == values[2]  # two documents speak of the first
    first, second = (record["documents"][n]["text"] for n in (0, 1))
    (winner,), (loser,) = record["answers"], record["wrong_answers"]
    assert winner in (first if values[0] > values[1] else second)
    assert loser in (second if values[0] > values[1] else first)
    assert winner in record["question"]
    assert loser in record["question"]


def test_where_less_is_asked_for_the_smaller_wins() -> None:
    fewer = replace(LENGTH, compare="Which is lower, {e} or {o}?")
    for seed in range(20):
        more, less = (compare("k", (one,), FILLER, random.Random(seed)) for one in (LENGTH, fewer))
        assert more is not None
        assert less is not None
        assert (more["answers"], more["wrong_answers"]) == (less["wrong_answers"], less["answers"])


@given(st.integers(0, 10_000))
def test_a_sum_is_the_sum_of_what_is_said_and_stands_nowhere(seed: int) -> None:
    countable = replace(LENGTH, units=(("", 1.0),))
    record = aggregate("k", (countable,), FILLER, random.Random(seed))
    assert record is not None
    said = {name: int(value.replace(",", "")) for name, value in record["notes"]["said"].items()}
    assert said["k-d2"] == said["k-d3"]
    assert [int(one.replace(",", "")) for one in record["answers"]] == [said["k-d1"] + said["k-d2"]]
    assert not set(record["answers"]) & set(record["wrong_answers"])


def test_two_steps_need_the_document_that_names_the_thing() -> None:
    record = two_hop("k", (LENGTH,), FILLER, random.Random(4))
    bridge = record["documents"][-1]
    assert bridge["id"] in record["supporting_ids"]
    project = bridge["title"].removeprefix("The ").removesuffix(" project")
    thing = record["documents"][0]["title"]
    assert project in record["question"]
    named = next(word for word in bridge["text"].split() if word in thing.split())
    assert named not in record["question"]
    assert record["answers"] == [record["notes"]["said"]["k-d1"]]


@pytest.mark.parametrize("make", [compare, aggregate])
def test_families_that_do_not_fit_make_no_question(make: Any) -> None:
    words = Family("colour", "bird", "colour", "Which colour has {e}?", LENGTH.statements, values=("red", "blue"))
    assert make("k", (words,), FILLER, random.Random(0)) is None


@pytest.mark.parametrize("split", SPLITS)
def test_every_family_of_a_split_writes_whole_sentences(split: Any) -> None:
    known, filler = families(split)
    for family in (one for one in known if one.units):
        record = two_hop("k", (family,), filler, random.Random(family.name))
        for one in record["documents"]:
            assert not {"{", "}"} & set(one["text"] + one["title"])
            assert one["text"].endswith((".", "!", "?"))
