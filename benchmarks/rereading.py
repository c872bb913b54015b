"""What rereading the first chunks brings: `best` beside `default` and `hybrid`.

    python benchmarks/rereading.py DATA --libraries DIR [--organisation FOLDER]

A set's library holds all its passages, or with --passages N those of the questions and N others. Of the sets that the second reading
learnt from, questions about documents held back; of the others a hundred drawn with a seed. First: the first chunk is of a supporting
document. R@5: the share of the supporting documents among the first five documents. Of the questions of organisations a chunk is right
that holds half of a sentence of evidence in a document that has it; R@5: whether one of the first five chunks does. `cpu`: seconds a
question. Differences by a paired bootstrap.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from fit_fusion import asked_of, holds
from setting import command_line, gained, setting, tell, write
from short_answers import held_back

from decoct import Library
from decoct.data import Document, Hit, Query
from decoct_lab.corpora import fill
from decoct_lab.dataset import Dataset, Question, load

SYSTEMS = ("hybrid", "default", "best")
LEARNT = ("nq-gold", "covidqa")


def asked(dataset: Dataset, most: int) -> list[Question]:
    if dataset.spec.name in LEARNT:
        return [one for one in held_back(dataset) if one.supporting_ids][:most]
    questions = [one for one in dataset.questions if one.supporting_ids]
    random.Random(3).shuffle(questions)
    return questions[:most]


def passages(dataset: Dataset, questions: Sequence[Question], others: int) -> list[Document]:
    """What stands for or was given with the questions, and `others` more, drawn with a seed."""
    documents = {document.id: document for document in dataset.documents()}
    own = {id_ for one in questions for id_ in (*one.supporting_ids, *one.candidate_ids)} & set(documents)
    rest = sorted(set(documents) - own)
    return [documents[id_] for id_ in sorted(own | set(random.Random(7).sample(rest, min(others, len(rest)))))]


def scores(library: Library, recipe: str, questions: Sequence[Question]) -> dict[str, list[float]]:
    pipeline = library.pipeline(recipe)
    found: dict[str, list[float]] = {"first": [], "R@5": []}
    for question in questions:
        hits = pipeline.search(Query(question.question), 20)
        documents = list(dict.fromkeys(hit.chunk.span.doc_id for hit in hits))
        wanted = set(question.supporting_ids)
        found["first"].append(float(bool(wanted & set(documents[:1]))))
        found["R@5"].append(len(wanted & set(documents[:5])) / len(wanted))
    return found


def of_organisation(library: Library, recipe: str, asked: Sequence[dict[str, Any]]) -> dict[str, list[float]]:
    pipeline = library.pipeline(recipe)
    found: dict[str, list[float]] = {"first": [], "R@5": [], "cpu": []}
    for row in asked:
        start = process_time()
        right = [_right(hit, row) for hit in pipeline.search(Query(row["question"]), 5)]
        found["cpu"].append(process_time() - start)
        found["first"].append(float(right[:1] == [True]))
        found["R@5"].append(float(any(right)))
    return found


def _right(hit: Hit, row: dict[str, Any]) -> bool:
    in_document = any(hit.chunk.span.doc_id.endswith(one) for one in row["documents"])
    return in_document and any(holds(hit.chunk.text, one) for one in row["evidence"])


def told_of(by: dict[str, dict[str, list[float]]]) -> dict[str, Any]:
    told: dict[str, Any] = {
        system: {measure: round(float(np.mean(values)), 4) for measure, values in own.items()}
        for system, own in by.items()
    }
    for other in ("default", "hybrid"):
        told[f"best - {other}"] = {m: gained(by["best"][m], by[other][m]) for m in ("first", "R@5")}
    return told


def main() -> None:
    parser = command_line(__doc__, questions=100, out="rereading.json")
    parser.add_argument("data", type=Path, help="folder that holds the sets by name")
    parser.add_argument("--libraries", type=Path, required=True, help="a folder that holds a library a set, by name")
    parser.add_argument("--sets", default="2wikimultihopqa,musique,hotpotqa,covidqa,nq-gold,clapnq,pubmedqa")
    parser.add_argument(
        "--passages", type=int, help="how many others beside those of the questions; all where left out"
    )
    parser.add_argument(
        "--organisations",
        type=Path,
        nargs="+",
        default=[],
        help="folders of documents/ and questions.jsonl, in the place of sets",
    )
    given = parser.parse_args()
    result: dict[str, Any] = {**setting(), "sets": {}}
    for folder in given.organisations:
        rows = asked_of(folder, given.questions)
        with Library.open(given.libraries / folder.name) as library:
            if not library.status().documents:
                library.add([folder / "documents"])
            told = told_of({system: of_organisation(library, system, rows) for system in SYSTEMS})
        result["sets"][folder.name] = {"n": len(rows), **told}
        write(given.out, result, show=True)
    if given.organisations:
        return
    for name in given.sets.split(","):
        dataset = load(name, given.data)
        questions = asked(dataset, given.questions)
        with Library.open(given.libraries / name) as library:
            if given.passages is None:
                fill(library, dataset, tell)
            elif not library.status().documents:
                library.add(passages(dataset, questions, given.passages))
            by = {system: scores(library, system, questions) for system in SYSTEMS}
        result["sets"][name] = {"n": len(questions), **told_of(by)}
        print(name, result["sets"][name], flush=True)
    write(given.out, result, show=False)


if __name__ == "__main__":
    main()
