"""How well the shipped second reading tells yes from no, on statements that nothing was trained or tuned on.

    python experiments/verifier/judge_yes_no.py [FOLDER …] [--model FOLDER] [--out FILE]

`judged/`, which is judged where no FOLDER is named, holds documents with questions of yes or no by two writers who saw neither the code
nor another set: of each statement three that it affirms, three that it denies, two that it leaves open; of each kind one nearly in its
words. Told by the share of the question's words that stand in the statement or over it. `area` is the probability that an affirmed one
leans further to yes than a denied one; `right`: the share whose leaning has the right sign; `open`: the area of decided over open ones by
how likely the statement answers.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from judging import area
from setting import command_line, setting, write

from decoct.reading.base import StatementToRead, log_odds
from decoct.reading.verifier import BUNDLED, Verifier
from decoct.text.quotable import statements
from decoct.text.words import content_stems

HERE = Path(__file__).parent
SHARES = {
    "all": (0.0, 2.0),
    "in its words": (0.8, 2.0),
    "in some of its words": (0.5, 0.8),
    "in other words": (0.0, 0.5),
}


def rows_of(folder: Path, reader: Verifier) -> list[dict[str, Any]]:
    """Each question with its words' share, and what the second reading says of its statement."""
    documents = {one["id"]: one for one in lines_of(folder / "documents.jsonl.gz")}
    cut = {name: statements(one["text"], one["title"]) for name, one in documents.items()}
    asked, told = [], list[dict[str, Any]]()
    for question in lines_of(folder / "questions.jsonl.gz"):
        text = documents[question["document"]]["text"]
        start = text.index(question["evidence"])
        end = start + len(question["evidence"])
        found = next((one for one in cut[question["document"]] if one.place[0] < end and start < one.place[1]), None)
        if found is None:
            continue
        words, said = content_stems(question["question"]), content_stems(f"{found.over} {text[slice(*found.place)]}")
        asked.append(StatementToRead(question["question"], text, *found.place, found.over))
        told.append({"kind": question["kind"].split("-")[1], "share": len(words & said) / max(1, len(words))})
    for one, reading in zip(told, reader.read(asked), strict=True):
        one["leaning"], one["answers"] = log_odds(reading.yes) - log_odds(reading.no), reading.answers
    return told


def judged(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts and areas."""
    decided = [one for one in rows if one["kind"] != "neither"]
    leaning = np.array([one["leaning"] for one in decided])
    yes = np.array([one["kind"] == "yes" for one in decided])
    return {
        "n": len(decided),
        "open questions": len(rows) - len(decided),
        "area": round(area(leaning.tolist(), yes.astype(float).tolist()), 3),
        "right": round(float(np.mean((leaning > 0) == yes)), 3),
        "open": round(area([one["answers"] for one in rows], [float(one["kind"] != "neither") for one in rows]), 3),
    }


def lines_of(file: Path) -> Iterator[dict[str, Any]]:
    """The records of a compressed file."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def main() -> None:
    """The command line."""
    parser = command_line(__doc__, out="verifier/yes-no-judged.json")
    parser.add_argument("folders", type=Path, nargs="*", default=sorted((HERE / "judged").iterdir()))
    parser.add_argument("--model", type=Path, default=BUNDLED, help="the folder of another second reading")
    given = parser.parse_args()
    reader = Verifier(given.model)
    rows = [row for folder in given.folders for row in rows_of(folder, reader)]
    told = {name: judged([row for row in rows if low <= row["share"] < high]) for name, (low, high) in SHARES.items()}
    write(given.out, {**setting(), "questions": told}, show=True)


if __name__ == "__main__":
    main()
