"""`decoct chat`: questions one after another, each understood with those before it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from decoct.cli import options, show
from decoct.errors import DecoctError
from decoct.visible import visible_line

if TYPE_CHECKING:
    from decoct.data import Answer
    from decoct.library import Library

_NEW, _END = "/new", "/quit"
_COMMANDS = f"A line is a question; {_NEW} begins anew, {_END} ends."


def run(
    library: options.LibraryOption = None,
    recipe: options.RecipeOption = None,
    budget: options.BudgetOption = None,
    llm: options.LLMOption = None,
    filter_: options.FilterOption = None,
    caution: options.CautionOption = None,
) -> None:
    """Ask the library in a conversation: "Who was Clifford Durr?", then "And who was his wife?".

    A line is a question. What it was taken to mean is told where that is not what it says. /new forgets what was said before, /quit or the
    end of the input ends; Ctrl-C ends an answer, and at an empty line the conversation.
    """
    mine = options.settings()
    before: list[Answer] = []
    with options.open_library(library, llm or mine.llm) as opened:
        where = options.filters(filter_, opened)
        if sys.stdin.isatty():
            typer.echo(
                f"{opened.status().documents} documents. {_COMMANDS}",
                err=True,
            )
        while (question := _line()) != _END:
            if question == _NEW:
                before.clear()
            elif question.startswith("/"):
                typer.echo(_COMMANDS, err=True)
            if not question or question.startswith("/"):
                continue
            said: list[str] = []
            try:
                answer = opened.ask(
                    question,
                    mine.budget if budget is None else budget,
                    recipe or mine.recipe,
                    where=where,
                    sink=_writing(said) if opened.llm is not None and sys.stdin.isatty() else None,
                    caution=caution,
                    history=before,
                )
            except (DecoctError, KeyboardInterrupt) as error:
                if not sys.stdin.isatty():
                    raise
                typer.echo(f"decoct: {visible_line(str(error))}" if isinstance(error, DecoctError) else "", err=True)
                continue
            before.append(answer)
            _tell(question, answer, opened, written=bool(said))


def _writing(said: list[str]) -> Callable[[str], None]:
    """Shows an answer's pieces as a model writes them, and keeps them in `said`."""

    def write(piece: str) -> None:
        said.append(piece)
        typer.echo(piece, nl=False)

    return write


def _line() -> str:
    """The next question; `_END` at the end of the input, or where it is interrupted."""
    if sys.stdin.isatty():
        typer.echo("> ", nl=False, err=True)
    try:
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        typer.echo("", err=True)
        return _END
    return line.strip() if line else _END


def _tell(question: str, answer: Answer, opened: Library, *, written: bool) -> None:
    if written:
        typer.echo("")
    if answer.context.question != question:
        typer.echo(f"({visible_line(answer.context.question)})")
    show.answer(answer, opened.document, written=written)
    typer.echo("")
