"""T-RAG's tree of entities as a structure (Fatehkia et al., 2024, arXiv 2402.07483).

The paper's tree was drawn by hand from an organisation's chart. Here it is read out of the documents:

1. A *statement* says that one entity is inside another: a sentence, by rules (`containment`) or a model (`by_model`, a request a chunk);
   a heading is inside the one above it, or else inside the document's title.
2. Statements make a *forest* (`forest`): each entity has the parent that is stated most often.

Reading looks at one document alone. Every branch keeps the characters that state it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from decoct.budget import Tokenizer
from decoct.data import Span
from decoct.errors import ModelError, StaleIndexError
from decoct.llm.base import LLM
from decoct.structure.place import headings_of
from decoct.text.sentences import sentences
from decoct_lab.structure.base import Chunked, Part, Spending, Workshop
from decoct_lab.structure.leaves import chunks_holding
from decoct_lab.structure.trag import by_model
from decoct_lab.structure.trag.containment import Inside, containments_in
from decoct_lab.structure.trag.forest import ContainmentStatement, Entity, forest

FORMAT = 2


@dataclass(frozen=True, slots=True)
class EntityTree:
    """Builds the forest; `headings` says whether headings are branches too."""

    tokenizer: Tokenizer
    llm: LLM | None = None
    headings: bool = True

    @property
    def fingerprint(self) -> str:
        """Format, and what finds statements."""
        by = [self.llm.fingerprint, by_model.prompt().fingerprint] if self.llm is not None else []
        return "t-rag:" + json.dumps([FORMAT, self.headings, *by])

    @property
    def model(self) -> str:
        """See `StructureMethod.model`."""
        return self.llm.fingerprint if self.llm is not None else ""

    def estimate(self, documents: Iterable[Chunked]) -> Spending:
        """A request a chunk."""
        if self.llm is None:
            return Spending()
        calls = prompt = 0
        for one in documents:
            calls += len(one.chunks)
            turns = [turn.content for chunk in one.chunks for turn in by_model.request(chunk).messages]
            prompt += sum(self.tokenizer.counts(turns))
        return Spending(calls, 0, prompt, calls * by_model.REPLY)

    def read(self, documents: Sequence[Chunked]) -> list[Part]:
        """The statements of each document."""
        if self.llm is None:
            return [_part(self._of_headings(one) + _by_rules(one)) for one in documents]
        every = [chunk for one in documents for chunk in one.chunks]
        replies = self.llm.complete([by_model.request(chunk) for chunk in every]) if every else []
        errors = [reply for reply in replies if isinstance(reply, ModelError)]
        if errors and len(errors) == len(replies) and all(error.retryable for error in errors):
            raise errors[0]
        answered = iter(replies)
        parts = []
        for one in documents:
            found, failed = self._of_headings(one), []
            for chunk in one.chunks:
                try:
                    for inside, (start, end) in by_model.read(next(answered), chunk):
                        span = Span(one.document.id, chunk.span.start + start, chunk.span.start + end)
                        found.append(_statement(one, inside, span))
                except ModelError as error:
                    failed.append(f"chunk {chunk.key}: {error}")
            parts.append(_part(found, failed))
        return parts

    def put_together(self, workshop: Workshop) -> None:
        """The forest of all statements."""
        entities = forest(_statements(workshop.parts()))
        rows = [
            [key, one.name, one.parent, [_packed(s, s.span.doc_id) for s in one.statements]]
            for key, one in entities.items()
        ]
        text = json.dumps({"format": FORMAT, "model": self.model, "entities": rows}, separators=(",", ":"))
        (workshop.folder / "entities.json").write_text(text, "utf-8")

    def _of_headings(self, one: Chunked) -> list[ContainmentStatement]:
        if not self.headings:
            return []
        above: list[tuple[int, str]] = [(0, one.document.title)] if one.document.title else []
        found = []
        for heading in headings_of(one.document):
            while above and above[-1][0] >= heading.level:
                above.pop()
            if above:
                span = Span(one.document.id, heading.start, heading.end)
                found.append(_statement(one, Inside(heading.words, above[-1][1]), span))
            above.append((heading.level, heading.words))
        return [statement for statement in found if statement.chunks]


def _by_rules(one: Chunked) -> list[ContainmentStatement]:
    found: dict[ContainmentStatement, None] = {}
    for chunk in one.chunks:  # chunks may overlap: a sentence counts once
        for start, end in sentences(chunk.text):
            for inside in containments_in(chunk.text[start:end]):
                span = Span(one.document.id, chunk.span.start + start, chunk.span.start + end)
                found[_statement(one, inside, span)] = None
    return list(found)


def _statement(one: Chunked, inside: Inside, span: Span) -> ContainmentStatement:
    return ContainmentStatement(
        inside.child, inside.parent, span, one.document.text[span.start : span.end], chunks_holding(span, one.chunks)
    )


def _part(statements: Sequence[ContainmentStatement], failed: Sequence[str] = ()) -> Part:
    return Part(json.dumps([_packed(one, "") for one in statements]).encode(), tuple(failed))


def _packed(one: ContainmentStatement, doc_id: str) -> list[object]:
    return [doc_id, one.child, one.parent, one.span.start, one.text, list(one.chunks)]


def _unpacked(row: Sequence[object], doc_id: str) -> ContainmentStatement:
    _, child, parent, start, text, chunks = row
    span = Span(doc_id, start, start + len(text))  # type: ignore[operator,arg-type]
    return ContainmentStatement(child, parent, span, text, tuple(chunks))  # type: ignore[arg-type]


def _statements(parts: Iterable[tuple[str, bytes]]) -> Iterator[ContainmentStatement]:
    for doc_id, body in parts:
        yield from (_unpacked(row, doc_id) for row in json.loads(body))


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """The entities by normalised name; `written`: whether a model said what is inside what."""

    entities: Mapping[str, Entity]
    written: bool


def read_entities(folder: Path) -> Forest:
    """The forest in the folder of a finished structure; `StaleIndexError` where it cannot be read."""
    try:
        found = json.loads((folder / "entities.json").read_text("utf-8"))
        entities = {
            key: Entity(name, parent, tuple(_unpacked(row, row[0]) for row in rows))
            for key, name, parent, rows in found["entities"]
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StaleIndexError(
            f"the entities cannot be read ({error}): drop the structure and build it again"
        ) from error
    if found["format"] != FORMAT:
        raise StaleIndexError("the entities are of another version of Decoct: drop the structure and build it again")
    return Forest(entities, bool(found["model"]))
