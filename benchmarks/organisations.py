"""Questions over an organisation's documents, end to end: is what `ask` claims right?

    python benchmarks/organisations.py FOLDER [FOLDER …] [--recipe default] [--work DIR] [--rows FILE] [--out FILE]

A FOLDER holds `documents/` and `questions.jsonl` (benchmarks/organisations/README.md says who wrote them and which are kept back). A claim
(outcome "answer") is right if an acceptable answer stands in a sentence that it quotes from a document that holds the evidence; of a
question of yes or no, if the word is. `shown`: an acceptable answer stands in what is quoted at all; `shown in place`: or in what stands
around it, where one of the documents that are cited holds the evidence. 95 % intervals by Wilson.
"""

from __future__ import annotations

import itertools
import json
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from setting import command_line, setting, share, tell, write

from decoct import Answer, Library

Row = dict[str, Any]
_WHOLE = frozenset({"howto", "list"})  # kinds that are answered by sentences
_BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 1.01)


def bare(text: str) -> str:
    """Letters and digits in lower case, a space between words, so that 12 does not stand in 312."""
    return " " + " ".join(re.findall(r"\w+", text.lower().replace(",", ""))) + " "


def stands(answers: Sequence[str], text: str) -> bool:
    """Whether one of the acceptable answers stands in `text`."""
    return any(bare(answer) in bare(text) for answer in answers)


def says(answers: Sequence[str], words: str) -> bool:
    """Whether some words say an acceptable answer, or the part of it that was asked for."""
    return any(stands([answer], words) or stands([words], answer) for answer in answers if bare(words).strip())


def off_by(scores: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """How far told probabilities and shares right lie apart, over five bins of equal width, by how much stands in each."""
    bins = np.clip((scores * 5).astype(int), 0, 4)
    held = (bins == one for one in set(bins.tolist()))
    return float(sum(abs(scores[own].mean() - right[own].mean()) * own.mean() for own in held))


def judged(question: Row, answer: Answer, library: Library) -> Row:
    """One row: what was asked, how it ended, whether what was claimed and what was shown is right."""
    uris = {citation.source.doc_id: _uri(library, citation.source.doc_id) for citation in answer.citations}
    told = answer.text.partition("See also: ")[0]
    claimed = [one for one in answer.citations if one.start < len(told)]
    yes_no = question["kind"].startswith("yesno")
    right = False
    if answer.found and question["answers"]:
        if yes_no:
            right = bool(answer.answers) and answer.answers[0].text.lower().strip(".") == question["answers"][0]
        else:
            quoted = [one.source.quote for one in claimed if among(uris[one.source.doc_id], question["documents"])]
            right = any(stands(question["answers"], quote) for quote in quoted)
    evidence = [*question["answers"], *question.get("evidence", ())] if yes_no else question["answers"]
    held = [one for one in answer.citations if among(uris[one.source.doc_id], question["documents"])]
    shown = any(stands(evidence, one.source.quote) for one in held)
    return {
        **{key: question[key] for key in ("id", "group", "kind", "question", "answers")},
        "outcome": answer.outcome,
        "score": answer.answers[0].score if answer.answers else None,
        "claimed": [one.text for one in answer.answers],
        "text": answer.text,
        "right": right,
        "right in its words": right
        and (yes_no or question["kind"] in _WHOLE or says(question["answers"], answer.answers[0].text)),
        "shown": shown,
        "shown in place": shown or (bool(held) and stands(evidence, answer.text)),
    }


def _uri(library: Library, doc_id: str) -> str:
    return library.document(doc_id).source


def among(uri: str, documents: Sequence[str]) -> bool:
    return any(uri.endswith(name) or f"{name}#" in uri or f"{name}!" in uri for name in documents)


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """What acceptance asks for, of rows of one organisation or of several."""
    asked = [row for row in rows if row["answers"]]
    claims = [row for row in rows if row["outcome"] == "answer"]

    def of(kind: str) -> list[Row]:
        return [row for row in rows if row["kind"] == kind]

    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)  # each set numbers its own
    for row in rows:
        groups[row.get("organisation", ""), row["group"]].append(row)
    several = [group for group in groups.values() if len(group) > 1]
    bins = []
    for low, high in itertools.pairwise(_BINS):
        held = [row for row in claims if row["score"] is not None and low <= row["score"] < high]
        mean = sum(row["score"] for row in held) / len(held) if held else None
        bins.append({"from": low, "to": min(high, 1.0), "mean score": mean, **share([row["right"] for row in held])})
    error = sum(abs(one["share"] - one["mean score"]) * one["n"] for one in bins if one["n"])
    return {
        "precision": share([row["right"] for row in claims]),
        "right in its words": share([row.get("right in its words", False) for row in claims]),
        "rightly claimed of answerable": share([row["right"] for row in asked]),
        "shown": share([row["shown"] or row["right"] for row in asked]),
        "shown in place": share([row["shown in place"] or row["right"] for row in asked]),
        "not found, though there": share([row["outcome"] == "not-found" for row in asked]),
        "unanswerable claimed": share([row["outcome"] == "answer" for row in rows if not row["answers"]]),
        "false premise answered yes": share([row["claimed"][:1] in (["yes"], ["Yes"]) for row in of("yesno-false")]),
        "true premise confirmed": share([row["right"] for row in of("yesno-true")]),
        "groups that end alike": share([len({(r["outcome"], r["right"]) for r in group}) == 1 for group in several]),
        "rewordings claimed wrongly": share([_wrong(row) for group in several for row in group]),
        "groups that a wording turns from passages into a wrong answer": share([_turned(group) for group in several]),
        "calibration error": round(error / max(1, len(claims)), 3),
        "by score": bins,
        "by kind": {kind: _by_kind(of(kind)) for kind in sorted({row["kind"] for row in rows})},
        "risk and coverage": curve(rows),
    }


