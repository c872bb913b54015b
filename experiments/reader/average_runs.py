"""Make one reader of several runs: the mean of their weights, calibrated on held-back examples and exported.

    python experiments/reader/average_runs.py MODEL RUN/weights.pt RUN/weights.pt … --base FOLDER --dev RUN/dev.jsonl

Runs that go on from one another (`decoct train reader --start`) lie close together, and the mean of their weights reads new text better
than most of them (Wortsman et al., ICML 2022, "Model soups"). FOLDER is the encoder that the runs began with.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch

from decoct_lab.train.reader.calibrate import calibrations
from decoct_lab.train.reader.example import read
from decoct_lab.train.reader.export import export
from decoct_lab.train.reader.fit import FitSettings
from decoct_lab.train.reader.measure import figures, judged
from decoct_lab.train.reader.model import network


def mean_of(files: list[Path]) -> dict[str, torch.Tensor]:
    """The mean of each number over the files; numbers that are no fractions as the first file has them."""
    found = [torch.load(file, map_location="cpu", weights_only=True) for file in files]
    return {
        name: torch.stack([one[name].float() for one in found]).mean(0).to(first.dtype)
        if first.is_floating_point()
        else first
        for name, first in found[0].items()
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("weights", type=Path, nargs="+")
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    given = parser.parse_args()
    model = network(str(given.base))
    model.load_state_dict(mean_of(given.weights))
    model.eval()
    longest = FitSettings(str(given.base), given.out).longest
    rows = judged(model, given.base, list(read(given.dev)), longest)
    given.out.mkdir(parents=True, exist_ok=True)
    export(model, given.base, calibrations(rows), given.out)
    (given.out / "figures.json").write_text(json.dumps(figures(rows), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
