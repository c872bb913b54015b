"""The whole way on a tiny random model: some updates, a checkpoint, resumed, merged, read back, judged. Needs the extra `train`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decoct.evaluate.worlds.generate import worlds
from decoct.train.examples import examples
from decoct.train.gate import gate
from decoct.train.lora import LoraSettings, fine_tune
from decoct.train.transformers_llm import TransformersLLM

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default"), pytest.mark.timeout(600)]

TEMPLATE = (
    "{% for message in messages %}<{{ message['role'] }}> {{ message['content'] }} </s>{% endfor %}"
    "{% if add_generation_prompt %}<assistant> {% endif %}"
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random two-layer model of 64 dimensions, and a byte-level tokenizer with a chat template."""
    pytest.importorskip("trl")
    transformers: Any = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    specials = ["<pad>", "</s>", "<system>", "<user>", "<assistant>"]
    vocabulary = {token: i for i, token in enumerate([*specials, *alphabet])}
    inner = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="<pad>", eos_token="</s>", additional_special_tokens=specials[2:]
    )
    tokenizer.chat_template = TEMPLATE
    config = transformers.LlamaConfig(
        vocab_size=len(vocabulary), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=4096, pad_token_id=0, eos_token_id=1, bos_token_id=1,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("base")
    transformers.LlamaForCausalLM(config).save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder


def test_trains_resumes_merges_and_is_judged(base: Path, tmp_path: Path) -> None:
    made = sorted(examples(0, 8), key=lambda example: len(example.completion))[:12]
    first = fine_tune(
        LoraSettings(str(base), tmp_path, steps=2, accumulate=1, save_every=1, max_length=3000, learning_rate=1e-3),
        made,
    )
    assert first["steps"] == 2
    assert (tmp_path / "merged" / "model.safetensors").is_file()
    curve = [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    assert [entry["step"] for entry in curve] == [1, 2]
    again = fine_tune(
        LoraSettings(str(base), tmp_path, steps=4, accumulate=1, save_every=1, max_length=3000, learning_rate=1e-3),
        made,
        resume=True,
    )
    assert again["steps"] == 4
    assert again["resumed_from"].endswith("checkpoint-2")
    assert json.loads((tmp_path / "training.json").read_text())["examples"] == len(made)
    judged = gate(TransformersLLM(tmp_path / "merged"), list(worlds(0, 1, "test")), max_tokens=8)
    assert not judged.passed  # a random model writes no JSON, and the gate says so
    assert judged.documents >= 3
