"""What a question names letter by letter is found first, where one document alone has it."""

from __future__ import annotations

from typing import Any

import pytest

from decoct.data import Query, Ranking
from decoct.index.base import Store
from decoct.retrieve.exact import Exact, strings, unheld
from decoct_testing.memory_store import MemoryStore
from decoct_testing.store_corpus import make_entry


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does error E-17 mean?", ["E-17"]),
        ("Which torque for part PX4410/B (old: PX‑4401)?", ["PX4410/B", "PX-4401"]),
        ("Where is `max_connections` set, in postgresql.conf?", ["max_connections", "postgresql.conf"]),
        ("Why do I get 'connection reset by peer'?", ["connection reset by peer"]),
        ("Was bedeutet „Speicher voll“?", ["Speicher voll"]),
        ("what is --no-color and order 1002345 and 10.0.0.1", ["--no-color", "1002345", "10.0.0.1"]),
        ("What throws NullPointerException in a::b and f()?", ["NullPointerException", "a::b", "f()"]),
        ("When did it open, in 1912 or the 1990s, for 5kg or 3.5% at 10:30?", []),
        ("Who won the 20th prize, the dog's owner or state-of-the-art firms'?", []),
        ("?!", []),
    ],
)
def test_codes_and_quotations_of_a_question(question: str, expected: list[str]) -> None:
    assert strings(question) == expected


def test_a_long_run_without_spaces_is_no_code() -> None:
    assert strings("a1" * 100_000 + " x9y") == ["x9y"]


def found(store: Store, fixed: Any, question: str, order: list[tuple[int, float]], k: int = 9) -> Ranking:
    return Exact(fixed(order, "dense"), store).retrieve(Query(question), k)


@pytest.fixture
def store() -> MemoryStore:
    made = MemoryStore()
    made.put(
        [
            make_entry(
                "pump.md", ["Error E-17: the pump is dry.", "Error E-170: no power.", "See E-17 above."]
            ),  # 1, 2, 3
            make_entry("valve.md", ["Error E-17-B: the valve sticks.", "Fit PRE-E-17 and px_4410."]),  # 4, 5
            make_entry("notes/guide.txt", ["Oil it, as for px_4410."], title="Guide"),  # 6
        ]
    )
    return made


def test_chunks_that_hold_it_go_first_in_the_order_that_they_had(store: MemoryStore, fixed: Any) -> None:
    ranking = found(store, fixed, "What is e‑17?", [(4, 0.9), (2, 0.8), (3, 0.7), (1, 0.6)])
    assert ranking.keys.tolist() == [3, 1, 4, 2]
    assert ranking.scores.tolist() == pytest.approx([2.9, 1.9, 0.9, 0.8])
    assert ranking.found_by["exact"] == {3: 1.0, 1: 1.0}
    assert found(store, fixed, "What is E-17?", [(4, 0.9), (2, 0.8), (3, 0.7), (1, 0.6)], 1).keys.tolist() == [3]


def test_one_that_was_not_found_at_all_is(store: MemoryStore, fixed: Any) -> None:
    assert found(store, fixed, "E-170?", [(4, 0.9)]).keys.tolist() == [2, 4]
    assert found(store, fixed, "E-170?", []).keys.tolist() == [2]


@pytest.mark.parametrize("question", ["What is px_4410?", "What is ZZ-99?", "What is a pump?"])
def test_what_several_or_no_documents_hold_changes_nothing(store: MemoryStore, fixed: Any, question: str) -> None:
    ranking = found(store, fixed, question, [(4, 0.9), (2, 0.8)])
    assert ranking.keys.tolist() == [4, 2]
    assert "exact" not in ranking.found_by


def test_a_file_is_found_by_its_name_and_two_strings_count_more_than_one(store: MemoryStore, fixed: Any) -> None:
    assert found(store, fixed, "What does guide.txt say?", [(4, 0.9)]).keys.tolist() == [6, 4]
    both = found(store, fixed, "Is 'the pump is dry' in E-17 and guide.txt?", [(4, 0.9), (6, 0.8), (3, 0.7)])
    assert both.keys.tolist() == [1, 6, 3, 4]


def test_the_filter_is_kept(fixed: Any) -> None:
    store = MemoryStore()
    store.put(
        [make_entry(name, [f"Error E-17 of {name}."], metadata={"year": year}) for name, year in (("a", 1), ("b", 2))]
    )
    query = Query("E-17?", {"year": ("2",)})
    assert Exact(fixed([], "dense"), store).retrieve(query, 5).keys.tolist() == [2]


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What does E-71 mean, or e17, or E 170?", ("E-71",)),
        ("Does px-4410 fit, PX4410 or PX-4411?", ("PX-4411",)),
        ("What do guide.txt, pump.md, tube.md and 'x.md' say on 12.03.2024?", ("tube.md",)),
        ("What does --dry-run do in 2.4.1, and run_dry()?", ("--dry-run", "2.4.1", "run_dry()")),
        ("Is it dry and/or empty, e.g. at 8am in the 1990s?", ()),
    ],
)
def test_what_no_document_holds_is_told_however_it_is_written(
    store: MemoryStore, question: str, missing: tuple[str, ...]
) -> None:
    assert unheld(question, store) == missing


def test_what_is_too_common_to_tell_is_not_said_to_be_missing() -> None:
    store = MemoryStore()
    store.put([make_entry(f"{n}", [f"The error {n} of 17."]) for n in range(120)])
    assert unheld("What is -e?", store) == ("-e",)
    store.put([make_entry(f"e{n}", ["The e of x."]) for n in range(120)])
    assert unheld("What is -e?", store) == ()
    assert unheld("What is -q?", store) == ("-q",)
