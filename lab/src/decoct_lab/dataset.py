"""What an evaluation is run on: `load` is the one entrance to data sets.

It takes the name of a set (a row of a catalogue), a questions file of the user's own, or a folder in the BEIR or Decoct layout. Bad
input is an `EvaluationError` that names file and line.
"""

from __future__ import annotations

from pathlib import Path

from decoct.errors import EvaluationError
from decoct.evaluate.dataset_types import Dataset, GoldUnit, Options, Question, Spec
from decoct.plugins import check_installed
from decoct.registry import nearest
from decoct_lab.datasets.catalogue import CatalogueEntry, Hub
from decoct_lab.datasets.sets import NAMES, module, sniff

__all__ = ["PLACES", "Dataset", "GoldUnit", "Hub", "Options", "Question", "Spec", "choose", "load"]

PLACES = ("data", "../shared/data", "benchmarks/conflict-sets")
"""Where data sets are looked for by name, from the working directory, before a hub is asked: one's own, the project's beside it, and those
that lie in a clone of the project."""


def load(name: str | Path, data: str | Path | None = None, options: Options | None = None) -> Dataset:
    """Load a data set.

    `name` is a known set ("hotpotqa"; `decoct.evaluate.datasets.NAMES` lists them), the path of a questions file (the user's own or
    FlashRAG's) or of a folder (BEIR, FlashRAG or Decoct layout, or named as a known set). `data` is the folder that holds the known set,
    or a folder of several by name, or one file of a release. Without it the set is taken from `PLACES`, else fetched from its hub.
    `options` are settings of the set's SPEC.

    Raises `EvaluationError` for an unknown name or option, and for bad input with its file and line.
    """
    path = Path(name)
    if str(name) in NAMES:
        loader = module(str(name))
        chosen = choose(loader.SPEC, options or {})
        return loader.load(_folder(loader, data), chosen)
    if not path.exists():
        check_installed("datasets", str(name), "data set")
        raise EvaluationError(f"no data set and no file is called {str(name)!r}; {nearest(str(name), NAMES)}")
    loader = sniff(path)
    return loader.load(path, choose(loader.SPEC, options or {}))


def _folder(entry: CatalogueEntry, data: str | Path | None) -> Path:
    spec = entry.spec
    if data is None:
        for place in PLACES:
            if (Path(place) / spec.name).is_dir():
                return Path(place) / spec.name
        return entry.fetch()
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
