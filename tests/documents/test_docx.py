"""DOCX: body text in order, and the guard of its zip."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import docx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm
from reading import one, refused
from small_files import saved

from decoct.documents.base import MB, Limits


def _document() -> bytes:
    made = docx.Document()
    made.core_properties.title = "The  Title"
    made.core_properties.author = "A. Writer"
    made.add_heading("First heading", 1)
    paragraph = made.add_paragraph("See ")
    part = paragraph.part.relate_to("https://example.org/page", RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), part)
    run, text = OxmlElement("w:r"), OxmlElement("w:t")
    text.text = "the page"
    run.append(text)
    link.append(run)
    paragraph._p.append(link)
    paragraph.add_run(" for\tmore.")
    table = made.add_table(2, 2)
    for row, cells in zip(table.rows, (("Name", "Year"), ("A", "1912")), strict=True):
        for cell, words in zip(row.cells, cells, strict=True):
            cell.text = words
    made.add_paragraph("After the table.")
    deleted = OxmlElement("w:del")
    gone = OxmlElement("w:r")
    words = OxmlElement("w:delText")
    words.text = "GONE"
    gone.append(words)
    deleted.append(gone)
    made.paragraphs[-1]._p.append(deleted)
    return _bytes(made.save)


def _bytes(save: Callable[[io.BytesIO], None]) -> bytes:
    out = io.BytesIO()
    save(out)
    return out.getvalue()


def _rezip(data: bytes, change: Callable[[str, bytes], bytes | None], extra: dict[str, bytes] | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            content = change(entry.filename, old.read(entry))
            if content is not None:
                new.writestr(entry.filename, content)
        for name, content in (extra or {}).items():
            new.writestr(name, content)
    return out.getvalue()


def test_text_headings_links_and_tables_in_order() -> None:
    document = one("letter.docx", _document())
    assert document.text == "First heading\n\nSee the page for more.\n\nName | Year\nA | 1912\n\nAfter the table."
    assert document.title == "The Title"
    assert document.metadata == {"author": "A. Writer", "left_out": "deleted text (1)"}
    assert [document.text[start:end] for start, end in document.headings] == ["First heading"]
    assert document.levels == (1,)
    assert [(document.text[link.start : link.end], link.target) for link in document.links] == [
        ("the page", "https://example.org/page")
    ]


def test_title_falls_back_to_the_first_heading() -> None:
    made = docx.Document()
    made.core_properties.title = ""
    made.add_paragraph("before")
    made.add_heading("Head", 2)
    assert one("a.docx", _bytes(made.save)).title == "Head"


def test_an_empty_document_says_so() -> None:
    assert "no text" in refused("a.docx", _bytes(docx.Document().save))


def test_bombs_are_refused_before_they_inflate() -> None:
    data = _document()
    bomb = _rezip(data, lambda name, content: content + b" " * (60 * MB) if name == "word/document.xml" else content)
    assert len(bomb) < MB
    assert "MB of XML, over the limit of 50 MB" in refused("a.docx", bomb)
    media = _rezip(data, lambda _, content: content, {"word/media/a.bin": bytes(64 * MB)})
    assert "zip bomb" in refused("a.docx", media)
    many = _rezip(data, lambda _, content: content, {f"word/{n}": b"" for n in range(50)})
    assert "files, over the limit of 40" in refused("a.docx", many, Limits(entries=40))


def test_a_directory_that_lies_about_sizes_is_damage() -> None:
    data = _document()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = archive.getinfo("word/document.xml").file_size
    lying = data.replace(size.to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lying != data
    assert "damaged" in refused("a.docx", lying)


def test_billion_laughs_are_not_expanded() -> None:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    dtd = f'<!DOCTYPE w:document [<!ENTITY l0 "lol">{entities}]>'.encode()

    def inject(name: str, content: bytes) -> bytes:
        if name != "word/document.xml":
            return content
        declaration, rest = content.split(b"?>", 1)
        return declaration + b"?>" + dtd + rest.replace(b"After the table.", b"&l9;")

    reason_or_text = _outcome(_rezip(_document(), inject))
    assert "lollol" not in reason_or_text


def test_a_local_file_is_never_read_by_an_entity() -> None:
    def inject(name: str, content: bytes) -> bytes:
        if name != "word/document.xml":
            return content
        declaration, rest = content.split(b"?>", 1)
        dtd = b'<!DOCTYPE w:document [<!ENTITY f SYSTEM "file:///etc/passwd">]>'
        return declaration + b"?>" + dtd + rest.replace(b"After the table.", b"&f;")

    assert "root:" not in _outcome(_rezip(_document(), inject))


def _outcome(data: bytes) -> str:
    try:
        return one("a.docx", data).text
    except AssertionError as error:
        return str(error)


@pytest.mark.parametrize(
    ("lost", "said"),
    [("word/document.xml", "but no DOCX"), ("[Content_Types].xml", "damaged"), ("_rels/.rels", "damaged")],
)
def test_a_missing_part_is_damage(lost: str, said: str) -> None:
    reason = refused("a.docx", _rezip(_document(), lambda name, content: None if name == lost else content))
    assert said in reason


@pytest.mark.parametrize("was", [b"w:document", b"w:body"])
def test_a_root_or_body_of_another_name_is_damage(was: bytes) -> None:
    def rename(name: str, content: bytes) -> bytes:
        return content.replace(was, was[:-1] + b"x") if name == "word/document.xml" else content

    assert "damaged" in refused("a.docx", _rezip(_document(), rename))


def test_other_zips_and_old_office_files_say_so() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("notes.txt", "words")
    assert "zip file but no DOCX, PPTX" in refused("notes.docx", out.getvalue())
    assert "its data is damaged" in refused("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    assert "damaged" in refused("a.docx", _document()[:2000])
    assert "damaged" in refused("a.docx", b"plain text")


def test_deep_nesting_is_bounded() -> None:
    def nest(name: str, content: bytes) -> bytes:
        deep = b"<w:sdt><w:sdtContent>" * 50_000 + b"</w:sdtContent></w:sdt>" * 50_000
        return content.replace(b"<w:sectPr", deep + b"<w:sectPr", 1) if name == "word/document.xml" else content

    assert "damaged" in refused("a.docx", _rezip(_document(), nest))


@pytest.mark.parametrize(
    ("paragraphs", "text"),
    [
        (
            [("List Bullet", "A"), ("List Bullet 2", "B"), ("List Bullet 3", "C"), ("", ""), ("List Bullet 2", "D")],
            "- A\n  - B\n    - C\n\n  - D",
        ),
        ([("List Number", "A"), ("List Bullet 2", "B"), ("List Number", "C")], "1. A\n  - B\n2. C"),
        ([("List Bullet", "A"), ("", "Then"), ("List Bullet 2", "B")], "- A\n\nThen\n\n- B"),  # below no other
        (
            [("List Bullet 1", "A"), ("List Bullet 2", "B"), ("List Bullet 3", "C"), ("List Bullet 2", "D")],
            "- A\n  - B\n    - C\n  - D",
        ),
    ],
)
def test_levels_of_lists_are_told_by_their_indents(paragraphs: list[tuple[str, str]], text: str) -> None:
    document = docx.Document()
    direct = any(style == "List Bullet 1" for style, _ in paragraphs)  # one style, indented by hand
    for style, words in paragraphs:
        made = document.add_paragraph(words, style=("List Bullet" if direct else style) or None)
        if direct:
            made.paragraph_format.left_indent = Cm(int(style[-1]))
    assert one("a.docx", saved(document)).text == text
