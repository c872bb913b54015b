"""Near copies, by exact overlap and by MinHash."""

from __future__ import annotations

from decoct.context.casc.independent import connected_components, independence, origins

TEXT = " ".join(f"word{i}" for i in range(100))


def test_components_are_named_by_their_smallest() -> None:
    assert connected_components(5, [(3, 1), (4, 3)]) == [0, 1, 2, 1, 1]


def test_copies_are_found_in_small_and_large_bodies() -> None:
    texts = [TEXT, TEXT + " Reprinted."]
    assert origins(texts) == [0, 0]
    others = [" ".join(f"t{i}w{j}" for j in range(50)) for i in range(70)]
    found = origins([*texts, *others])
    assert found[:2] == [0, 0]
    assert found[2:] == list(range(2, 72))


def test_one_sentence_copied_between_documents_counts_once() -> None:
    known = independence(["a", "b"], ["quite another text about this", "something else entirely here"])
    sentence = "The outage was caused by a stack overflow in the configuration parser of the store."
    assert known.count([("a", sentence), ("b", sentence)]) == 1
    assert known.count([("a", sentence), ("b", "We attribute it to an integer truncation found in core dumps.")]) == 2
