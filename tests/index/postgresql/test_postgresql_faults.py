"""What goes wrong with a server is told by type, with what to do, and never with the password."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from decoct.errors import ConfigError, StaleIndexError, StoreError, StoreUnavailableError
from decoct.index.resolve import stored_settings, without_password
from decoct_postgresql import PostgreSQLStore
from decoct_postgresql.location import located
from decoct_postgresql.testing import PASSWORD, PostgreSQLServer
from decoct_testing.store_corpus import make_entry

pytestmark = pytest.mark.services


def opened(url: str, **settings: str) -> PostgreSQLStore:
    return PostgreSQLStore.open(url, settings=settings or {"embedder": "x"})


def test_an_unreachable_server(server: PostgreSQLServer) -> None:
    with pytest.raises(StoreUnavailableError, match="cannot be reached") as told:
        opened("postgresql://tester:hidden@127.0.0.1:1/postgres")
    assert "hidden" not in str(told.value)


def test_a_wrong_password_is_not_shown(server: PostgreSQLServer) -> None:
    with pytest.raises(StoreError, match=r"does not take this user and password.*PGPASSWORD") as told:
        opened(server.url(password="hidden-word"))
    assert "hidden-word" not in str(told.value)


def test_the_password_may_come_from_the_environment(
    server: PostgreSQLServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with opened(server.url(located(url).library, password=None)) as store:
        assert PASSWORD not in repr(store)
        assert PASSWORD not in repr(located(url))


def test_there_is_no_such_database(server: PostgreSQLServer) -> None:
    with pytest.raises(StoreError, match=r"no such database.*createdb"):
        opened(server.url().replace("/postgres?", "/nowhere?"))


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("postgresql://h/db?library=Nö", "cannot name a library"),
        ("postgresql://h/db?library=x&vectors=all", "none of auto, exact, hnsw"),
        ("postgresql://u:p[@h:port/db", "cannot be read"),
        ("postgresql://h/db?password=hidden", "PGPASSWORD"),
    ],
)
def test_an_address_that_cannot_be_read(address: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told) as error:
        located(address)
    assert "hidden" not in str(error.value)


def test_an_address_is_shown_without_its_password() -> None:
    for password in ("hidden", "hid@den", "hid:den", "hid/den", "hid%40den"):
        assert "den" not in without_password(f"postgresql://me:{password}@host/db?library=x")
    place = located("postgresql://me:hid%40den%2F@[::1]:5433/my%20db?library=x&sslmode=require&vectors=exact")
    assert place.password == "hid@den/"
    assert located(place.address) == place
    assert place.companion("cards").library == "x.cards"
    assert "den" not in f"{place} {place!r}"


def test_a_missing_extension(server: PostgreSQLServer, tmp_path: Path) -> None:
    server.execute(
        "CREATE DATABASE bare",
        "CREATE ROLE plain LOGIN PASSWORD 'plain'",
        "GRANT ALL ON DATABASE bare TO plain",
    )
    url = f"postgresql://plain:plain@127.0.0.1:{server.port}/bare"
    with pytest.raises(StoreError, match="CREATE EXTENSION vector"):
        opened(url)


def test_a_library_of_another_embedder(url: str) -> None:
    with opened(url, embedder="one") as store:
        store.put([make_entry("a", ["river"])])
    with pytest.raises(StaleIndexError, match="embedder 'one', not 'other'"):
        opened(url, embedder="other")
    assert stored_settings(url) == {"embedder": "one"}
    with opened(url, embedder="one") as store:
        entry = make_entry("b", ["stone"])
        short = type(entry)(entry.document, entry.chunks, np.ones((1, 3), np.float32), "d", signatures=entry.signatures)
        with pytest.raises(StoreError, match="3 dimensions, the library's have 12"):
            store.put([short])
        with pytest.raises(StoreError, match="has 3 numbers"):
            store.nearest(np.ones(3, np.float32), 5)
        store.delete(["a"])  # an emptied library can be built another way
    with opened(url, embedder="other") as store:
        store.put([short])
        assert len(store.nearest(np.ones(3, np.float32), 5)) == 1


def test_a_role_that_may_only_read(server: PostgreSQLServer, url: str) -> None:
    library = located(url).library
    with opened(url) as store:
        store.put([make_entry("a", ["river"])])
    server.execute(
        "CREATE ROLE reader LOGIN PASSWORD 'reader'", f'GRANT USAGE ON SCHEMA "{library}" TO reader',
        f'GRANT SELECT ON ALL TABLES IN SCHEMA "{library}" TO reader',
    )  # fmt: skip
    reading = f"postgresql://reader:reader@127.0.0.1:{server.port}/postgres?library={library}"
    with PostgreSQLStore.open(reading, settings={"embedder": "x"}, create=False) as store:
        assert len(store.lexical("river", 5)) == 1
        with pytest.raises(StoreError, match="may not do that"):
            store.put([make_entry("b", ["stone"])])


def test_a_schema_of_another_program(server: PostgreSQLServer) -> None:
    server.execute("CREATE SCHEMA foreign_one", "CREATE TABLE foreign_one.orders (id int)")
    with pytest.raises(StoreError, match="another program"):
        opened(server.url("foreign_one"))


def test_a_newer_schema(server: PostgreSQLServer, url: str) -> None:
    opened(url).close()
    server.execute(f"UPDATE \"{located(url).library}\".meta SET value = '99' WHERE name = 'schema'")
    with pytest.raises(StoreError, match=r"newer Decoct .schema 99"):
        opened(url)


def test_a_library_that_is_not_there(url: str) -> None:
    assert stored_settings(url) is None
    with pytest.raises(StoreError, match="there is no library"):
        PostgreSQLStore.open(url, settings={}, create=False)
    assert stored_settings(url) is None


def test_one_library_dropped_while_open(server: PostgreSQLServer, url: str) -> None:
    with opened(url) as store:
        store.put([make_entry("a", ["river"])])
        server.execute(f'DROP SCHEMA "{located(url).library}" CASCADE')
        with pytest.raises(StoreError, match="dropped while it was open"):
            store.document("a")


def test_two_open_a_new_library_at_once(server: PostgreSQLServer, url: str) -> None:
    script = "import sys; from decoct_postgresql import PostgreSQLStore as S; S.open(sys.argv[1], settings={}).close()"
    both = [subprocess.Popen([sys.executable, "-c", script, url], stderr=subprocess.PIPE) for _ in range(3)]
    assert [(one.communicate()[1][-500:], one.returncode) for one in both] == [(b"", 0)] * 3


def test_a_statement_that_takes_too_long(server: PostgreSQLServer, url: str) -> None:
    with opened(url) as store:
        store.put([make_entry(f"d{n}", ["river stone"] * 40, seed=n) for n in range(40)])

    def hurry() -> None:
        with opened(url + "&options=-c%20statement_timeout%3D1") as hurried:
            for _ in range(200):
                hurried.lexical("river", 5)
                hurried.status()

    with pytest.raises(StoreError, match="statement_timeout"):
        hurry()
