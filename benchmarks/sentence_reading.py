"""What the small reader tells of sentences beside their features: fit the weights of decoct.context.sentence_judge, and what they bring.

    python benchmarks/sentence_reading.py DATA --libraries DIR --out sentence_reading.json

1. Of each set of --sets, questions about documents that the reader was not trained on are searched by `default`; the 20 best passages are
   split into sentences, whose signals (`signals`) and evidence are noted. Evidence is what the set marks: at least half of a sentence
   is gold (HotpotQA, COVID-QA, 2WikiMultiHopQA), or it holds the answer in a gold passage (Natural Questions, a hop's in MuSiQue).
2. Logistic regression, each sentence by its characters, each question of a set and each set alike; for the figures each set is left
   out of the fit once ("left_out"), for the weights none is.
3. Evidence in budgets by the sentences of most worth, estimated at 4.3 characters a token, titles counted: by features, and by reading.
4. On --unseen, whole contexts (`hybrid`; `merge-links`, whose sentences features choose; `default`, whose sentences reading chooses below
   500 tokens), counted as `decoct evaluate` counts, with a paired bootstrap.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from fit_sentences import Array, fit, is_evidence
from setting import command_line, gained, setting, tell, write
from short_answers import held_back

from decoct import Library
from decoct.context.merge.step import joined_neighbours
from decoct.context.quotes import support_of
from decoct.context.sentence_judge import features, signals
from decoct.context.stitch import draft_of
from decoct.data import Query
from decoct.embed.tokenizer import default_tokenizer
from decoct.errors import BudgetError
from decoct.evaluate.metrics.answers import answer_in_context
from decoct.evaluate.metrics.evidence import TokenMap, evidence, quoted
from decoct.reading.small import SmallReader
from decoct.trace import recording
from decoct_lab.corpora import fill
from decoct_lab.dataset import Question, load

BUDGETS = (60, 150, 300, 450, 600, 900)
CHARACTERS = 4.3  # a token
LABEL = 12  # characters of a passage's number and line breaks
RIDGE = 20.0
SYSTEMS = ("hybrid", "merge-links", "default")


@dataclass(frozen=True)
class Sentences:
    """The sentences of one question's passages, as parallel arrays: signals, evidence, characters, passage; characters of its title."""

    told: Array
    gold: Array
    length: Array
    passage: Array
    titles: list[int]


def sentences_of(library: Library, question: Question, reader: SmallReader) -> Sentences | None:
    """None where nothing was found."""
    hits = library.pipeline("default").search(Query(question.question), 20)
    passages = joined_neighbours(draft_of(hits).passages)
    places, rows = features(question.question, passages)
    if not len(rows):
        return None
    gold, length, passage = [], [], []
    for number, (one, found) in enumerate(zip(passages, places, strict=True)):
        for start, end in found:
            spans = [span for _, span in support_of(one, start, end)]
            marked = question.supporting or question.extra.get("decomposition")
            inside = spans[0].doc_id in question.supporting_ids
            holds = inside and bool(answer_in_context(one.text[start:end], question.answers))
            gold.append(is_evidence(question, spans, one.text[start:end]) if marked else holds)
            length.append(end - start)
            passage.append(number)
    told = signals(places, rows, reader.read(question.question, passages))
    held, sizes, places_in = (np.array(part, np.float64) for part in (gold, length, passage))
    return Sentences(told.astype(np.float64), held, sizes, places_in, [len(one.title) for one in passages])


def weights(questions: Sequence[Sentences], sizes: Mapping[int, int]) -> Array:
    """The fitted weights and, last, the bias; `sizes`: how many questions the set of each has, by the place in `questions`."""
    x, y = (np.concatenate([getattr(one, part) for one in questions]) for part in ("told", "gold"))
    weight = np.concatenate([one.length / one.length.sum() / sizes[n] for n, one in enumerate(questions)])
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    beta = fit((x - mean) / spread, y, weight, RIDGE)
    plain = beta[:-1] / spread
    return np.append(plain, beta[-1] - (plain * mean).sum())


def fitted(by_set: Mapping[str, list[Sentences]], names: Sequence[str]) -> Array:
    chosen = [(one, len(by_set[name])) for name in names for one in by_set[name]]
    return weights([one for one, _ in chosen], {n: size for n, (_, size) in enumerate(chosen)})


