"""Weights to train from the bundled int8 file: `python -m decoct_lab.train.embedder.recover_minilm OUT [FOLDER]`.

What `export_minilm` quantised is multiplied out again, so OUT (a folder of transformers in float32) gives the vectors of FOLDER's
`model.onnx` (left out: the bundled one) but for the rounding of activations at run time; no hub is needed. A tensor of int8 is
`(value - zero point) * scale`, by channel for the products (ONNX, operator MatMulInteger) and whole for the tables of embeddings.

Needs the extra `torch` and the package `onnx`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from decoct.embed.minilm.weights import FOLDER
from decoct.errors import ConfigError, MissingExtraError

_PRODUCT = re.compile(r"/(encoder/layer\.\d+/.+?)/MatMul")


def recover(out: Path, folder: Path = FOLDER) -> Path:
    """Write the float32 encoder and its tokenizer to `out`, which is returned. `ConfigError` for a file of another make."""
    try:
        import onnx
        import torch
        from onnx import numpy_helper
        from transformers import BertConfig, BertModel, PreTrainedTokenizerFast
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"recovering weights (module {error.name!r} is missing)", "torch") from error
    graph = onnx.load(str(folder / "model.onnx")).graph
    given = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    config = BertConfig(
        hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536, vocab_size=30522
    )
    encoder = BertModel(config, add_pooling_layer=False)
    found = _tables_and_biases(given) | _products(graph, given)
    wanted = {name: tuple(value.shape) for name, value in encoder.state_dict().items() if "_ids" not in name}
    strange = sorted(name for name, shape in wanted.items() if name not in found or found[name].shape != shape)
    if strange:
        raise ConfigError(f"{folder / 'model.onnx'} is no export of MiniLM: {', '.join(strange[:3])} cannot be read")
    encoder.load_state_dict({name: torch.from_numpy(found[name].copy()) for name in wanted}, strict=False)
    encoder.save_pretrained(out)
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), **special).save_pretrained(out)
    return out


def _tables_and_biases(given: dict[str, Any]) -> dict[str, Any]:
    """What keeps its name: biases and norms in float32, and the tables of embeddings."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        own = re.sub(r"^(m|encoder)\.(?=embeddings|encoder)", "", name)
        if own.endswith("_quantized") and "_embeddings.weight" in own:
            base = name.removesuffix("_quantized")
            found[own.removesuffix("_quantized")] = _floats(value, given, base)
        elif own.startswith(("embeddings.", "encoder.")) and not name.endswith(("_quantized", "_scale", "_zero_point")):
            found[own] = value
    return found


def _products(graph: Any, given: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - onnx has no types
    """The matrices, which are named after their product and lie transposed."""
    found: dict[str, Any] = {}
    for node in graph.node:
        place = _PRODUCT.search(node.name)
        matrix = next((one for one in node.input if one in given and given[one].ndim == 2), None)
        if place and matrix:
            name = place[1].replace("/", ".") + ".weight"
            found[name] = _floats(given[matrix], given, matrix.removesuffix("_quantized")).T
    return found


def _floats(value: Any, given: dict[str, Any], base: str) -> Any:  # noqa: ANN401
    zero = given[f"{base}_zero_point"].astype(np.float32)
    return ((value.astype(np.float32) - zero) * given[f"{base}_scale"]).astype(np.float32)


def main(arguments: list[str]) -> int:
    """The command line."""
    if not 1 <= len(arguments) <= 2:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    sys.stdout.write(f"{recover(Path(arguments[0]), *map(Path, arguments[1:]))}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