def _wrong(row: Row) -> bool:
    return row["outcome"] == "answer" and not row["right"]


def _turned(group: Sequence[Row]) -> bool:
    """Whether one wording of a need shows passages and another claims what is wrong."""
    return any(row["outcome"] == "passages" for row in group) and any(_wrong(row) for row in group)


def _by_kind(rows: Sequence[Row]) -> dict[str, int]:
    claims = [row for row in rows if row["outcome"] == "answer"]
    return {"n": len(rows), "claimed": len(claims), "right": sum(row["right"] for row in claims)}


def curve(rows: Sequence[Row]) -> list[dict[str, float]]:
    """Share claimed of all, and share right of these, for every tenth of the claims by falling score."""
    ranked = sorted((row for row in rows if row["score"] is not None), key=lambda row: -row["score"])
    points = []
    for tenth in range(1, 11):
        held = ranked[: max(1, len(ranked) * tenth // 10)]
        right = sum(row["right"] for row in held) / max(1, len(held))
        points.append({"claimed": round(len(held) / max(1, len(rows)), 3), "right": round(right, 3)})
    return points if ranked else []


def main() -> None:
    parser = command_line(__doc__, out="")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--work", type=Path, help="keeps the libraries here")
    parser.add_argument("--rows", type=Path, help="writes every question's row here")
    given = parser.parse_args()
    every: list[Row] = []
    result: dict[str, Any] = {"recipe": given.recipe, "organisations": {}}
    with tempfile.TemporaryDirectory() as scratch:
        for folder in given.folders:
            questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
            with Library.open((given.work or Path(scratch)) / folder.name) as library:
                if not library.status().documents:
                    library.add([folder / "documents"])
                rows, began = [], time.process_time()
                for number, question in enumerate(questions, 1):
                    answer = library.ask(question["question"], recipe=given.recipe)
                    rows.append({"organisation": folder.name, **judged(question, answer, library)})
                    tell(f"{folder.name}: {number} of {len(questions)}")
                seconds = (time.process_time() - began) / max(1, len(questions))
            result["organisations"][folder.name] = {**figures(rows), "CPU seconds a question": round(seconds, 3)}
            every += rows
    result["all"] = figures(every)
    if given.rows:
        given.rows.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in every), "utf-8")
    write(given.out, {**setting(), **result})


if __name__ == "__main__":
    main()
