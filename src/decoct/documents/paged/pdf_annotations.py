"""What is laid over a PDF's page: fields of forms, text boxes, what reviewers noted and struck out (PDF 32000-1:2008, 12.5.6)."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from pypdfium2 import raw

from decoct.documents.canonical import canonical
from decoct.documents.office.symbols import tick_box
from decoct.documents.paged.pdf_rules import Box
from decoct.documents.prose import remark

_ANNOTATIONS = 2_000  # of a page that are looked at
_VALUE = 10_000  # characters of a form's field
_PASSWORD = 1 << 13  # PDF 32000-1:2008, table 228, bit 14
_UNSEEN = 1 << 1 | 1 << 5  # table 165: hidden, not to be viewed
_MARKS = (raw.FPDF_ANNOT_HIGHLIGHT, raw.FPDF_ANNOT_UNDERLINE, raw.FPDF_ANNOT_SQUIGGLY, raw.FPDF_ANNOT_STRIKEOUT)
_NOTES = (
    *_MARKS, raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_CARET, raw.FPDF_ANNOT_STAMP, raw.FPDF_ANNOT_INK, raw.FPDF_ANNOT_LINE,
    raw.FPDF_ANNOT_SQUARE, raw.FPDF_ANNOT_CIRCLE, raw.FPDF_ANNOT_POLYGON, raw.FPDF_ANNOT_POLYLINE,
)  # fmt: skip


def filled(page: Any, forms: Any) -> Iterator[tuple[str, Box]]:  # noqa: ANN401 - pypdfium2 has no types
    """What stands in the fields of a form (`forms`: pdfium's environment or None) and in text boxes over the page, with their boxes."""
    for note in _annotations(page):
        said = _field_text(note, forms)
        box = raw.FS_RECTF()
        if said and raw.FPDFAnnot_GetRect(note, box):
            yield said, (box.left, box.bottom, box.right, box.top)


def remarks(page: Any) -> list[str]:  # noqa: ANN401
    """What reviewers noted, in the order of the file, each with who did and the words that are marked."""
    told: list[str] = []
    if not raw.FPDFPage_GetAnnotCount(page.raw):
        return told
    with closing(page.get_textpage()) as letters:
        for note in _annotations(page):
            said = _value(note, b"Contents") if raw.FPDFAnnot_GetSubtype(note) in _NOTES else ""
            if said:
                marked = " … ".join(_words_in(letters, note))
                told.append(remark(_value(note, b"T"), said, about=marked if marked != said else ""))
    return told


def crossed_out(page: Any) -> list[Box]:  # noqa: ANN401
    """The lines by which reviewers struck out words, as thin boxes."""
    struck = (note for note in _annotations(page) if raw.FPDFAnnot_GetSubtype(note) == raw.FPDF_ANNOT_STRIKEOUT)
    boxes = (box for note in struck for box in _marked(note))
    return [(left, (low + high) / 2, right, (low + high) / 2) for left, low, right, high in boxes]


def _annotations(page: Any) -> Iterator[Any]:  # noqa: ANN401
    for number in range(min(raw.FPDFPage_GetAnnotCount(page.raw), _ANNOTATIONS)):
        note = raw.FPDFPage_GetAnnot(page.raw, number)
        if note:
            try:
                if not raw.FPDFAnnot_GetFlags(note) & _UNSEEN:
                    yield note
            finally:
                raw.FPDFPage_CloseAnnot(note)


def _marked(note: Any) -> Iterator[Box]:  # noqa: ANN401
    """The boxes of the words that a highlight or its like marks."""
    for number in range(min(raw.FPDFAnnot_CountAttachmentPoints(note), _ANNOTATIONS)):
        quad = raw.FS_QUADPOINTSF()
        if raw.FPDFAnnot_GetAttachmentPoints(note, number, quad):
            across, up = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
            yield min(across), min(up), max(across), max(up)


def _words_in(letters: Any, note: Any) -> list[str]:  # noqa: ANN401
    boxes = _marked(note) if raw.FPDFAnnot_GetSubtype(note) in _MARKS else ()
    found = (" ".join(canonical(letters.get_text_bounded(*box)).split()) for box in boxes)
    return [words for words in found if words]


def _field_text(note: Any, forms: Any) -> str:  # noqa: ANN401
    kind = raw.FPDFAnnot_GetSubtype(note)
    if kind == raw.FPDF_ANNOT_FREETEXT:
        return _value(note, b"Contents")
    if kind != raw.FPDF_ANNOT_WIDGET or forms is None:
        return ""
    field = raw.FPDFAnnot_GetFormFieldType(forms, note)
    if field in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        return tick_box(ticked=bool(raw.FPDFAnnot_IsChecked(forms, note)))
    if field not in (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        return ""
    if raw.FPDFAnnot_GetFormFieldFlags(forms, note) & _PASSWORD and field == raw.FPDF_FORMFIELD_TEXTFIELD:
        return ""
    return _string(lambda buffer, size: raw.FPDFAnnot_GetFormFieldValue(forms, note, buffer, size))


def _value(note: Any, key: bytes) -> str:  # noqa: ANN401
    return _string(lambda buffer, size: raw.FPDFAnnot_GetStringValue(note, key, buffer, size))


def _string(read: Any) -> str:  # noqa: ANN401
    """What a function of pdfium writes into a buffer (UTF-16, its size in bytes), on one line."""
    size = min(int(read(None, 0)), 2 * _VALUE)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    read(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return " ".join(canonical(bytes(buffer)[: size - 2].decode("utf-16-le", "replace")).split())
