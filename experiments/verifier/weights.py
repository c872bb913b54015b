"""Weights of an int8 ONNX file, in float32: the bundled reader's encoder is where the second reading begins, its own where it goes on."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor


def encoder_weights(file: Path) -> dict[str, Tensor]:
    """By their names in transformers' BertModel."""
    graph = onnx.load(str(file)).graph
    held = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    found: dict[str, Tensor] = {}

    def restored(name: str) -> np.ndarray:
        base = name.removesuffix("_quantized")
        zero = held[f"{base}_zero_point"].astype(np.float32)
        return np.asarray((held[name].astype(np.float32) - zero) * held[f"{base}_scale"])

    for node in graph.node:
        inputs = [name for name in node.input if name in held and held[name].ndim == 2]
        module = re.search(r"/encoder/(?:encoder/)?(.*?)/MatMul", node.name)
        if node.op_type in ("MatMulInteger", "DynamicQuantizeMatMul") and inputs and module:
            name = f"encoder.{module.group(1).replace('/', '.')}.weight"
            found[name] = torch.from_numpy(restored(inputs[0]).T.copy())
    for name, values in held.items():
        if name.endswith("_quantized") and "_embeddings.weight" in name:
            found[name.removesuffix("_quantized").removeprefix("encoder.")] = torch.from_numpy(restored(name))
        elif name.startswith("encoder.") and not name.endswith(("_quantized", "_scale", "_zero_point")):
            found.setdefault(name.removeprefix("encoder."), torch.from_numpy(values.astype(np.float32).copy()))
    return found


def shipped_weights(file: Path) -> dict[str, Tensor]:
    """All weights of the second reading's own file, by their names in `VerifierNetwork`; a matrix is called as the bias behind it."""
    graph = onnx.load(str(file)).graph
    held = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    used = {name: node for node in reversed(graph.node) for name in node.input}

    def restored(name: str) -> Tensor:
        base = name.removesuffix("_quantized")
        whole = held[name].astype(np.float32) - held[f"{base}_zero_point"].astype(np.float32)
        return torch.from_numpy(np.asarray(whole * held[f"{base}_scale"]))

    found: dict[str, Tensor] = {}
    for node in graph.node:
        matrices = [name for name in node.input if name in held and held[name].ndim == 2]
        if node.op_type != "MatMulInteger" or not matrices:
            continue
        after = used[node.output[0]]
        while after.op_type != "Add" or not any(name in held for name in after.input):
            after = used[after.output[0]]
        bias = next(name for name in after.input if name in held)
        found[f"{bias.removesuffix('bias')}weight"] = restored(matrices[0]).T.clone()
    for name, values in held.items():
        if name.endswith("_embeddings.weight_quantized"):
            found[name.removesuffix("_quantized")] = restored(name)
        elif name.startswith(("encoder.", "pooled.", "out.")) and not name.endswith(
            ("_quantized", "_scale", "_zero_point")
        ):
            found[name] = torch.from_numpy(values.astype(np.float32).copy())
    return found
