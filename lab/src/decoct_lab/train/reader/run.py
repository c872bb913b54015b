"""`decoct train reader` from end to end: collect, train, judge, calibrate, export; each step's result lies in the run's folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from decoct.errors import ConfigError
from decoct.registry import nearest
from decoct_lab.train.lora import train_modules
from decoct_lab.train.reader.example import ReaderExample, read, write
from decoct_lab.train.reader.sources import SETS


@dataclass(frozen=True, slots=True)
class ReaderRun:
    """What to train on and how; see the command's help for each."""

    out: Path
    base: str
    data: Path
    squad: Mapping[str, Path] = field(default_factory=dict)
    boolq: Mapping[str, Path] = field(default_factory=dict)
    headings: Mapping[str, Path] = field(default_factory=dict)
    silver: Sequence[Path] = ()
    without: Sequence[str] = ()
    epochs: float = 2.0
    rate: float = 1.2e-4
    start: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.without:
            if name not in SETS:
                raise ConfigError(f"--without {name!r}: there is no such public set; {nearest(name, SETS)}")


def train_reader(run: ReaderRun, *, resume: bool = False, say: Callable[[str], None] = print) -> dict[str, Any]:
    """Train as asked; return counts, figures by set and the model's folder. `ConfigError` for bad input, `MissingExtraError` for torch."""
    train_modules("torch", "transformers", "onnx")
    from decoct_lab.train.reader.calibrate import calibrations
    from decoct_lab.train.reader.export import export
    from decoct_lab.train.reader.fit import FitSettings, fit
    from decoct_lab.train.reader.measure import figures, judged
    from decoct_lab.train.reader.model import ReaderNetwork

    base = _base_folder(run.base)
    train, dev = examples(run, fresh=not resume)
    settings = FitSettings(str(base), run.out, epochs=run.epochs, rate=run.rate, start=run.start, seed=run.seed)
    record: dict[str, Any] = {"train": len(train), "dev": len(dev), "model": str(run.out / "model")}

    def judge(model: ReaderNetwork) -> dict[str, Any]:
        rows = judged(model, base, dev, settings.longest)
        export(model, base, calibrations(rows), run.out / "model")
        return figures(rows)

    fit(settings, train, judge, resume=resume, say=say)
    record["figures"] = json.loads((run.out / "figures.json").read_text())
    return record


def examples(run: ReaderRun, *, fresh: bool) -> tuple[list[ReaderExample], list[ReaderExample]]:
    """The examples of the run, made anew or, where a run goes on, as they were."""
    from decoct_lab.train.reader.collect import Sources, collect

    files = {side: run.out / f"{side}.jsonl" for side in ("train", "dev")}
    if fresh or not all(file.is_file() for file in files.values()):
        sets = tuple(name for name in SETS if name not in run.without)
        sides = collect(Sources(run.data, sets, run.squad, run.boolq, run.headings, run.silver, seed=run.seed))
        run.out.mkdir(parents=True, exist_ok=True)
        write(sides["train"], files["train"])
        write(sides["dev"], files["dev"])
    return list(read(files["train"])), list(read(files["dev"]))


def _base_folder(base: str) -> Path:
    """`base` itself where it is a folder, else the hub's copy of it."""
    if Path(base).is_dir():
        return Path(base)
    (hub,) = train_modules("huggingface_hub")
    return Path(hub.snapshot_download(base, allow_patterns=["*.json", "*.safetensors", "*.txt"]))
