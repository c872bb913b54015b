"""Archives: the files in them, and what is refused."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest
from reading import read, refused

from decoct import Library
from decoct.data import Document
from decoct.documents import archive
from decoct.documents.base import Failure, Limits, Source
from decoct.errors import ParseError
from decoct_testing.hash_embedder import HashEmbedder


def zipped(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return data.getvalue()


def tarred(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as made:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            made.addfile(entry, io.BytesIO(content))
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        made.addfile(link)
    return data.getvalue()


FILES = {
    "guide/a.md": b"# One\n\nWords.",
    "b.csv": b"text\nrow\n",
    ".hidden": b"x",
    "../out.txt": b"x",
    "c.bin": b"\0\1\2" * 50,
}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("in/x.zip", zipped(FILES)),
        ("in/x.tar", tarred(FILES)),
        ("in/x.tar.gz", gzip.compress(tarred(FILES))),
        ("in/x.tgz", gzip.compress(tarred(FILES))),
        ("in/x.tar.bz2", bz2.compress(tarred(FILES))),
        ("in/x.tar.xz", lzma.compress(tarred(FILES))),
    ],
)
def test_every_file_of_an_archive_is_read_as_in_a_folder(name: str, data: bytes) -> None:
    items = read(name, data)
    assert [item.id for item in items if isinstance(item, Document)] == [f"{name}/guide/a.md", f"{name}/b.csv#2"]
    (failure,) = [item for item in items if isinstance(item, Failure)]
    assert failure.source.endswith("#c.bin")
    assert "format is not known" in failure.reason


def test_an_archive_in_an_archive_is_read_and_a_third_is_not() -> None:
    inner = zipped({"a.txt": b"words"})
    (document,) = read("x.zip", zipped({"y.zip": inner}))
    assert isinstance(document, Document)
    assert document.id == "x.zip/y.zip/a.txt"
    assert "archives deep" in refused("x.zip", zipped({"y.zip": zipped({"z.zip": inner})}))


def test_bombs_and_damage_are_refused() -> None:
    bomb = zipped({f"{at}.txt": b"0" * 3_000_000 for at in range(8)})
    items = read("x.zip", bomb)
    assert isinstance(items[-1], Failure)
    assert "zip bomb" in items[-1].reason
    assert "more than 3 files" in str(
        read("x.zip", zipped({f"{at}.txt": b"w" for at in range(5)}), Limits(entries=3))[-1]
    )
    cut = zipped({"a.txt": b"some words " * 500})
    assert "damaged" in refused("x.zip", cut[: len(cut) // 2])
    with pytest.raises(ParseError, match="no files"):
        list(archive.parse(Source.of("x.zip", zipped({}) + b"")))


def test_a_sync_knows_of_which_archive_a_document_is(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "x.zip").write_bytes(zipped({"a.txt": b"The pump is blue.", "b.csv": b"text\nThe valve is red.\n"}))
    with Library.open(tmp_path / "library", embedder=HashEmbedder()) as library:
        library.add(folder)
        assert library.sync(folder, prune=True).removed == 0
        (folder / "x.zip").write_bytes(zipped({"b.csv": b"text\nThe valve is red.\n"}))
        assert library.sync(folder, prune=True).removed == 1
        assert [info.id for info in library.documents()] == ["in/x.zip/b.csv#2"]
