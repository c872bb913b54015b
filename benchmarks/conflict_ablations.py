"""What each part of CASC's check and resolution is worth: the development cases with one part at a time switched off.

    python benchmarks/conflict_ablations.py --data DATA [--readings kept.pkl] --out benchmarks/results/conflict-ablations.json

Sets: everyday-conflicts and the written development cases (true sides, ended as expected, falsely agreed, a wrong side preferred:
`everyday_conflicts.py`), scidocs-conflicts and generated worlds (F1 of the pairs of documents named, ended as expected). A part is switched
off by putting in its place what says nothing. The readings are the same in every row.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from conflict_cases import Case, cases
from conflict_scores import pairs
from everyday_conflicts import documents, judged
from fit_conflicts import Kept
from setting import HERE, command_line, setting, write

from decoct.context.casc.check import check
from decoct.context.casc.claims import Findings
from decoct.context.casc.extract_reader import read_claims
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.context.casc.synthesise import Synthesis, synthesise
from decoct.context.casc.weighing import thresholds
from decoct.data import Document
from decoct_lab.measures.conflict_detection import Detection, conflict_detection
from decoct_lab.measures.values import mentioned

CASC = "decoct.context.casc"
NEVER: Callable[..., bool] = lambda *_, **__: False  # noqa: E731 - what stands in a part's place
PARTS: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "nothing": {},
    "values that their own sentence withdraws": {
        f"{CASC}.extract_reader.status_of": lambda *_: "stated",
        f"{CASC}.resolve.status_of": lambda *_: "stated",
    },
    "conditions": {f"{CASC}.check.said_otherwise": NEVER, f"{CASC}.check.exclude_each_other": NEVER},
    "titles of another thing or year": {f"{CASC}.check.of_others": lambda *_: frozenset()},
    "editions": {f"{CASC}.resolve.is_older_edition": NEVER},
}


def found_in(question: str, given: Sequence[Document], reader: Kept) -> Findings:
    """The findings on a question."""
    sources, parts = handed_over(given), focuses(question)
    claims = read_claims(reader, question, sources, parts, thresholds()["heard"]).claims
    return check(question, sources, parts, claims)


def marked(everyday: Sequence[dict[str, Any]], reader: Kept) -> dict[str, int]:
    """Sums over cases whose claims are marked."""
    total = Counter[str]()
    for case in everyday:
        made = synthesise(found_in(case["question"], documents(case), reader))
        total.update({key: int(value) for key, value in judged(case, made).items()})
    return dict(total)


def named(given: Sequence[Case], reader: Kept) -> dict[str, Any]:
    """F1 of the pairs named, and how many cases end as expected."""
    detected, ended = Detection(), 0
    for case in given:
        findings = found_in(case.question.question, case.documents[:5], reader)
        held = {document.id for document in case.documents[:5]}
        told = [pair for cluster in findings.clusters for pair in pairs(cluster)]
        detected = detected.add(conflict_detection(told, [pair for pair in case.conflicts if set(pair) <= held]))
        ended += is_ended(case, synthesise(findings))
    shares = {key: round(getattr(detected, key), 3) for key in ("precision", "recall", "f1")}
    return {"n": len(given), **shares, "end": ended}


def is_ended(case: Case, made: Synthesis) -> bool:
    """Whether the notes end as the case wants: the right side chosen, all sides open, or no conflict and the answer told."""
    asked, conflicts = case.question, made.conflicts
    if case.behaviour == "flag":
        return any(
            one.chosen is None and all(any(mentioned(set(g), side.value) for side in one.sides) for g in asked.groups)
            for one in conflicts
        )
    if case.behaviour in ("answer", "complementary"):
        told = "; ".join(fact.value for fact in made.facts if fact.value)
        right = all(mentioned(set(group), told) for group in asked.groups)
        return not conflicts and right and not mentioned(set(asked.wrong_answers), told)
    chosen = [one.chosen for one in conflicts if one.chosen]
    accepted = {alias for group in asked.groups for alias in group}
    return bool(chosen) and all(mentioned(accepted, one) for one in chosen)


def main() -> None:
    """Run, print and write."""
    parser = command_line(__doc__, data=True, out="")
    parser.add_argument("--readings", type=Path, help="keep readings in this file")
    parser.add_argument("--scratch", type=Path, default=Path("build/worlds"))
    parser.add_argument("--parts", nargs="*", help="only these")
    chosen = parser.parse_args()
    reader = Kept(chosen.readings)
    files = {
        "everyday-conflicts": chosen.data / "everyday-conflicts" / "questions.jsonl",
        "written-dev": HERE / "written-conflicts" / "dev.jsonl",
    }
    everyday = {
        name: [json.loads(line) for line in file.read_text("utf-8").splitlines()] for name, file in files.items()
    }
    others = {name: cases(name, chosen.data, 50, chosen.scratch) for name in ("scidocs-conflicts", "worlds-dev")}
    results: dict[str, Any] = {}
    for part, places in PARTS.items():
        if chosen.parts and part not in chosen.parts:
            continue
        with ExitStack() as switched:
            for place, other in places.items():
                switched.enter_context(patch(place, other))
            results[part] = {name: marked(mine, reader) for name, mine in everyday.items()}
            results[part] |= {name: named(mine, reader) for name, mine in others.items()}
        reader.keep()
        print(part, json.dumps(results[part]), flush=True)
    write(chosen.out, {"without": results, **setting()})


if __name__ == "__main__":
    main()
