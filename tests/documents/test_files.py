"""Finding files without leaving the folders given."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from decoct.documents.base import Failure, Limits, Source
from decoct.documents.files import find, printable
from decoct.documents.formats import parse
from decoct.errors import ParseError


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder `docs` beside a secret."""
    (tmp_path / "secret.txt").write_text("secret")
    root = tmp_path / "docs"
    for name in (
        "b.txt",
        "a/z.md",
        "a/y.md",
        ".hidden/x.txt",
        ".x.txt",
        ".git/config",
        "CVS/Root",
        "node_modules/m.md",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"words of {name}")
    return root


def _found(*paths: str | Path, limits: Limits | None = None) -> tuple[list[str], list[Failure]]:
    items = list(find(paths, limits))
    names = [item.name for item in items if isinstance(item, Source)]
    return names, [item for item in items if isinstance(item, Failure)]


def _outcome(source: Source | Failure) -> str:
    assert isinstance(source, Source)
    (item,) = parse(source)
    return item.reason if isinstance(item, Failure) else item.text


def test_a_folder_gives_its_files_in_order_under_its_name(docs: Path) -> None:
    assert _found(docs) == (["docs/a/y.md", "docs/a/z.md", "docs/b.txt"], [])
    assert _found(docs / "b.txt", docs / "a") == (["b.txt", "a/y.md", "a/z.md"], [])
    (first, *_) = find([docs])
    assert isinstance(first, Source)
    assert first.origin == str(docs / "a/y.md")
    assert _outcome(first) == "words of a/y.md"


def test_ids_do_not_depend_on_the_working_directory(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(docs)
    assert _found(".")[0] == _found("../docs/")[0] == _found("a/..")[0] == _found(docs)[0]
    monkeypatch.chdir(docs / "a")
    assert _found("..")[0] == _found(docs)[0]
    assert _found("../b.txt")[0] == ["b.txt"]


def test_what_the_user_names_is_taken_even_if_hidden(docs: Path) -> None:
    assert _found(docs / ".hidden", docs / ".x.txt")[0] == [".hidden/x.txt", ".x.txt"]


def test_links_never_leave_the_folder(docs: Path) -> None:
    (docs / "out.txt").symlink_to("../secret.txt")
    (docs / "outdir").symlink_to("..")
    (docs / "absolute.txt").symlink_to(docs.parent / "secret.txt")
    (docs / "inside.txt").symlink_to("b.txt")
    (docs / "a" / "loop").symlink_to("..")
    (docs / "nowhere").symlink_to("no-such-file")
    (docs / "self").symlink_to("self")
    names, failures = _found(docs)
    assert names == ["docs/a/y.md", "docs/a/z.md", "docs/b.txt"]
    assert {Path(f.source).name: f.code for f in failures} == {
        "absolute.txt": "outside",
        "nowhere": "missing",
        "out.txt": "outside",
        "outdir": "outside",
        "self": "unreadable",
    }


def test_a_path_that_the_user_names_may_be_a_link(docs: Path) -> None:
    link = docs.parent / "link"
    link.symlink_to(docs)
    assert _found(link)[0] == _found(docs)[0]
    file_link = docs.parent / "named.txt"
    file_link.symlink_to(docs / "b.txt")
    (source,) = find([file_link])
    assert isinstance(source, Source)
    assert source.name == "named.txt"
    assert _outcome(source) == "words of b.txt"


def test_special_files_are_refused_without_being_opened(docs: Path) -> None:
    os.mkfifo(docs / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(docs)  # the path of a socket is short
        listener.bind("sock.txt")
        os.chdir(here)
        names, failures = _found(docs, docs / "pipe.txt", "/dev/zero")
    assert len(names) == 3
    assert [(Path(f.source).name, f.code) for f in failures] == [
        ("pipe.txt", "special"),
        ("sock.txt", "special"),
        ("pipe.txt", "special"),
        ("zero", "special"),
    ]


def test_a_file_exchanged_after_it_was_listed_is_not_read(docs: Path) -> None:
    for name in ("b.txt", "a"):
        sources = [item for item in find([docs]) if name in item.name]  # type: ignore[union-attr]
        victim = docs / name
        moved = docs.parent / f"moved-{name}"
        victim.rename(moved)
        assert "no such file" in _outcome(sources[0])
        victim.symlink_to(docs.parent / "secret.txt" if name == "b.txt" else moved)
        assert "secret" not in (said := _outcome(sources[0]))
        assert ("cannot be read" if name == "b.txt" else "exchanged") in said
        victim.unlink()
        moved.rename(victim)
    (source,) = find([docs / "b.txt"])
    (docs / "b.txt").unlink()
    os.mkfifo(docs / "b.txt")
    assert "exchanged" in _outcome(source)
    (docs / "b.txt").unlink()
    (docs / "b.txt").mkdir()
    assert "cannot be read" in _outcome(source)


def test_missing_unreadable_and_odd_paths(docs: Path) -> None:
    _, failures = _found(docs / "none", "nul\0byte", "")
    assert failures[0].code == "missing"
    assert len(failures) == 2  # the empty path is the working directory, as everywhere
    if os.geteuid() != 0:
        (docs / "b.txt").chmod(0)
        (docs / "a").chmod(0)
        _, failures = _found(docs)
        assert [f.reason for f in failures] == ["there is no permission to read it"]
        (docs / "a").chmod(0o700)


def test_depth_and_size_are_bounded(docs: Path) -> None:
    deep = docs / "1/2/3"
    deep.mkdir(parents=True)
    (deep / "x.txt").write_text("x")
    names, failures = _found(docs, limits=Limits(depth=2))
    assert "docs/1/2/3/x.txt" not in names
    assert [(Path(f.source).name, f.code) for f in failures] == [("3", "depth")]
    (source,) = find([docs / "b.txt"], Limits(stream_bytes=3))
    assert isinstance(source, Source)
    with pytest.raises(ParseError, match="larger than the limit of 3 bytes"):
        source.head(1)


def test_very_deep_folders_are_reported(tmp_path: Path) -> None:
    here = tmp_path / "deep"
    here.mkdir()
    for _ in range(70):
        here = here / "d"
        here.mkdir()
    names, failures = _found(tmp_path / "deep")
    assert (names, [f.code for f in failures]) == ([], ["depth"])


def test_the_library_itself_can_be_left_out(docs: Path) -> None:
    names = [item.name for item in find([docs], skip=[docs / "a"]) if isinstance(item, Source)]
    assert names == ["docs/b.txt"]


def test_names_that_are_no_text_can_be_stored(docs: Path) -> None:
    odd = os.fsencode(docs) + b"/odd\xff\n.txt"
    with open(odd, "wb") as out:  # noqa: PTH123 - the name is bytes
        out.write(b"words")
    names, _ = _found(docs)
    assert names[-1] == "docs/odd\\xff\\x0a.txt"
    names[-1].encode("utf-8")
    assert printable("a\udcffb") == "a\\xffb"


def test_nothing_is_opened_while_listing(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise AssertionError("opened while listing")

    monkeypatch.setattr(os, "open", refuse)
    assert len(_found(docs)[0]) == 3
