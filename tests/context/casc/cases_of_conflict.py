"""Questions over a few short documents, kept as TOML in `cases/`: what must be found in them, and what must not."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from decoct.data import Document

_FOLDER = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    """One question; the head of a file in `cases/` says what the fields mean. `chosen` None: not judged."""

    name: str
    question: str
    texts: tuple[str, ...]
    type: str = ""
    sides: tuple[str, ...] = ()
    chosen: str | None = None
    rule: str = ""
    value: str = ""
    gap: bool = False

    @property
    def documents(self) -> list[Document]:
        """The texts as documents."""
        return [_document(f"{self.name}-{i}", text) for i, text in enumerate(self.texts, 1)]


def cases() -> list[Case]:
    """Every case of every file, by file."""
    return [
        Case(**{**record, "texts": tuple(record["texts"]), "sides": tuple(record.get("sides", ()))})
        for file in sorted(_FOLDER.glob("*.toml"))
        for record in tomllib.loads(file.read_text(encoding="utf-8"))["case"]
    ]


def _document(doc_id: str, text: str) -> Document:
    if not text.startswith("["):
        return Document(doc_id, text)
    head, _, body = text[1:].partition("] ")
    kind, date, *title = head.split(" ", 2)
    metadata = {key: value for key, value in (("kind", kind), ("date", date)) if value != "-"}
    return Document(doc_id, body, " ".join(title), metadata=dict(metadata))
