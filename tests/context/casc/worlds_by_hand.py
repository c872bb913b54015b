"""Small bodies of documents, one for each rule."""

from __future__ import annotations

from findings_of import analyse

from decoct.context.casc.claims import Cluster
from decoct.context.casc.extract_rules import ByRules
from decoct.context.casc.sources import handed_over
from decoct.data import Document

QUESTION = "What is the melting temperature of Brandite?"


def said(
    value: str, kind: str = "paper", date: str = "2020-01-01", *, doc_id: str = "", more: str = "", title: str = ""
) -> Document:
    """A document that states a melting temperature; `more` keeps texts apart that would else be copies."""
    text = f"{more} The melting temperature of Brandite is {value}.".strip()
    return Document(
        doc_id or f"{kind}-{value}-{date}",
        text,
        title or f"Notes on Brandite {date}",
        metadata={"kind": kind, "date": date},
    )


APART = (
    "Crystals were grown from a flux over nine days in platinum crucibles.",
    "A furnace with two zones was built for this purpose by the workshop.",
    "Powders came from three suppliers and were dried before weighing.",
    "Our thermocouples had been calibrated against gold and silver.",
    "Samples were sealed under argon to keep moisture away from them.",
)


def cluster(*documents: Document, question: str = QUESTION) -> Cluster:
    """The one cluster that the documents make, read by rules: what checks and resolves needs no model to be tested."""
    (found,) = analyse(question, handed_over(documents), ByRules()).clusters
    return found
