"""What the reader makes of a kind of text that it was not trained on: short runs with each set left out once, beside one with all.

    python experiments/reader/leave_one_out.py OUT --data DATA --base FOLDER --silver FILE … [--sets nq-gold …] [--examples 9000]

Every run begins with the encoder, sees the same number of examples (the first of one order; those of the set that is left out are passed
over) and is judged on the same held-back documents of that set. The runs are shorter than the shipped reader's, so only what leaving a set
out costs may be taken from them, not their level. Finished runs are kept in OUT: one that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from setting import RESULTS, gained, setting, write

from decoct.evaluate.metrics.answers import token_f1
from decoct_lab.train.reader.example import ReaderExample
from decoct_lab.train.reader.fit import FitSettings, fit
from decoct_lab.train.reader.measure import Judged, figures, judged
from decoct_lab.train.reader.model import ReaderNetwork, load_weights, network
from decoct_lab.train.reader.run import ReaderRun, examples

SETS = ("nq-gold", "hotpotqa", "2wikimultihopqa", "musique", "covidqa", "clapnq", "pubmedqa")
ALL = "all"
RATE = 1.2e-4
COMMAND = "python experiments/reader/leave_one_out.py OUT --data DATA --base FOLDER --silver FILE …"


def trained(base: Path, out: Path, train: Sequence[ReaderExample]) -> ReaderNetwork:
    """The network after one pass over `train`; taken from `out` where that is done."""
    settings = FitSettings(str(base), out, epochs=1.0, rate=RATE)
    if not (out / "figures.json").is_file():
        fit(settings, train, lambda _: {}, resume=(out / "progress.pt").is_file())
    model = network(str(base))
    load_weights(model, out / "weights.pt")
    model.eval()
    return model


def spans(rows: Sequence[Judged]) -> list[float]:
    """Token F1 of the best span of each example that has one."""
    return [token_f1(row.span, row.example.aliases) for row in rows if row.example.spans and row.example.aliases]


def compared(with_it: Sequence[Judged], without: Sequence[Judged], name: str) -> dict[str, Any]:
    """The figures of both readers on the set `name`, and what leaving it out costs in spans."""
    have, lack = spans(with_it), spans(without)
    row: dict[str, Any] = {"trained on": figures(with_it)[name], "left out": figures(without)[name]}
    if have:
        row["f1 lost"] = gained(have, lack)
    return row


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--silver", type=Path, nargs="*", default=())
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--examples", type=int, default=9000)
    parser.add_argument("--result", type=Path, default=RESULTS / "reader/left-out.json")
    given = parser.parse_args()
    train, dev = examples(ReaderRun(given.out, str(given.base), given.data, silver=given.silver), fresh=False)
    held_back = {name: [one for one in dev if one.origin == name] for name in given.sets}
    longest = FitSettings(str(given.base), given.out).longest

    def read_by(name: str) -> ReaderNetwork:
        return trained(given.base, given.out / name, [one for one in train if one.origin != name][: given.examples])

    everything = read_by(ALL)
    found: dict[str, Any] = {}
    for name in given.sets:
        with_it = judged(everything, given.base, held_back[name], longest)
        found[name] = compared(with_it, judged(read_by(name), given.base, held_back[name], longest), name)
        print(json.dumps({name: found[name]}), flush=True)
        record = {**setting(), "command": COMMAND, "examples": given.examples, "rate": RATE, "sets": found}
        write(given.result, record, show=False)


if __name__ == "__main__":
    main()
