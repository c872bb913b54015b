"""The bundled reader: one small encoder with five outputs, int8, on onnxruntime (lab/docs/reader.md; trained by `decoct train reader`).

A folder holds `model.onnx` (inputs `input_ids`, `attention_mask`, `token_type_ids`; outputs `tokens`, batch × tokens × 3: start, end,
evidence, and `passage`, batch × 5: answers, relevance, yes, no, neither; all logits), `tokenizer.json`, and `calibration.json` (for
`answers`, `relevance` and `evidence` a slope and an offset that make probabilities of logits, and `verdict` those that say of the distance
between the best class and the next whether it is to be believed).

The input is `[CLS] question [SEP] title [SEP] text [SEP]`. A longer text is read in windows that overlap by a quarter; what two windows
say of the same place, the surer one says. Every window is a run of its own, unpadded, so a reading depends on nothing but its text
(`embed/onnx.py` says why); windows run side by side on as many threads as there are cores.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from decoct.data import Floats
from decoct.embed.base import well_formed
from decoct.embed.onnx import digest, session, side_by_side, whole_tokenizer
from decoct.errors import ConfigError
from decoct.reading.base import (
    NOTHING_READ,
    AnswerPlaces,
    AnswerSpan,
    Readable,
    Reading,
    SentenceRelevance,
    Verdict,
    logistic,
)
from decoct.text.questions import asks_yes_or_no
from decoct.text.quotable import without_hidden_addresses
from decoct.text.sentences import sentences
from decoct.text.wholes import wholes

_LONGEST_ANSWER = 48  # tokens; longer answers of the training sets are whole paragraphs
_FEWER = 0.35  # a further span must have this share of the best one's probability
_MOST_SPANS = 3
_TRIED = 24  # spans of a window
BUNDLED = Path(__file__).parent / "minilm"
_QUESTION_TOKENS = 64
_TITLE_CHARACTERS = 120
_VERDICTS: tuple[Verdict, ...] = ("yes", "no", "neither")


@dataclass(frozen=True, slots=True)
class SmallReader:
    """Reads with the model in `folder`, `longest` tokens a window. `threads` 0 means `DECOCT_THREADS`, or else all cores."""

    languages: ClassVar[frozenset[str]] = frozenset({"en"})  # English alone
    reads_parts: ClassVar[bool] = True  # a part of a passage takes no longer than its share of it
    folder: Path = BUNDLED
    longest: int = 256
    threads: int = 0

    @property
    def fingerprint(self) -> str:
        """The folder's name and the digest of the weights, with the window's length."""
        return f"reader:{self.folder.name}:{digest(self.folder)[:8]}:{self.longest}"

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        """One reading a passage, in their order; offsets count characters of the passage's text."""
        asked = (
            whole_tokenizer(self.folder).encode(well_formed(question), add_special_tokens=False).ids[:_QUESTION_TOKENS]
        )
        yes_or_no = asks_yes_or_no(question)
        cut = [self._windows(asked, passage) for passage in passages]
        flat = [window for windows in cut for window in windows]
        order = sorted(
            range(len(flat)), key=lambda number: -len(flat[number].ids)
        )  # long ones first: no thread waits for them
        seen = dict(zip(order, side_by_side(lambda number: self._seen(flat[number]), order, self.threads), strict=True))
        readings, first = [], 0
        for passage, windows in zip(passages, cut, strict=True):
            own = [seen[number] for number in range(first, first + len(windows))]
            readings.append(self._reading(passage.text, own, yes_or_no=yes_or_no) if own else NOTHING_READ)
            first += len(windows)
        return readings

    def _windows(self, asked: Sequence[int], passage: Readable) -> list[_Window]:
        """The passage's windows; none where its text has no token."""
        tokenizer = whole_tokenizer(self.folder)
        title = tokenizer.encode(well_formed(passage.title[:_TITLE_CHARACTERS]), add_special_tokens=False).ids
        body = tokenizer.encode(well_formed(without_hidden_addresses(passage.text)), add_special_tokens=False)
        if not body.ids:
            return []
        first, between = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
        head = [first, *asked, between]
        front = [*head, *title, between] if title else head
        room = max(32, self.longest - len(front) - 1)
        step = max(1, room - room // 4)
        starts = range(0, max(1, len(body.ids) - room + step), step) if len(body.ids) > room else range(1)
        return [
            _Window(
                [*front, *body.ids[low : low + room], between],
                len(head),
                len(front),
                tuple(body.offsets[low : low + room]),
            )
            for low in starts
        ]

    def _seen(self, window: _Window) -> _Seen:
        ids = np.asarray([window.ids], dtype=np.int64)
        kinds = np.ones_like(ids)
        kinds[0, : window.head] = 0
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": kinds}
        tokens, passage = session(self.folder).run(["tokens", "passage"], inputs)
        low, high = window.front, window.front + len(window.offsets)
        return _Seen(window.offsets, tokens[0, low:high, 0], tokens[0, low:high, 1], tokens[0, low:high, 2], passage[0])

    def _reading(self, text: str, seen: Sequence[_Seen], *, yes_or_no: bool) -> Reading:
        calibration = _calibration(self.folder)
        passage = np.max([one.passage for one in seen], axis=0)
        answers = calibration["answers"].probability(float(passage[0]))
        logits = [
            TokenLogits(one.offsets, one.starts, one.ends, calibration["answers"].probability(float(one.passage[0])))
            for one in seen
        ]
        found = sentences(text)
        return Reading(
            spans=answer_spans(text, logits),
            answers=answers,
            relevance=calibration["relevance"].probability(float(passage[1])),
            sentences=tuple(
                SentenceRelevance(start, end, calibration["evidence"].probability(logit))
                for (start, end), logit in zip(found, _evidence(found, seen), strict=True)
            ),
            verdict=_verdict(passage[2:], calibration["verdict"]) if yes_or_no else "neither",
            places=answer_places(logits),
        )


@dataclass(frozen=True, slots=True)
class _Window:
    """Token ids; `head` of them are the question's, `front` stand before the text's, whose characters `offsets` tells."""

    ids: list[int]
    head: int
    front: int
    offsets: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A window's logits: one a text token each for start, end and evidence, and the passage's five."""

    offsets: tuple[tuple[int, int], ...]
    starts: Floats
    ends: Floats
    evidence: Floats
    passage: Floats


@dataclass(frozen=True, slots=True)
class Calibration:
    """Platt scaling: a probability from a logit."""

    slope: float = 1.0
    offset: float = 0.0

    def probability(self, logit: float) -> float:
        """1 / (1 + exp(-(slope * logit + offset)))."""
        return logistic(self.slope * logit + self.offset)


def _verdict(logits: Floats, calibration: Calibration) -> Verdict:
    """The likeliest class, if its logit is so far above the next that such verdicts were right on held-back questions."""
    order = np.argsort(-logits, kind="stable")
    margin = float(logits[order[0]] - logits[order[1]])
    return _VERDICTS[int(order[0])] if calibration.probability(margin) >= 0.5 else "neither"


def _evidence(found: Sequence[tuple[int, int]], seen: Sequence[_Seen]) -> list[float]:
    """For each sentence the mean evidence of its tokens, in the window that holds most of them (the first of equals)."""
    logits = [-8.0] * len(found)
    held = [0] * len(found)
    for one in seen:
        starts = np.asarray([start for start, _ in one.offsets])
        ends = np.asarray([end for _, end in one.offsets])
        for number, (low, high) in enumerate(found):
            inside = (starts >= low) & (ends <= high)
            count = int(inside.sum())
            if count > held[number]:
                held[number], logits[number] = count, float(one.evidence[inside].mean())
    return logits


@cache
def _calibration(folder: Path) -> dict[str, Calibration]:
    path = folder / "calibration.json"
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        return {name: Calibration(**given[name]) for name in ("answers", "relevance", "evidence", "verdict")}
    except (OSError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise ConfigError(f"the reader's calibration {str(path)!r} cannot be used: {error}") from error


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
