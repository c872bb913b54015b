"""Scans and pictures: read where text recognition is installed, else refused with what to install. The engine is a double here."""

from __future__ import annotations

import importlib
import io
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from small_files import scanned_pdf

from decoct import Library
from decoct.documents import formats
from decoct.documents import isolation as apart
from decoct.documents.base import Limits, Source
from decoct.documents.paged import ocr, pdf, picture
from decoct.documents.worker import answer
from decoct.errors import ParseError
from decoct_testing.hash_embedder import HashEmbedder

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
    monkeypatch.setattr(ocr, "_languages", lambda: frozenset({"de", "en"}))
    monkeypatch.setattr(ocr, "_has_extra", lambda: True)
    monkeypatch.setattr(ocr, "_models", frozenset)
    ocr.tesseract_languages.cache_clear()
    for module in (pdf, ocr):
        monkeypatch.setattr(module, "is_available", lambda: True)


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (pdf, ocr):
        monkeypatch.setattr(module, "is_available", lambda: False)


def png() -> bytes:
    data = io.BytesIO()
    Image.new("L", (300, 200), 255).save(data, "PNG")
    return data.getvalue()


def test_a_scanned_page_is_recognised(installed: None) -> None:
    (document,) = pdf.parse(Source.of("a.pdf", scanned_pdf()))
    assert document.text == "The pump opens\nat nine."
    assert document.metadata == {
        "pages": 1,
        "pages_recognised": 1,
        "ocr_confidence": 0.85,
        "ocr_regions": "0-14:0.80 15-23:0.90",
        "left_out": "regions of pictures that cannot be read (1)",
    }
    assert (document.text[0:14], document.text[15:23]) == LINES[:2]


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


def test_regions_are_those_of_their_page(installed: None) -> None:
    pages = [Image.new("L", (300, 200), 255) for _ in range(2)]
    data = io.BytesIO()
    pages[0].save(data, "TIFF", save_all=True, append_images=pages[1:])
    (document,) = picture.parse(Source.of("a.tif", data.getvalue()))
    places = [region.partition(":")[0].split("-") for region in str(document.metadata["ocr_regions"]).split()]
    assert [document.text[int(start) : int(end)] for start, end in places] == [*LINES[:2], *LINES[:2]]


def test_of_very_many_regions_the_least_sure_are_kept() -> None:
    words = [f"w{number}" for number in range(3_000)]
    page = ocr.RecognisedPage([], [(word, 0.95 if at % 2 else 0.6) for at, word in enumerate(words)])
    told = ocr.told_of({0: page}, [" ".join(words)], "\n\f")
    kept = str(told["ocr_regions"]).split()
    assert len(kept) == 2_000
    assert sum(region.endswith(":0.60") for region in kept) == 1_500
    assert told["ocr_confidence"] == 0.775


@pytest.mark.parametrize(("language", "read"), [("de", True), ("auto", True), ("", True), ("ru", False)])
def test_a_language_without_a_model_is_refused_by_name(installed: None, language: str, read: bool) -> None:
    for parser, name, data in ((pdf, "a.pdf", scanned_pdf()), (picture, "a.png", png())):
        source = replace(Source.of(name, data), language=language)
        if read:
            assert next(parser.parse(source)).text == "The pump opens\nat nine."
        else:
            with pytest.raises(ParseError, match="no model for the language 'ru', only for de, en"):
                next(parser.parse(source))


_TSV = """level	page_num	block_num	par_num	line_num	word_num	left	top	width	height	conf	text
4	1	1	1	1	0	10	10	400	20	-1
5	1	1	1	1	1	10	10	60	20	96.0	Rotor
5	1	1	1	1	2	80	10	50	20	90.0	seal
5	1	1	1	1	3	300	10	40	20	80.0	"12
5	1	1	1	2	1	10	50	60	20	20.0	~~
"""


def test_tesseract_reads_where_the_extra_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def run(command: list[str], *, input: bytes, **_: object) -> SimpleNamespace:  # noqa: A002 - subprocess's own name
        asked.append(command)
        assert input.startswith(b"P6 300 200 255\n")
        return SimpleNamespace(stdout=_TSV.encode())

    monkeypatch.setattr("subprocess.run", run)
    monkeypatch.setattr(ocr, "tesseract_is_installed", lambda: True)
    monkeypatch.setattr(ocr, "_models", lambda: frozenset({"eng", "rus"}))
    ocr.tesseract_languages.cache_clear()
    monkeypatch.setattr(ocr, "_languages", lambda: frozenset({"en"}))
    for extra, language, models in ((True, "ru", "rus"), (False, "en", "eng"), (False, "auto", "eng+rus")):
        monkeypatch.setattr(ocr, "_has_extra", lambda extra=extra: extra)
        (document,) = picture.parse(replace(Source.of("a.png", png()), language=language))
        assert document.text == 'Rotor seal "12'
        assert document.metadata["ocr_regions"] == "0-10:0.93 11-14:0.80"
        assert document.metadata["left_out"] == "regions of pictures that cannot be read (1)"
        assert asked.pop()[3:5] == ["-l", models]
    assert "Debian: tesseract-ocr-ell" in ocr.obstacle("el")
    ocr.tesseract_languages.cache_clear()


def test_the_report_names_unsure_regions_and_the_librarys_language_is_asked_for(
    installed: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        formats, "parsed", lambda module, source, _: importlib.import_module(module).parse(source)
    )  # in this process, where the engine is a double
    scan = tmp_path / "scan.png"
    scan.write_bytes(png())
    with Library.open(tmp_path / "library", embedder=HashEmbedder()) as library:
        (note,) = library.add(scan).notes
        assert note == (
            f"{scan}: 1 of 2 recognised regions are read with confidence below 0.90: characters 0-14 (0.80); "
            "not read as it stands: regions of pictures that cannot be read (1)"
        )
    with Library.open(tmp_path / "russian", embedder=HashEmbedder(), language="ru") as library:
        (failure,) = library.add(scan).failures
        assert "'ru'" in failure.reason


def test_the_language_goes_to_the_process_apart(monkeypatch: pytest.MonkeyPatch, installed: None) -> None:
    def here(header: bytes, data: bytes) -> SimpleNamespace:
        return SimpleNamespace(reply=lambda _: answer(json.loads(header), data))

    monkeypatch.setattr(apart, "_taken", here)
    monkeypatch.setattr(apart, "_idle", [])
    source = replace(Source.of("a.png", png()), language="xx")
    with pytest.raises(ParseError, match="'xx'"):
        next(apart.parsed("decoct.documents.paged.picture", source, png()))


def test_the_engine_itself_knows_its_languages() -> None:
    pytest.importorskip("rapidocr")
    assert {"de", "en", "fr", "ja", "zh"} <= ocr._languages()
    assert not {"ru", "ko", "ar", "el"} & ocr._languages()


def test_recognising_may_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())
    assert apart.allowed_seconds(10, Limits(), "decoct.documents.paged.pdf") == Limits().ocr_seconds
    assert apart.allowed_seconds(10, Limits(), "decoct.documents.markup.html") < Limits().seconds
