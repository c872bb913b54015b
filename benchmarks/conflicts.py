"""Conflicting documents: what does CASC do for the answers, at what cost? (Tables I to VI of CASC, their directions)

    python benchmarks/conflicts.py --data DATA [--sets scidocs-conflicts worlds-test …] [--questions 100] [--systems top-5 casc-rules …]
        [--answers-alone] [--llm local:NAME] [--limit-llm 20] [--llm-losses local:NAME] [--judge NAME] [--limit-judge 20]
        [--partial FOLDER] [--out FILE]

DATA holds scidocs-conflicts, ramdocs, wikicontradict and conflictqa-strategyqa; the worlds are generated (seed 1; nothing was tuned on the
test families); `passages-SET` plants conflicts in the passages of a public set (passages-nq-gold, passages-2wikimultihopqa). Every question
is asked of its own documents, handed over. --llm reads all systems and extracts for `casc`; --limit-llm bounds the questions of the systems
that call a model for every document; --llm-losses adds LLMLingua; --judge has a model score the contexts by the rubric of Table III. With
--partial each system's answers are kept as they come: a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from conflict_cases import SETS, Case, Shelf, cases, passages
from conflict_scores import Row, detection, row, summary
from conflict_systems import BUDGET, System, baseline, readers, systems
from setting import command_line, setting, write

from decoct import trace
from decoct.budget import Budget
from decoct.context.assemble import assemble
from decoct.data import Draft, Query
from decoct.embed.resolve import open_embedder
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.index.base import Store
from decoct.llm.base import LLM
from decoct.llm.resolve import open_llm
from decoct_lab.judges.rubric import RubricJudge, ShownCase, means
from decoct_lab.llm.abilities import scoring


def answered(system: System, found: Sequence[Case], llm: LLM | None, kept: Path | None) -> dict[str, list[Row]]:
    """The records of a system by reader; those that `kept` holds already are not made again."""
    rows = (
        [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()] if kept and kept.exists() else []
    )
    done = {(r["reader"], r["id"]) for r in rows}
    tokenizer = WordPieceTokenizer()
    for case in found:
        wanted = [(name, made) for name, made in readers(system.name, llm) if (name, case.question.id) not in done]
        if not wanted:
            continue
        query, budget = Query(case.question.question), Budget(system.limit, tokenizer)
        shelf = cast("Store", Shelf({d.id: d for d in case.documents}))
        with trace.recording() as record:
            draft = Draft(passages(case, system.documents))
            start = time.perf_counter()
            draft = system.step(shelf).apply(query, draft, budget) if system.step else draft
            spent = time.perf_counter() - start
            context = assemble(query, draft, budget, system.layout, record)
            new = [{"reader": name, **row(case, context, made, spent)} for name, made in wanted]
        rows += new
        if kept:
            with kept.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(r, ensure_ascii=False) + "\n" for r in new)
    ids = {case.question.id for case in found}
    by: dict[str, list[Row]] = {}
    for r in rows:
        if r["id"] in ids:
            by.setdefault(f"{system.name} | {r['reader']}", []).append(r)
    return by


def run(name: str, chosen: argparse.Namespace, models: tuple[LLM | None, LLM | None, LLM | None]) -> dict[str, Any]:
    """All systems on one set."""
    llm, losses, judge = models
    found = cases(name, chosen.data, chosen.questions, chosen.scratch)
    rows: dict[str, list[Row]] = {}
    against: dict[str, str | None] = {}
    for system in systems(llm, scoring(losses) if losses else None, open_embedder()):
        if chosen.systems and system.name not in chosen.systems:
            continue
        some = found[: chosen.limit_llm] if system.slow and chosen.limit_llm else found
        made = answered(system, some, llm, _partial_file(chosen, name, system.name, llm))
        against |= {key: baseline(system, key.split(" | ")[1]) for key in made}
        rows |= made
        print(f"{name} {system.name}: {len(some)} questions", file=sys.stderr)
    results = {
        key: {"against": against[key], **summary(mine, rows.get(against[key] or "", []))} for key, mine in rows.items()
    }
    if judge:
        for key, mine in rows.items():
            shown = [ShownCase(_question(found, r["id"]), r["context"]) for r in mine[: chosen.limit_judge]]
            results[key]["rubric"] = means(RubricJudge(judge).judge(shown))
    pairs = {} if chosen.answers_alone else {"detection": detection(found)}
    return {"n": len(found), "systems": results, **pairs}


def _question(found: Sequence[Case], question_id: str) -> str:
    return next(case.question.question for case in found if case.question.id == question_id)


def _partial_file(chosen: argparse.Namespace, name: str, system: str, llm: LLM | None) -> Path | None:
    if chosen.partial is None:
        return None
    chosen.partial.mkdir(parents=True, exist_ok=True)
    reader = "" if llm is None else "-" + "".join(c if c.isalnum() else "_" for c in str(chosen.llm))
    return Path(chosen.partial / f"{name}-{system.replace(':', '-')}{reader}.jsonl")


def main() -> None:
    """Run what the arguments ask for; print the record and write it."""
    parser = command_line(__doc__, questions=100, out="")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--systems", nargs="*", help="only these")
    parser.add_argument("--llm", help="a language model as the reader of all systems, and for the claims of `casc`")
    parser.add_argument(
        "--limit-llm", type=int, default=0, help="questions of the systems that call a model a document"
    )
    parser.add_argument("--llm-losses", help="a local model whose token losses LLMLingua uses")
    parser.add_argument("--judge", help="a language model that scores contexts by the rubric of Table III")
    parser.add_argument("--limit-judge", type=int, default=20)
    parser.add_argument(
        "--answers-alone",
        action="store_true",
        help="leave out which pairs of documents are named, for which all are read again",
    )
    parser.add_argument("--scratch", type=Path, default=Path("build/worlds"))
    parser.add_argument("--partial", type=Path, help="keep answers here; a run that was stopped goes on")
    chosen = parser.parse_args()
    llm, losses, judge = (
        open_llm(name, {}) if name else None for name in (chosen.llm, chosen.llm_losses, chosen.judge)
    )
    results = {name: run(name, chosen, (llm, losses, judge)) for name in chosen.sets}
    record = {
        "questions": chosen.questions,
        "llm": chosen.llm,
        "losses": chosen.llm_losses,
        "judge": RubricJudge(judge).record() if judge else None,
        "tokenizer": "wordpiece",
        "budget": BUDGET,
        **setting(),
        "results": results,
    }
    write(chosen.out, record)


if __name__ == "__main__":
    main()
