"""PPL chunking and margin sampling with a real model on disk (`make test-models`)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.llm.base import SupportsLogprobs
from decoct_lab.chunking.margin import MarginSampling
from decoct_lab.chunking.perplexity import Perplexity
from decoct_local.models import installed
from decoct_testing.chunker_contract import check

pytestmark = [pytest.mark.models, pytest.mark.timeout(600)]

NAME = "smollm2-135m-instruct"
TOKENIZER = WordPieceTokenizer()
CATS = "Cats sleep for most of the day. A cat hunts mice at night, when it is dark. Kittens drink the milk of their mother."
BONDS = "The bond market fell sharply on Monday. Yields on ten-year treasuries rose to four percent. Investors bought shares."
TEXT = f"{CATS} {BONDS}"


@pytest.fixture(scope="module")
def model() -> Iterator[SupportsLogprobs]:
    pytest.importorskip("xllamacpp")
    paths = [path for path in installed() if path.stem == NAME]
    if not paths:
        pytest.skip(f"run: decoct models pull {NAME}")
    from decoct_local.llamacpp import LlamaCpp

    loaded = LlamaCpp(paths[0], context=2048, concurrency=1)
    yield loaded
    loaded.close()


def test_the_change_of_subject_is_found(model: SupportsLogprobs) -> None:
    chunks = check(Perplexity(model, TOKENIZER), TEXT)
    assert CATS in [chunk.text for chunk in chunks]


def test_batches_with_a_prefix_cut_as_the_whole_does(model: SupportsLogprobs) -> None:
    # The prefix holds all that stands before, so the losses are those of one pass (tokens at the seams aside).
    assert check(Perplexity(model, TOKENIZER, batch=40, prefix=200), TEXT) == check(Perplexity(model, TOKENIZER), TEXT)


def test_margins_cut_somewhere(model: SupportsLogprobs) -> None:
    chunks = check(MarginSampling(model, TOKENIZER), TEXT)
    assert 1 < len(chunks) < 6
