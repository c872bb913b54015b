"""Relevance at sentence level with the embedder alone: S(c; q) = the largest cosine of q with a sentence of c.

A chunk's own vector is a mean over all it says; its best sentence is not thinned by the others (max over passages' parts: Dai and Callan,
SIGIR 2019). It needs no model beyond the embedder and no network, and costs one embedding a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from decoct import trace
from decoct.data import Floats
from decoct.embed.base import Embedder, cosines, well_formed
from decoct.embed.hub import inputs_of, loaded, longest_of, model_folder, network_file, settings_in
from decoct.embed.onnx import side_by_side
from decoct.errors import ConfigError
from decoct.reading.base import PassageReader, TitledText, log_odds
from decoct.reading.small import SmallReader
from decoct.text.sentences import sentences

# Below every cosine: a text without a sentence is the least relevant.
NOTHING = -2.0


@dataclass(frozen=True, slots=True)
class SentenceScorer:
    """Scores a text by its best sentence."""

    embedder: Embedder

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """Cosines, one a text, shape (len(texts),)."""
        cut = [[text[start:end] for start, end in sentences(text)] for text in texts]
        # The same sentence often stands in several overlapping chunks.
        rows = {sentence: row for row, sentence in enumerate(dict.fromkeys(s for found in cut for s in found))}
        scores = np.full(len(texts), NOTHING, np.float32)
        if not rows:
            return scores
        near = cosines(self.embedder, question, [*rows])
        trace.count(sentences=len(rows))
        for n, found in enumerate(cut):
            if found:
                scores[n] = near[[rows[sentence] for sentence in found]].max()
        return scores


# Relevance as the small reader judges it: S(c; q) = the logits of "is evidence" and "answers", weighed.
#
# A cross-encoder reads question and text together, so it sees what two vectors apart cannot: who did what to whom, which year, which of
# two properties (Nogueira and Cho, 2019, "Passage re-ranking with BERT"). The reader's two heads say different things: the first step of a
# question in two steps is evidence and answers nothing.
@dataclass(frozen=True, slots=True)
class ReaderScorer:
    """Scores a text by `1 - answering` of its relevance's log-odds and `answering` of its answering's."""

    reader: PassageReader = field(default_factory=SmallReader)
    answering: float = 0.25

    def __post_init__(self) -> None:
        if not 0 <= self.answering <= 1:
            raise ValueError("answering is a share, from 0 to 1")

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """Log-odds, one a text, shape (len(texts),); a title, where there is one, is the text's first line."""
        readings = self.reader.read(question, [TitledText("", text) for text in texts])
        trace.count(read=len(texts))
        scores = [
            (1 - self.answering) * log_odds(reading.relevance) + self.answering * log_odds(reading.answers)
            for reading in readings
        ]
        return np.asarray(scores, np.float32)


# Relevance by a cross-encoder's published ONNX file, without torch: bge-reranker, ms-marco-MiniLM, jina-reranker and others of their form.
#
# A cross-encoder reads question and text together (Nogueira and Cho, arXiv 1901.04085). `model` is a folder or a name on the hub
# (`hub:NAME` and NAME are the same), looked up in the hub's cache first; its files are those that `decoct.embed.hub` reads: an `.onnx`
# file, in full precision where there is one, and `tokenizer.json`. The network gives one logit a pair. A text that does not fit beside
# the question is cut at its end, as the models' makers do. Each pair is a run of its own, side by side on the threads there are.
LONGEST = 512  # tokens of question and text together, where the model takes more


@dataclass(frozen=True, slots=True)
class HubScorer:
    """Scores by the cross-encoder `model`, loaded when it is first asked; `ConfigError` where its files are missing or of another form."""

    model: str = "cross-encoder/ms-marco-MiniLM-L6-v2"

    def score(self, question: str, texts: Sequence[str]) -> Floats:
        """Logits, one a text, shape (len(texts),)."""
        if not texts:
            return np.empty(0, np.float32)
        session, tokenizer = _model(self.model.removeprefix("hub:"))
        trace.count(read=len(texts))

        def logit(text: str) -> float:
            pair = tokenizer.encode(well_formed(question), well_formed(text))
            found = np.asarray(session.run(None, inputs_of(session, pair))[0])
            if found.size != 1:
                raise ConfigError(f"{self.model!r} gives {found.size} numbers a text; a reranker gives one")
            return float(found.reshape(-1)[0])

        return np.array(side_by_side(logit, texts), np.float32)


@lru_cache(maxsize=2)
def _model(name: str) -> tuple[Any, Any]:
    folder = model_folder(name)
    session, tokenizer = loaded(name, network_file(folder), folder / "tokenizer.json")
    longest = longest_of(
        settings_in(folder / "sentence_bert_config.json"), settings_in(folder / "tokenizer_config.json")
    )
    tokenizer.no_padding()
    tokenizer.enable_truncation(min(longest, LONGEST), strategy="only_second")
    return session, tokenizer
