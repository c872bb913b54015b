"""Open libraries: how many at once, which is closed, what is removed with one, and names that are never paths."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from decoct import Document, Library
from decoct.errors import ConfigError, MissingExtraError
from decoct.server import pool
from decoct.server.pool import Libraries
from decoct.server.problems import ProblemError
from decoct_testing.hash_embedder import HashEmbedder


class Opened:
    """A library that notes how it was opened and whether it was closed."""

    all: list[Opened] = []  # noqa: RUF012 - one test's
    fails: Exception | None = None
    seconds = 0.0

    def __init__(self, place: Any, settings: dict[str, Any]) -> None:
        self.place, self.settings, self.closed = place, settings, 0

    @classmethod
    def open(cls, place: Any, **settings: Any) -> Opened:
        time.sleep(cls.seconds)
        if cls.fails:
            raise cls.fails
        cls.all.append(cls(place, settings))
        return cls.all[-1]

    def follow(self) -> None:
        """Nothing else lies at its place."""

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Opened]]:
    monkeypatch.setattr(pool, "Library", Opened)
    yield Opened
    Opened.all, Opened.fails, Opened.seconds = [], None, 0.0


@pytest.fixture
def libraries(tmp_path: Path) -> Callable[..., Libraries]:
    def made(most: int = 2, **given: Path) -> Libraries:
        return Libraries(given, tmp_path / "state", None, most)

    return made


def code(action: Callable[[], Any]) -> tuple[int, str]:
    with pytest.raises(ProblemError) as error:
        action()
    return error.value.status_code, error.value.code


def test_those_given_and_those_made_are_named_in_order(
    opened: type[Opened], libraries: Callable[..., Libraries], tmp_path: Path
) -> None:
    held = libraries(zoo=tmp_path / "zoo", beta=tmp_path / "beta")
    assert held.names() == ["beta", "zoo"]
    held.create("made", "minilm", "structure")
    (tmp_path / "state" / "libraries" / "Not A Name").mkdir()
    (tmp_path / "state" / "libraries" / "file").write_text("")
    assert held.names() == ["beta", "made", "zoo"]


@pytest.mark.parametrize("name", ["", "..", "../state", "a/b", "/etc", "A", "none", "made\n"])
def test_the_name_of_a_request_is_never_a_path(
    opened: type[Opened], libraries: Callable[..., Libraries], name: str
) -> None:
    held = libraries()
    held.create("made", "minilm", "structure")
    assert held.place("made") is not None
    assert held.place(name) is None
    assert code(lambda: held.use(name).__enter__()) == (404, "library")
    held.delete(name)  # nothing to remove is no error
    assert held.names() == ["made"]


def test_a_name_is_taken_once(opened: type[Opened], libraries: Callable[..., Libraries], tmp_path: Path) -> None:
    held = libraries(given=tmp_path / "given")
    held.create("made", "minilm", "structure")
    for name in ("made", "given"):
        assert code(lambda name=name: held.create(name, "minilm", "structure")) == (409, "exists")  # type: ignore[misc]


def test_of_two_that_make_one_at_a_time_the_second_is_told(
    opened: type[Opened], libraries: Callable[..., Libraries], monkeypatch: pytest.MonkeyPatch
) -> None:
    held = libraries()
    held.create("made", "minilm", "structure")
    monkeypatch.setattr(held, "place", lambda _: None)  # as it was when the second looked
    assert code(lambda: held.create("made", "minilm", "structure")) == (409, "exists")


def test_what_cannot_be_made_leaves_its_name_free(opened: type[Opened], libraries: Callable[..., Libraries]) -> None:
    held = libraries()
    opened.fails = MissingExtraError("this embedder", "torch")
    with pytest.raises(MissingExtraError):
        held.create("made", "minilm", "structure")
    assert held.names() == []
    opened.fails = None
    held.create("made", "minilm", "structure")
    assert held.names() == ["made"]


def test_a_library_is_opened_once_and_built_as_it_was_asked(
    opened: type[Opened], libraries: Callable[..., Libraries]
) -> None:
    held = libraries()
    held.create("made", "some-embedder", "fixed")
    with held.use("made") as one, held.use("made") as other:
        assert one is other
    settings = opened.all[-1].settings
    assert (settings["embedder"], settings["chunker"], settings["create"]) == ("some-embedder", "fixed", False)
    assert [library.closed for library in opened.all] == [1, 0]  # the one that made it, the one in the pool


def test_the_least_recently_used_is_closed_first(
    opened: type[Opened], libraries: Callable[..., Libraries], tmp_path: Path
) -> None:
    held = libraries(2, **{name: tmp_path / name for name in "abc"})
    for name in "abac":
        with held.use(name):
            pass
    assert [(library.place.name, library.closed) for library in opened.all] == [("a", 0), ("b", 1), ("c", 0)]


def test_what_is_in_use_is_never_closed(
    opened: type[Opened], libraries: Callable[..., Libraries], tmp_path: Path
) -> None:
    held = libraries(1, **{name: tmp_path / name for name in "abc"})
    with ExitStack() as uses:
        for name in "abc":
            uses.enter_context(held.use(name))
        assert [library.closed for library in opened.all] == [0, 0, 0]
        held.close()
        assert [library.closed for library in opened.all] == [0, 0, 0]
    assert [library.closed for library in opened.all] == [1, 1, 1]


def test_a_library_that_was_built_anew_is_opened_anew(
    opened: type[Opened], libraries: Callable[..., Libraries], tmp_path: Path
) -> None:
    held = libraries(a=tmp_path / "a")
    with held.use("a") as before:
        held.forget("a")
        with held.use("a") as after:
            assert after is not before
        assert before.closed == 0  # type: ignore[attr-defined]
    assert [library.closed for library in opened.all] == [1, 0]
    held.forget("unknown")


def test_of_many_at_once_one_opens_it(
    opened: type[Opened], libraries: Callable[..., Libraries], tmp_path: Path
) -> None:
    opened.seconds = 0.05
    held, seen = libraries(a=tmp_path / "a"), []

    def use() -> None:
        with held.use("a") as library:
            seen.append(library)

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(seen), len(opened.all)) == (8, 1)


def test_a_library_in_use_is_not_removed(
    opened: type[Opened], libraries: Callable[..., Libraries], tmp_path: Path
) -> None:
    held = libraries()
    held.create("made", "minilm", "structure")
    with held.use("made"):
        assert code(lambda: held.delete("made")) == (409, "in-use")
    held.delete("made")
    assert (held.names(), opened.all[-1].closed) == ([], 1)
    assert not (tmp_path / "state" / "libraries" / "made").exists()


def test_of_a_folder_that_was_given_only_what_is_a_librarys_is_removed(
    libraries: Callable[..., Libraries], tmp_path: Path
) -> None:
    place = tmp_path / "place"
    with Library.open(place, embedder=HashEmbedder()) as library:
        library.add([Document("a", "The old bridge was opened in 1934.")])
    (place / "originals").mkdir()
    (place / "originals" / "x.pdf").write_bytes(b"%PDF-")
    (place / "cards").mkdir()
    (place / "structures").mkdir()
    (place / "notes.txt").write_text("Somebody's own.")
    held = libraries(place=place)
    held.delete("place")
    assert [path.name for path in place.iterdir()] == ["notes.txt"]
    assert held.names() == []


def test_settings_that_do_not_fit_are_the_servers_fault(
    opened: type[Opened], libraries: Callable[..., Libraries], tmp_path: Path
) -> None:
    held = libraries(a=tmp_path / "a")
    opened.fails = ConfigError("no such model at /srv/secret")
    with pytest.raises(RuntimeError, match="cannot be opened"), held.use("a"):
        pass
    opened.fails = MissingExtraError("this model", "torch")
    with pytest.raises(MissingExtraError), held.use("a"):
        pass


def test_how_a_library_without_documents_is_built(
    opened: type[Opened], libraries: Callable[..., Libraries], tmp_path: Path
) -> None:
    held = libraries(given=tmp_path / "given")
    held.create("made", "minilm", "fixed")
    assert held.build_of("made") == ("minilm", "fixed")
    assert held.build_of("given") == (None, None)
    assert held.build_of("unknown") == (None, None)
