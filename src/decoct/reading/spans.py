"""Answer spans from the logits of a reader's tokens: the best ones that lie in one whole of the text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from decoct.data import Floats
from decoct.reading.base import AnswerPlaces, AnswerSpan
from decoct.text.wholes import wholes

_LONGEST_ANSWER = 48  # tokens; longer answers of the training sets are whole paragraphs
_FEWER = 0.35  # a further span must have this share of the best one's probability
_MOST_SPANS = 3
_TRIED = 24  # spans of a window


@dataclass(frozen=True, slots=True)
class TokenLogits:
    """A window's tokens of the text: their characters, logits of begin and end, each shape (tokens,), and how likely it answers."""

    offsets: tuple[tuple[int, int], ...]
    starts: Floats
    ends: Floats
    answers: float


def answer_spans(text: str, windows: Sequence[TokenLogits]) -> tuple[AnswerSpan, ...]:
    """The best spans of all windows, best first, without overlaps, each with the probability that its window answers and answers there.

    Each lies in one whole of the text: a sentence, an item, a cell (`decoct.text.wholes`).
    """
    whole = wholes(text)
    begins = [start for start, _ in whole]
    stops = np.asarray([*(end for _, end in whole), -1])
    found: list[tuple[float, int, int]] = []
    for one in windows:
        scores = one.starts[:, None] + one.ends[None, :]
        rows = np.arange(len(one.starts))
        gap = rows[None, :] - rows[:, None]
        block = np.searchsorted(begins, [start for start, _ in one.offsets], side="right") - 1
        inside = np.asarray([end for _, end in one.offsets]) <= stops[block]
        together = (block[:, None] == block[None, :]) & inside[:, None] & inside[None, :]
        scores = np.where((gap >= 0) & (gap < _LONGEST_ANSWER) & together, scores, -np.inf)
        best = np.argsort(-scores, axis=None, kind="stable")[:_TRIED]
        # the share of start and end each among all tokens of the window, and whether that window answers
        all_shares = _log_sum(one.starts) + _log_sum(one.ends)
        for flat in best.tolist():
            low, high = divmod(flat, len(rows))
            if np.isfinite(scores[low, high]):
                share = math.exp(float(scores[low, high]) - all_shares)
                found.append((one.answers * share, one.offsets[low][0], one.offsets[high][1]))
    found.sort(key=lambda span: (-span[0], span[1], span[2]))
    chosen: list[AnswerSpan] = []
    for score, start, end in found:
        if end <= start or any(start < one.end and one.start < end for one in chosen):
            continue
        if chosen and score < _FEWER * chosen[0].score:
            break
        chosen.append(AnswerSpan(start, end, score))
        if len(chosen) == _MOST_SPANS:
            break
    return tuple(chosen)


def answer_places(windows: Sequence[TokenLogits]) -> AnswerPlaces:
    """The windows' tokens one after another; in a text of several windows a place is as likely as its surest window says."""
    return AnswerPlaces(
        np.asarray([start for one in windows for start, _ in one.offsets], dtype=np.float32),
        np.asarray([end for one in windows for _, end in one.offsets], dtype=np.float32),
        np.concatenate([one.starts - _log_sum(one.starts) for one in windows]),
        np.concatenate([one.ends - _log_sum(one.ends) for one in windows]),
    )


def _log_sum(logits: Floats) -> float:
    top = float(logits.max())
    return top + math.log(float(np.exp(logits - top).sum()))
