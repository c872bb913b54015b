"""How results are written for a person at a terminal. Machine-readable output is plain JSON on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import typer

if TYPE_CHECKING:
    from decoct.data import Answer, Hit
    from decoct.trace import Trace

Report = TypeVar("Report")


def as_json(value: object) -> None:
    """Print `value` as indented JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def hits(found: list[Hit], explain: bool) -> None:
    """A ranking: number, score, title, where it stands, and the text; with `explain` who found it."""
    for number, hit in enumerate(found, 1):
        span = hit.chunk.span
        typer.echo(
            f"{number:3}. {hit.score:.3f}  {hit.chunk.title or span.doc_id}  ({span.doc_id} {span.start}-{span.end})"
        )
        if explain:
            typer.echo("     found by " + ", ".join(f"{name} {score:.3f}" for name, score in hit.found_by.items()))
        typer.echo("     " + " ".join(hit.chunk.text.split()))


def answer(result: Answer, *, written: bool, titles: Mapping[str, str]) -> None:
    """The answer (unless it was already written as it came) and the sources of its citations, by their `titles`."""
    if not written:
        typer.echo(result.text)
    if result.citations:
        typer.echo("\nSources")
    shown = set()
    for citation in result.citations:
        if citation.number in shown:
            continue
        shown.add(citation.number)
        for span in citation.passage.support:
            typer.echo(
                f"  [{citation.number}] {titles.get(span.doc_id) or span.doc_id}  ({span.doc_id}, characters {span.start}-{span.end})"
            )


def casc(found: Mapping[str, Any]) -> None:
    """The facts and conflicts of a context or audit (their JSON form) as a table; nothing where there are none."""
    for fact in found.get("facts", ()):
        sources = fact["sources"]
        heard = "stated" if len(sources) == 1 else f"agreed ({len(sources)})"
        typer.echo(f"  {heard}  {fact['text']}  [{', '.join(sources)}]")
    for conflict in found.get("conflicts", ()):
        typer.echo(f"  {conflict['action']} {conflict['type']} conflict: {conflict['about']}")
        for side in conflict["sides"]:
            mark = "*" if side["value"] == conflict["chosen"] else " "
            documents = dict.fromkeys(span["doc_id"] for span in side["support"])
            typer.echo(f"   {mark} {side['value']:<24} {', '.join(documents)}")
        typer.echo(f"     {conflict['rule']}: {conflict['reason']} (confidence {conflict['confidence']:.2f})")
    for gap in found.get("gaps", ()):
        typer.echo(f"  not found: {gap if isinstance(gap, str) else gap['text']}")


def trace(record: Trace, *, error: bool = True) -> None:
    """What ran: a line a stage with its time and counts, then the fallbacks."""
    out = sys.stderr if error else sys.stdout
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


def language_note(record: Trace) -> None:
    """Say so where the question is in a language that the embedder does not know."""
    if "embed.language" in record.fallbacks:
        language = record.facts.get("question_language", "another language")
        typer.echo(
            f"decoct: the question seems to be in a language that the library's embedder does not know ({language}): only shared words "
            "find passages surely. An embedder of that language helps (`decoct ingest --rebuild --embedder NAME`)",
            err=True,
        )


def progress(json: bool, told: Callable[[Report], str]) -> Callable[[Report], None] | None:
    """What writes one line that is replaced as the work goes on; None where nobody would see it."""
    if json or not sys.stderr.isatty():
        return None

    def line(report: Report) -> None:
        sys.stderr.write(f"\r{told(report)} \x1b[K")
        sys.stderr.flush()

    return line


def end_progress() -> None:
    """Clear the line of `progress`."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


def table(rows: list[dict[str, Any]]) -> None:
    """Rows of equal keys as aligned columns."""
    if not rows:
        return
    cells = [list(rows[0])] + [[str(value) for value in row.values()] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    for row in cells:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
