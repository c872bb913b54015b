"""CASC on everyday-conflicts: how often the true sides of a conflict are found, the end is the expected one, and "agreed" is said falsely.

    python benchmarks/everyday_conflicts.py --data ../shared/data/everyday-conflicts --out benchmarks/results/everyday-conflicts.json

A case counts as
    sides found   (conflicts only) a conflict is told whose sides hold every answer that the case marks, right and wrong, each in one
                  side and no two in the same
    expected end  prefer: the chosen side is an accepted answer; both: a conflict is told, undecided, with all answers; agree and
                  complementary: no conflict, and the values told (facts with a value) hold an accepted answer, or all of them, and
                  for agree no wrong one
    false agreed  (conflicts only) a fact is called "agreed"
    false chosen  a side is preferred that is not the accepted answer
    unchanged     with --changed: the same comes out if the documents are turned round, one is copied, or the names are others
A value holds an answer if one contains the other or both are the same quantity, date or name. Intervals are Wilson's at 95 %.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conflict_changes import CHANGES, Outcome, outcome, renamed
from setting import command_line, setting, share, write

from decoct.context.casc.check import check
from decoct.context.casc.extract_reader import ByReader
from decoct.context.casc.extract_rules import ByRules
from decoct.context.casc.extractor import Extractor
from decoct.context.casc.focus import focuses
from decoct.context.casc.sources import handed_over
from decoct.context.casc.step import background
from decoct.context.casc.synthesise import Synthesis, synthesise
from decoct.data import Document
from decoct.llm.resolve import open_llm
from decoct.text.equality import same_value
from decoct.text.values import value_of
from decoct.trace import recording
from decoct_lab.casc.extract_llm import ByTrainedModel
from decoct_lab.casc.extract_short import ByLanguageModel

Case = dict[str, Any]


def documents(case: Case) -> list[Document]:
    """The documents of a case with their metadata."""
    return [
        Document(d["id"], d["text"], d["title"], metadata={key: d[key] for key in ("date", "kind") if d.get(key)})
        for d in case["documents"]
    ]


def notes_on(case: Case, extractor: Extractor) -> Synthesis:
    """The notes on a case."""
    sources, parts = handed_over(documents(case)), focuses(case["question"])
    found = extractor.extract(case["question"], sources, parts)
    return synthesise(check(case["question"], sources, parts, found.claims), background(found.sentences, 2))


def holds(value: str, answer: str) -> bool:
    """Whether a told value gives an answer."""
    one, other = " ".join(value.casefold().split()), " ".join(answer.casefold().split())
    if not one or not other:
        return False
    if any(re.search(rf"(?<![\w.,]){re.escape(a)}(?!\w|[.,]\d)", b) for a, b in ((one, other), (other, one))):
        return True
    return same_value(value_of(value), value_of(answer)) is True


def groups(case: Case) -> list[list[str]]:
    """The marked claims of a case, those that say the same together."""
    found: list[list[str]] = []
    for claim in case["claims"]:
        if claim["value"]:
            mine = next(
                (g for g in found if any(same_value(value_of(v), value_of(claim["value"])) is True for v in g)), None
            )
            if mine is None and claim["value"] in case["expected_answers"] and case["behaviour"] == "prefer":
                mine = next((g for g in found if set(g) & set(case["expected_answers"])), None)
            if mine is None:  # "diesel" and "2.3-litre diesel"
                mine = next((g for g in found if any(holds(v, claim["value"]) for v in g)), None)
            if mine is None and claim["value"] in case["wrong_answers"]:
                mine = next((g for g in found if set(g) & set(case["wrong_answers"])), None)
            if mine is None:
                found.append([claim["value"]])
            else:
                mine.append(claim["value"])
    return found


def _any(value: str, answers: Sequence[str]) -> bool:
    return any(holds(value, answer) for answer in answers)


def judged(case: Case, made: Synthesis) -> dict[str, bool]:
    """What of the expected came out."""
    values = [fact.value for fact in made.facts if fact.value]
    right, wrong = case["expected_answers"], case["wrong_answers"]
    record: dict[str, bool] = {}
    if case["conflict"]:
        wanted = groups(case)
        record["sides"] = any(
            all(any(_any(side.value, group) for side in c.sides) for group in wanted)
            and not any(sum(_any(side.value, group) for group in wanted) > 1 for side in c.sides)
            for c in made.conflicts
        )
        record["false_agreed"] = any(fact.status == "agreed" for fact in made.facts)
    chosen = [c.chosen for c in made.conflicts if c.chosen]
    record["false_chosen"] = any(_any(c, wrong) or not _any(c, right) for c in chosen)
    if case["behaviour"] == "prefer":
        record["end"] = bool(chosen) and all(_any(c, right) and not _any(c, wrong) for c in chosen)
    elif case["behaviour"] == "both":
        record["end"] = any(
            c.chosen is None and all(any(holds(side.value, a) for side in c.sides) for a in right)
            for c in made.conflicts
        )
    else:
        need = any if case["behaviour"] == "agree" else all
        record["end"] = (
            not made.conflicts
            and need(any(holds(value, answer) for value in values) for answer in right)
            and not (case["behaviour"] == "agree" and any(_any(value, wrong) for value in values))
        )
    return record


def unchanged(cases: Sequence[Case], extractor: Extractor) -> dict[str, Any]:
    """By change the share of cases whose outcome it leaves as it was; a renamed case is beside one whose names were put back."""
    found: dict[str, list[bool]] = {name: [] for name in CHANGES}
    for case in cases:
        plain = outcome(notes_on(case, extractor))
        for name, change in CHANGES.items():
            other = change(case)
            if other != case:
                made = outcome(notes_on(other, extractor))
                found[name].append(made == (plain if name != "names" else _with_names(plain, case)))
    return {name: {"hits": sum(rows), **share(rows)} for name, rows in found.items()}


def _with_names(plain: Outcome, case: Case) -> Outcome:
    """An outcome with the names that `renamed` gives."""
    told = renamed({"question": case["question"], "told": json.dumps(plain, ensure_ascii=False)})["told"]
    facts, conflicts = json.loads(told)
    return sorted(tuple(fact) for fact in facts), sorted((sorted(sides), chosen) for sides, chosen in conflicts)


def measured(cases: Sequence[Case], extractor: Extractor, verbose: bool) -> dict[str, Any]:
    """The shares over all cases, and by behaviour."""
    rows = []
    start = time.perf_counter()
    with recording() as trace:
        for case in cases:
            made = notes_on(case, extractor)
            rows.append((case, judged(case, made)))
            if verbose:
                _show(case, made, rows[-1][1])
    spent = time.perf_counter() - start
    made_of: dict[str, Any] = {"ms_a_case": round(1000 * spent / len(cases), 1), "fallbacks": dict(trace.fallbacks)}
    for key in ("sides", "end", "false_agreed", "false_chosen"):
        found = [row[key] for _, row in rows if key in row]
        made_of[key] = {"hits": sum(found), **share(found)}
    made_of["end_by_behaviour"] = {
        b: f"{sum(r['end'] for c, r in rows if c['behaviour'] == b)}/{sum(c['behaviour'] == b for c, _ in rows)}"
        for b in ("prefer", "both", "agree", "complementary")
    }
    return made_of


def _show(case: Case, made: Synthesis, record: dict[str, bool]) -> None:
    print(case["id"], case["behaviour"], record, case["question"], case["expected_answers"], case["wrong_answers"])
    for fact in made.facts:
        print("     fact", fact.status, repr(fact.value), fact.sources, fact.text[:80])
    for conflict in made.conflicts:
        sides = [(side.value, [span.doc_id for span in side.support]) for side in conflict.sides]
        print("     conflict", conflict.type, conflict.rule, sides, "->", conflict.chosen, conflict.reason)


def main() -> None:
    """Run, print and write."""
    parser = command_line(__doc__, out="")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--llm", help="also read by this language model, by the short schema")
    parser.add_argument("--trained", help="also read by this model, by the claims that `decoct train cas` teaches")
    parser.add_argument("--systems", nargs="*", default=["reader", "rules"])
    parser.add_argument("--changed", action="store_true", help="also turn, copy and rename the documents of each case")
    parser.add_argument("--verbose", action="store_true")
    chosen = parser.parse_args()
    path = chosen.data / "questions.jsonl" if chosen.data.is_dir() else chosen.data
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    systems: dict[str, Extractor] = {"reader": ByReader(), "rules": ByRules()}
    asked = list(chosen.systems)
    if chosen.llm:
        systems["llm"] = ByLanguageModel(open_llm(chosen.llm, {}))
        asked.append("llm")
    if chosen.trained:
        systems["trained"] = ByTrainedModel(open_llm(chosen.trained, {}))
        asked.append("trained")
    results = {name: measured(cases, systems[name], chosen.verbose) for name in systems if name in asked}
    if chosen.changed:
        for name, result in results.items():
            result["unchanged"] = unchanged(cases, systems[name])
    record = {
        "cases": len(cases),
        "reader": ByReader().reader.fingerprint,
        "llm": chosen.llm,
        "trained": chosen.trained,
        **setting(),
        "results": results,
    }
    write(chosen.out, record)


if __name__ == "__main__":
    main()
