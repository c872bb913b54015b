"""`decoct ingest`: files, folders and URLs into the library."""

from __future__ import annotations

import glob
import json as json_
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

import typer

from decoct import plugins
from decoct.cli import options, show
from decoct.counted import counted
from decoct.errors import ConfigError

if TYPE_CHECKING:
    from decoct.data import Document
    from decoct.documents.base import Failure
    from decoct.ingest import Report
    from decoct.library import Library


# Seconds between two lines where there is no terminal.
EVERY = 3.0
# An ingest of fewer documents and of no more seconds says nothing before it is done: in a log it is noise.
FEW, SHORT = 20, 3.0
# Characters of a file's name that are shown.
WIDTH = 48


class ProgressShown:
    """Shows the last report that it was called with, from entering to leaving; `quiet` only in a terminal."""

    def __init__(self, quiet: bool = False) -> None:
        self._report: Report | None = None
        self._quiet = quiet

    def __enter__(self) -> Self:
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._lines, args=(self._left,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._left.set()
        self._thread.join()
        show.end_progress()

    def __call__(self, report: Report) -> None:
        """Show the report."""
        self._report = report

    def _lines(self, left: threading.Event) -> None:
        """Write again and again in a terminal; without one at once when there is much to do, and then every few seconds."""
        start, last, terminal = time.monotonic(), -EVERY, sys.stderr.isatty()
        while not left.wait(0.1):
            passed, report = time.monotonic() - start, self._report
            if report is not None and terminal:
                show.progress_line(line(report))
            elif (
                report is not None
                and not self._quiet
                and (passed >= SHORT or report.total > FEW)
                and passed - last >= EVERY
            ):
                last = passed
                sys.stderr.write(f"{line(report)}\n")
                sys.stderr.flush()


def line(report: Report) -> str:
    """`12 of 240 documents (5 %), 310 chunks, 34 chunks/s, 2 min left: …/sqlite/lang.html`, as much of it as is known."""
    known = max(report.total, report.seen)
    share = f" ({100 * report.share:.0f} %)" if report.share else ""
    parts = [f"{report.done} of {counted(known, 'document')}{share}" if known else "looking for documents"]
    if report.embedded:
        parts += [counted(report.embedded, "chunk"), f"{report.rate:.0f} chunks/s"]
    if report.failures:
        parts.append(f"{len(report.failures)} failed")
    if report.seconds_left is not None and report.embedded:
        parts.append(f"{_duration(report.seconds_left)} left")
    near = report.current.removeprefix(f"{Path.cwd()}/")
    name = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in near)
    shown = name if len(name) <= WIDTH else f"…{name[1 - WIDTH :]}"
    return ", ".join(parts) + (f": {shown}" if shown else "")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


_INPUT = "-"
_NAMED = 3  # sources told one by one that could not be read for one reason


