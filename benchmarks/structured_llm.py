"""The structured systems built with a language model beside the same built without: what the tokens that are spent bring.

    nice -n 15 python benchmarks/structured_llm.py --data ../shared/data --questions 8 --llm qwen2.5-coder-0.5b-instruct

Of each set `--questions` are drawn (seed 0). The library holds the passages that support them and, of those that the set gives with each
question, `--others` that do not (seed 0): a corpus that a small model on a processor can read. The corpus of fewer questions is the
beginning of that of more, so that a run may be made larger. Every reply is kept (DECOCT_CACHE), every request is written down with its
tokens and processor seconds (`calls.jsonl` in --libraries): an interrupted run goes on, and what a structure cost is counted once, also
where another one had asked the same before.

Told of every system in both forms: R@5 and evidence recall as in `structured.py`; the answers of one reader, which needs no model
(the recipe's own, `short-answers`), over the context of 600 tokens: F1 of its best short answer; tokens at indexing, and a question's;
pieces on which the model failed, fallbacks. Model against rules, and each against `default` and `hybrid`, by a paired bootstrap over the
questions of all sets, Holm over all comparisons of a measure; `told` is the smallest difference that so many questions tell in four of
five samples.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from setting import command_line, setting, write

from decoct import Library
from decoct.answer.base import Reader
from decoct.data import Context, Document, Query
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import BudgetError, ModelError, ReplyError
from decoct.evaluate.metrics.answers import token_f1
from decoct.evaluate.metrics.evidence import TokenMap, evidence, quoted
from decoct.evaluate.significance import holm, paired_bootstrap
from decoct.llm.base import Reply, Request
from decoct.llm.cache import Cached, replies_folder
from decoct.trace import recording
from decoct_lab.dataset import Dataset, Question, load
from decoct_lab.reproduce.tellable import least_tellable_difference
from decoct_local.llamacpp import LlamaCpp
from decoct_local.models import find

BUDGETS, READ_AT = (300, 600, 1200), 600
FLAT = ("default", "hybrid", "naive")
# Smallest cost first: what is asked for one is kept for the next.
STRUCTURES = ("linearrag", "hipporag2", "raptor", "treerag", "proprag", "hypergraphrag", "lightrag")
MODELFREE_ONLY = ("linearrag",)  # its authors use no model
MEASURES = ("R@5", *(f"evidence@{budget}" for budget in BUDGETS), "f1")
Scores = dict[str, list[float]]


@dataclass
class Counted:
    """`llm`, with every request written down under the work that it was made for."""

    llm: Cached
    place: Path
    work: str = ""

    @property
    def fingerprint(self) -> str:
        return self.llm.fingerprint

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name in ("count", "counts"):  # budgets are counted by one tokenizer in both forms
            raise AttributeError(name)
        return getattr(self.llm, name)

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        found: list[Reply | ModelError] = []
        with self.place.open("a", encoding="utf-8") as told:
            for request in requests:
                start = time.process_time()
                [outcome] = self.llm.complete([request])
                found.append(outcome)
                key = hashlib.blake2b(repr(request.messages).encode(), digest_size=12).hexdigest()
                entry: dict[str, Any] = {"work": self.work, "key": key}
                if isinstance(outcome, Reply):
                    entry |= {
                        "prompt": outcome.prompt_tokens,
                        "completion": outcome.completion_tokens,
                        "cached": outcome.cached,
                    }
                elif isinstance(outcome, ReplyError) and outcome.cut:  # its tokens were spent all the same
                    prompt = sum(self.llm.count(message.content) for message in request.messages)
                    entry |= {"prompt": prompt, "completion": request.max_tokens, "cut": True}
                else:
                    entry |= {"error": f"{type(outcome).__name__}: {outcome}"[:200]}
                told.write(json.dumps({**entry, "cpu": round(time.process_time() - start, 2)}) + "\n")
                told.flush()
        return found


def spent(place: Path, work: str) -> dict[str, Any]:
    """What a work cost: each request once, by its last outcome; processor seconds are those of the replies that were made anew."""
    calls: dict[str, dict[str, Any]] = {}
    seconds: dict[str, float] = {}
    for line in place.read_text("utf-8").splitlines() if place.is_file() else ():
        entry = json.loads(line)
        if not entry.get("cached"):
            seconds.setdefault(entry["key"], entry["cpu"])  # whoever asked first paid
        if entry["work"] == work:
            calls[entry["key"]] = entry
    good = [one for one in calls.values() if "error" not in one]
    return {
        "calls": len(calls),
        "cut": sum(one.get("cut", False) for one in good),
        "failed": len(calls) - len(good),
        "errors": dict(Counter(one["error"].split(":")[0] for one in calls.values() if "error" in one)),
        "prompt_tokens": sum(one["prompt"] for one in good),
        "completion_tokens": sum(one["completion"] for one in good),
        "cpu_seconds": round(sum(seconds.get(key, 0.0) for key in calls), 1),
    }


def corpus(dataset: Dataset, questions: int, others: int) -> tuple[list[Question], list[Document]]:
    """The questions and their documents; those of fewer questions are the first of these."""
    asked = [question for question in dataset.questions if question.supporting_ids]
    random.Random(0).shuffle(asked)
    wanted: dict[str, None] = {}
    for question in asked[:questions]:
        near = sorted({*question.candidate_ids} - {*question.supporting_ids})
        random.Random(0).shuffle(near)
        wanted |= dict.fromkeys((*question.supporting_ids, *near[:others]))
    every = {document.id: document for document in dataset.documents() if document.id in wanted}
    return asked[:questions], [every[doc_id] for doc_id in wanted if doc_id in every]


def scored(
    library: Library,
    questions: Sequence[Question],
    gold: Mapping[str, Any],
    system: str,
    reader: Reader,
) -> tuple[dict[str, Any], Scores]:
    """One system: its fallbacks, and its scores question by question."""
    pipeline = library.pipeline(system)
    tokens = TokenMap(lambda doc_id: library.document(doc_id).text, default_tokenizer())
    scores: Scores = {name: [] for name in MEASURES}
    fallbacks, failed = Counter[str](), 0
    for question in questions:
        query = Query(question.question)
        with recording() as trace:
            try:
                hits = pipeline.retrieval.search(query, pipeline.depth)
                draft = pipeline.retrieval.draft(query, hits)
            except ModelError:  # counted: the question gets nothing
                failed += 1
                for values in scores.values():
                    values.append(0.0)
                continue
            for budget in BUDGETS:
                context: Context | None = None
                try:
                    context = pipeline.construction.construct(query, draft, library.budget(budget), trace)
                    shown = quoted(context)
                except BudgetError:
                    shown = ()
                found = evidence(shown, gold[question.id], tokens)
                scores[f"evidence@{budget}"].append(found.recall if found else 0.0)
                if budget == READ_AT:
                    answer = reader.answer(context, None) if context is not None else None
                    best = answer.answers[0].text if answer is not None and answer.answers else ""
                    scores["f1"].append(max((token_f1(best, group) for group in question.groups), default=0.0))
        fallbacks.update(trace.fallbacks)
        documents = list(dict.fromkeys(hit.chunk.span.doc_id for hit in hits))[:5]
        wanted = set(question.supporting_ids)
        scores["R@5"].append(len(wanted & set(documents)) / len(wanted))
    return {"questions_failed": failed, "fallbacks": dict(fallbacks)}, scores


def measured(name: str, dataset: Dataset, arguments: argparse.Namespace, llm: Counted) -> dict[str, Any]:
    """One set: both libraries, their structures, and the scores of every system in both forms."""
    questions, documents = corpus(dataset, arguments.questions, arguments.others)
    gold = {question.id: dataset.gold(question, "passage") for question in questions}
    home = Path(arguments.libraries)
    structures = arguments.structures.split(",")
    systems: dict[str, Any] = {}
    scores: dict[str, Scores] = {}
    with (
        Library.open(home / f"{name}-rules") as rules,
        Library.open(home / f"{name}-model", llm=llm) as model,
    ):
        for library in (rules, model):
            library.add(documents)
        reader = rules.pipeline("naive").reader
        status = rules.status()
        print(f"{name}: n={len(questions)}, {status.documents} documents, {status.chunks} chunks", flush=True)
        indexing: dict[str, Any] = {}
        for structure in structures:
            rules.structure(structure).run()
            if structure not in MODELFREE_ONLY:
                llm.work = f"{name}:index:{structure}"
                report = model.structure(structure).run()
                indexing[structure] = {
                    **spent(llm.place, llm.work),
                    "pieces_failed": report.failed,
                    "fallbacks": report.fallbacks,
                    "bytes": report.bytes,
                }
                print(f"  {structure:<14}{indexing[structure]}", flush=True)
        if arguments.index_only:
            return {"n": len(questions), "chunks": status.chunks, "indexing": indexing}
        for system in (*FLAT, *structures):
            systems[system], scores[system] = scored(rules, questions, gold, system, reader)
            print(f"  {system:<22}{ {key: round(mean(own), 3) for key, own in scores[system].items()} }", flush=True)
        for system in structures:
            if system in MODELFREE_ONLY:
                continue
            named, llm.work = f"{system} (model)", f"{name}:ask:{system}:{len(questions)}"
            systems[named], scores[named] = scored(model, questions, gold, system, reader)
            asking = spent(llm.place, llm.work)
            systems[named]["asking"] = asking
            print(
                f"  {named:<22}{ {key: round(mean(own), 3) for key, own in scores[named].items()} } {asking}",
                flush=True,
            )
    return {
        "n": len(questions),
        "questions": [question.id for question in questions],
        "documents": status.documents,
        "chunks": status.chunks,
        "indexing": indexing,
        "systems": {
            system: {**{key: round(mean(values), 4) for key, values in own.items()}, **systems[system]}
            for system, own in scores.items()
        },
        "scores": scores,
    }


def compared(sets: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Over the questions of all sets: every form by a model against that by rules, every system against `default` and `hybrid`."""
    names = list(next(iter(sets.values()))["scores"])
    pooled = {
        name: {m: [v for one in sets.values() for v in one["scores"][name][m]] for m in MEASURES} for name in names
    }
    pairs = [(name, name.removesuffix(" (model)")) for name in names if name.endswith(" (model)")]
    pairs += [(name, base) for base in ("default", "hybrid") for name in names if name not in FLAT]
    told = []
    for measure in MEASURES:
        found = [paired_bootstrap(pooled[a][measure], pooled[b][measure], names=(a, b)) for a, b in pairs]
        for one, p in zip(found, holm([one.p for one in found]), strict=True):
            differences = [x - y for x, y in zip(pooled[one.a][measure], pooled[one.b][measure], strict=True)]
            least = least_tellable_difference(differences)
            told.append(
                {
                    "system": one.a,
                    "against": one.b,
                    "measure": measure,
                    "n": one.n,
                    "mean": round(one.mean_a, 4),
                    "difference": round(one.difference, 4),
                    "interval": [round(one.low, 4), round(one.high, 4)],
                    "p_holm": round(p, 4),
                    "told": None if least is None else round(least, 4),
                }
            )
    return told


