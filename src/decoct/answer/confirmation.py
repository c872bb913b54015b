"""What is about to be claimed, put to a second reader once more: a language model can be asked of the one claim that it would be.

The bundled second reading judges every likely candidate and is part of the calibrated probability (`certainty.py`). A reader that costs a
call each is asked of the words alone that would be shown as the answer. Its word is not calibrated: a yes leaves the probability as it
is, and a no takes its log-odds from it, so what it adds can only be doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from decoct import trace
from decoct.answer.quoted import FoundWords
from decoct.answer.surroundings import surroundings
from decoct.reading.base import log_odds, logistic
from decoct.reading.second import SecondReader, StatementToRead


def confirmed(
    question: str, found: Sequence[FoundWords], second: SecondReader, sure: float, further: float
) -> list[FoundWords]:
    """Those of `found` (weighed by their probability) that stay as likely as `further` of the likeliest, it first; none below `sure`.

    The trace's fact `second` holds how likely each is an answer to the second reader.
    """
    with trace.stage("second"):
        said = [
            reading.of(one.words if one.judged else "")
            for one, reading in zip(found, second.read([_statement(question, one) for one in found]), strict=True)
        ]
        trace.fact("second", [round(one, 3) for one in said])
        doubted = [
            replace(one, weight=logistic(log_odds(one.weight) + min(0.0, log_odds(share)))) if share < 1 / 2 else one
            for one, share in zip(found, said, strict=True)
        ]
        most = max((one.weight for one in doubted), default=0.0)
        kept = [one for one in doubted if most >= sure and one.weight >= further * most]
        trace.count(claims=len(found), refused=len(found) - len(kept))
        return sorted(kept, key=lambda one: -one.weight)


def _statement(question: str, found: FoundWords) -> StatementToRead:
    passage = found.read.passage
    around = surroundings(passage, found.sentence, found.place, judged=found.judged)
    return StatementToRead(question, passage.text, *found.sentence, around.heading)
