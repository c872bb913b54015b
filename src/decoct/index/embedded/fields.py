"""The fields of the lexical index, the rows that are written to it, and the queries over it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from decoct.data import Metadata
from decoct.index.embedded.changes import Searchable
from decoct.index.embedded.reading import Texts
from decoct.index.filters import as_pairs
from decoct.text.analysis import STEMMERS, UNSTEMMED, stems

# A metadata term longer than this is indexed by its digest: tantivy drops terms over 65,530 bytes.
LONGEST_TERM = 500


def schema() -> Any:  # noqa: ANN401 - tantivy's types are not ours to name
    """The schema of the index."""
    import tantivy

    return (
        tantivy.SchemaBuilder()
        .add_text_field("text", tokenizer_name="whitespace", index_option="freq")
        .add_text_field("language", tokenizer_name="raw", index_option="basic")
        .add_unsigned_field("key", fast=True)
        .add_unsigned_field("document", indexed=True)
        .add_text_field("metadata", tokenizer_name="raw", index_option="basic")
        .build()
    )


def row(document: int, terms: Sequence[str], chunk: Searchable) -> Any:  # noqa: ANN401
    """A chunk as tantivy's document; `terms` are its document's metadata."""
    import tantivy

    words = stems(chunk.text, (chunk.language,))
    found = tantivy.Document()
    found.add_text("text", " ".join(words))
    found.add_text("language", chunk.language if chunk.language in STEMMERS else UNSTEMMED)
    found.add_unsigned("key", chunk.key)
    found.add_unsigned("document", document)
    for term in terms:
        found.add_text("metadata", term)
    return found


def terms(metadata: Metadata) -> list[str]:
    """A document's metadata as terms of the index."""
    return [_term(*pair) for pair in as_pairs(metadata)]


def query(schema: Any, words: Sequence[str], where: Texts) -> Any:  # noqa: ANN401
    """Chunks with any of the `words` that pass `where`, scored by these."""
    from tantivy import Occur, Query

    wanted = Query.boolean_query(
        [(Occur.Should, Query.term_query(schema, "text", word, index_option="freq")) for word in words]
    )
    if not where:
        return wanted
    filters = [
        Query.term_set_query(schema, "metadata", [_term(name, value) for value in values])
        for name, values in where.items()
    ]
    return Query.boolean_query(
        [(Occur.Must, wanted), *((Occur.Must, Query.const_score_query(one, 0.0)) for one in filters)]
    )


def _term(name: str, value: str) -> str:
    term = json.dumps([name, value], ensure_ascii=False)
    return term if len(term) <= LONGEST_TERM else hashlib.sha256(term.encode()).hexdigest()
