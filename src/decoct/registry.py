"""One table of everything that a recipe can name: (stage, name) -> "module:Class", imported when it is first used.

Installed packages add rows by entry points of the group `decoct.<stage>` (for example `decoct.retrieve`), so a plugin is
named in a recipe like a part of our own, and stages by the group `decoct.stages` (`decoct.plugins`).
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Mapping
from functools import cache

from decoct import plugins
from decoct.errors import ConfigError, MissingExtraError

PROTOCOLS: Mapping[str, str] = {
    "chunk": "decoct.chunking.base:Chunker",
    "retrieve": "decoct.retrieve.base:Retriever",
    "score": "decoct.retrieve.base:Scorer",
    "reading": "decoct.reading.base:PassageReader",
    "context": "decoct.context.base:ContextStep",
    "extract": "decoct.context.casc.extractor:Extractor",
    "affinity": "decoct.context.base:Affinity",
    "fuse": "decoct.context.base:Fuser",
    "sentence-judge": "decoct.context.base:SentenceJudge",
    "read": "decoct.answer.base:Reader",
}
"""The stages whose parts nest in others, and what each promises: a field of that type takes a part of the stage."""
STAGES: Mapping[str, Mapping[str, str]] = {
    "chunk": {
        "fixed": "decoct.chunking.fixed:Fixed",
        "structure": "decoct.chunking.structure:Structure",
        "sentence": "decoct.chunking.sentence:SentencePacked",
        "recursive": "decoct.chunking.recursive:Recursive",
    },
    "retrieve": {
        "bm25": "decoct.retrieve.lexical:BM25",
        "dense": "decoct.retrieve.dense:Dense",
        "hybrid": "decoct.retrieve.fusion:Hybrid",
        "feedback": "decoct.retrieve.feedback:Feedback",
        "links": "decoct.retrieve.links:Links",
        "rerank": "decoct.retrieve.rerank:Rerank",
        "reread": "decoct.retrieve.reread:Reread",
        "distinct": "decoct.retrieve.distinct:Distinct",
        "exact": "decoct.retrieve.exact:Exact",
        "cards": "decoct.retrieve.cards.search:Cards",
    },
    "score": {
        "sentences": "decoct.retrieve.scorers:SentenceScorer",
        "hub": "decoct.retrieve.scorers:HubScorer",
        "reader": "decoct.retrieve.scorers:ReaderScorer",
    },
    "reading": {
        "small": "decoct.reading.small:SmallReader",
        "hub": "decoct.reading.hub:HubReader",
    },
    "context": {
        "stitch": "decoct.context.stitch:Stitch",
        "by-budget": "decoct.context.steps:ByBudget",
        "order": "decoct.context.steps:Order",
        "merge": "decoct.context.merge.step:Merge",
        "casc": "decoct.context.casc.step:Casc",
    },
    "extract": {
        "extract-reader": "decoct.context.casc.extract_reader:ByReader",
        "extract-rules": "decoct.context.casc.extract_rules:ByRules",
    },
    "affinity": {},
    "fuse": {
        "extract": "decoct.context.merge.fuse_extract:Extract",
    },
    "sentence-judge": {
        "features": "decoct.context.sentence_judge:ByFeatures",
        "reading": "decoct.context.sentence_judge:ByReading",
    },
    "layout": {
        "numbered": "decoct.context.layouts:Numbered",
        "plain": "decoct.context.layouts:Unnumbered",
        "sections": "decoct.context.casc.notes:Sections",
    },
    "store": {  # by the scheme of its addresses; "file" is also that of a location without one
        "file": "decoct.index.embedded.store:Embedded",
    },
    "read": {
        "short-answers": "decoct.answer.short_answers:ShortAnswers",
        "cited": "decoct.answer.cited:Cited",
        "casc": "decoct.answer.casc:CascReader",
    },
}


# Which extra brings a package that a part imports when it is loaded.
EXTRAS: Mapping[str, str] = {
    "openai": "openai",
    "tiktoken": "openai",
    "torch": "torch",
    "sentence_transformers": "torch",
    "transformers": "torch",
}


@cache
def names(stage: str) -> Mapping[str, str]:
    """What a recipe may name at `stage`: our own table and the plugins' entry points."""
    return {**{name: point.value for name, point in plugins.points(stage).items()}, **STAGES.get(stage, {})}


@cache
def protocols() -> Mapping[object, str]:
    """Each stage by what its parts promise: the classes of `PROTOCOLS` and those of plugins' stages."""
    added = {plugins.load("stages", stage): stage for stage in plugins.points("stages") if stage not in STAGES}
    return {**added, **{_attribute(where): stage for stage, where in PROTOCOLS.items()}}


def load(stage: str, name: str, path: str) -> type:
    """The class that `name` stands for; `path` is where the recipe names it, for the error."""
    known = names(stage)
    if name not in known:
        plugins.check_installed(stage, name, path)
        raise ConfigError(f"{path}: there is no {stage!r} part named {name!r}; {nearest(name, known)}")
    try:
        loaded = _attribute(known[name])
    except (ImportError, AttributeError) as error:
        package = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
        if name not in STAGES.get(stage, {}):
            plugins.check_extra(stage, name, package, f"{path}: {name!r}")
            raise ConfigError(f"{path}: the plugin {known[name]!r} cannot be loaded: {error}") from error
        if package in ("", "decoct"):
            raise
        if (extra := EXTRAS.get(package)) is not None:
            raise MissingExtraError(f"{path}: {name!r}", extra) from error
        raise ConfigError(f"{path}: {name!r} needs the package {error.name!r}, which is not installed") from error
    if not isinstance(loaded, type):
        raise ConfigError(f"{path}: the plugin {known[name]!r} is not a class")
    return loaded


def _attribute(where: str) -> object:
    module, _, attribute = where.partition(":")
    found: object = getattr(importlib.import_module(module), attribute)
    return found


def nearest(name: str, known: Iterable[str]) -> str:
    """Words that name the closest of the `known` names, or all of them."""
    choices = sorted(known)
    if not choices:
        return "there is none to choose from"
    close = difflib.get_close_matches(name, choices, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else "known: " + ", ".join(choices)
