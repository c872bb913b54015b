"""A library that is built anew or replaced beside a running server, and what `/ready` says of those that cannot be opened."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from fastapi.testclient import TestClient

from decoct import Document, Library
from decoct.errors import StaleIndexError
from decoct.rebuild import rebuild
from decoct.server.pool import Libraries
from decoct_testing.hash_embedder import HashEmbedder

BRIDGE = "The old bridge was opened in 1934. It was painted red by Ada Green."
Serve: TypeAlias = Callable[..., TestClient]
SEARCH = "/api/v1/libraries/own/search"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    with Library.open(tmp_path / "own") as library:
        library.add(Document("bridge", BRIDGE, "Old bridge"))
    return tmp_path / "own"


def found(client: TestClient) -> list[str]:
    replied = client.post(SEARCH, json={"question": "When was the bridge opened?"})
    assert replied.status_code == 200, replied.json()
    return [hit["text"] for hit in replied.json()["hits"]]


def test_a_library_that_is_built_anew_is_served_on(serve: Serve, own: Path) -> None:
    client = serve(libraries={"own": own})
    assert found(client) == [BRIDGE]
    rebuild(own, chunker={"use": "sentence", "tokens": 12})
    assert sorted(found(client)) == sorted(BRIDGE.replace(". ", ".\n").split("\n"))
    assert client.get("/api/v1/libraries/own/documents").status_code == 200
    shutil.rmtree(own)
    with Library.open(own) as another:
        another.add(Document("other", "Another bridge was opened in 1950.", "Other"))
    assert found(client) == ["Another bridge was opened in 1950."]
    assert client.get("/ready").json() == {"status": "ready"}


def test_a_server_none_of_whose_libraries_opens_is_not_ready(serve: Serve, own: Path, bridges: Path) -> None:
    client = serve(libraries={"own": own})
    both = serve(libraries={"own": own, "bridges": bridges}, state=own.parent / "other")
    own.rename(own.with_name("away"))
    own.mkdir()
    (own / "library.db").write_bytes(b"")  # as a disk left it
    for one in (client, both):
        assert one.post(SEARCH, json={"question": "When?"}).status_code == 500
    assert client.get("/ready").json()["error"]["code"] == "not-ready"
    assert both.get("/ready").json() == {"status": "ready", "unusable": "1"}
    shutil.rmtree(own)
    own.with_name("away").rename(own)
    assert client.get("/ready").json() == both.get("/ready").json() == {"status": "ready"}


def test_a_library_that_must_be_otherwise_is_opened_anew(own: Path, tmp_path: Path) -> None:
    """One that was opened while it was empty was asked to be built as it was made; afterwards it is what it is."""
    held = Libraries({}, tmp_path / "state", None, 2)
    held.create("made", "minilm", "fixed")
    with held.use("made") as library:
        assert library.status().documents == 0
    place = tmp_path / "state" / "libraries" / "made"
    with Library.open(place, embedder="minilm", chunker="fixed") as writer:  # the process that does the job
        writer.add(Document("bridge", BRIDGE))
    rebuild(place, chunker="sentence")
    with held.use("made") as library:
        assert [hit.chunk.text for hit in library.search("bridge", 1)] == [BRIDGE]
    held.close()


def test_an_embedder_of_ones_own_is_not_guessed(own: Path) -> None:
    with Library.open(own) as library:
        rebuild(own, embedder=HashEmbedder())
        with pytest.raises(StaleIndexError, match="embedder of your own"):
            library.search("bridge", 1)
