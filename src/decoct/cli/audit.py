"""`decoct audit`: what a folder of documents agrees on, and where it contradicts itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from decoct.cli import options, show

if TYPE_CHECKING:
    from decoct.context.casc.extractor import Extractor
    from decoct.context.casc.resolve import Rule
    from decoct.context.casc.synthesise import Synthesis
    from decoct.data import Document

_SHOWN = 2  # sentences that are shown where no value was found


def run(
    folder: Annotated[Path, typer.Argument(help="A folder of documents, or one file of several (JSONL, CSV).")],
    question: Annotated[list[str], typer.Option("--question", help="What to compare; may be repeated.")],
    recipe: Annotated[
        str,
        typer.Option(
            "--recipe", help="A recipe with a CASC step: casc, casc-rules, casc-llm, casc-model or a .toml file."
        ),
    ] = "casc",
    llm: options.LLMOption = None,
    most: Annotated[
        int, typer.Option("--documents", min=1, help="At most this many documents a question, the most relevant.")
    ] = 12,
    json: options.JSONOption = False,
) -> None:
    """List agreements and conflicts across documents, without a library.

    The bundled reader reads; with --recipe casc-llm or casc-model a language model does (--llm). Of a document what counts is what the
    bundled reader answers from it alone. At the end: what to do, and which documents are older editions of others.
    """
    from decoct.context.casc.advice import advised, superseded
    from decoct.context.casc.sources import handed_over
    from decoct.errors import CorpusError
    from decoct.visible import visible_line

    extractor, policy = _reading(recipe, llm or options.settings().llm)
    documents, failures = _read(folder)
    if not documents:
        raise CorpusError(f"there is no document that can be read in {folder}")
    audited = [_audit(text, documents, most, extractor, policy) for text in question]
    results = [_as_dict(text, chosen, made) for text, chosen, made in audited]
    todo = advised([(text, made.conflicts) for text, _, made in audited])
    older = superseded(handed_over(documents))
    if json:
        # Facts, conflicts and gaps of all questions together stand beside them, as `ask` and `context` give them.
        together = {key: [item for result in results for item in result[key]] for key in ("facts", "conflicts", "gaps")}
        told = {"todo": [one.as_dict() for one in todo], "superseded": [{"older": a, "newer": b} for a, b in older]}
        show.as_json({"documents": len(documents), "failures": failures, "questions": results, **together, **told})
        return
    for text, result in zip(question, results, strict=True):
        typer.echo(text)
        show.casc(result)
        if not any(result[key] for key in ("facts", "conflicts", "gaps")):
            typer.echo("  nothing is said on it")
        typer.echo("")
    for advice in todo:
        typer.echo(f"to do: {visible_line(advice.do)} ({len(advice.questions)} of {len(question)} questions)")
    for old, new in older:
        typer.echo(f"older edition: {visible_line(old)} (newer: {visible_line(new)})")
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


def _reading(recipe: str, llm: str | None) -> tuple[Extractor, tuple[Rule, ...]]:
    """What the CASC step of a recipe reads with, and the order of its rules."""
    from decoct.answer.one_thing import ClaimedTwice
    from decoct.config import Resources, StageSpec
    from decoct.context.casc.extract_rules import ByRules
    from decoct.context.casc.resolve import POLICY
    from decoct.context.casc.step import Casc
    from decoct.errors import ConfigError
    from decoct.llm.resolve import open_llm
    from decoct.recipe import load_recipe

    step = next((spec for spec in load_recipe(recipe).context if spec.cls is Casc), None)
    if step is None:
        raise ConfigError(f"--recipe {recipe!r} has no CASC step; take casc, casc-rules, casc-llm or casc-model")
    policy: tuple[Rule, ...] = tuple(step.settings.get("policy", POLICY))
    inner = step.children.get("extract")
    if not isinstance(inner, StageSpec):
        return ByRules(), policy
    asked = open_llm(llm, options.settings().models) if llm is not None and inner.needs("llm") else None
    extractor: Extractor = inner.build(Resources(llm=asked))
    # Rules need no model: neither does an audit by them.
    return extractor if isinstance(extractor, ByRules) else ClaimedTwice(extractor), policy


def _audit(
    question: str, documents: list[Document], most: int, extractor: Extractor, policy: tuple[Rule, ...]
) -> tuple[str, list[Document], Synthesis]:
    """The question, the documents that were compared, and what they come to."""
    from decoct.answer.one_thing import ClaimedTwice, by_thing
    from decoct.context.casc.check import check
    from decoct.context.casc.focus import focuses
    from decoct.context.casc.sources import handed_over, relevant
    from decoct.context.casc.step import background
    from decoct.context.casc.synthesise import synthesise
    from decoct.data import Query
    from decoct.reading.verifier import Verifier

    chosen = relevant(Query(question).text, documents, most)
    sources, parts = handed_over(chosen), focuses(question)
    found = extractor.extract(question, sources, parts)
    second = Verifier() if isinstance(extractor, ClaimedTwice) else None
    findings = by_thing(check(question, sources, parts, found.claims, policy), parts, policy, second)
    return question, chosen, synthesise(findings, () if findings.clusters else background(found.sentences, _SHOWN))


def _as_dict(question: str, chosen: list[Document], made: Synthesis) -> dict[str, Any]:
    return {
        "question": question,
        "compared": [document.id for document in chosen],
        "facts": [{**fact.as_dict(), "why": fact.why} for fact in made.facts],
        "conflicts": [conflict.as_dict() for conflict in made.conflicts],
        "gaps": [gap.text for gap in made.gaps],
    }
