"""Scans and pictures: read where text recognition is installed, else refused with what to install. The engine is a double here."""

from __future__ import annotations

import io
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from small_files import scanned_pdf

from decoct.documents import isolation as apart
from decoct.documents import ocr, pdf, picture
from decoct.documents.base import Limits, Source
from decoct.errors import ParseError

LINES = ("The pump opens", "at nine.", "smudge")


def engine(image: np.ndarray) -> SimpleNamespace:
    """Finds three lines, the last of them unsure, in whatever picture."""
    assert image.ndim == 3
    assert image.shape[2] == 3
    boxes = np.array(
        [[[10, 40 * at], [200, 40 * at], [200, 40 * at + 30], [10, 40 * at + 30]] for at in (1, 0, 2)], dtype=float
    )
    return SimpleNamespace(txts=(LINES[1], LINES[0], LINES[2]), boxes=boxes, scores=(0.9, 0.8, 0.2))


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "_engine", lambda: engine)
    for module in (pdf, picture):
        monkeypatch.setattr(module, "is_available", lambda: True)


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (pdf, picture):
        monkeypatch.setattr(module, "is_available", lambda: False)


def png() -> bytes:
    data = io.BytesIO()
    Image.new("L", (300, 200), 255).save(data, "PNG")
    return data.getvalue()


def test_a_scanned_page_is_recognised(installed: None) -> None:
    (document,) = pdf.parse(Source.of("a.pdf", scanned_pdf()))
    assert document.text == "The pump opens\nat nine."
    assert document.metadata == {"pages": 1, "pages_recognised": 1, "ocr_confidence": 0.85}


def test_a_picture_is_recognised(installed: None) -> None:
    (document,) = picture.parse(Source.of("a.png", png()))
    assert document.text == "The pump opens\nat nine."
    assert document.metadata["pages_recognised"] == 1
    with pytest.raises(ParseError, match="damaged"):
        next(picture.parse(Source.of("a.png", png()[:40])))


def test_without_it_what_to_install_is_said(missing: None) -> None:
    for parser, name, data in ((pdf, "a.pdf", scanned_pdf()), (picture, "a.png", png())):
        with pytest.raises(ParseError, match=r"pip install 'decoct\[ocr\]'"):
            next(parser.parse(Source.of(name, data)))


def test_recognising_may_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())
    assert apart.allowed_seconds(10, Limits(), "decoct.documents.pdf") == Limits().ocr_seconds
    assert apart.allowed_seconds(10, Limits(), "decoct.documents.html") < Limits().seconds