def shown(one: Sentences, worth: Array, budget: int) -> float:
    """The share of the evidence among the sentences that fit, the most worth first."""
    room, taken, seen = budget * CHARACTERS, 0.0, set()
    for at in np.argsort(-worth, kind="stable"):
        new = one.passage[at] not in seen
        cost = one.length[at] + 1 + (one.titles[int(one.passage[at])] + LABEL if new else 0)
        if cost > room:
            continue
        room -= cost
        seen.add(one.passage[at])
        taken += one.gold[at] * one.length[at]
    marked = float((one.gold * one.length).sum())
    return taken / marked if marked else 0.0


def contexts(library: Library, questions: Sequence[Question], gold: Mapping[str, Any]) -> dict[str, Any]:
    """Evidence recall of whole contexts, by system and budget, and differences of `default`."""
    known = {one.id for one in library.documents()}
    tokens = TokenMap(lambda doc_id: library.document(doc_id).text if doc_id in known else "", default_tokenizer())
    small = [budget for budget in BUDGETS if budget < 500]
    scores: dict[str, dict[int, list[float]]] = {system: {budget: [] for budget in small} for system in SYSTEMS}
    for system in SYSTEMS:
        pipeline = library.pipeline(system)
        for question in questions:
            query = Query(question.question)
            draft = pipeline.retrieval.draft(query, pipeline.retrieval.search(query, pipeline.depth))
            for budget in small:
                with recording() as trace:
                    try:
                        spans = quoted(pipeline.construction.construct(query, draft, library.budget(budget), trace))
                    except BudgetError:
                        spans = ()
                found = evidence(spans, gold[question.id], tokens)
                scores[system][budget].append(found.recall if found else 0.0)
    told: dict[str, Any] = {
        system: {str(b): round(float(np.mean(v)), 4) for b, v in by.items()} for system, by in scores.items()
    }
    for other in ("merge-links", "hybrid"):
        told[f"default - {other}"] = {str(b): gained(scores["default"][b], scores[other][b]) for b in small}
    return {"n": len(questions), **told}


def main() -> None:
    parser = command_line(__doc__, questions=100, out="sentence_reading.json")
    parser.add_argument("data", type=Path, help="folder that holds the sets by name")
    parser.add_argument("--libraries", type=Path, required=True, help="a folder that holds a library a set, by name")
    parser.add_argument("--sets", default="hotpotqa,2wikimultihopqa,musique,covidqa,nq-gold")
    parser.add_argument("--unseen", default="clapnq,pubmedqa")
    given = parser.parse_args()
    reader, by_set = SmallReader(), {}
    for name in given.sets.split(","):
        dataset = load(name, given.data)
        with Library.open(given.libraries / name) as library:
            fill(library, dataset, tell)
            asked = [one for one in held_back(dataset) if one.answers and one.supporting_ids]
            found = [sentences_of(library, question, reader) for question in asked[: given.questions]]
        by_set[name] = [one for one in found if one is not None]
        print(name, len(by_set[name]), flush=True)
    result: dict[str, Any] = {**setting(), "weights": fitted(by_set, list(by_set)).round(3).tolist(), "left_out": {}}
    for name, own in by_set.items():
        beta = fitted(by_set, [other for other in by_set if other != name])
        kinds = {"features": [one.told[:, 0] for one in own], "reading": [one.told @ beta[:-1] for one in own]}
        table = {
            kind: {b: [shown(one, w, b) for one, w in zip(own, worths, strict=True)] for b in BUDGETS}
            for kind, worths in kinds.items()
        }
        result["left_out"][name] = {
            "n": len(own),
            **{kind: {str(b): round(float(np.mean(v)), 4) for b, v in by.items()} for kind, by in table.items()},
            "gain": {str(b): gained(table["reading"][b], table["features"][b]) for b in BUDGETS},
        }
        print(name, result["left_out"][name], flush=True)
    result["unseen"] = {}
    for name in filter(None, given.unseen.split(",")):
        dataset = load(name, given.data)
        questions = [one for one in dataset.questions if one.supporting_ids]
        random.Random(3).shuffle(questions)
        with Library.open(given.libraries / name) as library:
            fill(library, dataset, tell)
            chosen = questions[: given.questions]
            result["unseen"][name] = contexts(library, chosen, {q.id: dataset.gold(q) for q in chosen})
        print(name, result["unseen"][name], flush=True)
    write(given.out, result)


if __name__ == "__main__":
    main()