def run(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files, folders, patterns ('notes/**/*.md'), URLs, or - for standard input.", metavar="SOURCE..."
        ),
    ] = None,
    library: options.LibraryOption = None,
    embedder: Annotated[
        str | None,
        typer.Option(help="For a new library: minilm, st:NAME or openai:MODEL [default: minilm].", metavar="NAME"),
    ] = None,
    chunker: Annotated[
        str | None,
        typer.Option(help="For a new library: structure, sentence, fixed … [default: structure].", metavar="NAME"),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            help="For a new library: stem words and read scans as in this language (de, fr …) [default: each document's own].",
            metavar="CODE",
        ),
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove the documents whose files vanished from the sources.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep folders in sync (with --prune) until interrupted.")
    ] = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="First build the library anew from its own stored texts.")
    ] = False,
    ray: options.RayOption = None,
    ray_workers: options.RayWorkersOption = None,
    ray_gpus: options.RayGPUsOption = 0.0,
    doc_id: Annotated[
        str, typer.Option("--id", help="With -: the id of the document.", metavar="ID")
    ] = "standard-input",
    allow_private: Annotated[bool, typer.Option("--allow-private", help="Let URLs name private addresses.")] = False,
    depth: Annotated[
        int,
        typer.Option(
            help="Follow the links of URLs so many steps, on the same host, as its robots.txt allows.", min=0, max=10
        ),
    ] = 0,
    json: options.JSONOption = False,
) -> None:
    """Add documents to the library (made if it is not there), and tell which vanished from the same sources.

    What is there unchanged costs nothing and what changed is replaced, so an interrupted run is resumed by running it again. A source
    that cannot be read is reported and does not stop the others; the exit code is 1 when nothing at all could be read, and 2, with nothing
    done, when a path is not there. Documents whose files are gone stay until --prune; nothing is removed where a folder is missing, empty
    or could not be read in part. With --ray, sources may be s3://, gs:// and file:// too.
    """
    from decoct.library import Library
    from decoct.rebuild import rebuild as build_anew
    from decoct.text.analysis import STEMMERS
    from decoct.text.languages import AUTO

    if ray and depth:
        raise ConfigError("--ray reads what is named and follows no links: run --depth without it")
    if ray and (watch or rebuild):
        raise ConfigError("--ray reads sources once: run --watch or --rebuild without it")
    given = _checked(sources, rebuild=rebuild, watch=watch)
    place = library or options.settings().library
    _apart(given, place)
    report = None
    if rebuild:
        with ProgressShown(json) as shown:
            report = build_anew(place, embedder=embedder, chunker=chunker, language=language, progress=shown)
    if given == [_INPUT]:
        with Library.open(place, embedder=embedder, chunker=chunker, language=language) as opened:
            report = opened.add(_document(doc_id))
    elif given:
        with Library.open(place, embedder=embedder, chunker=chunker, language=language) as opened:
            if watch:
                _watch(opened, given, place, json=json)
                return
            with ProgressShown(json) as shown:
                if ray:
                    ray_ingest = plugins.load("spread", "ingest", "--ray")
                    report = ray_ingest(
                        opened,
                        given,
                        ray,
                        prune=prune,
                        workers=ray_workers,
                        gpus=ray_gpus,
                        allow_private=allow_private,
                        progress=shown,
                    )
                else:
                    report = opened.sync(given, prune=prune, allow_private=allow_private, depth=depth, progress=shown)
    assert report is not None
    if language not in (None, AUTO, *STEMMERS):  # there are such languages, but it may be a slip
        report.notes.append(f"words of the language {language!r} are not stemmed; those of {', '.join(STEMMERS)} are")
    if json:
        show.as_json({"library": place, **report.as_dict()})
    else:
        _summary(report, pruned=prune)
    if report.failures and not report.documents:
        raise typer.Exit(1)


def _checked(sources: list[str] | None, *, rebuild: bool, watch: bool) -> list[str]:
    from decoct.documents.files import expanded
    from decoct.documents.sources import is_url

    given = [one for source in sources or [] for one in _matching(source)]
    if not given and not rebuild:
        raise ConfigError("name the files, folders or URLs to ingest")
    if _INPUT in given:
        if len(given) > 1 or watch:
            raise ConfigError("- is the text on standard input: ingest it alone")
        return given
    for source in given:
        if watch and (is_url(source) or not expanded(source).is_dir()):
            raise ConfigError(f"--watch keeps folders in sync, and {source!r} is none; ingest it without --watch")
        if not is_url(source) and not expanded(source).exists():
            raise ConfigError(f"there is no file or folder {source!r}; nothing was ingested and nothing removed")
    return given


def _apart(given: list[str], place: str) -> None:
    """`ConfigError` where a library would be made in one of the folders it is made from."""
    from decoct.documents.files import expanded
    from decoct.documents.sources import is_url
    from decoct.index.resolve import folder_of, is_folder

    if not is_folder(place) or not (folder := folder_of(place, "this")).is_dir() or (folder / "library.db").is_file():
        return
    if any(not is_url(one) and one != _INPUT and expanded(one).samefile(folder) for one in given):
        raise ConfigError(f"a library in {place!r} would lie among its own documents: give another folder by --library")


