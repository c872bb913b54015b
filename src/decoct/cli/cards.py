"""`decoct cards`: a card for each document, to search by and to read."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from decoct import plugins, trace
from decoct.cli import options, show
from decoct.counted import counted
from decoct.errors import ConfigError, StaleIndexError

if TYPE_CHECKING:
    from decoct.library import Library
    from decoct.retrieve.cards.build import Built
    from decoct.retrieve.cards.contributions import Generator, MaterialCost
    from decoct.retrieve.cards.index import Vectors

app = typer.Typer(help="Build, show and export paper-cards.", no_args_is_help=True, rich_markup_mode=None)

# A question that does not find its own document among the first ten asks for something else.
ROUND_TRIP = 10
# Characters of a title in a file's name: enough to know the document, short enough for every file system.
NAME = 60


@app.command("build")
def build(
    library: options.LibraryOption = None,
    llm: options.LLMOption = None,
    vectors: Annotated[Literal["pooled", "paper"], typer.Option(help="What a card's vectors are made of.")] = "pooled",
    question_vectors: Annotated[
        bool, typer.Option("--question-vectors", help="Also store a vector for each question.")
    ] = False,
    round_trip: Annotated[
        bool, typer.Option("--round-trip", help="With --llm: keep only questions that find their own document.")
    ] = False,
    estimate: Annotated[bool, typer.Option("--estimate", help="Print what it would cost and stop.")] = False,
    json: options.JSONOption = False,
) -> None:
    """Make the cards of new and changed documents, and remove those of removed ones.

    Without --llm, cards are made by rules, from the documents' own sentences. A language model (decoct-lab) is asked four times a document;
    the estimate is printed first and what was spent after. An interrupted run is resumed by running it again.
    """
    with options.open_library(library, llm) as opened:
        generator = _generator(opened, round_trip)
        if estimate:
            expected = _estimated(opened, generator, vectors, question_vectors)
            result: dict[str, object] = {"estimate": _cost(expected)}
            report = None
            if not json:
                typer.echo(_announced(expected))
        else:
            report, result = _built(opened, generator, vectors, question_vectors, json)
    if json:
        show.as_json(result)
    if report is not None and report.failed and not report.made and not report.unchanged:
        raise typer.Exit(1)


@app.command("show")
def show_(
    document: Annotated[str, typer.Argument(help="The document's id.")],
    library: options.LibraryOption = None,
    json: options.JSONOption = False,
) -> None:
    """Print a document's card."""
    from decoct.retrieve.cards.index import card_questions

    with options.open_library(library) as opened:
        opened.document(document)  # a document that is gone has no card, whatever was built
        cards = opened.cards.opened()
        if not cards.has(document):
            raise StaleIndexError(f"there is no card of {document!r} yet: run `decoct cards build`")
        card = cards.card(document)
        old = bool(cards.outdated([document]))
    if json:
        text = card.text
        questions = [
            {"question": one.text, "answer": {"start": one.answer.start, "end": one.answer.end}}
            for one in card_questions(card)
        ]
        size = len(text.encode("utf-8", "surrogatepass"))
        found = {"id": card.id, "title": card.title, "card": text, "bytes": size, "questions": questions}
        show.as_json({**found, "outdated": old})
        return
    typer.echo(card.text, nl=False)
    if old:
        typer.echo("the document has changed since: run `decoct cards build`", err=True)


@app.command("export")
def export(
    folder: Annotated[Path, typer.Argument(help="Where the files go (made if it is not there).")],
    library: options.LibraryOption = None,
) -> None:
    """Write every card as a Markdown file, named after its title."""
    from decoct.retrieve.cards.card import markdown_file
    from decoct.visible import write_whole

    with options.open_library(library) as opened:
        cards = opened.cards.opened()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"{folder} cannot be made ({error.strerror}); name another folder") from error
        taken: set[str] = set()
        old = 0
        for info in opened.documents():
            if cards.has(info.id):
                old += len(cards.outdated([info.id]))
                name = _file_name(info.title or info.id, taken)
                write_whole(folder / name, markdown_file(cards.card(info.id).text))
        missing = opened.status().documents - len(taken)
    typer.echo(f"{counted(len(taken), 'card')} written to {folder}")
    if old or missing:
        without = f"{counted(missing, 'document')} {'has' if missing == 1 else 'have'} no card"
        typer.echo(
            f"{without} and {old} {'has' if old == 1 else 'have'} changed since: run `decoct cards build`", err=True
        )


