"""What stands between the store and a server, without one: rows in binary, errors, filters, connections that break or are in the way."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from decoct.data import Range
from decoct.errors import CorpusError, DiskFullError, StoreBusyError, StoreError, StoreUnavailableError
from decoct_postgresql import connections, copying, faults, filtering, schema
from decoct_postgresql.connections import Connections
from decoct_postgresql.location import located

psycopg = pytest.importorskip("psycopg")
PLACE = located("postgresql://me:hidden@host/db?library=lib")


# -- rows in binary: PostgreSQL's manual, "COPY", "Binary Format" ------------------------------------------------
def test_values_are_a_length_and_their_bytes_in_network_order() -> None:
    assert copying.big(-2) == b"\0\0\0\x08" + b"\xff" * 7 + b"\xfe"
    assert copying.whole(258) == b"\0\0\0\x04\0\0\x01\x02"
    assert copying.double(1.5) == b"\0\0\0\x08\x3f\xf8" + b"\0" * 6
    assert copying.text("ü") == b"\0\0\0\x02\xc3\xbc"
    assert copying.text("") == b"\0\0\0\0"
    assert copying.text(None) == b"\xff\xff\xff\xff"


def test_arrays_tell_dimension_type_length_and_first_index() -> None:
    head = struct.pack("!iii", 1, 0, 20) + struct.pack("!ii", 2, 1)
    assert copying.bigs([7, 9]) == struct.pack("!i", len(head) + 24) + head + copying.big(7) + copying.big(9)
    assert copying.bigs([]) == struct.pack("!iiii", 12, 0, 0, 20)
    assert copying.doubles([]) == struct.pack("!iiii", 12, 0, 0, 701)
    assert copying.doubles([0.5]) == struct.pack("!iiiiii", 32, 1, 0, 701, 1, 1) + copying.double(0.5)


def test_half_vectors_go_out_and_come_back() -> None:
    rows = np.array([[1.0, -0.5], [0.25, 65504.0]], np.float32)
    first, second = copying.halves(rows)
    assert first == b"\0\0\0\x08" + b"\0\x02\0\0" + b"\x3c\x00\xb8\x00"
    assert [copying.half(one[4:]).tolist() for one in (first, second)] == rows.tolist()


class Copying:
    """A connection that keeps what is copied into it."""

    def __init__(self) -> None:
        self.asked, self.blocks = "", list[bytes]()

    @contextmanager
    def cursor(self) -> Iterator[Copying]:
        yield self

    @contextmanager
    def copy(self, statement: str) -> Iterator[Copying]:
        self.asked = statement
        yield self

    def write(self, data: bytes) -> None:
        self.blocks.append(data)


def test_a_copy_is_a_head_rows_that_count_their_columns_and_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    connection: Any = Copying()
    copying.copied(connection, "names", [(copying.whole(1), copying.text(None))])
    row = b"\0\x02" + b"\0\0\0\x04\0\0\0\x01" + b"\xff\xff\xff\xff"
    assert b"".join(connection.blocks) == b"PGCOPY\n\xff\r\n\0" + b"\0" * 8 + row + b"\xff\xff"
    assert connection.asked == "COPY names FROM STDIN (FORMAT BINARY)"
    whole = b"".join(connection.blocks)
    monkeypatch.setattr(copying, "_BLOCK", 5)
    in_blocks: Any = Copying()
    copying.copied(in_blocks, "names", [(copying.whole(1), copying.text(None))])
    assert len(in_blocks.blocks) == 2
    assert b"".join(in_blocks.blocks) == whole


# -- errors ------------------------------------------------------------------------------------------------------
def error_of(state: str | None, said: str, kind: type[Exception] | None = None) -> Any:
    error: Any = (kind or psycopg.Error)(said)
    error.sqlstate = state
    return error


@pytest.mark.parametrize(
    ("state", "said", "kind", "told"),
    [
        ("40001", "could not serialize", StoreBusyError, "try again"),
        ("23505", "duplicate key", StoreBusyError, "other writers"),
        ("53300", "too many clients", StoreUnavailableError, "max_connections"),
        ("54000", "index row size 3000 exceeds", CorpusError, "shorten it"),
        ("54000", "too many columns", StoreError, "the server refused"),
        ("53100", "disk full", DiskFullError, "Free space there"),
        ("42501", "permission denied for table", StoreError, r"may not do that \(permission denied for table\)"),
        ("57P01", "terminating connection", StoreUnavailableError, "stored whole or not at all"),
        ("42601", "syntax error", StoreError, "the server refused"),
    ],
)
def test_an_error_of_the_server_says_what_to_do(state: str, said: str, kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=told) as caught, faults.translated(PLACE):
        raise error_of(state, f"{said}\nLINE 1: SELECT")
    assert type(caught.value) is kind
    assert "LINE 1" not in str(caught.value)
    assert "hidden" not in str(caught.value)


def test_a_connection_that_broke_has_no_state_and_other_errors_pass() -> None:
    broke = error_of(None, "server closed the connection unexpectedly", psycopg.OperationalError)
    assert isinstance(faults.error_of_server(broke, PLACE), StoreUnavailableError)
    with pytest.raises(KeyError), faults.translated(PLACE):
        raise KeyError("ours")


@pytest.mark.parametrize(
    ("said", "kind", "told"),
    [
        ('FATAL:  password authentication failed for user "me"', StoreError, "PGPASSWORD"),
        ("fe_sendauth: no password supplied", StoreError, "PGPASSWORD"),
        ('FATAL:  database "db" does not exist', StoreError, "createdb"),
        ('FATAL:  role "me" does not exist', StoreError, "no such user"),
        ('FATAL:  no pg_hba.conf entry for host "1.2.3.4"', StoreError, "sslmode"),
        ("connection to server at host failed:\n  Connection refused", StoreUnavailableError, "Check host and port"),
    ],
)
def test_why_no_connection_was_made(said: str, kind: type[Exception], told: str) -> None:
    found = faults.not_connected(psycopg.OperationalError(said), PLACE)
    assert type(found) is kind
    assert told in str(found)
    assert "\n" not in str(found)


# -- filters -----------------------------------------------------------------------------------------------------
class Values:
    """A connection that knows the values of metadata keys."""

    def __init__(self, **values: Sequence[str]) -> None:
        self.values = values

    def execute(self, _: str, given: tuple[str]) -> SimpleNamespace:
        return SimpleNamespace(fetchall=lambda: [(value,) for value in self.values.get(given[0], ())])


def test_ranges_become_the_values_within_and_what_cannot_be_stored_goes() -> None:
    connection: Any = Values(year=("2019", "2020", "2021", "unknown"))
    assert filtering.resolved(connection, {"year": (Range(((">=", "2020"),)), "1848")}) == {
        "year": ("2020", "2021", "1848")
    }
    assert filtering.resolved(connection, {"k": ("a\0", "b", "\ud800"), "n\0": ("x",)}) == {"k": ("b",), "n\0": ()}


def test_a_filter_looks_values_up_by_what_the_index_holds_of_them() -> None:
    long = "x" * 250
    sql, values = filtering.condition_of({"kind": ("letter", long), "year": ("2020",)}, "c.number")
    assert sql.count("c.number IN (SELECT document FROM metadata") == 2
    assert values == ["kind", ["letter", "x" * 200], ["letter", long], "year", ["2020"], ["2020"]]
    assert sql.count("%s") == len(values)
    assert filtering.condition_of({}) == ("true", [])
    assert filtering.condition_of({"year": ("2020",), "n\0": ()}) == ("false", [])


# -- connections -------------------------------------------------------------------------------------------------
class Line:
    """A connection as `Connections` uses it; `breaks` is what its next statements raise."""

    def __init__(self) -> None:
        self.closed = False
        self.breaks: list[Exception] = []
        self.said: list[str] = []
        self.info = SimpleNamespace(transaction_status=psycopg.pq.TransactionStatus.IDLE)

    def execute(self, statement: str, _: object = None) -> SimpleNamespace:
        self.said.append(statement.split(" ", 1)[0])
        if self.breaks:
            error = self.breaks.pop(0)
            self.closed = isinstance(error, psycopg.OperationalError)
            raise error
        return SimpleNamespace(fetchone=lambda: ("public",))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        yield

    def rollback(self) -> None:
        self.said.append("rollback")

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[Line]:
    """The connections that were made, in order; nothing is waited for."""
    made: list[Line] = []

    def connect(**_: object) -> Line:
        made.append(Line())
        return made[-1]

    monkeypatch.setattr(psycopg, "connect", connect)
    monkeypatch.setattr(connections.time, "sleep", lambda _: None)  # type: ignore[attr-defined]
    return made


def test_one_connection_is_used_again_and_closed_with_the_pool(lines: list[Line]) -> None:
    pool = Connections(PLACE)
    assert [pool.read(lambda _: 1), pool.write(lambda _: 2), pool.read(lambda _: 3)] == [1, 2, 3]
    assert len(lines) == 1
    pool.close()
    assert lines[0].closed
    with pytest.raises(StoreError, match="was closed; open it again"):
        pool.read(lambda _: 4)


def test_what_is_lent_while_the_pool_closes_is_closed_when_it_comes_back(lines: list[Line]) -> None:
    pool = Connections(PLACE)
    with pool.using():
        pool.close()
        assert not lines[0].closed
    assert lines[0].closed


def test_a_look_up_on_a_connection_that_died_idle_is_made_again_on_a_new_one(lines: list[Line]) -> None:
    pool = Connections(PLACE)
    pool.read(lambda _: 0)
    lines[0].breaks = [psycopg.OperationalError("terminated")]
    found: Any = pool.read(lambda connection: connection)
    assert found is lines[1]
    assert len(lines) == 2


def test_a_look_up_that_breaks_a_new_connection_is_told(lines: list[Line]) -> None:
    def breaking(connection: Any) -> None:
        connection.closed = True
        raise psycopg.OperationalError("server closed the connection")

    with pytest.raises(StoreUnavailableError):
        Connections(PLACE).read(breaking)
    assert len(lines) == 1


def test_a_write_is_tried_again_where_others_were_in_the_way_and_not_for_ever(lines: list[Line]) -> None:
    tries: list[int] = []

    def change(at: int) -> int:
        tries.append(at)
        if len(tries) < at:
            raise error_of("40P01", "deadlock detected")
        return len(tries)

    assert Connections(PLACE).write(lambda _: change(4)) == 4
    tries.clear()
    with pytest.raises(StoreBusyError, match="deadlock"):
        Connections(PLACE).write(lambda _: change(99))
    assert len(tries) == connections.ATTEMPTS
    tries.clear()

    def refused(_: object) -> None:
        tries.append(0)
        raise error_of("42501", "permission denied")

    with pytest.raises(StoreError, match="may not do that"):
        Connections(PLACE).write(refused)
    assert len(tries) == 1


def test_a_connection_that_died_idle_is_not_written_on(lines: list[Line]) -> None:
    pool = Connections(PLACE)
    pool.read(lambda _: 0)
    lines[0].breaks = [psycopg.OperationalError("terminated")]
    found: Any = pool.write(lambda connection: connection)
    assert found is lines[1]


def test_a_transaction_left_open_is_rolled_back_before_the_connection_is_lent_again(lines: list[Line]) -> None:
    pool = Connections(PLACE)
    with pool.using():
        lines[0].info.transaction_status = psycopg.pq.TransactionStatus.INERROR
    assert lines[0].said[-1] == "rollback"


def test_the_librarys_tables_come_before_those_of_the_extension(lines: list[Line]) -> None:
    pool = Connections(PLACE)
    pool.read(lambda _: 0)
    assert lines[0].said == ["SELECT", "SELECT", "BEGIN", "COMMIT"]


def test_a_lock_is_of_one_purpose_of_one_library() -> None:
    other = located("postgresql://me@host/db?library=other")
    assert len({schema.lock_number(place, what) for place in (PLACE, other) for what in ("schema", "settings")}) == 4
