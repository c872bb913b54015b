"""The trained network as the files that are shipped: int8 ONNX, tokenizer, calibration.

Exported in float32 and quantised dynamically, per channel, weights of matrix products and of the word table only; the per-tensor form costs
the bundled embedder five points of cosine (lab/docs/embedders.md).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import torch

from decoct.reading.small import Calibration
from decoct_lab.train.reader.model import ReaderNetwork


def export(model: ReaderNetwork, base: Path, calibration: Mapping[str, Calibration], out: Path) -> Path:
    """Write `model.onnx`, `tokenizer.json` and `calibration.json` into `out`; return the folder."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    out.mkdir(parents=True, exist_ok=True)
    model.eval()
    model.encoder.set_attn_implementation("eager")
    whole = out / "float32.onnx"
    ids = torch.randint(1000, 2000, (2, 24))
    axes = {0: "batch", 1: "tokens"}
    torch.onnx.export(
        model,
        (ids, torch.ones_like(ids), torch.zeros_like(ids)),
        str(whole),
        input_names=["input_ids", "attention_mask", "token_type_ids"],
        output_names=["tokens", "passage"],
        dynamic_axes={
            "input_ids": axes,
            "attention_mask": axes,
            "token_type_ids": axes,
            "tokens": axes,
            "passage": {0: "batch"},
        },
        opset_version=17,
        dynamo=False,
    )
    quantize_dynamic(
        str(whole), str(out / "model.onnx"), weight_type=QuantType.QInt8, per_channel=True, reduce_range=False
    )
    whole.unlink()
    shutil.copyfile(base / "tokenizer.json", out / "tokenizer.json")
    (out / "calibration.json").write_text(
        json.dumps({name: asdict(value) for name, value in calibration.items()}, indent=1) + "\n"
    )
    return out
