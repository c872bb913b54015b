"""Fit the weights of decoct.context.sentence_judge on public questions, and print them.

    python benchmarks/fit_sentences.py --data ../shared/data --libraries runs/merging
    python benchmarks/fit_sentences.py --libraries runs/merging --sets hotpotqa,musique --recipes merge-extract,merge-links

A row is a sentence of the 20 best passages of a recipe's ranking. Its label: HotpotQA, whether at least half of it is gold supporting text;
MuSiQue, whether it holds the answer of a hop in that hop's gold paragraph. Logistic regression with a small ridge, by Newton's method,
each sentence weighted by its characters (evidence is counted in tokens), each set under each ranking alike. Questions whose number is even
(in the order of the set) are fitted on; the log-loss and average precision of both halves are printed. The first command gives the
weights that ship (to a few hundredths, as the code of rankings moves on); the second's worth is in lab/docs/findings-mergerag.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from setting import command_line

from decoct import Library
from decoct.context.merge.step import joined_neighbours
from decoct.context.quotes import support_of
from decoct.context.sentence_judge import NAMES, features
from decoct.context.stitch import draft_of
from decoct.data import Query, Span
from decoct.evaluate.metrics.answers import answer_in_context
from decoct.recipe import load_recipe
from decoct_lab.dataset import Question, load

Array = NDArray[np.float64]


def rows(library: Library, questions: list[Question], recipe: str, n: int) -> Iterator[tuple[int, Array, Array, Array]]:
    """For each question: its number, features, labels and lengths of the sentences."""
    pipeline = library.pipeline(load_recipe(recipe))
    for number, question in enumerate(questions):
        ranked = draft_of(pipeline.search(Query(question.question), pipeline.depth)).passages
        passages = joined_neighbours(ranked[:n])
        places, found = features(question.question, passages)
        labels, lengths = [], []
        for passage, ranges in zip(passages, places, strict=True):
            for start, end in ranges:
                spans = [span for _, span in support_of(passage, start, end)]
                labels.append(is_evidence(question, spans, passage.text[start:end]))
                lengths.append(end - start)
        yield number, found.astype(np.float64), np.array(labels, np.float64), np.array(lengths, np.float64)


def is_evidence(question: Question, spans: list[Span], text: str) -> bool:
    """Whether a sentence, at `spans`, is evidence by what the set marks."""
    hops: Any = question.extra.get("decomposition", ())
    if not question.supporting:
        held = [hop["answer"] for hop in hops if hop["supporting_id"] == spans[0].doc_id]
        return any(answer_in_context(text, [answer]) for answer in held)
    gold = sum(
        max(0, min(g.end, s.end) - max(g.start, s.start))
        for s in spans
        for g in question.supporting
        if g.doc_id == s.doc_id
    )
    return gold * 2 >= sum(s.end - s.start for s in spans)


def fit(x: Array, y: Array, weight: Array, ridge: float) -> Array:
    """Weights and bias (last) that maximise the weighted likelihood."""
    x = np.hstack([x, np.ones((len(x), 1))])
    weight = weight / weight.mean()
    beta = np.zeros(x.shape[1])
    penalty = ridge * np.eye(len(beta))
    penalty[-1, -1] = 0
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        gradient = x.T @ (weight * (y - p)) - penalty @ beta
        hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + penalty
        step = np.linalg.solve(hessian, gradient)
        beta += step
        if np.abs(step).max() < 1e-8:
            break
    return beta


def report(name: str, x: Array, y: Array, beta: Array) -> None:
    logit = x @ beta[:-1] + beta[-1]
    loss = np.logaddexp(0, logit) - y * logit
    order = np.argsort(-logit)
    hits = np.cumsum(y[order])
    precision = (hits / np.arange(1, len(y) + 1))[y[order] > 0].mean()
    print(
        f"{name}: {len(y)} sentences, {int(y.sum())} evidence, log-loss {loss.mean():.4f}, average precision {precision:.4f}"
    )


def main() -> None:
    parser = command_line(__doc__, data=True)
    parser.add_argument("--libraries", default="runs/merging", help="a folder that holds a library a set, by name")
    parser.add_argument("--sets", default="hotpotqa", help="of hotpotqa and musique")
    parser.add_argument("--recipes", default="merge-extract", help="whose rankings are fitted on")
    parser.add_argument("--passages", type=int, default=20)
    parser.add_argument("--ridge", type=float, default=1.0)
    arguments = parser.parse_args()
    fitted, held_out = [], {}
    for name in arguments.sets.split(","):
        options = {"setting": "distractor"} if name == "hotpotqa" else {}
        questions = list(load(name, arguments.data, options).questions)
        with Library.open(str(Path(arguments.libraries) / name), create=False) as library:
            for recipe in arguments.recipes.split(","):
                found = list(rows(library, questions, recipe, arguments.passages))
                even, odd = (
                    [np.concatenate([one[i] for one in found if one[0] % 2 == parity]) for i in (1, 2, 3)]
                    for parity in (0, 1)
                )
                fitted.append((even[0], even[1], even[2] / even[2].sum()))
                held_out[f"{name}, {recipe}"] = (even, odd)
    x, y, weight = (np.concatenate([part[i] for part in fitted]) for i in range(3))
    beta = fit(x, y, weight, arguments.ridge)
    for part, (even, odd) in held_out.items():
        report(f"{part}, fitted", even[0], even[1], beta)
        report(f"{part}, held out", odd[0], odd[1], beta)
    print(f"FEATURES_BIAS = {beta[-1]:.3f}")
    print("WEIGHTS = {" + ", ".join(f'"{name}": {value:.3f}' for name, value in zip(NAMES, beta, strict=False)) + "}")


if __name__ == "__main__":
    main()
