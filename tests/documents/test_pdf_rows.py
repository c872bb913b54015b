"""Rows of tables in PDFs: groups amid them, cells of several lines between lines ruled across, lines of dashes."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pypdfium2 as pdfium
import pytest
from minimal_pdf import drawn_pdf
from reading import one

from decoct.documents.paged import pdf_letters

Drawn = list[tuple[float, float, str]]
HEADS = "Part | Size | Old | New"
AT = (60.0, 150.0, 290.0, 360.0)


def text_of(words: Drawn, drawing: str = "") -> str:
    """What is read of a page."""
    return one("a.pdf", drawn_pdf(words, drawing=drawing)).text


def line(height: float, *cells: str) -> Drawn:
    """The cells of a row that are not blank, in their columns."""
    return [(x, height, text) for x, text in zip(AT, cells, strict=False) if text]


def test_heads_stay_over_rows_below_what_groups_them() -> None:
    words = [*line(700, "Part", "Size", "Old", "New"), *line(684, "Screws for walls and doors")]
    words += [*line(668, "W1", "3 in", "14.20", "12.95"), *line(652, "W2", "2 in", "", "6.40")]
    words += [*line(636, "Bolts for walls and doors"), *line(620, "B1", "M10", "31.00", "33.60")]
    assert text_of(words).split("\n") == [
        HEADS,
        "Screws for walls and doors |  |  |",
        "W1 | 3 in | 14.20 | 12.95",
        "W2 | 2 in |  | 6.40",
        "Bolts for walls and doors |  |  |",
        "B1 | M10 | 31.00 | 33.60",
    ]


def test_a_line_of_text_between_two_tables_is_no_row() -> None:
    words = [*line(700, "Part", "Size", "Old", "New"), *line(684, "W1", "3 in", "14.20", "12.95")]
    words += [*line(650, "Prices of this year and of the next"), *line(616, "Part", "Size", "Old", "New")]
    words += line(600, "B1", "M10", "31.00", "33.60")
    assert "\n\nPrices of this year and of the next\n\n" in text_of(words)


def test_a_line_of_dashes_below_heads_is_none_of_the_rows() -> None:
    words = [*line(700, "Part", "Size", "Old", "New"), *line(688, "-" * 60)]
    words += [*line(676, "W1", "3 in", "14.20", "12.95"), *line(664, "W2", "2 in", "", "6.40")]
    assert text_of(words).split("\n") == [HEADS, "W1 | 3 in | 14.20 | 12.95", "W2 | 2 in |  | 6.40"]


def test_what_stands_between_two_lines_is_one_row() -> None:
    words = line(700, "Part", "Size", "Old", "New")
    words += [(60.0, 676.0, "Cadmium in"), (60.0, 664.0, "water")]  # each cell is drawn by itself, around one middle
    words += [(150.0, 676.0, "EN ISO"), (150.0, 664.0, "5961"), (290.0, 670.0, "0.31"), (360.0, 670.0, "3.0")]
    words += [*line(640, "Lead", "EN 2", "0.4", "1.0"), *line(616, "Zinc", "EN 3", "0.5", "2.0")]
    rules = " ".join(f"50 {height} m 420 {height} l S" for height in (692, 656, 630, 606))
    assert text_of(words, rules).split("\n") == [
        HEADS,
        "Cadmium in water | EN ISO 5961 | 0.31 | 3.0",
        "Lead | EN 2 | 0.4 | 1.0",
        "Zinc | EN 3 | 0.5 | 2.0",
    ]


def test_rows_that_no_line_parts_stay_rows() -> None:
    words = line(700, "Zone", "Weight", "Old", "New")
    words += [(60.0, 670.0, "Home"), *line(676, "", "2 kg", "4.90", "5.20"), *line(664, "", "5 kg", "6.20", "7.10")]
    words += [(60.0, 634.0, "World"), *line(640, "", "2 kg", "9.75", "9.80"), *line(628, "", "5 kg", "28.10", "29.00")]
    rules = " ".join(f"50 {height} m 420 {height} l S" for height in (692, 654, 618))
    assert "2 kg | 4.90 | 5.20" in text_of(words, rules)
    assert "5 kg | 28.10 | 29.00" in text_of(words, rules)


def test_lines_that_the_file_draws_between_two_cells_of_a_row_are_one_cell() -> None:
    words = line(700, "Date", "Details", "Out", "Balance")
    for height, *cells in (
        (684, "2 Jan", "Direct debit", "Water plc", "41.70", "9.74"),
        (660, "6 Jan", "Card", "Hardware", "7.15", "2.59"),
    ):
        words += [*line(height, *cells[:2]), *line(height - 12, "", cells[2]), *line(height, "", "", *cells[3:])]
    assert text_of(words).split("\n") == [
        "Date | Details | Out | Balance",
        "2 Jan | Direct debit Water plc | 41.70 | 9.74",
        "6 Jan | Card Hardware | 7.15 | 2.59",
    ]


def test_a_line_alone_takes_no_label_of_another_row() -> None:
    words = line(700, "Date", "Details", "Out", "Balance")
    for height, *cells in (
        (684, "2 Jan", "Debit", "41.70", "9.74"),
        (660, "6 Jan", "Card", "7.15", "2.59"),
        (636, "9 Jan", "Fee", "1.15", "1.44"),
    ):
        words += [*line(height, *cells), *line(height - 12, "", "Water plc")]  # line by line
    assert "6 Jan | Water plc" not in text_of(words)


def test_rows_that_no_line_closes_belong_to_the_table_between() -> None:
    words = [*line(700, "Part", "Size", "Old", "New"), *line(684, "W1", "3 in", "14.20", "12.95")]
    words += [*line(668, "Nails"), *line(652, "W2", "2 in", "", "6.40"), *line(636, "W3", "1 in", "", "5.40")]
    rules = " ".join(f"50 {height} m 420 {height} l S" for height in (696, 680, 664, 648))
    for left in (50, 140, 280, 350, 420):
        rules += "".join(f" {left} {height} m {left} {height - 16} l S" for height in (696, 664))
    for left in (50, 420):
        rules += f" {left} 680 m {left} 664 l S"
    assert text_of(words, rules).split("\n") == [
        HEADS,
        "W1 | 3 in | 14.20 | 12.95",
        "Nails |  |  |",
        "W2 | 2 in |  | 6.40",
        "W3 | 1 in |  | 5.40",
    ]


def test_what_stands_above_and_below_a_short_line_is_a_fraction() -> None:
    words = [(60.0, 700.0, "Bore"), (96.0, 708.0, "13"), (97.0, 688.0, "16"), (114.0, 700.0, "in")]
    assert text_of(words, "95 702 m 112 702 l S") == "Bore 13/16 in"


def test_a_frame_around_a_page_is_no_part_of_its_table() -> None:
    words = [
        *line(720, "Stock of June"),
        *line(696, "Part", "Size", "Old", "New"),
        *line(680, "W1", "3 in", "14.20", "12.95"),
    ]
    rules = " ".join(f"52 {height} m 418 {height} l S" for height in (708, 692, 676))
    rules += "".join(f" {left} 708 m {left} 676 l S" for left in (52, 140, 280, 350, 418))
    assert text_of(words, f"{rules} 48 740 400 66 re S").split("\n\n")[-1] == f"{HEADS}\nW1 | 3 in | 14.20 | 12.95"


def two_pages(*pages: bytes) -> bytes:
    """The pages of several files as one."""
    whole, out = pdfium.PdfDocument.new(), io.BytesIO()
    for page in pages:
        whole.import_pages(pdfium.PdfDocument(page))
    whole.save(out)
    return out.getvalue()


def test_a_table_that_goes_on_on_the_next_page_keeps_its_columns() -> None:
    at = (60, 150, 260, 360)
    rows = [("Code", "Name", "Left", "Price"), *((f"K{n}", f"Article {n}", str(n), f"{n}.50") for n in range(1, 6))]
    more = [
        ("K6", "Article 6", "", "6.50"),
        ("K7", "Article 7", "", ""),
        ("K8", "Article 8", "", "8.50"),
        ("K9", "Article 9", "", ""),
    ]
    first, second = (
        drawn_pdf(
            [
                (x, 700 - 16 * line, text)
                for line, row in enumerate(some)
                for x, text in zip(at, row, strict=True)
                if text
            ]
        )
        for some in (rows, more)
    )
    lines = one("a.pdf", two_pages(first, second)).text.replace("\f", "").split("\n")
    assert "K6 | Article 6 |  | 6.50" in lines
    assert "K7 | Article 7 |  |" in lines


def test_letters_that_are_drawn_one_by_one_are_words() -> None:
    kerned = [
        (60.0, 700.0, "Survey"),
        (97.4, 700.0, "ors"),
        (60.0, 680.0, "O"),
        (68.6, 680.0, "ff"),
        (75.0, 680.0, "er"),
    ]
    assert one("a.pdf", drawn_pdf(kerned)).text.split("\n") == ["Surveyors", "Offer"]


@pytest.mark.parametrize(
    ("said", "read"), [("18\x1564 a\x1cnd \x1boice", "18–64 aﬁnd ﬀoice"), ("o\x0ece \x1as", "oﬃce æs")]
)
def test_the_unnamed_letters_of_tex_are_those_of_its_encoding(said: str, read: str) -> None:
    pdf = SimpleNamespace(get_metadata_value=lambda _: "pdfTeX-1.40")
    letters = SimpleNamespace(get_text_range=lambda: said, count_chars=lambda: len(said), page=SimpleNamespace(pdf=pdf))
    assert pdf_letters.text_of(letters) == read


def test_tables_side_by_side_that_the_file_draws_one_after_the_other_are_two() -> None:
    rows = [("Ward", "Beds"), ("Alder", "18"), ("Birch", "12"), ("Cedar", "26")]
    left, right = (
        [(x + 60 * column, 700.0 - 16 * at, cell) for at, row in enumerate(rows) for column, cell in enumerate(row)]
        for x in (60.0, 300.0)
    )
    assert text_of([*left, *right]).split("\n") == ["Ward | Beds", "Alder | 18", "Birch | 12", "Cedar | 26"] * 2
    by_row = sorted([*left, *right], key=lambda word: (-word[1], word[0]))
    assert "Alder | 18 | Alder | 18" in text_of(by_row).split("\n")
