"""`--filter`: values, lists, ranges, the comma that belongs to a value, and keys that no document has."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from decoct import Document, Library
from decoct_testing.hash_embedder import HashEmbedder

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("decoct.embed.resolve.open_embedder", lambda *_: HashEmbedder())
    with Library.open(tmp_path / "lib") as opened:
        opened.add(
            [
                Document("a", "The river runs.", metadata={"year": 2018, "kind": "paper"}),
                Document("b", "The river bends.", metadata={"year": 2020, "kind": "report"}),
                Document("c", "The river ends.", metadata={"year": 2021, "kind": "letter", "by": "Doe, Jane"}),
                Document("d", "The river is dry.", metadata={"year": "unknown", "kind": "paper, draft"}),
            ]
        )
    return str(tmp_path / "lib")


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (["year>=2020"], "bc"),
        (["year > 2020"], "c"),
        (["year>2018", "year<2021"], "b"),
        (["year<=2020", "kind=paper,report"], "ab"),
        (["kind=paper,report"], "ab"),
        (["kind=paper, draft"], "d"),  # a document has the whole
        (["by=Doe, Jane"], "c"),
        (["by=Doe,Jane"], ""),
        (["year=2018", "year=2021"], "ac"),
        (["year=2018,2021", "year>2019"], "c"),
        (["kind=a>b"], ""),
    ],
)
def test_filters_of_the_command_line(run: Run, library: str, filters: list[str], expected: str) -> None:
    options = [word for one in filters for word in ("--filter", one)]
    code, out, err = run("documents", "list", "--library", library, "--json", *options)
    assert (code, err) == (0 if expected else 1, "")
    assert "".join(row["id"] for row in json.loads(out)) == expected
    code, out, _ = run("search", "river", "--library", library, "--json", *options)
    assert "".join(sorted(hit["doc_id"] for hit in json.loads(out)["hits"])) == expected


def test_a_key_that_no_document_has_is_told(run: Run, library: str) -> None:
    code, out, err = run("search", "river", "--library", library, "--filter", "yaer>=2020", "--json")
    assert (code, json.loads(out)["hits"]) == (1, [])
    told = "no document has the metadata 'yaer'; did you mean 'year'?"
    assert json.loads(err) == {"error": {"message": told, "code": "query"}}
    _, _, err = run("documents", "list", "--library", library, "--filter", "colour=red")
    assert err.splitlines()[0] == "decoct: no document has the metadata 'colour'; they have by, kind, year"


def test_a_list_of_nothing_says_so(run: Run, library: str, tmp_path: Path) -> None:
    assert run("documents", "list", "--library", library, "--filter", "year>3000") == (
        1,
        "",
        "no document fits the filter\n",
    )
    (tmp_path / "folder").mkdir()
    _, _, err = run("ingest", str(tmp_path / "folder"), "--library", str(tmp_path / "empty"))
    assert "there is no file that could be a document" in err
    code, _, err = run("documents", "list", "--library", str(tmp_path / "empty"))
    assert (code, err) == (0, "the library has no documents\n")  # nothing was looked for


@pytest.mark.parametrize(
    "wrong", ["year", "=2020", "year!=2020", "year=>2020", ">=2020", "year><2020", "year>=", "year< "]
)
def test_what_is_no_filter_is_told(run: Run, library: str, wrong: str) -> None:
    code, _, err = run("search", "river", "--library", library, "--filter", wrong, "--json")
    assert code == 2
    assert json.loads(err)["error"]["code"] == "query"
    assert "write it as key=value" in err


def test_filters_of_the_api(library: str) -> None:
    with Library.open(library) as opened:
        assert [info.id for info in opened.documents({"year": {">=": 2020}})] == ["b", "c"]
        assert [
            info.id for info in opened.documents({"year": {">=": "2018", "<": 2021}, "kind": ["paper", "letter"]})
        ] == ["a"]
        assert {hit.chunk.span.doc_id for hit in opened.search("river", where={"year": {"<": 2020.5}})} == {"a", "b"}
        assert opened.search("river", where={"kind": "letter\0x"}) == []
        assert opened.search("river", where={"kind": "paper\ud800"}) == []
        report = opened.add([Document("a\0b", "The river runs."), Document("e", "A stone.", metadata={"k": "v\0x"})])
        assert [(failure.source, failure.code) for failure in report.failures] == [("a\0b", "corpus"), ("e", "corpus")]
        assert opened.delete("a\0b") == 0
        assert [info.id for info in opened.documents()] == ["a", "b", "c", "d"]