def _matching(source: str) -> list[str]:
    """The files that a pattern means where the shell did not look (it stood in quotes); any other source as it is."""
    from decoct.documents.files import expanded
    from decoct.documents.sources import is_url

    if is_url(source) or not glob.has_magic(source) or expanded(source).exists():
        return [source]
    found = sorted(glob.glob(str(expanded(source)), recursive=True))  # noqa: PTH207 - of patterns that may be absolute
    if not found:
        raise ConfigError(f"no file matches {source!r}; nothing was ingested and nothing removed")
    return found


def _document(doc_id: str) -> Document:
    """The text on standard input."""
    from decoct.data import Document

    text = sys.stdin.read()
    if not text.strip():
        raise ConfigError("there is no text on standard input")
    return Document(doc_id, text)


def _watch(opened: Library, folders: list[str], place: str, *, json: bool) -> None:
    """Print a summary, or a line of JSON, after the first sync and after each that changed or failed anything anew."""
    from decoct.watch import watch

    told: set[str] = set()
    shown = ProgressShown(json)
    reports = watch(opened, folders, progress=shown)
    first = True
    while True:
        with shown:
            report = next(reports)
        fresh = {f"{failure.source}: {failure.reason}" for failure in report.failures} - told
        told |= fresh
        if first or fresh or report.added or report.replaced or report.removed:
            if json:
                typer.echo(json_.dumps({"library": place, **report.as_dict()}, ensure_ascii=False))
            else:
                report.failures = [one for one in report.failures if f"{one.source}: {one.reason}" in fresh]
                _summary(report, pruned=True)
                if first:
                    typer.echo(f"watching {', '.join(folders)}; stop with Ctrl-C", err=True)
        first = False


def _summary(report: Report, *, pruned: bool) -> None:
    removed = f", {report.removed} removed" if report.removed else ""
    typer.echo(
        f"{counted(report.documents, 'document')}: {report.added} added, {report.replaced} replaced, "
        f"{report.unchanged} unchanged{removed}; {counted(report.chunks, 'chunk')} written"
    )
    if not report.documents and not report.failures:
        typer.echo("  there is no file that could be a document", err=True)
    if left := report.gone - report.removed:
        be = "is" if left == 1 else "are"
        how = "" if pruned else "; --prune removes " + ("it" if left == 1 else "them")
        typer.echo(f"{counted(left, 'document')} {be} gone from the source{how}", err=True)
        for reason in report.kept:
            typer.echo(f"  {reason}", err=True)
    if report.duplicates:
        new, other = next(iter(report.same_text.items()))
        be = "is" if report.duplicates == 1 else "are"
        ids = "another id" if report.duplicates == 1 else "other ids"
        typer.echo(
            f"{counted(report.duplicates, 'document')} {be} already here under {ids} ({new} is the same text as {other})",
            err=True,
        )
    for note in report.notes:
        typer.echo(f"  note: {note}", err=True)
    for line in _failed(report.failures):
        typer.echo(f"  failed: {line}", err=True)


def _failed(failures: Sequence[Failure]) -> list[str]:
    """A line for each failure; of more than `_NAMED` with one reason (the images of a folder) one line that names the first of them."""
    here = f"{Path.cwd()}/"
    by_reason: dict[str, list[str]] = {}
    for failure in failures:
        by_reason.setdefault(failure.reason, []).append(failure.source.removeprefix(here))
    lines: list[str] = []
    for reason, sources in by_reason.items():
        if len(sources) <= _NAMED:
            lines.extend(f"{source}: {reason}" for source in sources)
        else:
            lines.append(f"{len(sources)} sources ({', '.join(sources[:_NAMED])} …; --json names all): {reason}")
    return lines
