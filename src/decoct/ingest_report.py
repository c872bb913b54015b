"""What an ingest did, and while it runs how far it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from decoct.documents.base import Failure


@dataclass(slots=True)
class Report:
    """What an ingest did. `failures` names each source or record that could not be stored, and why.

    Of a sync: `gone_ids` are the stored documents that their source no longer has, `removed` how many of them were removed, `kept` why
    they were not. `same_text` maps each document added or replaced to another one that has the very same text. `notes` is what a
    reader should know of sources that were read, such as a guessed encoding.

    While it runs: `seen` documents were read of `total` (0: unknown; of files of records an estimate), `done` are stored or about to
    be, `embedded` chunks have their vectors, `current` is the source being read; `seconds` since the start and, where it can be told,
    `seconds_left`.
    """

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    chunks: int = 0
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    gone_ids: list[str] = field(default_factory=list)
    removed: int = 0
    kept: list[str] = field(default_factory=list)
    same_text: dict[str, str] = field(default_factory=dict)
    seen: int = 0
    done: int = 0
    total: int = 0
    embedded: int = 0
    current: str = ""
    seconds: float = 0.0
    share_read: float = 0.0  # of the bytes of all sources, 0 where they are not known
    characters_seen: int = 0
    characters_done: int = 0
    embedding_seconds: float = 0.0

    @property
    def documents(self) -> int:
        """Documents read without a failure."""
        return self.added + self.replaced + self.unchanged

    @property
    def gone(self) -> int:
        """How many stored documents their source no longer had, removed now or not."""
        return len(self.gone_ids)

    @property
    def duplicates(self) -> int:
        """How many documents were stored whose text is here under another id as well."""
        return len(self.same_text)

    @property
    def rate(self) -> float:
        """Chunks embedded a second; 0 before the first."""
        return self.embedded / self.embedding_seconds if self.embedding_seconds else 0.0

    @property
    def share(self) -> float:
        """How much of the work is done, 0 to 1, by the length of the texts; 0 where the whole is not known."""
        return min(self.share_read * self.characters_done / self.characters_seen, 1.0) if self.characters_seen else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes at the pace until now; None before there is one."""
        return self.seconds * (1 - self.share) / self.share if self.share else None

    def as_dict(self) -> dict[str, object]:
        """The report as JSON-ready data."""
        return {
            "documents": self.documents,
            "added": self.added,
            "replaced": self.replaced,
            "unchanged": self.unchanged,
            "chunks": self.chunks,
            "gone": self.gone,
            "removed": self.removed,
            "duplicates": self.duplicates,
            "failed": len(self.failures),
            "failures": [asdict(failure) for failure in self.failures],
            "gone_ids": list(self.gone_ids),
            "same_text": dict(self.same_text),
            "kept": list(self.kept),
            "notes": list(self.notes),
        }
