"""What a chunk is found by: the words of its document's path beside its title and text."""

from __future__ import annotations

import pytest

from decoct.index.searchable import path_words, searchable


@pytest.mark.parametrize(
    ("doc_id", "words"),
    [
        ("manuals/gate_opener/HTTP-2.html", "manuals gate opener HTTP 2"),
        ("man/gate.5.gz", "man gate 5"),
        ("leases/2023/README.Debian", "leases 2023 README Debian"),
        ("guide.md", "guide"),
        ("Größe/maß.pdf", "Größe maß"),
        ("...", ""),
    ],
)
def test_the_words_of_a_path_without_the_suffix_of_its_format(doc_id: str, words: str) -> None:
    assert path_words(doc_id, f"/home/somebody/{doc_id}") == words
    assert path_words(doc_id, doc_id) == words


def test_the_words_of_an_address() -> None:
    address = "https://docs.example.org/gate/en/signals.html"
    assert path_words(address, address) == "docs example org gate en signals"


@pytest.mark.parametrize(
    ("doc_id", "source"), [("17", ""), ("doc-4", "/data/c.jsonl#3"), ("c.jsonl#3", "/data/c.jsonl#3"), ("b.md", "/data/ab.md")]
)  # fmt: skip
def test_an_id_that_is_no_path_gives_no_words(doc_id: str, source: str) -> None:
    assert path_words(doc_id, source) == ""
    assert searchable(doc_id, source, "Title", "Text.") == "Title\nText."


def test_a_code_that_is_a_record_s_id_is_found_by_its_words() -> None:
    assert path_words("CI-26-031", "/data/incidents.jsonl#1") == "CI-26-031"


def test_path_title_and_text_stand_on_lines_of_their_own() -> None:
    assert searchable("gate/faq.md", "/data/gate/faq.md", "FAQ", "Oil it.") == "gate faq\nFAQ\nOil it."
