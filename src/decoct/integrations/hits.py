"""What other frameworks found, as one type.

A hit is told by its attributes, so no framework is imported: LangChain's `Document` (`page_content`, `metadata`), LlamaIndex's
`NodeWithScore` and nodes (`get_content`, `metadata`), Haystack's `Document` (`content`, `meta`), mappings with a text, texts, and
Decoct's own `Hit` and `Passage`.

Where a hit begins in its document is said by `spans` (Decoct's own metadata), `start_index` (LangChain's splitters with
`add_start_index=True`), `start_char_idx` (LlamaIndex) or `split_idx_start` (Haystack). LangChain's loaders make a document of each page
of a file, so there an offset counts within the page, and the page is part of the document's id: `report.pdf#page=3`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from decoct.context.quotes import pieces
from decoct.data import Hit, Passage, Span
from decoct.errors import CorpusError, ProvenanceError

_TEXT = ("text", "page_content", "content")
_ID = ("doc_id", "document_id", "source_id", "ref_doc_id")
_FILE = ("source", "file_path", "url", "file_name")
_START = ("start_index", "start_char_idx", "split_idx_start")
_PAGE = ("page", "page_label")
_TITLE = ("title", "file_name")
_SCORE = ("relevance_score", "score")
# What is true of the hit that was handed over, and of no passage made of it.
POSITIONAL = frozenset({*_START, "end_char_idx", "spans", "number", "relevance_score", "score"})


@dataclass(frozen=True, slots=True)
class HandedHit:
    """A text that another retriever found. `start` is where it begins in document `doc_id`; None where that is not known.

    `spans` are used instead where the text is a quote of several; `score` is None where the retriever gave none. `metadata` is passed
    on to what is made of the text, and steps read a document's date and kind from it.
    """

    text: str
    doc_id: str = ""
    start: int | None = None
    title: str = ""
    score: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    spans: tuple[Span, ...] = ()

    def parts(self) -> list[tuple[Span, str]]:
        """The text cut at the borders of its spans, each part with its place; empty where no place is known."""
        if self.spans:
            found = pieces(Passage(self.text, self.spans))
            return [(span, self.text[at : at + span.end - span.start]) for at, span in found]
        if self.start is None or not self.doc_id:
            return []
        return [(Span(self.doc_id, self.start, self.start + len(self.text)), self.text)]


def handed_hits(items: Iterable[object]) -> list[HandedHit]:
    """The hits in their order, without those that have no text; `CorpusError` for what is none."""
    if isinstance(items, str | Mapping):
        raise CorpusError("hits must be a list of documents, nodes or texts, not a single one")
    return [hit for hit in map(handed_hit, items) if hit.text.strip()]


def handed_hit(item: object) -> HandedHit:
    """One framework's hit; `CorpusError` for an object that has no text where the frameworks keep it."""
    match item:
        case HandedHit():
            hit = item
        case str():
            hit = HandedHit(item)
        case Hit(chunk=chunk):
            hit = HandedHit(chunk.text, chunk.span.doc_id, chunk.span.start, chunk.title, item.score)
        case Passage(support=support):
            spans = support if item.kind == "quote" else ()
            hit = HandedHit(item.text, support[0].doc_id, None, item.title, item.score, spans=spans)
        case Mapping():
            hit = _from_mapping(item)
        case _:
            hit = _from_object(item)
    return hit


def _from_object(item: Any) -> HandedHit:  # noqa: ANN401 - whatever a framework calls a document
    score = getattr(item, "score", None)
    if hasattr(item, "node"):
        return _from_node(item.node, score)
    if hasattr(item, "page_content"):
        return _read(item.page_content, getattr(item, "metadata", None), getattr(item, "id", None), None)
    if hasattr(item, "get_content"):
        return _from_node(item, None)
    if hasattr(item, "content") and hasattr(item, "meta"):
        return _read(item.content, item.meta, getattr(item, "id", None), score)
    raise CorpusError(
        f"{type(item).__name__} is no document or hit: give a path or a `Document` (to `Library.add`), a document of LangChain or "
        "Haystack, a node of LlamaIndex, or a mapping with `text`"
    )


def _from_mapping(item: Mapping[Any, Any]) -> HandedHit:
    named = [key for key in _TEXT if key in item]
    if not named:
        raise CorpusError(
            f"it has no text: expected one of the keys {', '.join(_TEXT)}, not {', '.join(map(str, item))}"
        )
    own = item.get("metadata") or item.get("meta") or {}
    if not isinstance(own, Mapping):
        raise CorpusError(f"metadata is to be a mapping, not {own!r:.80}")
    others = {
        key: value for key, value in item.items() if key not in {*_TEXT, "start", "metadata", "meta", "id", "score"}
    }
    if "start" in item:  # only here: in a framework's metadata it may be a second of a film
        others["start_index"] = item["start"]
    return _read(item[named[0]], {**others, **own}, item.get("id"), item.get("score"))


def _from_node(node: Any, score: object) -> HandedHit:  # noqa: ANN401 - a node of LlamaIndex, which is not imported here
    start, end = getattr(node, "start_char_idx", None), getattr(node, "end_char_idx", None)
    text = node.get_content()
    found = {} if start is None or (end is not None and end - start != len(text)) else {"start_char_idx": start}
    named = {"ref_doc_id": node.ref_doc_id} if getattr(node, "ref_doc_id", None) else {}
    hit = _read(text, {**named, **found, **dict(node.metadata)}, getattr(node, "node_id", None), score)
    return HandedHit(hit.text, hit.doc_id, hit.start, hit.title, hit.score, dict(node.metadata), hit.spans)


def _read(text: object, metadata: object, own_id: object, score: object) -> HandedHit:
    """A hit by what its metadata says."""
    known: Mapping[str, Any] = metadata if isinstance(metadata, Mapping) else {}
    if text is None:  # Haystack's documents may hold a picture instead
        text = ""
    if not isinstance(text, str):
        raise CorpusError(f"the text must be a text, not {type(text).__name__}")
    starts = [known[key] for key in _START if key in known]
    start = next((at for at in starts if isinstance(at, int) and not isinstance(at, bool) and at >= 0), None)
    doc_id = _first(known, _ID)
    if not doc_id and (file := _first(known, _FILE)):
        page = _first(known, _PAGE) if start is not None else ""
        doc_id = f"{file}#page={page}" if page else file
    if score is None:
        score = next((known[key] for key in _SCORE if key in known), None)
    return HandedHit(
        text,
        doc_id or str(own_id or ""),
        start,
        _first(known, _TITLE),
        _number(score),
        known,
        _spans(known.get("spans"), text),
    )


def _first(metadata: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """The first of the keys' values that is a text or a whole number, as text."""
    return next(
        (str(metadata[key]) for key in keys if isinstance(metadata.get(key), str | int) and str(metadata[key])), ""
    )


def _number(score: object) -> float | None:
    try:
        return None if score is None else float(score)  # type: ignore[arg-type] # numpy's numbers and texts of numbers too
    except (TypeError, ValueError):
        return None


def _spans(given: object, text: str) -> tuple[Span, ...]:
    """Decoct's own metadata, where it makes up the text: a rewrite's spans do not, and neither do those of a text that was cut."""
    try:
        spans = tuple(Span(str(one["doc_id"]), int(one["start"]), int(one["end"])) for one in given or ())  # type: ignore[attr-defined]
        if spans:
            pieces(Passage(text, spans))
    except (KeyError, TypeError, ValueError, ProvenanceError):
        return ()
    return spans
