"""What an inner node of a tree says of the nodes below it: their most central sentences, or what a model makes of them.

`Central` (no model): every sentence below is a vector of its stems, weighted by tf-idf among these sentences; the nearest to their mean are
taken, best first, while they fit into `tokens`, and stand in the order of the documents (centroid-based summaries, Radev et al. 2004).
It is a quote. A sentence that stands there twice counts twice for the mean and is taken once. Where not one sentence fits, the most
central one is cut between words.

`SummaryWriter` (a model): the texts below, one request a node; the prompt is the method's. A rewrite: its spans are all that was read.
A reply that was cut loses its unfinished sentence. A request that fails is its error, and the caller's to count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from decoct import trace
from decoct.budget import Tokenizer
from decoct.data import Floats, PassageKind, Span
from decoct.errors import ModelError, ReplyError
from decoct.llm.base import LLM, Reply, Request
from decoct.llm.prompts import Prompt
from decoct.text.analysis import stems
from decoct.text.sentences import sentences
from decoct_lab.structure.base import Workshop
from decoct_lab.structure.tree import Node, joined_quote, leaves_below, merged_spans

_BETWEEN_NODES = "\n\n"
# Groups asked for at once: a few rounds of what a model answers side by side; no more than these are lost when a build is interrupted.
WINDOW = 16


@dataclass(frozen=True, slots=True)
class Summary:
    """The words of an inner node, and what is behind them."""

    text: str
    spans: tuple[Span, ...]
    kind: PassageKind


@dataclass(frozen=True, slots=True)
class Central:
    """The most central sentences of quotes, in at most `tokens` tokens."""

    tokenizer: Tokenizer
    tokens: int = 100

    @property
    def fingerprint(self) -> str:
        """The rule and its length."""
        return f"central-sentences:1:{self.tokens}"

    def summary(self, group: Sequence[Node]) -> Summary:
        """The central sentences of one group."""
        units = [
            (Span(span.doc_id, span.start + start, span.start + end), text[start:end])
            for node in group
            for span, text in node.quotes()
            for start, end in sentences(text) or [(0, len(text))]
        ]
        taken: dict[Span, str] = {}
        said: set[str] = set()
        room = self.tokens
        for at in np.argsort(-centrality([text for _, text in units]), kind="stable").tolist():
            span, text = units[at]
            words = " ".join(text.casefold().split())
            if words not in said and (need := self.tokenizer.count(text)) <= room:
                taken[span], room = text, room - need
                said.add(words)
        if not taken:
            span, text = units[int(np.argmax(centrality([text for _, text in units])))]
            text = self._cut(text)
            taken = {Span(span.doc_id, span.start, span.start + len(text)): text}
        return Summary(*joined_quote(taken.items()), "quote")

    def _cut(self, text: str) -> str:
        """The longest beginning of whole words that fits; the first word where none does."""
        words = text.split(" ")
        low, high = 1, len(words)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (
                (middle, high) if self.tokenizer.count(" ".join(words[:middle])) <= self.tokens else (low, middle - 1)
            )
        return " ".join(words[:low])


def centrality(texts: Sequence[str]) -> Floats:
    """The cosine of each text with the mean of all, as bags of stems weighted by tf-idf; 1 for all where none has a word."""
    try:
        rows = TfidfVectorizer(analyzer=stems).fit_transform(texts)
    except ValueError:  # no word in any of them
        return np.ones(len(texts), np.float32)
    centre = np.asarray(rows.mean(axis=0)).ravel()
    # Rounded, so that equal sentences are equal whatever the order of summation.
    near: Floats = np.round(rows @ (centre / np.linalg.norm(centre)), 6).astype(np.float32)
    return near


@dataclass(frozen=True, slots=True)
class SummaryWriter:
    """Summaries of at most `tokens` tokens by `llm`; `prompt` has the slots `text` and `words`."""

    llm: LLM
    prompt: Prompt
    tokens: int = 100

    @property
    def fingerprint(self) -> str:
        """Model, prompt and length."""
        return f"{self.llm.fingerprint}:{self.prompt.fingerprint}:{self.tokens}"

    def summaries(self, groups: Sequence[Sequence[Node]]) -> list[Summary | ModelError]:
        """A rewrite for each group."""
        replies = self.llm.complete([self._request(group) for group in groups])
        return [
            _read(reply, group) if isinstance(reply, Reply) else reply
            for group, reply in zip(groups, replies, strict=True)
        ]

    def _request(self, group: Sequence[Node]) -> Request:
        values = {"text": _BETWEEN_NODES.join(node.text for node in group), "words": str(max(10, self.tokens * 3 // 4))}
        return self.prompt.request(values, max_tokens=self.tokens)


def _read(reply: Reply, group: Sequence[Node]) -> Summary | ModelError:
    text = reply.text.strip()
    if reply.finish == "length" and len(found := sentences(text)) > 1:
        text = text[: found[-2][1]]
    if not text:
        return ReplyError("the summary is empty", reply.text)
    return Summary(text, merged_spans(span for node in group for span in node.spans), "rewrite")


@dataclass(frozen=True, slots=True)
class Summarising:
    """Summaries for a structure that is put together: asked in windows, remembered, and made by `instead` where the model fails.

    `name` is the method's, for the count of those (`NAME.summary_failed`). A model that cannot be reached raises its error.
    """

    workshop: Workshop
    by: Central | SummaryWriter
    instead: Central
    name: str

    def of(self, groups: Sequence[Sequence[Node]], nodes: Mapping[int, Node]) -> list[Summary]:
        """A summary a group, in order; `nodes` is the tree so far, for the leaves below what a model wrote."""
        if isinstance(self.by, Central):
            return self._central(self.by, groups)
        found: list[Summary] = []
        for at in range(0, len(groups), WINDOW):
            self.workshop.tell("summarising", at, len(groups))
            found += self._asked(self.by, groups[at : at + WINDOW], nodes)
        return found

    def _central(self, by: Central, groups: Sequence[Sequence[Node]]) -> list[Summary]:
        found: list[Summary] = []
        summaries = self.workshop.results(by.summary, groups)
        for at in range(0, len(groups), WINDOW):
            self.workshop.tell("summarising", at, len(groups))
            found += [summary for _, summary in islice(summaries, WINDOW)]
        return found

    def _asked(self, by: SummaryWriter, window: Sequence[Sequence[Node]], nodes: Mapping[int, Node]) -> list[Summary]:
        outcomes: dict[int, Summary | ModelError] = {}

        def make(number: int) -> str:
            if number not in outcomes:  # those before it were remembered
                asked = by.summaries(window[number:])
                errors = [one for one in asked if isinstance(one, ModelError)]
                if len(errors) == len(asked) and all(error.retryable for error in errors):
                    raise _UnreachableError(errors[0])
                outcomes.update(enumerate(asked, number))
            outcome = outcomes[number]
            if isinstance(outcome, ModelError):
                raise outcome
            places = [[span.doc_id, span.start, span.end] for span in outcome.spans]
            return json.dumps([outcome.text, places, outcome.kind])

        found = []
        for number, group in enumerate(window):
            try:
                text, places, kind = json.loads(
                    self.workshop.remembered(_digest(by.fingerprint, group), partial(make, number))
                )
                found.append(Summary(text, tuple(Span(*place) for place in places), kind))
            except _UnreachableError as error:
                raise error.cause from None
            except ModelError:
                trace.fallback(f"{self.name}.summary_failed")
                found.append(self.instead.summary(quotes_of(group, nodes)))
        return found


class _UnreachableError(Exception):
    """Nobody answers: to be told from a request that fails."""

    def __init__(self, cause: ModelError) -> None:
        super().__init__(str(cause))
        self.cause = cause


def quotes_of(group: Sequence[Node], nodes: Mapping[int, Node]) -> list[Node]:
    """The group where it quotes, else the leaves below it."""
    if all(node.kind == "quote" for node in group):
        return list(group)
    keys = dict.fromkeys(leaf for node in group for leaf in leaves_below(nodes, node.key))
    return [nodes[key] for key in keys]


def _digest(fingerprint: str, group: Sequence[Node]) -> str:
    """What decides a group's summary, as 32 digits: so that a build that goes on finds what it has already paid for."""
    places = [str(span) for node in group for span in node.spans]
    parts = [fingerprint, *places, *(node.text for node in group)]
    return hashlib.blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