def _generator(opened: Library, round_trip: bool) -> Generator:
    from decoct.retrieve.cards.generate_rules import Rules

    if opened.llm is not None:
        by_model = plugins.load("cards", "model", "--llm")
        made: Generator = by_model(opened, ROUND_TRIP if round_trip else 0)
        return made
    if round_trip:
        raise ConfigError("--round-trip needs --llm: what rules ask is in the document and always leads back to it")
    return Rules()


def _estimated(opened: Library, generator: Generator, vectors: Vectors, question_vectors: bool) -> MaterialCost:
    """What building would cost; nothing is written, so that another process may be building."""
    from decoct.retrieve.cards.build import Build, cost_of

    if not opened.cards.usable():
        return cost_of(opened.store, generator, (info.id for info in opened.documents()))
    cards = opened.cards.opened().cards
    return Build(opened.store, cards, opened.embedder, generator, vectors, question_vectors).estimate()


def _built(
    opened: Library, generator: Generator, vectors: Vectors, question_vectors: bool, json: bool
) -> tuple[Built, dict[str, object]]:
    from decoct.retrieve.cards.build import Build

    cards = opened.cards.writable()
    with closing(cards.cards):
        job = Build(opened.store, cards.cards, opened.embedder, generator, vectors, question_vectors)
        expected = job.estimate()
        if not json:
            typer.echo(_announced(expected))
        with trace.recording() as record:
            report = job.run(show.progress(json, _progress_line))
        stored = cards.storage(opened.cards.location)
    if not json:
        _summary(report)
        for name, amount in record.fallbacks.items():
            typer.echo(f"less than asked: {name} ({amount})", err=True)
        of_cards, of_chunks = stored["cards"], stored["chunks"]
        fewer = 100 * (1 - of_cards["vectors"] / max(of_chunks["vectors"], 1))
        typer.echo(
            f"cards: {counted(of_cards['vectors'], 'vector')}, {of_cards['bytes'] / 1e6:.1f} MB; "
            f"chunks: {counted(of_chunks['vectors'], 'vector')}, {of_chunks['bytes'] / 1e6:.1f} MB; "
            f"{abs(fewer):.0f} % {'fewer' if fewer >= 0 else 'more'} vectors"
        )
    return report, {
        "estimate": _cost(expected),
        **report.as_dict(),
        "storage": stored,
        "fallbacks": dict(record.fallbacks),
    }


def _announced(cost: MaterialCost) -> str:
    return (
        f"{counted(cost.documents, 'document')} to do: about {counted(cost.calls, 'model call')}, "
        f"{cost.prompt_tokens} prompt and at most {counted(cost.completion_tokens, 'completion token')}"
    )


def _cost(cost: MaterialCost) -> dict[str, int]:
    return {name: amount for name, amount in asdict(cost).items() if name != "cached"}


def _progress_line(report: Built) -> str:
    failed = f", {len(report.failed)} failed" if report.failed else ""
    return f"{counted(report.made, 'card')} in {report.seconds:.0f} s{failed}"


def _summary(report: Built) -> None:
    show.end_progress()
    cost = report.cost
    typer.echo(
        f"{counted(report.made, 'card')} made, {report.unchanged} unchanged, {report.removed} removed in {report.seconds:.1f} s; "
        f"{counted(cost.calls, 'model call')} ({cost.cached} from the cache), "
        f"{cost.prompt_tokens} prompt and {counted(cost.completion_tokens, 'completion token')}"
    )
    for doc_id, reason in report.failed.items():
        typer.echo(f"  failed: {doc_id}: {reason}", err=True)


def _file_name(title: str, taken: set[str]) -> str:
    base = re.sub(r"[^\w-]+", "-", title).strip("-").lower()[:NAME] or "card"
    name, n = f"{base}.md", 2
    while name in taken:
        name, n = f"{base}-{n}.md", n + 1
    taken.add(name)
    return name
