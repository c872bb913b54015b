"""Passages gathered from the contexts of many questions into one corpus.

Multi-hop sets ship a handful of paragraphs with each question; the open setting searches all of them at once. A paragraph met again
(same title and text) is the same document. Its id is a digest of title and text, so it does not depend on the order of the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from decoct.data import Document, Metadata, Span


@dataclass(slots=True)
class Pool:
    """The passages so far; `prefix` begins every id."""

    prefix: str
    documents: dict[str, Document] = field(default_factory=dict)

    def add(
        self, title: str, sentences: Sequence[str], metadata: Metadata | None = None
    ) -> tuple[str, list[Span | None]]:
        """Add a paragraph given by its sentences; returns its id and each sentence's span (None for a blank one).

        Sentences are joined as they stand where one side brings white space (HotpotQA), else by a blank (2WikiMultiHopQA).
        """
        text, ranges = "", []
        for sentence in sentences:
            if text and not text[-1].isspace() and sentence[:1] and not sentence[0].isspace():
                text += " "
            ranges.append((len(text) + len(sentence) - len(sentence.lstrip()), len(text) + len(sentence.rstrip())))
            text += sentence
        # 12 hexadecimal digits: 48 bits, a clash among a million passages has odds of 1 in 500.
        digest = hashlib.sha256(f"{title}\n{text}\n{sorted((metadata or {}).items())}".encode()).hexdigest()[:12]
        doc_id = f"{self.prefix}-{digest}"
        if doc_id not in self.documents and text.strip():
            self.documents[doc_id] = Document(doc_id, text, title, metadata=metadata or {})
        return doc_id, [Span(doc_id, start, end) if start < end else None for start, end in ranges]

    def read(self) -> Iterator[Document]:
        """The documents in the order of their first use."""
        return iter(self.documents.values())

    @property
    def lengths(self) -> Mapping[str, int]:
        """Characters of each document, by id."""
        return {i: len(document.text) for i, document in self.documents.items()}
