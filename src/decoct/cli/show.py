"""How results are written for a person at a terminal. Machine-readable output is plain JSON on standard output.

All that a command writes passes through `Clean`, which `main` puts in the place of both streams, whether a terminal is there or not:
what was piped is often shown by one later. Of a line of progress that is written over itself only the text is cleaned.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from json import dumps
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeVar, cast

import typer

from decoct.visible import visible, visible_json, visible_line

_START: Final = "\r"
_END: Final = "\x1b[K"
if TYPE_CHECKING:
    from decoct.data import Answer, Citation, Document, Hit, SourceQuote
    from decoct.trace import Trace

Report = TypeVar("Report")
_LONGEST_PLACE = 120  # characters of a heading: enough to find it
_BEGINS = 60  # of a place that is cited


def as_json(value: object) -> None:
    """Print `value` as indented JSON, with escapes for what a terminal would act on or cannot write."""
    text = visible_json(value)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = visible_json(value, ascii_only=True)
    typer.echo(text)


def error_line(message: str, code: str, *, as_json: bool) -> str:
    """What went wrong, in one line: for a person, or with --json as an object of the server's form."""
    line = " ".join(message.split())
    return dumps({"error": {"message": line, "code": code}}) if as_json else f"decoct: {line}"


def hits(found: list[Hit], explain: bool) -> None:
    """A ranking: number, score, title, where it stands, and the text; with `explain` who found it."""
    for number, hit in enumerate(found, 1):
        span = hit.chunk.span
        typer.echo(
            f"{number:3}. {hit.score:.3f}  {visible_line(hit.chunk.title or span.doc_id)}  "
            f"({visible_line(span.doc_id)} {span.start}-{span.end})"
        )
        if explain:
            typer.echo("     found by " + ", ".join(f"{name} {score:.3f}" for name, score in hit.found_by.items()))
        typer.echo("     " + " ".join(hit.chunk.text.split()))


def answer(result: Answer, document: Callable[[str], Document], *, written: bool) -> None:
    """The answer (unless it was already written as it came) and, by number, what it cites: title, page or heading, characters.

    A number stands for a passage. Where several places of one are cited, each has a mark of its own, `[1.2]`; behind words that were
    written with `[1]` already the place shows how it begins.
    """
    marks = _marks(result.citations)
    if not written:
        if result.answers:
            typer.echo("; ".join(visible_line(one.text) for one in result.answers) + "\n")
        text = result.text
        for mark, citation in reversed(list(zip(marks, result.citations, strict=True))):
            text = f"{text[: citation.start]}{mark}{text[citation.end :]}"
        typer.echo(text)
    if result.citations:
        typer.echo("\nSources")
    shown = set()
    for mark, citation in sorted(zip(marks, result.citations, strict=True), key=lambda pair: pair[1].number):
        source = citation.source
        places = [(source.doc_id, source.start, source.end)]
        begins = f": {visible_line(source.quote)[:_BEGINS]}" if written and "." in mark else ""
        shown_mark = f"[{citation.number}]" if written else mark
        if citation.passage.kind == "rewrite":  # it may rest on several documents
            cited = {source.doc_id}
            places += [(one.doc_id, one.start, one.end) for one in citation.passage.support if one.doc_id not in cited]
        for place in places:
            if (citation.number, place) not in shown:
                shown.add((citation.number, place))
                typer.echo(f"  {shown_mark} {_place(*place, document)}{begins}")


def _marks(citations: Sequence[Citation]) -> list[str]:
    """The mark of each citation: its number, and behind a point its place's among those of the number, where they are several."""
    places: dict[int, list[SourceQuote]] = {}
    for citation in citations:
        known = places.setdefault(citation.number, [])
        known += [citation.source] if citation.source not in known else []
    return [
        f"[{one.number}.{places[one.number].index(one.source) + 1}]"
        if len(places[one.number]) > 1
        else f"[{one.number}]"
        for one in citations
    ]


def _place(doc_id: str, start: int, end: int, document: Callable[[str], Document]) -> str:
    from decoct.documents.places import place_told

    found = document(doc_id)  # a passage's own title may be the heading of a section; who is cited is the document
    title = visible_line(found.title or doc_id)
    where = visible_line(place_told(found, start))
    told = f", {where[:_LONGEST_PLACE]}" if where not in ("", title) else ""
    return f"{title}{told}  ({visible_line(doc_id)}, characters {start}-{end})"


