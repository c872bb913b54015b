"""What speaks for and against a claim, as one record of numbers: a possible answer is handed to the decision with it (`decision.py`)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

ClaimForm: TypeAlias = Literal["words", "statement", "cell", "steps", "entry", "verdict"]
CLAIM_FORMS: tuple[ClaimForm, ...] = ("words", "statement", "cell", "steps", "entry", "verdict")


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    """Shares are from 0 to 1; coverages weigh the question's words by how rare they are among the passages.

    - `weight`: log-odds that the reader (or the form) gives the words; `margin`: how far they stand above the best other words, by all of
      the evidence (6 for no others, below 0 for words that are not the best); `rank` of the passage from 0; `passages` that say the words.
    - `near`: the cosine of the question with the statement under what stands over it; `likely`: the reader's relevance of the statement.
    - `answers`, `relevance`: the reader's probabilities of the part that was read; `share`: of all its spans, that of the words.
    - `in_sentence`, `in_part`, `in_heading`: the question's words that stand in the sentence; also in what is said before it; also in
      headings, items, heads and the title.
    - `identifiers`, `identifiers_present`, `values`, `values_present`: how many identifiers and labels, dates and quantities the question
      has, and how many stand around the words; `rivals`: in whose stead another one stands; `named`: share of the names.
    - `of_another`: 1 where the words are said of a sibling of what is asked for; `unknown`: 1 where an identifier stands in no passage.
    - `replaced`: 1 where a later edition of the document is among the passages and the question does not name this one's year.
    - `expected`: 1 where the sentence holds the kind of thing that is asked for (a time, a number, a person); `length`: the answer's words,
      `size`: the characters of its statement.
    - `entailed`: how likely a second reading says it is that the statement answers (`decoct.reading.second`); None where there was none;
      `leaning`: how far that reading leans to yes, and below 0 to no, as a difference of log-odds.
    """

    form: ClaimForm
    weight: float
    margin: float = 6.0
    near: float = 0.0
    likely: float = 0.0
    rank: int = 0
    passages: int = 1
    answers: float = 0.0
    relevance: float = 0.0
    share: float = 1.0
    in_sentence: float = 0.0
    in_part: float = 0.0
    in_heading: float = 0.0
    identifiers: int = 0
    identifiers_present: int = 0
    values: int = 0
    values_present: int = 0
    rivals: int = 0
    named: float = 1.0
    of_another: float = 0.0
    unknown: float = 0.0
    replaced: float = 0.0
    expected: float = 1.0
    length: int = 1
    size: int = 1
    entailed: float | None = None
    leaning: float = 0.0

    @property
    def is_of_another(self) -> bool:
        """Whether the words are another thing's than the question names: such are no answer, however sure the reader is."""
        return self.rivals > 0 or self.of_another > 0 or self.unknown > 0

    @property
    def is_whole(self) -> bool:
        """Whether all that the question names stands around the words, in a document that no later edition replaces.

        A verdict weighs both by itself (`verdicts.py`).
        """
        return self.form == "verdict" or (self.named >= 1 and not self.replaced)

    def is_evident(self, least: float) -> bool:
        """Whether each reader takes the statement for evidence with `least`; a second reading is asked whether it answers."""
        return min(self.likely, self.relevance, 1.0 if self.entailed is None else self.entailed) >= least

    def features(self) -> dict[str, float]:
        """The record as numbers by name, the form as one of each kind."""
        numbers = {one.name: float(getattr(self, one.name) or 0.0) for one in fields(self) if one.name != "form"}
        return numbers | {f"form_{form}": float(form == self.form) for form in CLAIM_FORMS}
