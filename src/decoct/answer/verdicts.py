"""Yes or no to a question, by the statement that answers it most likely of all.

1. The statements are ranked as for any question (`candidates.py`); the first that is not said of another thing decides, so that what is
   found in other words for the same decides too; one that a later edition replaces only where none in force is about as likely.
2. Its values are compared with the question's (`asked_values.py`): the same, others, or not told. A row answers in the column that the
   question names where that holds yes or no.
3. The second reading says how far it leans to yes or to no (`decoct.reading.base`), and the likeliest statements behind it with it: where
   another may be the one that answers, what that says counts as much as it is likely; not beside a statement with the very value.
4. `VerdictCertainty` makes a probability of yes and of no of this and of how likely the statement answers at all. Fitted on questions
   whose documents nothing was trained on (`experiments/reader/fit_verdicts.py`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Literal, TypeAlias

from decoct.answer.asked_values import AskedValues, asked_values, denies
from decoct.answer.candidates import ClaimFinder
from decoct.answer.decision import ClaimCandidate
from decoct.answer.quoted import FoundWords
from decoct.answer.surroundings import names_over
from decoct.errors import ConfigError
from decoct.reading.base import log_odds, logistic
from decoct.text.cells import cells_of_row, row_said
from decoct.text.quotable import is_row
from decoct.text.values import parse_values
from decoct.text.words import content_stems

YesOrNo: TypeAlias = Literal["yes", "no"]
ValueAgreement: TypeAlias = Literal["none", "missing", "same", "open", "other"]
"""The question has no value, or the statement does not tell it, says the same, does not decide, says another."""
FITTED = Path(__file__).with_suffix(".json")
_HEARD = 4  # of the likeliest statements
_AS_LIKELY = 0.5  # of another's probability
_BY_CELL: Mapping[str, ValueAgreement] = {"yes": "same", "no": "other"}


@dataclass(frozen=True, slots=True)
class StatementVerdict:
    """What speaks for `word`: how a statement's values agree with the question's, how far it leans to the word, how likely it answers.

    `leaning` and `answers` are log-odds.
    """

    word: YesOrNo
    agreement: ValueAgreement
    leaning: float
    answers: float

    def features(self) -> dict[str, float]:
        """What its probability is made of; each speaks for it the more the larger it is."""
        return {"leaning": self.leaning, "answers": self.answers}


@dataclass(frozen=True, slots=True)
class VerdictCertainty:
    """The logistic of the weighted features and of an offset for each word and agreement, both as `file` holds them."""

    file: Path = FITTED

    def probability(self, verdict: StatementVerdict) -> float:
        """How likely the verdict is right, from 0 to 1."""
        weights, offsets = _fitted(self.file)
        said = sum(weights[name] * value for name, value in verdict.features().items())
        return logistic(said + offsets[f"{verdict.word}-{verdict.agreement}"])


@dataclass(frozen=True)
class VerdictFinder:
    """Says yes and no to the question of `finder`, each with its probability; what ended before its day says neither."""

    finder: ClaimFinder
    certainty: VerdictCertainty = field(default_factory=VerdictCertainty)

    @cached_property
    def _asked(self) -> AskedValues:
        return asked_values(self.finder.question, self.finder.named)  # numbers of what the question names are no values

    def claims(self, told: Sequence[ClaimCandidate]) -> list[ClaimCandidate]:
        """Yes and no by the statement of `told` that decides, the likelier first; nothing where none does."""
        first = self.deciding(told)
        if first is None:
            return []
        judged = []
        for verdict in self.verdicts(first, told):
            sure = self.certainty.probability(verdict)
            held = first.found
            found = FoundWords(held.read, held.sentence, held.sentence, verdict.word, sure, judged=True, form="verdict")
            evidence = replace(first.evidence, form="verdict", weight=log_odds(sure))
            judged.append(ClaimCandidate(found, evidence, sure))
        return sorted(judged, key=lambda one: -one.probability)

    def deciding(self, told: Sequence[ClaimCandidate]) -> ClaimCandidate | None:
        """The first of the ranked statements `told` that is not said of another thing; None where there is none, or it says nothing."""
        own = [one for one in told if not one.evidence.is_of_another]
        if not own:
            return None
        least = own[0].probability * _AS_LIKELY
        in_force = [
            one
            for one in own[:_HEARD]
            if not one.evidence.replaced and not self._has_ended(one) and one.probability >= least
        ]
        own = in_force or own
        first = next((one for one in own[:_HEARD] if self._says_more(one, own[0])), own[0])
        told_still = not self._has_ended(first)
        return first if told_still and cells_of_row(first.found.read.passage.text, first.found.sentence) else None

    def _has_ended(self, one: ClaimCandidate) -> bool:
        """Whether it tells of a time that is over (`AskedValues.has_ended`)."""
        return self._asked.has_ended(_said_and_above(self.finder.question, one)[0], self.finder.today)

    def _says_more(self, one: ClaimCandidate, other: ClaimCandidate) -> bool:
        """Whether both state what is asked for, and one, about as likely, all that the other says of the rest of the question, and more."""
        if not self._asked.any or one.probability < other.probability * _AS_LIKELY:
            return False
        (mine, told), (theirs, stated) = self._of_rest(one), self._of_rest(other)
        return told and stated and mine > theirs

    def _of_rest(self, one: ClaimCandidate) -> tuple[frozenset[str], bool]:
        """The question's words beside its values that a statement says, with what stands over it; and whether it states such values."""
        said, over = _said_and_above(self.finder.question, one)
        return self._asked.rest & content_stems(f"{over}: {said}"), self._asked.agreement(said) is not None

    def verdicts(self, first: ClaimCandidate, told: Sequence[ClaimCandidate] = ()) -> list[StatementVerdict]:
        """What speaks for yes and what for no in the statement that decides, the likeliest of `told` heard with it."""
        agreement, leaning = self._heard(first)
        heard = told[:_HEARD] if agreement != "same" else ()  # a statement with the very value speaks for itself
        beside = [
            one
            for one in heard
            if one is not first and not one.evidence.is_of_another and not self._says_more(first, one)
        ]
        leaning = _mean_leaning([(leaning, first), *((self._heard(one)[1], one) for one in beside)])
        sides: tuple[tuple[YesOrNo, float], ...] = (("yes", leaning), ("no", -leaning))
        answers = log_odds(first.probability)
        return [StatementVerdict(word, agreement, side, answers) for word, side in sides]

    def _heard(self, one: ClaimCandidate) -> tuple[ValueAgreement, float]:
        """How a statement's values agree with the question's, and how far it leans to yes by them and by its reading."""
        text, place = one.found.read.passage.text, one.found.sentence
        cells, question, asked = cells_of_row(text, place), self.finder.question, self._asked
        said, over = _said_and_above(question, one)
        answering = _answering_cell(question, cells)
        agreement: ValueAgreement = (asked.agreement(said, over) or "missing") if asked.any else "none"
        if agreement in ("none", "same"):  # the values say which row it is
            agreement = _BY_CELL.get(answering, agreement)
        leaning = one.evidence.leaning
        if is_row(text[slice(*place)]) and not answering and any(_yes_or_no(cell) for _, cell in cells):
            leaning = 0.0  # the cell under another head ("mandatory: no") is what the reading goes by
        if asked.opened is not None or not asked.stands_in(said):  # the reading takes a limit or a range for a denial
            leaning = {"same": max(leaning, 0.0), "other": min(leaning, 0.0)}.get(agreement, leaning)
        if denies(said, content_stems(question)) and not asked.denied:
            # "not free" is read as "free", and "not on Mondays" as a no for Tuesdays
            leaning = 0.0 if agreement == "open" else min(leaning, 0.0)
        return agreement, leaning


