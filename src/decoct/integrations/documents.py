"""Frameworks' documents as ours, and back.

Metadata that a filter can compare (texts, numbers, truth values, lists of texts) is the document's own. The rest (dicts, empty values,
vectors that were handed over) stands as JSON under one key beside it, and comes back as it was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from decoct.data import Document
from decoct.index.filters import as_plain, is_filterable, storable
from decoct.integrations.hits import POSITIONAL, handed_hit

REST = "_decoct_rest"


def kept_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata as a library can hold it."""
    own = {key: value for key, value in metadata.items() if _is_own(key, value)}
    rest = {key: value for key, value in metadata.items() if key not in own}
    return {**own, **({REST: json.dumps(rest)} if rest else {})}


def given_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata that was kept, as it was given."""
    found = {key: value for key, value in metadata.items() if key != REST}
    return {**found, **json.loads(str(metadata[REST]))} if REST in metadata else found


def _is_own(key: str, value: object) -> bool:
    return bool(key) and key != REST and is_filterable(value) and storable(key) and storable(json.dumps(value))


def document_of(given: object) -> Document:
    """A framework's document, or a mapping with `text` (and `id`, `title`, `metadata`), as ours; `CorpusError` for what is none.

    Its id is its own, else that of its source with the place where it begins in it, else one of its text.
    """
    hit = handed_hit(given)
    mapping = given if isinstance(given, Mapping) else {}
    own = next(
        (str(one) for one in (mapping.get("id"), getattr(given, "id", None), getattr(given, "node_id", None)) if one),
        "",
    )
    placed = f"{hit.doc_id}#{hit.start}" if hit.doc_id and hit.start else hit.doc_id
    id_ = own or placed or hashlib.sha256(hit.text.encode("utf-8", "replace")).hexdigest()[:32]
    metadata = {key: as_plain(value) for key, value in hit.metadata.items() if key not in ("title", *POSITIONAL)}
    made = Document(id_, hit.text, str(mapping.get("title", "")) or hit.title, metadata=metadata)
    return replace(made, metadata=kept_metadata(metadata))
