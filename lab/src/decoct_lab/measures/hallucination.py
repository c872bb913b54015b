"""What kind of answer it is, on questions whose documents may conflict (lab/docs/methods.md, CASC: Worlds): exactly one label each.

Decided in this order, on values in the form of `values.py`:

1. `malformed`: the reader gave nothing usable (the caller says so, or the text is blank).
2. Truth (an alias of a wanted answer) and rival (a wrong answer) are looked for in the text; a shorter value inside a longer
   one does not count. Both: `both`. Truth only: `correct`. Rival only: `misled`.
3. `abstain`: the reader says that it did not find an answer (the caller's `found=False`, or one of a few phrases).
4. Some other value. It is `misled` if the documents hold it and `unsupported` if none of them does. The values of a text are
   its numbers and its capitalised or quoted names that are not in the question; a text without any is looked up as a whole. One
   value that no document holds makes the answer unsupported.

HR = unsupported / n (CASC's hallucination rate), MR = misled / n, wrong-answer rate = HR + MR. `both` is the right behaviour
where nothing decides a conflict and half a failure where something does: see `behaved_as_expected`. Rule 4 is a heuristic: for long
answers use a judge of faithfulness.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from decoct_lab.measures.values import mentioned, occurrences, pieces

Label: TypeAlias = Literal["correct", "both", "misled", "unsupported", "abstain", "malformed"]
LABELS: tuple[Label, ...] = get_args(Label)

_ABSTAIN = re.compile(
    r"\b(?:not (?:found|stated|given|specified|mentioned|provided|available|enough information)|no (?:answer|information)"
    r"|cannot (?:be )?(?:determined?|answered?|tell)|unanswerable|insufficient|unknown|(?:do|does) not (?:say|know|contain|state))\b",
    re.IGNORECASE,
)
# A number with its sign and decimals, a quoted phrase, or a run of capitalised words (names; joined by of, the, and the like).
_VALUE = re.compile(
    r"\d[\d,.]*\d|\d|[\"“]([^\"”]+)[\"”]|(?:[A-Z][\w'’-]*)(?:\s+(?:(?:of|the|and|de|van|von)\s+)?[A-Z][\w'’-]*)*"
)
# Words that begin a sentence with a capital without naming anything.
_OPENERS = frozenset(
    re.findall(
        r"\w+",
        "the a an it its in on at by of to for from he she they we i this that these those there yes no both according as but and "
        "however while answer based",
    )
)


def hallucination(
    prediction: str,
    question: str,
    groups: Sequence[Sequence[str]],
    wrong_answers: Sequence[str],
    documents: Sequence[str],
    *,
    found: bool = True,
    malformed: bool = False,
) -> Label:
    """The label of one answer; `documents` are the texts the reader was given."""
    if malformed or not prediction.strip():
        return "malformed"
    truths = {alias for group in groups for alias in group}
    rivals = {value for value in wrong_answers if value not in truths}
    given = mentioned(truths | rivals, prediction)
    if given:
        right, wrong = bool(given & truths), bool(given & rivals)
        return "both" if right and wrong else "correct" if right else "misled"
    if not found or _ABSTAIN.search(prediction):
        return "abstain"
    return "misled" if _supported(prediction, question, documents) else "unsupported"


def _supported(prediction: str, question: str, documents: Sequence[str]) -> bool:
    asked = pieces(question)
    texts = [pieces(document) for document in documents]
    values = [value for value in (pieces(v) for v in _values(prediction)) if value and not occurrences(value, asked)]
    wanted = values or [pieces(prediction)]
    return all(any(occurrences(value, text) for text in texts) for value in wanted)


def _values(text: str) -> Iterable[str]:
    for match in _VALUE.finditer(text):
        value = match.group(1) or match.group()
        words = value.split()
        if words[0].lower() in _OPENERS:
            words = words[1:]
        if words:
            yield " ".join(words)


def behaved_as_expected(label: Label, coverage: float, behaviour: str) -> bool:
    """Whether the answer did what its question's expected behaviour asks, given its label and group coverage.

    `flag` and `complementary` want every group and no rival; the others want the one right answer and no rival beside it.
    """
    if behaviour in ("flag", "complementary"):
        return label == "correct" and coverage == 1.0
    return label == "correct"


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of n answers: one a label, CASC's hallucination rate, the misled rate, and their sum."""

    n: int
    shares: dict[Label, float]

    @property
    def hallucination(self) -> float:
        """Unsupported answers / n."""
        return self.shares["unsupported"]

    @property
    def misled(self) -> float:
        """Misled answers / n."""
        return self.shares["misled"]

    @property
    def wrong(self) -> float:
        """Wrong-answer rate: unsupported + misled."""
        return self.hallucination + self.misled


def rates(labels: Sequence[Label]) -> Rates:
    """The shares of `labels`; all zero for none."""
    counts = Counter(labels)
    n = len(labels)
    return Rates(n, {label: counts[label] / n if n else 0.0 for label in LABELS})
