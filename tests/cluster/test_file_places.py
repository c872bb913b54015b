"""Where files lie, for workers on any machine."""

from __future__ import annotations

from pathlib import Path

from decoct.documents.base import Failure
from decoct.feed import Root
from decoct_ray.places import FilePlace, places
from decoct_ray.work import CollectingStore, documents_of
from decoct_testing.store_corpus import make_entry


def found(given: list[str | Path], skip: tuple[Path, ...] = ()) -> tuple[list[FilePlace], list[Failure], list[Root]]:
    roots: list[Root] = []
    both = list(places(given, skip, roots, allow_private=False))
    return [one for one in both if isinstance(one, FilePlace)], [one for one in both if isinstance(one, Failure)], roots


def test_a_folder_and_its_file_url_are_the_same_places(tmp_path: Path) -> None:
    folder = tmp_path / "some notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.md").write_text("# A")
    (folder / "deep" / "b.txt").write_text("bb")
    (folder / ".hidden").write_text("x")
    here, failures, roots = found([folder])
    assert [(one.name, one.origin, one.size) for one in here] == [
        ("some notes/a.md", str(folder / "a.md"), 3),
        ("some notes/deep/b.txt", str(folder / "deep" / "b.txt"), 2),
    ]
    assert failures == []
    assert [(root.path, root.files, root.unread) for root in roots] == [(str(folder), 2, [])]
    assert found([folder.as_uri()])[0] == here
    assert found([folder], (folder / "deep",))[0] == here[:1]


def test_a_storage_gives_ids_as_a_folder_does(tmp_path: Path) -> None:
    """fsspec's storage in memory stands for one in a cloud."""
    import fsspec

    system = fsspec.filesystem("memory")
    system.pipe({"/shelf/notes/a.md": b"# A", "/shelf/notes/deep/b.txt": b"bb", "/shelf/notes/.git/x": b"x"})
    try:
        here, failures, roots = found(["memory://shelf/notes/"])
        assert [(one.name, one.origin, one.size) for one in here] == [
            ("notes/a.md", "memory:///shelf/notes/a.md", 3),
            ("notes/deep/b.txt", "memory:///shelf/notes/deep/b.txt", 2),
        ]
        assert failures == []
        assert roots[0].files == 2
        rows = list(documents_of(here[0].row()))
        assert len(rows) == 2  # the document, and that the file was read to its end
        (one,), none, _ = found(["memory://shelf/notes/a.md"])
        assert (one.name, none) == ("a.md", [])
        nothing, missing, doubted = found(["memory://shelf/absent"])
        assert (nothing, [failure.code for failure in missing]) == ([], ["missing"])
        assert doubted[0].unread  # so that nothing of it is pruned
    finally:
        system.rm("/shelf", recursive=True)


def test_a_storage_that_nobody_knows_is_a_failure() -> None:
    nothing, failures, _ = found(["nowhere://bucket/x"])
    assert nothing == []
    assert "nowhere" in failures[0].reason


def test_an_actor_passes_over_what_the_library_has_and_makes_what_moved_again() -> None:
    store = CollectingStore({"a": "1", "b": "2"}, {"b"})
    assert store.digests(["a", "b", "c"]) == {"a": "1"}
    assert store.with_digests(["x"]) == {}
    store.put([make_entry("c", ["river"])])
    assert [entry.document.id for entry in store.entries] == ["c"]


def test_what_went_away_since_it_was_listed_is_a_failure(tmp_path: Path) -> None:
    import pickle

    rows = list(documents_of(FilePlace(str(tmp_path / "gone.md"), "gone.md", "gone.md").row()))
    failure, read = [pickle.loads(row["body"]) for row in rows]
    assert (failure.code, read.documents, len(read.gave.failures)) == ("missing", 0, 1)
