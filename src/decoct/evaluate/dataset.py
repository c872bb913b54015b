"""What an evaluation is run on: questions with their gold labels, and the documents they are asked of.

Gold labels (answers, supporting passages, gold spans, wrong answers) live in this folder only. The engine is handed `Question.question` and
`Question.where`, and the documents; everything else is for the metrics.

`load` is the one entrance: a data set's name (a row of `datasets/catalogue.toml`), a questions file of the user's own, or a folder
in the BEIR or Decoct layout. Bad input is an `EvaluationError` that names file and line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from decoct.data import Document, Span
from decoct.errors import EvaluationError
from decoct.plugins import check_installed
from decoct.registry import nearest

PLACES = ("data", "../shared/data")
"""Where data sets are looked for by name, from the working directory, before a hub is asked: one's own, and the project's, beside it."""

GoldUnit: TypeAlias = Literal["sentence", "passage", "document", "none"]
Options: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its gold labels.

    `answers` are accepted strings, any of which is right. `answer_groups`, where a set has them, says more: strings of one group are
    aliases, and every group is wanted. `supporting_ids` are the passages that support the answer, `supporting` the characters of them
    that do (empty: not known). `candidate_ids` are the passages the source gives with the question; `where` limits retrieval as the
    setting asks. `extra` holds the set's further labels under their own names; `origin` is the file and line.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    supporting_ids: tuple[str, ...] = ()
    supporting: tuple[Span, ...] = ()
    type: str = ""
    candidate_ids: tuple[str, ...] = ()
    answer_groups: tuple[tuple[str, ...], ...] = ()
    wrong_answers: tuple[str, ...] = ()
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)
    origin: str = field(default="", compare=False)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """`answer_groups`, or all answers as one group of aliases; empty without answers."""
        return self.answer_groups or ((self.answers,) if self.answers else ())


@dataclass(frozen=True, slots=True)
class Hub:
    """Where a set lies on the Hugging Face hub.

    `files` are the patterns of the official files in it; a repository that holds tables only is read as rows of `split` of `config`.
    """

    repository: str
    files: tuple[str, ...] = ()
    config: str = ""
    split: str = ""
    revision: str = "main"


@dataclass(frozen=True, slots=True)
class Spec:
    """What a data set is and how it is meant to be used.

    `gold` is the finest unit of evidence that (nearly) every question has; `metrics` the measures that mean something here, first the
    one to look at; `options` the settings and their values, the default first; `ungraded` the question types that have no gold on
    purpose (unanswerable questions, questions about a whole meeting); `gold_is_partial` says that other questions may lack gold
    documents too (they are counted); `retrieval_only` that there are no answers.
    """

    name: str
    title: str
    source: str
    licence: str
    notes: str
    gold: GoldUnit
    metrics: tuple[str, ...]
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ungraded: tuple[str, ...] = ()
    gold_is_partial: bool = False
    retrieval_only: bool = False
    hub: Hub | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """A loaded set: its spec, the settings it was loaded with, its questions, and its documents as often as they are wanted.

    `lengths` gives the characters of every document that `read` yields, by id (empty for questions about a library that is not at
    hand). `excluded` counts what was left out or could not be used, by reason; `remarks` names the cases.
    """

    spec: Spec
    options: Options
    questions: tuple[Question, ...]
    read: Callable[[], Iterator[Document]] = field(repr=False, compare=False)
    lengths: Mapping[str, int] = field(default_factory=dict, repr=False)
    excluded: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[str, ...] = field(default=(), repr=False)

    def documents(self) -> Iterator[Document]:
        """The documents, read anew from the source, in its order. They carry no gold label."""
        return self.read()

    def gold(self, question: Question, unit: GoldUnit | None = None) -> tuple[Span, ...]:
        """The gold spans of `question` in `unit` (default: the spec's); empty where they are not known in that unit.

        `sentence` gives `question.supporting`; `passage` and `document` the whole of each supporting document.
        """
        match unit or self.spec.gold:
            case "sentence":
                return question.supporting
            case "none":
                return ()
            case _:
                return tuple(Span(i, 0, self.lengths[i]) for i in question.supporting_ids if i in self.lengths)


def load(name: str | Path, data: str | Path | None = None, options: Options | None = None) -> Dataset:
    """Load a data set.

    `name` is a known set ("hotpotqa"; `decoct.evaluate.datasets.NAMES` lists them), the path of a questions file (the user's own or
    FlashRAG's) or of a folder (BEIR, FlashRAG or Decoct layout, or named as a known set). `data` is the folder that holds the known set,
    or a folder of several by name, or one file of a release. Without it the set is taken from `PLACES`, else fetched from its hub.
    `options` are settings of the set's SPEC.

    Raises `EvaluationError` for an unknown name or option, and for bad input with its file and line.
    """
    from decoct.evaluate.datasets import NAMES, module, sniff

    path = Path(name)
    if str(name) in NAMES:
        loader = module(str(name))
        chosen = choose(loader.SPEC, options or {})
        return loader.load(_folder(loader.SPEC, data), chosen)
    if not path.exists():
        check_installed("datasets", str(name), "data set")
        raise EvaluationError(f"no data set and no file is called {str(name)!r}; {nearest(str(name), NAMES)}")
    loader = sniff(path)
    return loader.load(path, choose(loader.SPEC, options or {}))


def _folder(spec: Spec, data: str | Path | None) -> Path:
    if data is None:
        for place in PLACES:
            if (Path(place) / spec.name).is_dir():
                return Path(place) / spec.name
        if spec.hub is None:
            raise EvaluationError(f"{spec.name} is on no hub; give its folder with --data (source: {spec.source})")
        from decoct.evaluate.datasets.hub import fetch

        return fetch(spec.name, spec.hub)
    folder = Path(data)
    if folder.is_file():  # a release's own file is read as such; a file of a layout stands for its folder
        layout = folder.name.removesuffix(".gz") in ("corpus.jsonl", "questions.jsonl", "queries.jsonl")
        return folder.parent if layout else folder
    inner = folder / spec.name
    folder = inner if inner.is_dir() else folder
    if not folder.is_dir():
        raise EvaluationError(f"there is no {folder}; --data takes the folder of {spec.name} (source: {spec.source})")
    return folder


def choose(spec: Spec, given: Options) -> dict[str, str]:
    """The options of `spec`, those of `given` over the defaults; an unknown name or value is an `EvaluationError`."""
    chosen = {name: values[0] for name, values in spec.options.items()}
    for name, value in given.items():
        if name not in spec.options:
            advice = nearest(name, spec.options) if spec.options else "it has none"
            raise EvaluationError(f"{spec.name} has no option {name!r}; {advice}")
        if value not in spec.options[name]:
            raise EvaluationError(f"{spec.name}: {name} is one of {', '.join(spec.options[name])}, not {value!r}")
        chosen[name] = value
    return chosen
