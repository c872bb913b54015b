"""Names of documents, and the numbers of names."""

from __future__ import annotations

from decoct.data import Document
from decoct.structure.traits import name_number, own_names


def test_a_document_is_known_by_title_subject_and_aliases() -> None:
    document = Document(
        "d",
        'Vishal Devgan (born 1969), known professionally as Ajay Devgn, is an actor. He is called "Singham".',
        title="Ajay Devgn (actor)",
        names=("Vishal Devgan",),
    )
    names = own_names(document)
    assert names["ajay devgn"] == 1.0
    assert names["vishal devgan"] == 0.7
    assert names["singham"] == 0.7


def test_the_part_before_a_comma_is_nearly_the_title() -> None:
    assert own_names(Document("d", "A town.", title="Springfield, Ohio"))["springfield"] == 0.9


def test_a_document_without_a_title_has_only_its_aliases() -> None:
    assert own_names(Document("d", "Some text about Bern.")) == {}
    assert own_names(Document("d", "Some text.", names=("Berne",))) == {"berne": 0.7}


def test_numbers_of_names_are_stable_and_positive() -> None:
    assert name_number("larry alcala") == name_number("larry alcala") > 0
    assert name_number("larry alcala") != name_number("larry alcalá")
