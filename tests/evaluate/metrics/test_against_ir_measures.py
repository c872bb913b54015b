"""The ranking measures against an independent implementation: ir-measures, which runs trec_eval's own code."""

from __future__ import annotations

import importlib
import random
from typing import Any

import pytest

from decoct.evaluate.metrics.ranking import hit_at_k, ndcg_at_k, recall_at_k, reciprocal_rank


def test_random_rankings_score_the_same() -> None:
    ir: Any = importlib.import_module("ir_measures")
    rng = random.Random(7)
    documents = [f"d{i}" for i in range(30)]
    for k in (1, 3, 5, 10):
        qrels, runs, ours = [], [], {}
        for number in range(40):
            query = f"q{number}"
            judged = rng.sample(documents, rng.randint(1, 8))
            grades = {doc: rng.randint(0, 1) for doc in judged}
            grades[judged[0]] = 1  # at least one relevant
            ranking = rng.sample(documents, rng.randint(1, 20))
            qrels += [ir.Qrel(query, doc, grade) for doc, grade in grades.items()]
            runs += [ir.ScoredDoc(query, doc, -rank) for rank, doc in enumerate(ranking)]
            gold = [doc for doc, grade in grades.items() if grade > 0]
            ours[query] = {
                f"R@{k}": recall_at_k(ranking, gold, k),
                f"RR@{k}": reciprocal_rank(ranking, gold, k),
                f"Success@{k}": hit_at_k(ranking, gold, k),
                f"nDCG@{k}": ndcg_at_k(ranking, gold, k),
            }
        measures = [ir.R @ k, ir.RR @ k, ir.Success @ k, ir.nDCG @ k]
        compared = 0
        for value in ir.iter_calc(measures, qrels, runs):
            assert ours[value.query_id][str(value.measure)] == pytest.approx(value.value)
            compared += 1
        assert compared == 160