def main() -> None:
    """Build, ask, compare; write the results as JSON."""
    parser = command_line(__doc__, data=True, out="structured_llm.json")
    parser.add_argument(
        "--libraries", default="runs/structured-llm", help="where libraries and the list of requests are kept"
    )
    parser.add_argument("--sets", default="musique,2wikimultihopqa")
    parser.add_argument("--structures", default=",".join(STRUCTURES))
    parser.add_argument("--questions", type=int, default=8, help="of each set")
    parser.add_argument("--others", type=int, default=2, help="passages beside the gold ones, a question")
    parser.add_argument("--llm", default="qwen2.5-coder-0.5b-instruct", help="a model on this machine, by name")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--index-only", action="store_true", help="build, and stop there")
    arguments = parser.parse_args()
    Path(arguments.libraries).mkdir(parents=True, exist_ok=True)
    path = find(arguments.llm.removeprefix("local:"))
    if path is None:
        raise SystemExit(f"{arguments.llm} is not on this machine; run: decoct models pull {arguments.llm}")
    local = LlamaCpp(path, context=4096, concurrency=1, threads=arguments.threads)
    llm = Counted(Cached(local, replies_folder()), Path(arguments.libraries) / "calls.jsonl")
    sets = {name: measured(name, load(name, arguments.data), arguments, llm) for name in arguments.sets.split(",")}
    local.close()
    if not arguments.index_only:
        write(
            arguments.out,
            {**setting(), "llm": llm.fingerprint, "sets": sets, "comparisons": compared(sets)},
            show=False,
        )
        print(f"written to {arguments.out}")


if __name__ == "__main__":
    main()
