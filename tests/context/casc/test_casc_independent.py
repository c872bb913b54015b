"""Near copies, by exact overlap and by MinHash."""

from __future__ import annotations

from decoct.context.casc.check import check
from decoct.context.casc.claims import Claim
from decoct.context.casc.focus import focuses
from decoct.context.casc.independent import connected_components, independence, origins
from decoct.context.casc.sources import handed_over
from decoct.data import Document, Span
from decoct.text.values import Value

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


def test_editions_of_one_document_are_one_source() -> None:
    texts = ["flights are booked in economy", "meals are refunded", "trains are booked early"]
    assert independence(["a", "b", "c"], texts, [(0, 2)]).count([("a", "x"), ("b", "y"), ("c", "z")]) == 2
    policies = [
        Document(f"policy-{year}", f"The class of flights: economy. Of {year}.", f"Policy {year}")
        for year in (2021, 2024)
    ]
    sources = handed_over([*policies, Document("guide", "The class of flights: business class.", "Guide")])
    (asked,) = focuses("Which class have flights?")
    claims = []
    for source, said in zip(sources, ("economy", "economy", "business class"), strict=True):
        ((span, text),) = source.pieces
        at = text.index(said)
        claims.append(Claim(source, text, span, Value(said, "text"), Span(source.doc_id, at, at + len(said)), 1.0))
    (cluster,) = check(asked.text, sources, [asked], claims).clusters
    assert cluster.verdict is not None
    assert (cluster.verdict.action, [side.support for side in cluster.sides]) == ("flagged", [1, 1])
