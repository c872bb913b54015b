"""`decoct audit`: what a folder of documents agrees on, and where it contradicts itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from decoct.cli import options, show

if TYPE_CHECKING:
    from decoct.data import Document


def run(
    folder: Annotated[Path, typer.Argument(help="A folder of documents, or one file of several (JSONL, CSV).")],
    question: Annotated[list[str], typer.Option("--question", help="What to compare; may be repeated.")],
    most: Annotated[
        int, typer.Option("--documents", help="At most this many documents a question, the most relevant.")
    ] = 12,
    json: options.JSONOption = False,
) -> None:
    """List agreements and conflicts across documents, without a library and without a language model."""
    from decoct.errors import CorpusError

    documents, failures = _read(folder)
    if not documents:
        raise CorpusError(f"there is no document that can be read in {folder}")
    results = [_audit(text, documents, most) for text in question]
    if json:
        # Facts, conflicts and gaps of all questions together stand beside them, as `ask` and `context` give them.
        together = {key: [item for result in results for item in result[key]] for key in ("facts", "conflicts", "gaps")}
        show.as_json({"documents": len(documents), "failures": failures, "questions": results, **together})
        return
    for text, result in zip(question, results, strict=True):
        typer.echo(text)
        show.casc(result)
        if not any(result[key] for key in ("facts", "conflicts", "gaps")):
            typer.echo("  nothing is said on it")
        typer.echo("")
    for failure in failures:
        typer.echo(f"not read: {failure}", err=True)


def _read(folder: Path) -> tuple[list[Document], list[str]]:
    from decoct.documents.base import Failure
    from decoct.documents.formats import parse
    from decoct.documents.sources import sources
    from decoct.errors import CorpusError

    if not folder.exists():
        raise CorpusError(f"there is no folder or file {folder}")
    documents: list[Document] = []
    failures: list[str] = []
    for source in sources([folder]):
        for item in (source,) if isinstance(source, Failure) else parse(source):
            if isinstance(item, Failure):
                failures.append(str(item))
            else:
                documents.append(item)
    return documents, failures


def _audit(question: str, documents: list[Document], most: int) -> dict[str, Any]:
    from decoct.context.casc.relevant import relevant
    from decoct.context.casc.sources import handed_over
    from decoct.context.casc.step import analyse
    from decoct.context.casc.synthesise import synthesise
    from decoct.data import Query

    chosen = relevant(Query(question).text, documents, most)
    made = synthesise(analyse(question, handed_over(chosen)))
    return {
        "question": question,
        "compared": [document.id for document in chosen],
        "facts": [fact.as_dict() for fact in made.facts],
        "conflicts": [conflict.as_dict() for conflict in made.conflicts],
        "gaps": [gap.text for gap in made.gaps],
    }
