"""Whether a statement that decides a question of yes or no says yes to it or no, by the words of both.

A linear model of what the statement says, what the question says, what one says and the other does not, each also crossed with whether
the other denies, and of how their values agree (`decoct.answer.asked_values`). The features are hashed into `BUCKETS` weights (Weinberger
et al. 2009, "Feature Hashing for Large Scale Multitask Learning"). Fitted on written questions whose yes and no neither length nor form
tells apart, judged on writers and on organisations left out (`experiments/verifier/fit_polarity.py`, lab/docs/reader.md): a reader of six
layers told nothing of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import numpy as np

from decoct.data import Floats
from decoct.errors import ConfigError
from decoct.text.analysis import stems

FITTED = Path(__file__).with_suffix(".npy")
BUCKETS = 1 << 16
_CLAUSE = re.compile(r"[;,:.]|\b(?:and|but|unless|except|if)\b", re.IGNORECASE)
# Words of negation are a closed class (Quirk et al. 1985, A Comprehensive Grammar, 10.54 to 10.60); "t" is what is left of "isn't".
_SUPPORT = frozenset("do doe did".split())  # stems; "does it carry" asks what "it carries" says
_NEGATORS = frozenset("not no never none nobody nothing without neither nor cannot t".split())


@dataclass(frozen=True, slots=True)
class Polarity:
    """The weights in `file`: `BUCKETS` numbers."""

    file: Path = FITTED

    def log_odds(self, question: str, statement: str, agreement: str) -> float:
        """Above nought where the statement says yes to the question; `agreement` is that of their values (`ValueAgreement`)."""
        weights = _weights(self.file)
        return float(sum(weights[bucket] for bucket in buckets(question, statement, agreement)))


def buckets(question: str, statement: str, agreement: str) -> list[int]:
    """The buckets of the features of a question and a statement, each once, in order."""
    return sorted({crc32(one.encode()) % BUCKETS for one in _features(question, statement, agreement)})


def _features(question: str, statement: str, agreement: str) -> Iterator[str]:
    words, said = stems(question), stems(statement)
    asked = [word for word in words if word not in _SUPPORT]
    nearest = max(_CLAUSE.split(statement), key=lambda clause: len({*stems(clause)} & {*asked}))
    # "Isn't it open?" asks whether it is; the other negations of a question are of what it asks.
    denies, denied = not _NEGATORS.isdisjoint(said), not _NEGATORS.isdisjoint(words[2:])
    negation = f"{denies:d}{denied:d}{not _NEGATORS.isdisjoint(stems(nearest)):d}"
    shared = len({*asked} & {*said}) / max(1, len({*asked}))
    yield from ("all", f"agreement {agreement}", f"negation {negation}", f"negation {negation} {agreement}")
    yield from (
        f"shared {int(5 * shared)} {negation}",
        f"first {' '.join(asked[:1])}",
        f"ends {question.rstrip()[-1:]}",
    )
    yield from (f"pair {one} {other}" for one, other in pairwise(asked))
    for word in {*said}:
        yield from (f"said {word}", f"said {denied:d} {word}")
    for word in {*asked}:
        yield from (f"asked {word}", f"asked {negation[0]}{negation[2]} {word}")
    yield from (f"unasked {word}" for word in {*said} - {*asked})
    yield from (f"unsaid {word}" for word in {*asked} - {*said})


@cache
def _weights(file: Path) -> Floats:
    try:
        held: Floats = np.load(file, allow_pickle=False).astype(np.float32)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"the weights of yes and no {str(file)!r} cannot be read: {error!r}; fit them again"
        ) from error
    if held.shape != (BUCKETS,):
        raise ConfigError(f"{str(file)!r} holds {held.shape} weights where {BUCKETS} belong; fit them again")
    return held
