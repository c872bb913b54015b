"""What every `LLM` must pass. Subclass `LLMContract` in a test module and give the `llm` fixture.

The model must answer any question in words, and a request with a schema by a document that fits it.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from decoct import trace
from decoct.llm.base import LLM, Message, Reply, Request, complete_one
from decoct.llm.schema import misfits

COLOUR = {
    "type": "object",
    "properties": {"colour": {"type": "string", "maxLength": 20}},
    "required": ["colour"],
    "additionalProperties": False,
}


def ask(text: str, **parameters: Any) -> Request:  # noqa: ANN401
    """A request with one user turn."""
    return Request((Message("user", text),), **{"max_tokens": 16, **parameters})


class LLMContract:
    """Order, usage, limits, schemas, threads; streaming and losses for the models that have them."""

    @pytest.fixture
    def llm(self) -> LLM:
        """The model under test."""
        raise NotImplementedError("give the fixture 'llm'")

    def test_outcomes_come_in_order_one_a_request(self, llm: LLM) -> None:
        """One outcome a request; a batch and single calls alike."""
        requests = [ask(f"Say the number {n} and nothing else.") for n in range(5)]
        alone = [complete_one(llm, request) for request in requests]
        together = llm.complete(requests)
        assert len(together) == 5
        assert all(isinstance(outcome, Reply) for outcome in together)
        assert all(reply.text for reply in alone)

    def test_nothing_asked_nothing_answered(self, llm: LLM) -> None:
        """An empty batch is no call."""
        assert llm.complete([]) == []

    def test_usage_is_told_and_traced(self, llm: LLM) -> None:
        """The reply and the trace agree on tokens."""
        with trace.recording(), trace.stage("ask") as stage:
            reply = complete_one(llm, ask("Name a colour."))
        assert reply.prompt_tokens > 0
        assert reply.completion_tokens > 0
        assert stage.counts["model_calls"] >= 1
        assert stage.counts["prompt_tokens"] == reply.prompt_tokens
        assert stage.counts["completion_tokens"] == reply.completion_tokens

    def test_a_reply_ends_at_its_limit(self, llm: LLM) -> None:
        """`max_tokens` holds, and the reply says that it was cut."""
        reply = complete_one(llm, ask("Count from one to one hundred in words.", max_tokens=4))
        assert reply.finish == "length"
        assert reply.completion_tokens <= 4

    def test_a_schema_is_kept(self, llm: LLM) -> None:
        """The text is one JSON document that fits."""
        reply = complete_one(llm, ask("Name a colour. Reply in JSON.", schema=COLOUR, max_tokens=64))
        assert list(misfits(json.loads(reply.text), COLOUR)) == []

    def test_threads_may_share_it(self, llm: LLM) -> None:
        """Calls from several threads at once are all answered."""
        with ThreadPoolExecutor(3) as pool:
            replies = list(pool.map(lambda n: complete_one(llm, ask(f"Say {n}.", max_tokens=4)), range(6)))
        assert all(isinstance(reply, Reply) and reply.text for reply in replies)

    def test_its_fingerprint_is_stable(self, llm: LLM) -> None:
        """A name, the same each time it is asked."""
        assert llm.fingerprint
        assert llm.fingerprint == llm.fingerprint

    def test_a_stream_is_the_reply_in_pieces(self, llm: LLM) -> None:
        """The pieces joined are the reply."""
        if not hasattr(llm, "stream"):
            pytest.skip("this model does not stream")
        pieces: list[str] = []
        with trace.recording(), trace.stage("ask") as stage:
            reply = llm.stream(ask("Name three colours."), pieces.append)
        assert "".join(pieces) == reply.text
        assert len(pieces) > 1
        assert stage.counts["completion_tokens"] == reply.completion_tokens > 0

    def test_losses_are_of_the_continuation(self, llm: LLM) -> None:
        """One loss a token of the continuation, with ranges from its first character to its last."""
        if not hasattr(llm, "losses"):
            pytest.skip("this model gives no log-probabilities")
        text = "The cat sat on the mat."
        pairs = [
            ("A cat and a mat. ", text),
            ("", text),
            ("A cat and a mat. ", ""),
            ("A cat and a mat. ", "Ünïcödé 漢字 🎈 end"),
        ]
        given, bare, nothing, odd = llm.losses(pairs)
        assert nothing.values == nothing.offsets == ()
        assert all(value >= -1e-6 for loss in (given, bare, odd) for value in loss.values)
        assert len(given.values) == len(given.offsets) >= len(bare.values) >= len(given.values) - 1
        for loss, of in ((given, text), (odd, pairs[3][1])):
            assert loss.offsets[0][0] == 0
            assert loss.offsets[-1][1] == len(of)
            assert all(before[0] <= after[0] for before, after in zip(loss.offsets, loss.offsets[1:], strict=False))

    def test_losses_do_not_depend_on_their_company(self, llm: LLM) -> None:
        """Batches and shared prefixes change nothing but rounding."""
        if not hasattr(llm, "losses"):
            pytest.skip("this model gives no log-probabilities")
        pairs = [
            ("One two three. ", "Four five."),
            ("One two three. ", "Red green blue."),
            ("Paris is a city. ", "Four five."),
        ]
        together = llm.losses(pairs)
        for pair, loss in zip(pairs, together, strict=True):
            (alone,) = llm.losses([pair])
            assert loss.offsets == alone.offsets
            assert loss.mean == pytest.approx(alone.mean, abs=0.1)
