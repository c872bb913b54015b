"""Pages of PDFs as pictures: the cited characters are marked where they stand, and no file takes the server down."""

from __future__ import annotations

import io
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from PIL import Image

from decoct import Library
from decoct.data import Document
from decoct.errors import ParseError
from decoct.server import pages
from decoct.server.child import keep_original, original_of, picture_of
from decoct.server.pages import MOST_SIDE, PagePart, PagePictures, drawn_page, page_as_png, page_part
from decoct.server.problems import ProblemError
from decoct.server.settings import ServerLimits

FIRST, SECOND = "The old bridge stands.", "It was opened in 1934."
TEXT = f"{FIRST}\f{SECOND}"


def written_pdf(path: Path, *lines: str, box: str = "0 0 600 800") -> Path:
    """A PDF of one line a page, 20 points large, its base 100 points below the top of 800."""
    bodies = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>"]
    kids = []
    for line in lines:
        content = f"BT /F1 20 Tf 1 0 0 1 50 700 Tm ({line}) Tj ET"
        bodies.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] /Contents {len(bodies)} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{len(bodies)} 0 R")
    bodies[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>"
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{at:010d} 00000 n \n" for at in places)
    size = len(bodies) + 1
    out += (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
        f"startxref\n{len(out)}\n%%EOF"
    ).encode()
    path.write_bytes(out)
    return path


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    return written_pdf(tmp_path / "bridge.pdf", FIRST, SECOND)


def marked(png: bytes) -> tuple[tuple[int, int], tuple[int, int, int, int] | None]:
    """The size of a picture, and the box around what is yellow in it."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    bits = Image.new("1", image.size)
    given: Any = image.load()
    shown: Any = bits.load()
    for x in range(image.width):
        for y in range(image.height):
            red, green, blue = given[x, y]
            shown[x, y] = red > blue + 60 and green > blue + 40
    return image.size, bits.getbbox()


def test_a_span_is_told_by_its_page() -> None:
    document = Document("d", TEXT)
    assert page_part(document, 4, 14) == PagePart(0, FIRST, 4, 14)
    at = TEXT.index("1934")
    assert page_part(document, at, at + 4) == PagePart(1, SECOND, 17, 21)
    assert page_part(document, 4, len(TEXT)) == PagePart(
        0, FIRST, 4, len(FIRST)
    )  # what stands on the next page is left out
    assert page_part(document, 0, 3).number == page_part(document, len(FIRST) - 1, len(FIRST)).number == 0
    assert page_part(document, len(FIRST) + 1, len(TEXT)).number == 1


def test_the_characters_are_marked_where_they_stand(pdf: Path) -> None:
    part = PagePart(1, SECOND, 17, 21)  # "1934"; Courier's letters are 12 points wide at 20
    size, box = marked(drawn_page(pdf, part))
    assert size == (960, 1280)  # 600 x 800 points at 1.6
    assert box is not None
    left, top, right, bottom = (edge / 1.6 for edge in box)
    assert left == pytest.approx(50 + 17 * 12, abs=3)
    assert right == pytest.approx(50 + 21 * 12, abs=3)
    assert top > 75
    assert bottom < 105


def test_white_space_and_hyphens_of_the_page_do_not_matter(pdf: Path) -> None:
    """The cleaned text differs from what pdfium reads: characters are found by their order."""
    _, plain = marked(drawn_page(pdf, PagePart(1, SECOND, 17, 21)))
    spaced = "It  was\nopened in 1 9 3 4 ."
    start = spaced.index("1")
    assert marked(drawn_page(pdf, PagePart(1, spaced, start, start + 7)))[1] == plain


def test_nothing_is_marked_for_words_that_the_page_lacks(pdf: Path) -> None:
    assert marked(drawn_page(pdf, PagePart(0, "§§§§", 0, 4)))[1] is None


def test_a_page_that_says_it_is_huge_is_drawn_small(tmp_path: Path) -> None:
    huge = written_pdf(tmp_path / "huge.pdf", FIRST, box="0 0 14000 7000")
    image = Image.open(io.BytesIO(drawn_page(huge, PagePart(0, FIRST, 0, 3))))
    assert image.size == (MOST_SIDE, MOST_SIDE // 2)


def test_a_page_is_drawn_in_a_process_of_its_own(pdf: Path) -> None:
    png = page_as_png(pdf, Document("d", TEXT), TEXT.index("1934"), len(TEXT))
    assert png == drawn_page(pdf, PagePart(1, SECOND, 17, 22))


def test_a_file_that_is_no_pdf_is_a_parse_error(tmp_path: Path) -> None:
    file = tmp_path / "broken.pdf"
    file.write_bytes(b"%PDF-1.4 nothing")
    with pytest.raises(ParseError, match="cannot be drawn; read its text") as error:
        page_as_png(file, Document("d", TEXT), 0, 3)
    assert str(tmp_path) not in str(error.value)


def test_a_machine_too_busy_to_draw_is_told_and_asked_again(pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its failure was remembered as the page's: 409 until the server's end."""
    pictures, document = PagePictures(), Document("d", TEXT)
    with monkeypatch.context() as patched:
        patched.setattr(pages, "_BY_THE_CLOCK", 0.01)
        with pytest.raises(ProblemError, match="try again") as error:
            pictures.png(pdf, document, 0, 3)
    assert (error.value.status_code, error.value.headers) == (503, {"Retry-After": "5"})
    assert pictures.png(pdf, document, 0, 3).startswith(b"\x89PNG")


def test_a_page_that_computes_too_long_is_ended_by_its_own_time(pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a busy machine takes is not counted: the limit is on the process's own computing."""
    dead: Any = subprocess.CompletedProcess([], -signal.SIGXCPU, b"", b"")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: dead)
    with pytest.raises(ParseError, match="too long"):
        page_as_png(pdf, Document("d", TEXT), 0, 3)


def test_a_page_of_one_sign_is_drawn(tmp_path: Path) -> None:
    """Its alignment took half a minute: the square of its length."""
    text = "1," * 30_000
    file = written_pdf(tmp_path / "ones.pdf", text)
    assert marked(page_as_png(file, Document("d", text), 0, 10))[0] == (960, 1280)


def test_a_page_that_failed_is_not_tried_again(pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pictures, tried = PagePictures(), []

    def failing(_: Path, __: Document, start: int, ___: int) -> bytes:
        tried.append(start)
        raise ParseError("the page cannot be drawn")

    monkeypatch.setattr(pages, "page_as_png", failing)
    document = Document("d", TEXT)
    for _ in range(3):
        with pytest.raises(ParseError, match="cannot be drawn"):
            pictures.png(pdf, document, 0, 3)
    assert tried == [0]
    with pytest.raises(ParseError):  # another page
        pictures.png(pdf, document, len(FIRST) + 1, len(TEXT))
    pdf.write_bytes(pdf.read_bytes() + b"\n")  # another file
    with pytest.raises(ParseError):
        pictures.png(pdf, document, 0, 3)
    assert len(tried) == 3


def test_pages_that_are_drawn_hold_up_no_question(
    serve: Callable[..., TestClient], pdf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "drawn"
    with Library.open(place) as library:
        library.add([pdf])
        (info,) = library.documents()
    begun, go_on = threading.Event(), threading.Event()

    def slow(*_: Any) -> bytes:
        begun.set()
        assert go_on.wait(400)
        return b"png"

    monkeypatch.setattr(PagePictures, "png", slow)
    client = serve(libraries={"drawn": place}, limits=ServerLimits(threads=1))
    found: list[bytes] = []

    def draw() -> None:
        query: dict[str, str | int] = {"doc_id": info.id, "start": 0, "end": 3}
        found.append(client.get("/api/v1/libraries/drawn/page.png", params=query).content)

    drawing = threading.Thread(target=draw)
    drawing.start()
    try:
        assert begun.wait(400)
        assert client.post("/api/v1/libraries/drawn/search", json={"question": "bridge"}).status_code == 200
        assert found == []
    finally:
        go_on.set()
        drawing.join()
    assert found == [b"png"]


def test_a_page_that_takes_its_process_down_is_an_error(pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dead: Any = subprocess.CompletedProcess([], -11, b"", b"")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: dead)
    with pytest.raises(ParseError, match="cannot be drawn"):
        page_as_png(pdf, Document("d", TEXT), 0, 3)


def test_the_picture_is_of_what_was_uploaded_else_of_the_file_that_was_read(pdf: Path, tmp_path: Path) -> None:
    place = tmp_path / "library"
    place.mkdir()
    read = Document("d", TEXT, source=str(pdf), metadata={"pages": 2})
    assert picture_of(place, read) == pdf
    keep_original(pdf, original_of(place, "d"))
    assert picture_of(place, read) == original_of(place, "d")
    assert original_of(place, "d").read_bytes() == pdf.read_bytes()
    assert not list(original_of(place, "d").parent.glob("*.new"))


def test_no_other_file_of_the_machine_is_shown(pdf: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("%PDF-")
    for document in (
        Document("d", TEXT, source=str(secret), metadata={"pages": 2}),  # no PDF
        Document("d", TEXT, source=str(pdf)),  # was not read from pages
        Document("d", TEXT, source="bridge.pdf", metadata={"pages": 2}),  # no place
        Document("d", TEXT, source=str(pdf) + ".pdf", metadata={"pages": 2}),  # gone
    ):
        assert picture_of(tmp_path, document) is None


def test_an_original_is_kept_under_no_name_of_a_client(tmp_path: Path) -> None:
    kept = original_of(tmp_path, "../../etc/passwd")
    assert kept.parent == tmp_path / "originals"
    assert (len(kept.stem), kept.suffix) == (40, ".pdf")
    assert kept != original_of(tmp_path, "../etc/passwd")
    assert original_of(tmp_path, "\ud800").parent == kept.parent


def test_only_a_pdf_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("<script>")
    keep_original(file, tmp_path / "originals" / "x.pdf")
    assert not (tmp_path / "originals").exists()
