"""PDF: what reviewers noted is told behind the text, and what they struck out is no text."""

from __future__ import annotations

import pytest
from minimal_pdf import drawn_pdf
from reading import one

SEEN = [(60.0, 700.0, "The ferry leaves at nine"), (60.0, 680.0, "and docks at noon.")]
NINE = "/Rect [162 697 186 712] /QuadPoints [162 712 186 712 162 697 186 697]"


@pytest.mark.parametrize(
    ("laid_over", "said"),
    [
        (
            "/Subtype /Text /Rect [300 700 320 720] /Contents (Ask the pilot.) /T (Ona)",
            "Comment by Ona: Ask the pilot.",
        ),
        ("/Subtype /Text /Rect [300 700 320 720] /Contents (Ask the pilot.)", "Comment: Ask the pilot."),
        (f"/Subtype /Highlight {NINE} /Contents (ten in winter) /T (Ona)", 'Comment on "nine" by Ona: ten in winter'),
        (f"/Subtype /Highlight {NINE} /Contents (nine)", "Comment: nine"),
    ],
)
def test_what_reviewers_noted_stands_behind_the_text(laid_over: str, said: str) -> None:
    read = one("a.pdf", drawn_pdf(SEEN, laid_over=[laid_over]))
    assert read.text == f"The ferry leaves at nine\nand docks at noon.\n\n{said} (page 1)"


@pytest.mark.parametrize(
    "laid_over",
    [
        f"/Subtype /Highlight {NINE}",
        "/Subtype /Text /Rect [300 700 320 720] /F 2 /Contents (Hidden.)",
        "/Subtype /Popup /Rect [300 700 320 720] /Contents (Twice.)",
        "/Subtype /Link /Rect [60 697 192 712] /Contents (Timetable)",
    ],
)
def test_what_says_nothing_or_is_not_seen_is_no_text(laid_over: str) -> None:
    assert one("a.pdf", drawn_pdf(SEEN, laid_over=[laid_over])).text == "The ferry leaves at nine\nand docks at noon."


def test_what_a_reviewer_struck_out_is_left_out_and_told() -> None:
    read = one("a.pdf", drawn_pdf(SEEN, laid_over=[f"/Subtype /StrikeOut {NINE} /Contents (ten)"]))
    assert read.text == 'The ferry leaves at\nand docks at noon.\n\nComment on "nine": ten (page 1)'
    assert read.metadata["left_out"] == "struck-out text (1)"
