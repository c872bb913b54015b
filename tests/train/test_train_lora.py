"""The whole way on a tiny random model: some updates, a checkpoint, resumed, merged, read back, judged. Needs the extra `train`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from decoct_lab.train.examples import examples
from decoct_lab.train.gate import gate
from decoct_lab.train.lora import LoraSettings, fine_tune
from decoct_lab.train.transformers_llm import TransformersLLM
from decoct_lab.worlds.generate import worlds

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default"), pytest.mark.timeout(600)]

TEMPLATE = (
    "{% for message in messages %}<{{ message['role'] }}> {{ message['content'] }} </s>{% endfor %}"
    "{% if add_generation_prompt %}<assistant> {% endif %}"
)

ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())
SPECIALS = ["<pad>", "</s>", "<system>", "<user>", "<assistant>"]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random two-layer model of 64 dimensions, and a byte-level tokenizer with a chat template."""
    pytest.importorskip("trl")
    transformers: Any = pytest.importorskip("transformers")
    vocabulary = {token: i for i, token in enumerate([*SPECIALS, *ALPHABET])}
    inner = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="<pad>", eos_token="</s>", additional_special_tokens=SPECIALS[2:]
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


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model of one layer with the same words, in 8-bit blocks in one GGUF file."""
    pytest.importorskip("trl")
    gguf: Any = pytest.importorskip("gguf")
    tokens = [*SPECIALS, *ALPHABET, "ab"]
    file = tmp_path_factory.mktemp("packed") / "small.gguf"
    made = gguf.GGUFWriter(str(file), "qwen2")
    made.add_context_length(4096)
    made.add_embedding_length(64)
    made.add_block_count(1)
    made.add_feed_forward_length(128)
    made.add_head_count(4)
    made.add_head_count_kv(4)
    made.add_layer_norm_rms_eps(1e-6)
    made.add_tokenizer_model("gpt2")
    made.add_tokenizer_pre("qwen2")
    made.add_token_list(tokens)
    made.add_token_types([3] * len(SPECIALS) + [1] * (len(ALPHABET) + 1))
    made.add_token_merges(["a b"])
    made.add_eos_token_id(1)
    made.add_pad_token_id(0)
    made.add_chat_template(TEMPLATE)
    random = np.random.default_rng(0)
    blocks = gguf.GGMLQuantizationType.Q8_0
    matrices = {"token_embd": (len(tokens), 64), "output": (len(tokens), 64)}
    matrices |= {f"blk.0.attn_{name}": (64, 64) for name in ("q", "k", "v", "output")}
    matrices |= {"blk.0.ffn_gate": (128, 64), "blk.0.ffn_up": (128, 64), "blk.0.ffn_down": (64, 128)}
    for name, shape in matrices.items():
        numbers = 0.02 * random.standard_normal(shape).astype(np.float32)
        made.add_tensor(f"{name}.weight", gguf.quants.quantize(numbers, blocks), raw_dtype=blocks)
    for name in ("output_norm.weight", "blk.0.attn_norm.weight", "blk.0.ffn_norm.weight"):
        made.add_tensor(name, np.ones(64, np.float32))
    for name in ("q", "k", "v"):
        made.add_tensor(f"blk.0.attn_{name}.bias", np.zeros(64, np.float32))
    made.write_header_to_file()
    made.write_kv_data_to_file()
    made.write_tensors_to_file()
    made.close()
    return file


def test_a_base_in_packed_blocks_is_trained_and_merged_as_plain_numbers(packed: Path, tmp_path: Path) -> None:
    made = sorted(examples(0, 4), key=lambda example: len(example.completion))[:2]
    done = fine_tune(LoraSettings(str(packed), tmp_path, steps=1, accumulate=1, max_length=3000), made)
    assert done["steps"] == 1
    safetensors: Any = pytest.importorskip("safetensors.numpy")
    merged = safetensors.load_file(tmp_path / "merged" / "model.safetensors")
    gate = merged["model.layers.0.mlp.gate_proj.weight"]
    assert (gate.shape, gate.dtype) == ((128, 64), np.float32)


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
