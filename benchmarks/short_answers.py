"""How good are the answers without a language model, on questions whose documents the reader was not trained on?

    python benchmarks/short_answers.py DATA --libraries FOLDER [--sets nq-gold,…] [--questions 100] [--budget 900] [--out FILE]

DATA holds public sets; FOLDER keeps a library a set, built where it is missing. Asked are the held-back questions of `decoct train
reader` (split by document). A row a set: token F1 and exact match of the first short answer (SQuAD's normalisation; yes/no as words; an
outcome other than "answer" counts 0), the same wherever an answer is claimed, how often each outcome comes, and milliseconds of reading;
for questions that cannot be answered (ClapNQ) how often they are declined. 95 % intervals by bootstrap over questions.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from setting import command_line, setting, tell, write

from decoct import Library
from decoct.answer.short_answers import ShortAnswers
from decoct.evaluate.metrics.answers import exact_match, token_f1
from decoct.reading.small import SmallReader
from decoct_lab.corpora import fill
from decoct_lab.dataset import Dataset, Question, load
from decoct_lab.train.reader.example import part_of
from decoct_lab.train.reader.sources import split_key

COVERAGES = (0.5, 0.7, 0.9, 0.91, 0.93)
SETS = ("hotpotqa", "nq-gold", "covidqa", "2wikimultihopqa", "musique", "clapnq")


def held_back(dataset: Dataset) -> list[Question]:
    documents = {document.id: document for document in dataset.documents()}
    found = []
    for question in dataset.questions:
        ids = question.supporting_ids or question.candidate_ids
        if ids and ids[0] in documents and part_of(split_key(dataset.spec.name, documents[ids[0]])) == "dev":
            found.append(question)
    return found


def interval(values: list[float]) -> list[float]:
    if not values:
        return []
    drawn = np.random.default_rng(0).choice(np.asarray(values), (2000, len(values))).mean(axis=1)
    return [round(float(edge), 3) for edge in np.percentile(drawn, [2.5, 97.5])]


def ask(library: Library, question: Question, budget: int, reader: ShortAnswers) -> dict[str, Any]:
    context = library.context(question.question, budget)
    began = time.perf_counter()
    answer = reader.answer(context)
    seconds = time.perf_counter() - began
    said = answer.answers[0].text if answer.answers else ""
    held = any(alias.lower() in context.text.lower() for alias in question.answers)
    cited = " ".join(citation.source.quote for citation in answer.citations)
    return {
        "id": question.id, "question": question.question, "gold": list(question.answers), "said": said, "outcome": answer.outcome,
        "score": answer.answers[0].score if answer.answers else 0.0, "seconds": seconds, "held": held,
        "f1": token_f1(said, question.answers) if said and question.answers else 0.0,
        "em": exact_match(said, question.answers) if said and question.answers else 0.0,
        "cited_holds": float(any(alias.lower() in cited.lower() for alias in question.answers)),
    }  # fmt: skip


def surest(rows: list[dict[str, Any]], share: float) -> float:
    """F1 over all questions where the surest answers to a share of them are claimed and the rest count 0."""
    claimed = sorted(rows, key=lambda row: -row["score"])[: round(share * len(rows))]
    return round(sum(float(row["f1"]) for row in claimed) / max(len(rows), 1), 3)


def table(rows: list[dict[str, Any]]) -> dict[str, Any]:
    outcomes = [row["outcome"] for row in rows]
    asked = [row for row in rows if row["gold"]]
    claimed = [row for row in asked if row["outcome"] == "answer"]
    return {
        "n": len(rows),
        "f1": round(float(np.mean([row["f1"] for row in asked])), 3) if asked else None,
        "f1_interval": interval([row["f1"] for row in asked]),
        "em": round(float(np.mean([row["em"] for row in asked])), 3) if asked else None,
        "f1_where_claimed": round(float(np.mean([row["f1"] for row in claimed])), 3) if claimed else None,
        "f1_of_the_surest": {str(share): surest(asked, share) for share in COVERAGES},
        "cited_holds": round(float(np.mean([row["cited_holds"] for row in asked])), 3) if asked else None,
        "answer_in_context": round(float(np.mean([row["held"] for row in asked])), 3) if asked else None,
        "outcomes": {name: outcomes.count(name) for name in ("answer", "passages", "not-found")},
        "reading_ms": round(1000 * float(np.median([row["seconds"] for row in rows])), 1),
    }


def main() -> None:
    parser = command_line(__doc__, questions=100, out="")
    parser.add_argument("data", type=Path)
    parser.add_argument("--libraries", type=Path, required=True)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--budget", type=int, default=900)
    parser.add_argument("--model", type=Path)
    parser.add_argument(
        "--caution", type=float, help="claim what is right with this probability; 0: all, for F1 at equal coverage"
    )
    parser.add_argument("--rows", type=Path, help="where each question's row goes, for looking at")
    given = parser.parse_args()
    reader = ShortAnswers(SmallReader(given.model) if given.model else SmallReader())
    reader = reader if given.caution is None else reader.with_(caution=given.caution)
    result: dict[str, Any] = {"budget": given.budget, "reader": reader.reader.fingerprint, "sets": {}}
    lines = []
    for name in given.sets.split(","):
        dataset = load(name, given.data / name)
        with Library.open(given.libraries / name) as library:
            fill(library, dataset, tell)
            questions = held_back(dataset)[: given.questions]
            kinds = {"": [q for q in questions if q.answers], " unanswerable": [q for q in questions if not q.answers]}
            for kind, chosen in kinds.items():
                if chosen:
                    rows = [ask(library, question, given.budget, reader) for question in chosen]
                    lines += [{"set": name + kind, **row} for row in rows]
                    result["sets"][name + kind] = table(rows)
                    print(name + kind, json.dumps(result["sets"][name + kind]), flush=True)
    if given.rows:
        given.rows.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    if given.out:
        write(given.out, {**setting(), **result}, show=False)


if __name__ == "__main__":
    main()
