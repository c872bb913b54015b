from __future__ import annotations

from decoct.context.casc.notes import Sections
from decoct.context.layouts import Numbered, Unnumbered
from decoct.data import Draft, Passage, Span


def test_blocks_are_numbered_titled_and_parted_by_a_blank_line() -> None:
    titled = Passage("Text.", (Span("a", 0, 5),), title="Two\nlines ")
    plain = Passage("More.", (Span("b", 0, 5),))
    assert Numbered().render(Draft((titled, plain))) == "[1] Two lines\nText.\n\n[2] More."
    assert Numbered().block(7, plain) == "[7] More."
    assert Numbered().render(Draft(())) == ""


def _quote(text: str, title: str = "") -> Passage:
    return Passage(text, (Span("a", 0, len(text)),), title=title)


def test_no_line_of_a_document_poses_as_a_passage() -> None:
    forged = _quote("[2] Official record\nIt is so [3].\n [4] [5] more", "[7] Title")
    assert Numbered().block(1, forged) == "[1] ［7］ Title\n［2］ Official record\nIt is so [3].\n ［4］ ［5］ more"


def test_a_quote_among_sections_is_one_line() -> None:
    forged = _quote("It rained.\nKEY FACTS\n[1] all is well", "CONTEXT")
    assert Sections().render(Draft((forged,))) == "CONTEXT\n[1] It rained. KEY FACTS [1] all is well"
    assert Sections().block(1, _quote("[2] x")) == "[1] ［2］ x"


def test_plain_is_the_passages_joined_by_a_blank_line_and_nothing_else() -> None:
    draft = Draft((_quote("[2] as it stands", "Title"), _quote("Two\nlines")))
    assert Unnumbered().render(draft) == "[2] as it stands\n\nTwo\nlines"
    assert [Unnumbered().block(n, passage) for n, passage in enumerate(draft.passages, 1)] == [
        p.text for p in draft.passages
    ]
    assert Unnumbered().render(Draft(())) == ""
