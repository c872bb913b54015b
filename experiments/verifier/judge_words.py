"""How well the second reading tells which words of a statement answer, and that none do, on statements that nothing was trained on.

    python experiments/verifier/judge_words.py [FOLDER] [--model FOLDER] [--out FILE]

`words-kept/` holds documents with open questions by a writer who saw neither the code nor another set: half of them about statements with
several words of one kind, half beside statements that do not answer. Every value, name and piece between commas of the statement (of a row
every cell behind its head) is read. `first`: the share of answered questions whose likeliest words hold the answer, or stand in it;
`alike`: the same of statements without cells, of the words of the answer's kind alone (`words_alike`), as `ask` compares them; `area`: the
probability that the likeliest words of an answered question stand above those of one that is not.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from judge_yes_no import lines_of
from judging import area
from packed import bare, other_words
from setting import command_line, setting, write

from decoct.answer.asked_values import words_alike
from decoct.reading.base import StatementToRead, log_odds
from decoct.reading.verifier import BUNDLED, Verifier
from decoct.text.cells import cells_as_text, cells_of_row
from decoct.text.quotable import is_row, statements

HERE = Path(__file__).parent


def judged(folder: Path, reader: Verifier) -> dict[str, Any]:
    """Counts and shares."""
    documents = {one["id"]: one for one in lines_of(folder / "documents.jsonl.gz")}
    cut = {name: statements(one["text"], one["title"]) for name, one in documents.items()}
    first, alike, best = list[bool](), list[bool](), dict[bool, list[float]]({True: [], False: []})
    for question in lines_of(folder / "questions.jsonl.gz"):
        text = documents[question["document"]]["text"]
        at = text.index(question["evidence"])
        own = next((one for one in cut[question["document"]] if one.place[0] <= at < one.place[1]), None)
        if own is None:
            continue
        cells = cells_of_row(text, own.place) if is_row(text[slice(*own.place)]) else []
        said, places = cells_as_text(cells) if len(cells) > 1 else (text, other_words(text, *own.place))
        if not places:
            continue
        answer = next(iter(question["answers"]), "")
        stands, low = text.find(answer, at) if answer and len(cells) < 2 else -1, own.place[0]
        place = (stands - low, stands - low + len(answer))
        beside = words_alike(text[slice(*own.place)], place) if stands >= 0 else []
        asked = [*places, *((low + a, low + b) for a, b in ([*beside, place] if beside else []))]
        read = reader.read([StatementToRead(question["question"], said, *place, own.over) for place in asked])
        odds = [log_odds(one.answers) for one in read]
        most = max(range(len(places)), key=lambda n: odds[n])
        best[bool(answer)].append(odds[most])
        if answer:
            words = bare(said[slice(*places[most])])
            first.append(bare(answer) in words or words in bare(answer))
        if beside:
            alike.append(odds[-1] > max(odds[len(places) : -1]))
    told = [*best[True], *best[False]]
    return {
        "answered": len(best[True]),
        "first": round(float(np.mean(first)), 3),
        "of several alike": len(alike),
        "alike": round(float(np.mean(alike)), 3),
        "not answered": len(best[False]),
        "area": round(area(told, [1.0] * len(best[True]) + [0.0] * len(best[False])), 3),
    }


def main() -> None:
    """The command line."""
    parser = command_line(__doc__, out="verifier/words-kept.json")
    parser.add_argument("folder", type=Path, nargs="?", default=HERE / "words-kept")
    parser.add_argument("--model", type=Path, default=BUNDLED, help="the folder of another second reading")
    given = parser.parse_args()
    write(given.out, {**setting(), "questions": judged(given.folder, Verifier(given.model))}, show=True)


if __name__ == "__main__":
    main()
