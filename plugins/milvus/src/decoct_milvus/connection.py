"""One client of Milvus, and the border for its errors: each becomes one of ours that says what to do."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from decoct.errors import MissingDistributionError, StoreBusyError, StoreError, StoreUnavailableError
from decoct_milvus.collections import MOST_ROWS, TABLES
from decoct_milvus.location import MilvusLocation, located

if TYPE_CHECKING:
    from pymilvus import MilvusClient

# Keys in one filter: a list of numbers in the expression.
_AT_ONCE = 2_000

Row = dict[str, Any]

# How many connections of this process are open on each server or file.
_OPEN: Counter[str] = Counter()
_GUARD = threading.Lock()


class Connection:
    """A library's collections on one client. Thread-safe, as the client is."""

    def __init__(self, location: str) -> None:
        self.location: MilvusLocation = located(location)
        place = self.location
        try:
            from pymilvus import MilvusClient
        except ImportError as error:
            raise MissingDistributionError("pymilvus", "decoct-milvus", "plugins/milvus") from error
        logging.getLogger("pymilvus").setLevel(
            logging.CRITICAL
        )  # errors are raised; its log repeats them with a traceback
        self._there: set[str] = set()
        with _GUARD, translated(place):
            self.client: MilvusClient = MilvusClient(place.uri, token=place.token, db_name=place.database, timeout=30)
            _OPEN[place.uri] += 1
        self._closed = False

    def name(self, table: str) -> str:
        """The collection that is the library's `table`."""
        return f"{self.location.library}_{table}"

    def has(self, table: str) -> bool:
        """Whether the collection is there: one that is there stays, but for the chunks of an emptied library, which are made anew."""
        if table not in self._there:
            with translated(self.location):
                if not self.client.has_collection(self.name(table)):
                    return False
                # One whose making was broken off, or whose server was, may be there without being in memory.
                self.client.load_collection(self.name(table))
            self._there.add(table)
        return True

    def drop(self, table: str) -> None:
        """Remove the collection, if it is there."""
        with translated(self.location):
            self.client.drop_collection(self.name(table))
        self._there.discard(table)

    def rows(self, table: str, condition: str, columns: Sequence[str], most: int = MOST_ROWS) -> list[Row]:
        """The rows for which `condition` holds."""
        with translated(self.location):
            found = self.client.query(self.name(table), filter=condition, output_fields=list(columns), limit=most)
            return [dict(row) for row in found]

    def among(self, table: str, column: str, values: Sequence[int], columns: Sequence[str]) -> list[Row]:
        """The rows whose `column` is one of `values`."""
        found: list[Row] = []
        wanted = list(dict.fromkeys(values))
        for at in range(0, len(wanted), _AT_ONCE):
            found += self.rows(table, f"{column} in {wanted[at : at + _AT_ONCE]}", columns)
        return found

    def all(self, table: str, condition: str, columns: Sequence[str]) -> Iterator[Row]:
        """Every row for which `condition` holds, however many there are."""
        with translated(self.location):
            # milvus-lite has no iterator, serves one program at a time, and looks at all rows for each page.
            if self.location.is_file:
                read = 0
                while read % MOST_ROWS == 0 and (
                    page := self.client.query(
                        self.name(table), filter=condition, output_fields=list(columns), limit=MOST_ROWS, offset=read
                    )
                ):
                    yield from (dict(row) for row in page)
                    read += len(page)
                return
            rows = self.client.query_iterator(
                self.name(table), filter=condition, output_fields=list(columns), batch_size=1000
            )
            try:
                while page := rows.next():
                    yield from (dict(row) for row in page)
            finally:
                rows.close()

    def count(self, table: str, condition: str = "") -> int:
        """How many rows hold `condition`."""
        with translated(self.location):
            found = self.client.query(self.name(table), filter=condition, output_fields=["count(*)"])
            return int(found[0]["count(*)"])

    def put(self, table: str, rows: Sequence[Row], at_once: int = 500) -> None:
        """Write rows, replacing those of the same key."""
        with translated(self.location):
            for at in range(0, len(rows), at_once):
                self.client.upsert(self.name(table), list(rows[at : at + at_once]))

    def remove(self, table: str, column: str, values: Sequence[int]) -> None:
        """Remove the rows whose `column` is one of `values`."""
        wanted = list(values)
        with translated(self.location):
            for at in range(0, len(wanted), _AT_ONCE):
                self.client.delete(self.name(table), filter=f"{column} in {wanted[at : at + _AT_ONCE]}")

    def settle(self) -> None:
        """Write what a file's collections hold in memory as segments: of these milvus-lite keeps the index of words.

        Servers do so by themselves.
        """
        if self.location.is_file:
            with translated(self.location):
                for table in TABLES:
                    if self.has(table):
                        self.client.flush(self.name(table))

    def close(self) -> None:
        """Give the connection back; the last one on a file gives it to other programs."""
        with _GUARD:
            if self._closed:
                return
            self._closed = True
            self.client.close()
            _OPEN[self.location.uri] -= 1
            if self.location.is_file and not _OPEN[self.location.uri]:
                from milvus_lite.server_manager import server_manager_instance

                server_manager_instance.release_server(self.location.uri)


@contextmanager
def translated(location: MilvusLocation) -> Iterator[None]:
    """Errors of pymilvus inside become ours."""
    from pymilvus.exceptions import MilvusException, ParamError

    try:
        yield
    except MilvusException as error:
        raise _typed_error(error, location) from error
    except ValueError as error:  # of the client once it was closed
        raise StoreError(f"{location} was closed, or refused ({error}); open it again") from error
    except (ParamError, OSError, ConnectionError) as error:
        raise StoreUnavailableError(f"{location} cannot be reached ({error}); check that it runs") from error


def _typed_error(error: Exception, location: MilvusLocation) -> StoreError:
    said = " ".join(str(getattr(error, "message", "") or error).split())[:300]
    low = said.lower()
    if "auth" in low or "permission" in low or "privilege" in low:
        return StoreError(
            f"{location}: Milvus does not take this user and password ({said}). Give them in the address (milvus://USER:PASSWORD@…) "
            "or as MILVUS_TOKEN"
        )
    if "lock" in low or "open local milvus failed" in low or "already open" in low or "in use" in low:
        return StoreBusyError(f"{location} is open in another program ({said}); milvus-lite serves one at a time")
    if any(
        sign in low for sign in ("connect", "unavailable", "deadline", "timeout", "closed channel", "goaway", "refused")
    ):
        return StoreUnavailableError(
            f"{location} cannot be reached, or the connection broke ({said}). A document that was being written is there whole or not at "
            "all; run it again when the server is there"
        )
    if "no space" in low or "disk" in low or "quota" in low or "denywrite" in low.replace(" ", ""):
        return StoreError(
            f"{location}: the server takes no more data ({said}); free space or raise its quota and run it again"
        )
    if "not found" in low or "not exist" in low:
        return StoreError(
            f"{location}: its collections are gone ({said}): was the library dropped while it was open? Open it again"
        )
    return StoreError(f"{location}: the server refused ({said})")
