"""What a structure is: what a method builds of a library's chunks beforehand, and its retriever reads (a graph, a tree, summaries).

A method has two steps. `read` looks at one document after another; that is where a language model is asked, and what it found of a
document is kept until the document changes. `put_together` makes of all that was read the files that a retriever opens: no model should
be asked there for what could have been asked before, since it runs anew after every change (what it does ask is remembered in the
workshop).

So new, changed and removed documents cost what they are, an interrupted build goes on where it stopped, and what a retriever reads is
always the last structure that was finished. `build` drives a method, `shelf` keeps what it makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from decoct.data import Chunk, Document, Floats
from decoct_lab.workforce import Item, Result


@dataclass(frozen=True, slots=True)
class Chunked:
    """A document with its chunks in text order, each with its key."""

    document: Document
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Spending:
    """What a build costs, estimated or spent: model calls (of which `cached` cost nothing) and tokens."""

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Spending) -> Spending:
        return Spending(
            self.calls + other.calls,
            self.cached + other.cached,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def as_dict(self) -> dict[str, int]:
        """As JSON-ready data."""
        return {
            "calls": self.calls,
            "cached": self.cached,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
        }


@dataclass(frozen=True, slots=True)
class Part:
    """What was read of one document: `body` in the method's own form, and a reason for each piece of it on which the model failed."""

    body: bytes
    failed: tuple[str, ...] = ()


class Workshop(Protocol):
    """Where a structure is put together. What is written to `folder` becomes the structure when `put_together` returns."""

    @property
    def folder(self) -> Path:
        """Empty at first."""

    @property
    def before(self) -> Path | None:
        """The folder of the last finished structure of the same method and settings, if there is one: it may be continued."""

    def parts(self) -> Iterator[tuple[str, bytes]]:
        """Every document's id and the body of its part, by id; the same however they came to be there."""

    def vectors(self, name: str, texts: Sequence[str]) -> Floats:
        """The texts' vectors (as passages), a row each, written to `folder/name.npy`.

        What `before` or an interrupted run knows is not embedded again.
        """

    def byte_vectors(self, name: str, texts: Sequence[str]) -> None:
        """The same with a byte a number, for many: written to `folder`, read by `byte_vectors.load_bytes`."""

    def remembered(self, key: str, make: Callable[[], str]) -> str:
        """What `make` answered to `key` in this build or an earlier one that was interrupted; at once on disk."""

    def results(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        """Each item with what `work` gives for it, in order, by whoever does the build's work (`Workforce.results`)."""

    def tell(self, doing: str, done: int = 0, total: int = 0) -> None:
        """Say how far it is; may raise to end the build."""


class StructureMethod(Protocol):
    """A way to build a structure; a frozen dataclass whose settings and resources come as those of any stage."""

    @property
    def fingerprint(self) -> str:
        """Names everything that shapes what is read and made: format, settings, prompts and model (not the embedder)."""

    @property
    def model(self) -> str:
        """The fingerprint of the language model; empty for the form without one."""

    def estimate(self, documents: Iterable[Chunked]) -> Spending:
        """What reading these documents, and putting them together, costs at most."""

    def read(self, documents: Sequence[Chunked]) -> list[Part]:
        """One part a document, in order. A model that fails on a piece gives a part without it; one that cannot be reached raises."""

    def put_together(self, workshop: Workshop) -> None:
        """Make the structure of all parts."""
