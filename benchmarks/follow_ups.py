"""Questions that go on with a conversation: are they answered about what was meant?

    python benchmarks/follow_ups.py [--work FOLDER] [--rows FILE] [--out FILE]

Sets of conversations (benchmarks/follow-ups/README.md): over examples/documents, on which the rules were developed; over
benchmarks/organisations/dev-harbour, written before them and not looked at for them; and three by one who saw documents alone, which are
reported only. The last turn counts. It is right if an acceptable
answer stands in the answer's text; of what asks nothing, refers to nobody or has no answer in the documents, if nothing is claimed.
A wrong claim has the outcome "answer" and no acceptable answer in its text. `alone`: the last turn asked without the turns before it.
`meant`: the question in full, the most that understanding it can bring. 95 % intervals by Wilson.
With --rows a run goes on where it was.
"""

from __future__ import annotations

import json
import tempfile
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from organisations import stands
from setting import HERE, command_line, setting, share, tell, write

from decoct import Answer, Library

Row = dict[str, Any]
SETS = {
    "wikipedia": HERE.parent / "examples" / "documents",
    "harbour": HERE / "organisations" / "dev-harbour" / "documents",
    "blind-programs": HERE / "organisations" / "kept-programs" / "documents",
    "blind-university": HERE / "organisations" / "kept-university" / "documents",
    "blind-encyclopaedia": HERE.parent / "examples" / "documents",
}
WAYS = ("followed", "alone", "meant")


def judged(answers: Sequence[str], answer: Answer) -> Row:
    """How one answer ended."""
    holds = stands(answers, answer.text)
    claimed = answer.outcome == "answer"
    return {
        "asked": answer.context.question,
        "outcome": answer.outcome,
        "text": answer.text[:400],
        "right": holds if answers else not claimed,
        "rightly claimed": claimed and holds,
        "wrongly claimed": claimed and not holds,
    }


def conversed(library: Library, case: Row) -> Row:
    """The rows of one conversation, a way each."""
    history: list[dict[str, str]] = []
    *before, last = case["turns"]
    for question in before:
        answer = library.ask(question, history=history)
        history += [{"role": "user", "content": question}, {"role": "assistant", "content": answer.text}]
    return {
        **case,
        "followed": judged(case["answers"], library.ask(last, history=history)),
        "alone": judged(case["answers"], library.ask(last)),
        "meant": judged(case["answers"], library.ask(case["meant"])) if case["meant"] else None,
    }


def figures(rows: Sequence[Row]) -> Row:
    """Shares of the last turns, a way each."""
    found: Row = {}
    for way in WAYS:
        held = [row[way] for row in rows if row[way] is not None]
        asked = [row[way] for row in rows if row[way] is not None and row["answers"]]
        found[way] = {
            "right": share([one["right"] for one in held]),
            "rightly claimed of answerable": share([one["rightly claimed"] for one in asked]),
            "wrongly claimed": share([one["wrongly claimed"] for one in held]),
        }
    return found


def main() -> None:
    parser: ArgumentParser = command_line(__doc__, out="")
    parser.add_argument("--work", type=Path, help="keeps the libraries here")
    parser.add_argument(
        "--rows", type=Path, help="writes every conversation's row here, and goes on with those that are there"
    )
    parser.add_argument("--sets", default=",".join(SETS))
    given = parser.parse_args()
    done = {}
    if given.rows and given.rows.exists():
        kept = map(json.loads, given.rows.read_text("utf-8").splitlines())
        done = {(row["set"], *row["turns"]): row for row in kept}
    result: Row = {"tuned on": "wikipedia", "sets": {}}
    with tempfile.TemporaryDirectory() as scratch:
        for name in given.sets.split(","):
            cases = [
                json.loads(line) for line in (HERE / "follow-ups" / f"{name}.jsonl").read_text("utf-8").splitlines()
            ]
            with Library.open((given.work or Path(scratch)) / name) as library:
                if not library.status().documents:
                    library.add([SETS[name]])
                rows = []
                for number, case in enumerate(cases, 1):
                    row = done.get((name, *case["turns"])) or {"set": name, **conversed(library, case)}
                    rows.append(row)
                    if given.rows and (name, *case["turns"]) not in done:
                        with given.rows.open("a", encoding="utf-8") as file:
                            file.write(json.dumps(row, ensure_ascii=False) + "\n")
                    tell(f"{name}: {number} of {len(cases)}")
            kinds = {
                kind: figures([row for row in rows if row["kind"] == kind])
                for kind in dict.fromkeys(case["kind"] for case in cases)
            }
            result["sets"][name] = {**figures(rows), "by kind": kinds}
    write(given.out, {**setting(), **result})


if __name__ == "__main__":
    main()