def _said_and_above(question: str, one: ClaimCandidate) -> tuple[str, str]:
    """What a statement says to the question, and what stands over it."""
    passage, place = one.found.read.passage, one.found.sentence
    return row_said(question, passage.text, place), ": ".join(names_over(passage, place[0]))


def _mean_leaning(told: Sequence[tuple[float, ClaimCandidate]]) -> float:
    """The mean of how far statements lean, each as the root of its odds to answer."""
    weights = [math.exp(log_odds(one.probability) / 2) for _, one in told]
    return sum(weight * leaning for weight, (leaning, _) in zip(weights, told, strict=True)) / sum(weights)


def _answering_cell(question: str, cells: Sequence[tuple[str, str]]) -> str:
    """What a row says in the one column whose head the question names, where it names the row elsewhere: "yes", "no", or ""."""
    asked = content_stems(question)
    told = [(_yes_or_no(cell), content_stems(head) & asked) for head, cell in cells]
    named = [at for at, (answer, head) in enumerate(told) if answer and head]
    rest = any(content_stems(cell) & asked for at, (_, cell) in enumerate(cells) if at not in named)
    return told[named[0]][0] if len(named) == 1 and rest else ""


def _yes_or_no(cell: str) -> str:
    """The "yes" or "no" that a cell begins with, maybe with a remark; "" for none."""
    return next((one.dimension for one in parse_values(cell) if one.kind == "bool"), "")


@cache
def _fitted(file: Path) -> tuple[Mapping[str, float], Mapping[str, float]]:
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
        return dict(held["weights"]), dict(held["offsets"])
    except (OSError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise ConfigError(f"the certainty of verdicts {str(file)!r} cannot be used: {error!r}; fit it again") from error