def casc(found: Mapping[str, Any]) -> None:
    """The facts and conflicts of a context or audit (their JSON form) as a table; nothing where there are none."""
    for fact in found.get("facts", ()):
        sources = fact["sources"]
        value = f"{visible_line(fact['value'])}: " if fact.get("value") else ""
        why = f"  ({fact['why']})" if fact.get("why") else ""
        typer.echo(
            f"  {fact['status']}  {value}{visible_line(fact['text'])}  [{visible_line(', '.join(sources))}]{why}"
        )
    for conflict in found.get("conflicts", ()):
        typer.echo(f"  {conflict['action']} {conflict['type']} conflict: {visible_line(conflict['about'])}")
        for side in conflict["sides"]:
            mark = "*" if side["value"] == conflict["chosen"] else " "
            documents = dict.fromkeys(span["doc_id"] for span in side["support"])
            typer.echo(f"   {mark} {visible_line(side['value']):<24} {visible_line(', '.join(documents))}")
        reason = visible_line(conflict["reason"])
        typer.echo(f"     {conflict['rule']}: {reason} (confidence {conflict['confidence']:.2f})")
    for gap in found.get("gaps", ()):
        typer.echo(f"  not found: {visible_line(gap if isinstance(gap, str) else gap['text'])}")


def trace(record: Trace) -> None:
    """What ran, on standard error: a line a stage with its time and counts, then the fallbacks."""
    out = sys.stderr
    for stage in record.stages:
        counts = "  ".join(f"{name} {amount}" for name, amount in stage.counts.items())
        print(
            f"{'  ' * stage.depth}{stage.name:<{24 - 2 * stage.depth}} {stage.seconds * 1000:9.1f} ms  {counts}",
            file=out,
        )
    for name, value in record.facts.items():
        print(f"{name}: {value}", file=out)
    for name, amount in record.fallbacks.items():
        print(f"fallback {name}: {amount}", file=out)


def notes(record: Trace) -> None:
    """Say which language the embedder does not know, which words were read as others, and that a second reader said nothing."""
    if "embed.language" in record.fallbacks:
        language = record.facts.get("question_language", "another language")
        typer.echo(
            f"decoct: the question seems to be in a language that the library's embedder does not know ({language}): only shared words "
            "find passages surely. An embedder of that language helps (`decoct ingest --rebuild --embedder NAME`)",
            err=True,
        )
    meant = record.facts.get("spelling")
    if isinstance(meant, Mapping):
        told = ", ".join(f'"{visible_line(str(word))}" as "{visible_line(str(read))}"' for word, read in meant.items())
        typer.echo(f"decoct: no document holds these words: read {told}", err=True)
    if record.fallbacks["second.failed"] + record.fallbacks["second.malformed"]:
        told = visible_line(str(record.facts.get("second_error", "")))
        typer.echo(f"decoct: what is claimed was not read again ({told})", err=True)


def progress(json: bool, told: Callable[[Report], str]) -> Callable[[Report], None] | None:
    """What writes one line that is replaced as the work goes on; None where nobody would see it."""
    if json or not sys.stderr.isatty():
        return None

    return lambda report: progress_line(told(report))


def progress_line(text: str) -> None:
    """Write a line of progress on standard error, over the one before: as much of it as the terminal has columns for."""
    sys.stderr.write(f"\r{text[: shutil.get_terminal_size().columns - 1]} \x1b[K")
    sys.stderr.flush()


def end_progress() -> None:
    """Clear the line of `progress`."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


def table(rows: list[dict[str, Any]]) -> None:
    """Rows of equal keys as aligned columns, each on one line."""
    if not rows:
        return
    cells = [list(rows[0])] + [[visible_line(str(value)) for value in row.values()] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    for row in cells:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


class Clean:
    """A text stream that writes only what is safe to show; all else is the stream's own, but for its bytes, which would go past it."""

    def __init__(self, stream: TextIO, *, redraws: bool = False) -> None:
        self.behind, self._redraws = stream, redraws

    def write(self, text: str) -> int:
        """Write `text` cleaned; what the stream's encoding lacks as an escape."""
        framed = self._redraws and text.startswith(_START) and text.endswith(_END)
        inner = text[len(_START) : -len(_END)] if framed else text
        safe = _encodable(visible(inner.replace("\r\n", "\n")), self.behind.encoding)
        self.behind.write(f"{_START}{safe}{_END}" if framed else safe)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each of `lines`."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self.behind, name)


@contextmanager
def clean_streams() -> Iterator[None]:
    """Standard output and standard error are clean inside."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = cast("TextIO", Clean(sys.stdout)), cast("TextIO", Clean(sys.stderr, redraws=True))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def stream_behind(stream: TextIO) -> TextIO:
    """The stream behind a clean one, for bytes of a protocol."""
    return stream.behind if isinstance(stream, Clean) else stream


def _encodable(text: str, encoding: str | None) -> str:
    if text.isascii() or not encoding:
        return text
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text
