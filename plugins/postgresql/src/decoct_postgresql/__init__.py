"""The PostgreSQL store: one schema of one database a library, vectors by pgvector, many writers, no file outside the server."""

from decoct_postgresql.store import PostgreSQLStore

__all__ = ["PostgreSQLStore"]
