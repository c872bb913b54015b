"""A reader from the ONNX files that question-answering models publish (roberta-base-squad2, deberta-v3-base-squad2 …), without torch.

Such a model gives two logits a token: that the answer begins, and ends, there (Devlin et al. 2019, section 4.3); the pair at the first
token stands for "no answer here" (Rajpurkar et al. 2018, "Know what you don't know"). `model` is a folder or a name on the hub, `hub:NAME`
and NAME are the same, `NAME@REVISION` pins a revision; its files are found as those of embedders (`decoct.embed.hub`): an `.onnx` file and
`tokenizer.json`, whatever its kind (WordPiece, BPE, Unigram). A text longer than a window of 384 tokens is read in windows that overlap
by 128.

`answers` is 1 less the share of "no answer" beside all spans of the window that is surest of one. The model tells no evidence beside that:
`relevance` is `answers`, and a sentence is evidence as far as an answer stands in it. Questions of yes or no, which it cannot answer, are
put to the bundled reader.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from decoct.data import Floats
from decoct.embed.base import well_formed
from decoct.embed.hub import inputs_of, loaded, longest_of, model_folder, network_file, settings_in
from decoct.embed.onnx import side_by_side
from decoct.errors import ConfigError
from decoct.reading.base import NOTHING_READ, AnswerPlaces, Readable, Reading, SentenceRelevance, logistic
from decoct.reading.small import SmallReader, TokenLogits, answer_places, answer_spans
from decoct.text.questions import asks_yes_or_no
from decoct.text.quotable import without_hidden_addresses
from decoct.text.sentences import sentences

_LONGEST, _STRIDE = 384, 128  # tokens of a window, and those that two share: what such models are trained with
_QUESTION_CHARACTERS, _TITLE_CHARACTERS = 400, 120


@dataclass(frozen=True, slots=True)
class HubReader:
    """Reads with the question-answering model `model`, loaded when it first reads; `ConfigError` for files that are missing or unfit.

    `threads` 0 means `DECOCT_THREADS`, or else all cores.
    """

    reads_parts: ClassVar[bool] = True  # a part of a passage takes no longer than its share of it
    model: str
    threads: int = 0

    @property
    def fingerprint(self) -> str:
        """The digest of the network and its tokenizer; not the place."""
        return f"reader-hub:{_network(self.model).digest}"

    def read(self, question: str, passages: Sequence[Readable]) -> list[Reading]:
        """One reading a passage, in their order; offsets count characters of the passage's text."""
        if asks_yes_or_no(question):
            return SmallReader(threads=self.threads).read(question, passages)
        network = _network(self.model)
        return side_by_side(lambda passage: _reading(network, question, passage), passages, self.threads)


@dataclass(frozen=True, slots=True, eq=False)
class _Network:
    """A loaded network and its tokenizer, with the names of the two outputs."""

    session: Any
    tokenizer: Any
    outputs: tuple[str, str]
    digest: str


def _reading(network: _Network, question: str, passage: Readable) -> Reading:
    windows = _windows(network, question, passage)
    if not windows:
        return NOTHING_READ
    answers = max(one.answers for one in windows)
    alone = [(one.answers, answer_places([one])) for one in windows]
    return Reading(
        spans=answer_spans(passage.text, windows),
        answers=answers,
        relevance=answers,
        sentences=tuple(
            SentenceRelevance(place[0], place[1], max(_held(sure, places, place) for sure, places in alone))
            for place in sentences(passage.text)
        ),
        places=answer_places(windows),
    )


def _held(answers: float, places: AnswerPlaces, place: tuple[int, int]) -> float:
    """How likely a window answers, and does so between two characters: the mean of the shares of begins and ends there."""
    return answers * math.exp(min(0.0, places.log_share(*place) / 2))


def _windows(network: _Network, question: str, passage: Readable) -> list[TokenLogits]:
    """The windows of the title and text behind the question; without a token of the text none."""
    title = f"{passage.title[:_TITLE_CHARACTERS]}\n" if passage.title else ""
    text = well_formed(title + without_hidden_addresses(passage.text))
    if not text[len(title) :].strip():
        return []
    whole = network.tokenizer.encode(well_formed(question[:_QUESTION_CHARACTERS]), text)
    found = []
    for one in (whole, *whole.overflowing):
        own = [
            at
            for at, (sequence, (start, end)) in enumerate(zip(one.sequence_ids, one.offsets, strict=True))
            if sequence == 1 and len(title) <= start < end and text[start:end].strip()
        ]
        if not own:
            continue
        inputs = inputs_of(network.session, one)
        starts, ends = (np.asarray(row[0], np.float32) for row in network.session.run(network.outputs, inputs))
        places = tuple(_bare(text, one.offsets[at], len(title)) for at in own)
        found.append(TokenLogits(places, starts[own], ends[own], _answers(starts[own], ends[own], starts[0] + ends[0])))
    return found


def _answers(starts: Floats, ends: Floats, none: float) -> float:
    """The probability that a window answers: the share of all its spans beside that of `none`."""
    gap = np.arange(len(ends))[None, :] - np.arange(len(starts))[:, None]
    spans = np.where(gap >= 0, starts[:, None] + ends[None, :], -np.inf)
    return logistic(float(np.logaddexp.reduce(spans, axis=None)) - float(none))


def _bare(text: str, place: tuple[int, int], before: int) -> tuple[int, int]:
    """A token's characters in the passage without the white space that some tokenizers count to it."""
    said = text[slice(*place)]
    start = place[0] + len(said) - len(said.lstrip())
    return start - before, start + len(said.strip()) - before


@lru_cache(maxsize=2)
def _network(model: str) -> _Network:
    name = model.removeprefix("hub:")
    folder = model_folder(name)
    file, words = network_file(folder), folder / "tokenizer.json"
    session, tokenizer = loaded(name, file, words)
    outputs = {one.name for one in session.get_outputs()}
    pair = next(
        (pair for pair in (("start_logits", "end_logits"), ("output_0", "output_1")) if outputs >= set(pair)), None
    )
    if pair is None:
        raise ConfigError(
            f"the model {name!r} gives {', '.join(sorted(outputs))} and not start_logits and end_logits: it finds no answers in a text; "
            "take a model for question answering (such as deepset/roberta-base-squad2)"
        )
    longest = min(_LONGEST, longest_of({}, settings_in(folder / "tokenizer_config.json")))
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest, stride=min(_STRIDE, longest // 4), strategy="only_second")
    digest = hashlib.sha256(file.read_bytes())
    digest.update(words.read_bytes())
    return _Network(session, tokenizer, pair, f"{digest.hexdigest()[:16]}:{longest}")
