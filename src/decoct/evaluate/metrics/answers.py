"""The normal form in which short answers are compared (SQuAD: Rajpurkar et al., 2016; the same function in HippoRAG 2 and MuSiQue).

In this order: lower case; drop ASCII punctuation; drop the articles a, an, the as whole words; collapse white space. The order matters:
"The A-Team" becomes "ateam" because its hyphen is gone before articles are looked for. Nothing else is equal: no number words, no
accents, no Unicode punctuation.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

from decoct.errors import EvaluationError

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def normalise(text: str) -> str:
    """The normal form of `text`; may be empty ("The!")."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def tokens(text: str) -> list[str]:
    """The words of the normal form."""
    return normalise(text).split()


# Exact match: 1 if the normalised prediction equals a normalised gold answer, else 0; the best over the gold answers.
#
# Edge cases. A prediction or an answer with nothing left after normalisation ("The", "!!!") matches nothing (as in HippoRAG 2;
# SQuAD 2.0 rewards a blank answer to an unanswerable question). This keeps exact match at most token F1 on every example, which is asserted
# in the tests; a table in which EM exceeds F1 is not of these measures.
def exact_match(prediction: str, answers: Sequence[str]) -> float:
    """1.0 or 0.0. Raises `EvaluationError` without gold answers: such a question has no exact match."""
    golds = map(normalise, _given("exact_match", answers))
    predicted = normalise(prediction)
    return float(bool(predicted) and predicted in golds)


# Token F1 (SQuAD): the harmonic mean of precision and recall over words, the best over the gold answers.
#
# With P and G the multisets of normalised words and c = |P ∩ G|: precision c/|P|, recall c/|G|, F1 = 2c / (|P| + |G|); 0 if c = 0.
#
# Edge cases. A side without words scores 0. HotpotQA's official rule, that "no, it is" gets nothing from "it is", is not followed, as in
# HippoRAG 2.
def token_f1(prediction: str, answers: Sequence[str]) -> float:
    """In 0..1. Raises `EvaluationError` without gold answers: such a question has no F1."""
    predicted = tokens(prediction)
    return max(_f1(predicted, tokens(one)) for one in _given("token_f1", answers))


def _f1(predicted: list[str], gold: list[str]) -> float:
    if not predicted or not gold:
        return 0.0
    shared = (Counter(predicted) & Counter(gold)).total()
    return 2 * shared / (len(predicted) + len(gold))


# Accuracy by containment: 1 if the prediction contains a gold answer, else 0 (MergeRAG's Acc; HotpotQA-style "cover EM").
#
# `accuracy` is the papers' form: the normalised answer is a substring of the normalised prediction. It finds "no" in "know" and "5 mg" in
# "15 mg". `word_accuracy` asks for whole words in a row and is the one to use for yes/no, numbers and short names. Both reward a prediction
# that lists everything: read them beside exact match and the answer's length.
#
# Edge cases. An answer that normalises to nothing matches nothing (the empty string is in every string).
def accuracy(prediction: str, answers: Sequence[str]) -> float:
    """1.0 or 0.0 by substring. Raises `EvaluationError` without gold answers."""
    return float(contains(normalise(prediction), _given("accuracy", answers)))


def word_accuracy(prediction: str, answers: Sequence[str]) -> float:
    """1.0 or 0.0 by whole words in a row. Raises `EvaluationError` without gold answers."""
    return float(contains(f" {normalise(prediction)} ", _given("accuracy", answers), whole_words=True))


def contains(text: str, answers: Sequence[str], *, whole_words: bool = False) -> bool:
    """Whether normalised `text` (with outer blanks, for whole words) contains one of `answers`."""
    golds = [gold for gold in map(normalise, answers) if gold]
    return any((f" {gold} " if whole_words else gold) in text for gold in golds)


def _given(measure: str, answers: Sequence[str]) -> Sequence[str]:
    if not answers:
        raise EvaluationError(f"{measure} needs at least one gold answer; leave the question out and count it")
    return answers


# Answer in context: 1 if the rendered context contains a gold answer in normal form, by whole words in a row, else 0.
#
# The cheapest sign that a reader could answer. It needs no gold passage, and it works on rewritten text. What it does not say:
# that the answer stands there as the answer (a year may stand anywhere).
#
# Edge cases. None where no gold answer can be looked up: none given, or only yes, no, maybe and the like, which are never found
# as evidence.
VERDICTS = frozenset({"yes", "no", "maybe", "unanswerable", "noanswer", "true", "false"})
"""Answers that are judgements on the evidence, not words of it."""


def answer_in_context(context: str, answers: Sequence[str]) -> float | None:
    """1.0 or 0.0 for the rendered text of a context; None if no answer can be looked up."""
    usable = [answer for answer in answers if normalise(answer) and normalise(answer) not in VERDICTS]
    return word_accuracy(context, usable) if usable else None
