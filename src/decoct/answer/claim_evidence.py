"""What speaks for and against a claim, as one record of numbers: a possible answer is handed to the decision with it (`decision.py`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from decoct.reading.base import log_odds

ClaimForm: TypeAlias = Literal["words", "statement", "cell", "steps", "entry", "verdict"]


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    """Shares are from 0 to 1.

    - `weight`: log-odds that the reader (or the form) gives the words; `margin`: how far they stand above the best other words, by all of
      the evidence (6 for no others, below 0 for words that are not the best); `rank` of the passage from 0.
    - `near`: the cosine of the question with the statement under what stands over it; `likely`: the reader's relevance of the statement.
    - `relevance`: the reader's of the part that was read.
    - `in_heading`: the question's words that stand in the sentence, what is said before it, headings, items, heads and the title, each
      weighed by how rare it is among the passages.
    - `rivals`: identifiers, labels, dates and quantities of the question in whose stead another one stands around the words; `named`: share
      of its names that stand there.
    - `of_another`: 1 where the words are said of a sibling of what is asked for; `unknown`: 1 where an identifier stands in no passage.
    - `replaced`: 1 where a later edition of the document is among the passages and the question does not name this one's year, or where
      a message quotes the words and answers otherwise itself.
    - `size`: the characters of its statement.
    - `worded`: the same of the words alone where they stand; None where they were not read so.
    - `lead`: how far the log-odds of `worded` stand above those of the likeliest other words of their kind in the statement, within 5;
      5 where there are none.
    - `near_above`, `entailed_above`: how far `near` and the log-odds of `entailed` stand above what is usual among the question's claims.
    - `entailed`: how likely a second reading says it is that the statement answers (`decoct.reading.base`); None where there was none;
      `leaning`: how far that reading leans to yes, and below 0 to no, as a difference of log-odds.
    """

    form: ClaimForm
    weight: float
    margin: float = 6.0
    near: float = 0.0
    likely: float = 0.0
    rank: int = 0
    relevance: float = 0.0
    in_heading: float = 0.0
    rivals: int = 0
    named: float = 1.0
    of_another: float = 0.0
    unknown: float = 0.0
    replaced: float = 0.0
    size: int = 1
    entailed: float | None = None
    worded: float | None = None
    lead: float = 5.0
    leaning: float = 0.0
    near_above: float = 0.0
    entailed_above: float = 0.0

    @property
    def entailment(self) -> float:
        """The log-odds of `entailed`, within 5 of nought; nought where there was no second reading."""
        return _within_five(self.entailed)

    @property
    def wording(self) -> float:
        """The log-odds of `worded`, alike."""
        return _within_five(self.worded)

    @property
    def is_of_another(self) -> bool:
        """Whether the words are another thing's than the question names: such are no answer, however sure the reader is."""
        return self.rivals > 0 or self.of_another > 0 or self.unknown > 0

    @property
    def is_whole(self) -> bool:
        """Whether all that the question names stands around the words, in a document that no later edition replaces.

        Of a verdict its values tell whether it is whole (`verdicts.py`).
        """
        return not self.replaced and (self.form == "verdict" or self.named >= 1)

    def is_evident(self, least: float) -> bool:
        """Whether each reader takes the statement for evidence with `least`; a second reading is asked whether it answers."""
        return min(self.likely, self.relevance, 1.0 if self.entailed is None else self.entailed) >= least


def _within_five(share: float | None) -> float:
    return 0.0 if share is None else max(-5.0, min(5.0, log_odds(share)))
