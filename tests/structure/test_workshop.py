"""The bench on which a structure is put together, and the small parts under its trees: levels of headings, chunks of a leaf."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from decoct.data import Chunk, Document, Floats, Span
from decoct.embed.base import TextKind
from decoct.structure.place import headings_of
from decoct_lab.structure import workshop
from decoct_lab.structure.base import Part
from decoct_lab.structure.leaves import chunks_holding
from decoct_lab.structure.parts import PartRow, Parts
from decoct_lab.structure.workshop import Bench


@dataclass(frozen=True)
class Counting:
    """An embedder of (length of the text, `sign`) that notes what it was given."""

    sign: float = 1.0
    dimension: int = 2
    asked: list[str] = field(default_factory=list, compare=False)

    @property
    def fingerprint(self) -> str:
        return f"counting:{self.sign}:{self.dimension}"

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        assert kind == "passage"
        self.asked.extend(texts)
        rows = np.zeros((len(texts), self.dimension), np.float32)
        rows[:, 0], rows[:, 1] = [len(text) for text in texts], self.sign
        return rows


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Parts]:
    held = Parts(tmp_path / "parts.db")
    yield held
    held.close()


@pytest.fixture
def bench(tmp_path: Path, parts: Parts) -> Bench:
    (tmp_path / "new").mkdir()
    return Bench(tmp_path / "new", None, parts, "f", Counting())


def again(bench: Bench, name: str, **change: object) -> Bench:
    """The bench of a later build."""
    folder = bench.folder.parent / name
    folder.mkdir()
    return replace(bench, folder=folder, **{"embedder": Counting(), **change})  # type: ignore[arg-type]


def asked(bench: Bench) -> list[str]:
    assert isinstance(bench.embedder, Counting)
    return bench.embedder.asked


def test_vectors_are_a_row_a_text_and_lie_in_the_folder(bench: Bench) -> None:
    rows = bench.vectors("names", ["a", "bcd", "a"])
    assert rows.tolist() == [[1, 1], [3, 1], [1, 1]]
    assert np.load(bench.folder / "names.npy").tolist() == rows.tolist()
    assert np.load(bench.folder / "names.texts.npy").shape == (3, 16)


def test_no_texts_are_no_rows(bench: Bench) -> None:
    assert bench.vectors("names", []).shape == (0, 2)
    assert np.load(bench.folder / "names.npy").shape == (0, 2)
    later = again(bench, "later", before=bench.folder)
    assert later.vectors("names", ["a"]).tolist() == [[1, 1]]


def test_what_the_last_structure_knew_is_not_embedded_again(bench: Bench, parts: Parts) -> None:
    bench.vectors("names", ["a", "bb"])
    parts.forget_vectors()
    later = again(bench, "later", before=bench.folder)
    assert later.vectors("names", ["ccc", "bb", "a"]).tolist() == [[3, 1], [2, 1], [1, 1]]
    assert asked(later) == ["ccc"]


def test_other_structures_help_out_after_the_last_one(bench: Bench, parts: Parts) -> None:
    bench.vectors("names", ["a"])
    other = again(bench, "other")
    other.vectors("names", ["bb"])
    other.vectors("statements", ["ccc"])
    parts.forget_vectors()
    later = again(bench, "later", before=bench.folder, others=(bench.folder.parent / "gone", other.folder))
    assert later.vectors("names", ["a", "bb", "ccc"]).tolist() == [[1, 1], [2, 1], [3, 1]]
    assert asked(later) == ["ccc"]  # names are looked for among names


def test_what_an_interrupted_run_embedded_is_kept(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workshop, "_BLOCK", 2)
    told: list[tuple[str, int, int]] = []

    def telling(doing: str, done: int, total: int) -> None:
        told.append((doing, done, total))
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace(bench, telling=telling).vectors("names", ["a", "bb", "ccc"])
    assert told == [("embedding names", 0, 3), ("embedding names", 2, 3)]
    later = again(bench, "later")
    assert later.vectors("names", ["a", "bb", "ccc"]).tolist() == [[1, 1], [2, 1], [3, 1]]
    assert asked(later) == ["ccc"]


@pytest.mark.parametrize("other", [Counting(sign=-1.0), Counting(dimension=3)])
def test_vectors_of_another_embedder_are_none(bench: Bench, other: Counting) -> None:
    """The library may have been built anew with another one since the interrupted run."""
    bench.vectors("names", ["a"])
    later = again(bench, "later", embedder=other)
    assert later.vectors("names", ["a"])[0].tolist()[:2] == [1, other.sign]
    assert asked(later) == ["a"]


def test_a_text_that_cannot_be_written_in_utf8_has_a_vector_too(bench: Bench) -> None:
    assert bench.vectors("names", ["\ud800", "\ud801"]).tolist() == [[1, 1], [1, 1]]


def test_what_a_model_said_is_asked_for_once(bench: Bench) -> None:
    made: list[str] = []

    def make() -> str:
        made.append("x")
        return f"said {len(made)}"

    assert [bench.remembered("k", make), bench.remembered("k", make), bench.remembered("other", make)] == [
        "said 1", "said 1", "said 2",
    ]  # fmt: skip
    assert again(bench, "later").remembered("k", make) == "said 1"


def test_parts_come_by_document(bench: Bench, parts: Parts) -> None:
    rows = [PartRow(name, "d", 1, Part(name.encode()), {}, 0.0) for name in "ba"]
    parts.put("f", rows)
    parts.put("another", [PartRow("c", "d", 1, Part(b"c"), {}, 0.0)])
    assert list(bench.parts()) == [("a", b"a"), ("b", b"b")]
    bench.tell("nobody listens")


def levels(text: str, *words: str) -> list[tuple[str, int]]:
    """The headings that begin at these words."""
    places = []
    for word in words:
        start = text.index(word)
        places.append((start, text.find("\n", start) if "\n" in text[start:] else len(text)))
    return [(one.words, one.level) for one in headings_of(Document("d", text, headings=tuple(places)))]


def test_levels_by_marks_underlines_and_numbers() -> None:
    assert levels("# Dams\n\n### Walls\ntext", "Dams", "Walls") == [("Dams", 1), ("Walls", 3)]
    rst = "Dams\n====\n\nWalls\n-----\n\nGates\n-----\n\nMills\n=====\n"
    assert levels(rst, "Dams", "Walls", "Gates", "Mills") == [("Dams", 1), ("Walls", 2), ("Gates", 2), ("Mills", 1)]
    numbered = "1 Dams\n1.2 Walls\n1.2.3. Gates\n4) Mills\n1984 was dry\nPlain"
    assert [level for _, level in levels(numbered, "1 Dams", "1.2 W", "1.2.3", "4) M", "1984", "Plain")] == [
        1,
        2,
        3,
        1,
        1,
        1,
    ]


def test_headings_come_in_order_without_those_that_say_nothing() -> None:
    text = "== Dams ==\n\n***\n" + "w" * 200
    places = ((16, 216), (0, 10), (12, 15))
    found = headings_of(Document("d", text, headings=places))
    assert [(one.start, one.words) for one in found] == [(0, "Dams"), (16, "w" * 100)]
    assert headings_of(Document("d", text)) == []


def test_the_chunk_with_most_of_a_leaf_comes_first() -> None:
    chunks = [
        Chunk(Span("d", start, end), "x" * (end - start), key=key)
        for key, start, end in ((1, 0, 10), (2, 10, 20), (3, 15, 30))
    ]
    assert chunks_holding(Span("d", 8, 18), chunks) == (2, 3, 1)  # 8, 3 and 2 characters
    assert chunks_holding(Span("d", 5, 15), chunks) == (
        1,
        2,
    )  # as many of both: by key; what only touches holds nothing
    assert chunks_holding(Span("d", 30, 40), chunks) == ()
