"""Where the small reader's spans may reach."""

from __future__ import annotations

import pytest

from decoct.data import Passage, Span
from decoct.reading.small import SmallReader

TEXT = (
    "Shops\n\nTown | Street | Opens\nMalmö | Fiskgatan 3 | 08:30\nLund | Bredgatan 7 | 10:00\n\nThe warranty is three years. "
    "It covers the lamp.\n\nIn Norway it is five years, since the law asks for it."
)


@pytest.mark.parametrize(
    "question",
    ["What is the address of the Lund shop?", "How many years is the warranty in Norway?", "When does Lund open?"],
)
def test_no_span_reaches_over_a_blank_line_or_from_cell_to_cell(question: str) -> None:
    (reading,) = SmallReader().read(question, [Passage(TEXT, (Span("d", 0, len(TEXT)),), title="Shops")])
    found = [TEXT[span.start : span.end] for span in reading.spans]
    assert found
    for words in found:
        assert "|" not in words
        assert "\n\n" not in words


def test_no_span_lies_in_an_address_that_a_link_hides() -> None:
    address = "https://support.example/?campaign=grace-hopper"
    text = f"The ferry company has an [office]({address}). It was founded by Ada Green."
    hidden = text.index(address), text.index(address) + len(address)
    (reading,) = SmallReader().read("Who founded the ferry company?", [Passage(text, (Span("d", 0, len(text)),))])
    assert text[reading.spans[0].start : reading.spans[0].end] == "Ada Green"
    assert reading.places is not None
    assert not ((reading.places.begins < hidden[1]) & (reading.places.stops > hidden[0])).any()
