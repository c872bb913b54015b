"""What a turn is that no passage can answer by itself: it refers back, asks nothing, asks about the library, or is an order about the talk.

- "refers-back": "When was it published?", "What about Sundays?", "the second one, please".
- "none": "thanks!", "ok, that helps", "it works now".
- "about-library": "Summarize the documents", "what can I ask you?".
- "order": "Translate that to German", and what chat programs send beside questions to have a chat's title or tags.

What asks need not look like a question, and what does not ask has no words of its own, so it is learned: linear models, one a kind, over
the bundled embedder's vector and hashed pieces of words (words, two and three in a row, 3 to 5 letters: Joulin et al. 2017, Bag of Tricks
for Efficient Text Classification), fitted by `benchmarks/fit_turn_kinds.py` on turns written for it (lab/docs/answer.md). Whether a turn
that refers back can be completed is `decoct.conversation`'s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from decoct.data import Floats
from decoct.embed.minilm import MiniLM
from decoct.text.linear import fitted_weights, hashed_places
from decoct.text.names import question_runs
from decoct.text.words import is_stop

WEIGHTS = Path(__file__).with_suffix(".npy")
"""A float16 for each kind of `BARS`, in their order, and each feature."""
TurnKind: TypeAlias = Literal["question", "refers-back", "none", "about-library", "order"]
BARS: Mapping[TurnKind, float] = {"refers-back": -0.8, "none": 1.4, "about-library": -0.7, "order": 0.7}
"""The log-odds from which a turn is of a kind; a question that is declined costs more than thanks that are looked up."""
_BUCKETS = 4_096
_PIECES = (3, 4, 5)  # letters
_SHARE = 1.5  # the length of the vector of pieces beside the embedder's, which is 1
_READ = 500  # characters of a turn
_PRONOUNS = frozenset("it its he she him his her hers they them their theirs this that these those".split())
_PART = re.compile(r"\w+|[^\w\s]")
_MARKS = " ,.;:!?–—"
_SEGMENT = re.compile(r"^[^,.;:!?–—]*[,.;:!?–—]\s*")


@lru_cache(maxsize=2048)
def turn_kind(turn: str) -> TurnKind:
    """What the models make of a turn."""
    return likeliest_kind(fitted_weights(WEIGHTS) @ turn_features(turn))


def likeliest_kind(log_odds: Sequence[float]) -> TurnKind:
    """Of log-odds, one for each of `BARS`, the likeliest kind of those that are likely enough; else a question."""
    above = {kind: said - bar for (kind, bar), said in zip(BARS.items(), log_odds, strict=True)}
    likeliest = max(above, key=lambda kind: above[kind])
    return likeliest if above[likeliest] > 0 else "question"


def turn_features(turn: str) -> Floats:
    """What the models read of a turn: the embedder's vector, the hashed pieces, and a one."""
    words = _words(turn)
    held = {*words, *(" ".join(pair) for pair in pairwise(["^", *words, "$"]))}
    held |= {" ".join(words[at : at + 3]) for at in range(len(words) - 2)}
    held |= {f"<{word}>"[at : at + size] for word in words for size in _PIECES for at in range(len(word) + 3 - size)}
    # How long it is, whether it names anything, and what a pronoun in it may stand for.
    held |= {f"#{min(6, len(words) // 4)}", f"#{bool(question_runs(turn))}", f"#{pronoun(turn)}"}
    pieces = np.zeros(_BUCKETS, dtype=np.float32)
    pieces[hashed_places(held, _BUCKETS)] = 1
    pieces *= _SHARE / float(np.sqrt(pieces.sum()))
    (vector,) = MiniLM().embed([turn[:_READ] or " "], "query")
    return np.concatenate([vector, pieces, np.ones(1, dtype=np.float32)])


def pronoun(turn: str) -> Literal["none", "bare", "behind"]:
    """Whether a pronoun stands in the turn, and whether a word with meaning, which it may stand for, stands before it."""
    words = _words(turn)
    at = next((at for at, word in enumerate(words) if word in _PRONOUNS), None)
    if at is None:
        return "none"
    return "bare" if all(is_stop(word) for word in words[:at]) else "behind"


def _words(turn: str) -> list[str]:
    found = _PART.findall(turn[:_READ].lower().replace("’", "'"))
    return ["0" if word[0].isdigit() else word for word in found]


def without_assent(turn: str) -> str:
    """The turn without the thanks and assent that stand before it, up to a mark ("Great, thanks, and in winter?")."""
    rest = turn.strip()
    while (
        (match := _SEGMENT.match(rest)) is not None
        and match.end() < len(rest)
        and turn_kind(match[0].rstrip(_MARKS)) == "none"
    ):
        rest = rest[match.end() :]
    return rest
