"""The tables of a library in PostgreSQL, and how those of an older version become those of this version.

A library is a schema of the database. `meta` holds its `schema` version; creating a library is the migration from version 0. Migrations
run in one transaction each under an advisory lock, so two programs that open an old library at once migrate it once.

A chunk's key is `document number << 20 | place in the document`: keys of a document are consecutive without a counter that all writers
would wait for, and a key tells its document without a look-up. Numbers come from a sequence and are never used twice.

What is counted over the whole library (chunks, words by chunks, names) is kept as sums over `SLOTS` rows: a transaction adds to the row
of its own connection, so that writers rarely wait for one another, and counts are exact in every state.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from decoct.errors import StoreError

if TYPE_CHECKING:
    import psycopg

    from decoct_postgresql.location import PostgreSQLLocation

# Bits of a key that count chunks within their document.
PLACES = 20

# Characters a part of a text: a chunk touches one or two parts, and a part stays in its row.
PART = 2000

# Rows over which a count is spread.
SLOTS = 16

# Texts that may hold any character (also NUL, which PostgreSQL's text cannot) are kept as JSON (`record`, `title`) or as bytes (`texts`).
_VERSION_1 = """
CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE settings (name text PRIMARY KEY, value text NOT NULL);
CREATE SEQUENCE numbers AS bigint;
CREATE TABLE documents (
    number bigint PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    digest text COLLATE "C" NOT NULL,
    characters bigint NOT NULL,
    chunks integer NOT NULL,
    words bigint NOT NULL,
    language text NOT NULL,
    listed text NOT NULL,
    record text NOT NULL,
    names bigint[] NOT NULL,
    strengths double precision[] NOT NULL,
    sum bytea NOT NULL
);
CREATE INDEX documents_digest ON documents (digest);
CREATE TABLE texts (document bigint, part integer, text bytea NOT NULL, PRIMARY KEY (document, part));
CREATE TABLE chunks (
    key bigint PRIMARY KEY,
    first bigint NOT NULL,
    past bigint NOT NULL,
    title text,
    mentions bigint[] NOT NULL,
    traits bytea NOT NULL,
    signature bytea NOT NULL
);
CREATE TABLE vectors (key bigint PRIMARY KEY, vector halfvec NOT NULL);
ALTER TABLE vectors ALTER COLUMN vector SET STORAGE PLAIN;
CREATE TABLE lexical (key bigint PRIMARY KEY, length integer NOT NULL, words tsvector NOT NULL);
CREATE INDEX lexical_words ON lexical USING gin (words);
CREATE TABLE words (word text COLLATE "C", slot smallint, chunks bigint NOT NULL, PRIMARY KEY (word, slot)) WITH (fillfactor = 70);
CREATE TABLE metadata (name text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL, document bigint NOT NULL);
CREATE INDEX metadata_value ON metadata (name, left(value, 200), document);
CREATE INDEX metadata_document ON metadata (document);
CREATE TABLE names (name bigint, slot smallint, chunks bigint NOT NULL, documents bigint NOT NULL, PRIMARY KEY (name, slot))
    WITH (fillfactor = 70);
CREATE TABLE mentions (name bigint, key bigint, PRIMARY KEY (name, key));
CREATE TABLE known_as (name bigint, document bigint, strength double precision NOT NULL, PRIMARY KEY (name, document));
CREATE TABLE tallies (what text, slot smallint, value bigint NOT NULL, PRIMARY KEY (what, slot)) WITH (fillfactor = 50);
"""


def _create(connection: psycopg.Connection[Any]) -> None:
    for statement in _VERSION_1.split(";"):
        if statement.strip():
            connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('library', %s)", (uuid.uuid4().hex,))


def _place(connection: psycopg.Connection[Any]) -> None:
    """Version 2: the headings above each chunk, as JSON; none for what was stored before."""
    connection.execute("ALTER TABLE chunks ADD COLUMN place text")


Migration = Callable[["psycopg.Connection[Any]"], None]

# The step at place n takes a library from version n to n + 1. Never change a step that was released: add one.
MIGRATIONS: Sequence[Migration] = [_create, _place]


def lock_number(location: PostgreSQLLocation, purpose: str) -> str:
    """The argument of an advisory lock for one purpose of one library."""
    return f"decoct {purpose} {location.library}"


def tally(connection: psycopg.Connection[Any], what: str) -> int:
    """What is counted over the whole library under that name; 0 where nothing was."""
    row = connection.execute("SELECT coalesce(sum(value), 0)::bigint FROM tallies WHERE what = %s", (what,)).fetchone()
    return int(row[0]) if row is not None else 0


def version(connection: psycopg.Connection[Any], location: PostgreSQLLocation) -> int:
    """The library's schema version; 0 where there is none. `StoreError` where the schema holds something else."""
    row = connection.execute(
        "SELECT to_regclass(quote_ident(%s) || '.meta') IS NOT NULL, "
        "EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident(%s)))",
        (location.library, location.library),
    ).fetchone()
    ours, other = row if row is not None else (False, False)
    if not ours:
        if other:
            raise StoreError(
                f"{location}: this schema holds tables of another program; name another library in the address (?library=NAME)"
            )
        return 0
    found = connection.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone()
    number = int(found[0]) if found is not None else 0
    if number > len(MIGRATIONS):
        raise StoreError(
            f"{location} was written by a newer Decoct (schema {number}, this one reads up to {len(MIGRATIONS)}); "
            "update Decoct to open it"
        )
    return number


def migrate(connection: psycopg.Connection[Any], location: PostgreSQLLocation) -> None:
    """Bring the library to this version, inside the caller's transaction: all steps or none."""
    connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (lock_number(location, "schema"),))
    for step in range(version(connection, location), len(MIGRATIONS)):
        MIGRATIONS[step](connection)
        connection.execute(
            "INSERT INTO meta VALUES ('schema', %s) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (str(step + 1),),
        )
