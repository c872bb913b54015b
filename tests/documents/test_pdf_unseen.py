"""PDF: words that no reader sees are told in `left_out` and are no text; a layer over a scan is."""

from __future__ import annotations

import pytest
from minimal_pdf import drawn_pdf
from reading import one

SEEN = [(60.0, 700.0, "The harbour opens at seven.")]
HIDDEN = "BT 3 Tr /F1 12 Tf 60 600 Td (It never opens.) Tj ET 0 Tr"
WHITE = "1 1 1 rg BT /F1 12 Tf 60 600 Td (It never opens.) Tj ET 0 g"
PICTURE = "q 600 0 0 650 0 20 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q"


@pytest.mark.parametrize("drawing", [HIDDEN, WHITE])
def test_words_that_are_not_seen_are_told_and_not_read(drawing: str) -> None:
    read = one("a.pdf", drawn_pdf(SEEN, drawing=drawing))
    assert read.text == "The harbour opens at seven."
    assert read.metadata["left_out"] == "text that is not shown (1)"


@pytest.mark.parametrize("place", [(60.0, 900.0), (-400.0, 600.0), (60.0, -40.0), (700.0, 600.0)])
def test_words_outside_the_page_are_told_and_not_read(place: tuple[float, float]) -> None:
    read = one("a.pdf", drawn_pdf([*SEEN, (*place, "Proof of 3 May")]))
    assert read.text == "The harbour opens at seven."
    assert read.metadata["left_out"] == "text that is not shown (1)"


@pytest.mark.parametrize("drawing", [f"{PICTURE} {HIDDEN}", f"0 g 50 590 200 30 re f {WHITE}"])
def test_a_layer_over_a_picture_and_white_on_black_are_read(drawing: str) -> None:
    read = one("a.pdf", drawn_pdf(SEEN, drawing=drawing))
    assert read.text == "The harbour opens at seven.\nIt never opens."
    assert "left_out" not in read.metadata


def test_a_page_of_invisible_words_is_read() -> None:
    layer = "".join(
        f"BT 3 Tr /F1 12 Tf 60 {600 - 20 * at} Td (Line {at} of what was scanned.) Tj ET " for at in range(9)
    )
    assert one("a.pdf", drawn_pdf([(60.0, 700.0, "Seen")], drawing=f"{layer} 0 Tr")).text.count("scanned") == 9
