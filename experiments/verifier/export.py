"""The trained weights as the files that are shipped.

    python experiments/verifier/export.py FOLDER FILE[=SHARE] …

A FILE is of a training (`last.pt`, whose word embeddings are those of the first one) or a shipped `model.onnx`. Of several the mean is
taken, each with its SHARE (1): one network that knows what each does (Wortsman et al. 2022, "Model soups").
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import torch
from network import VerifierNetwork, layers_of, load, read
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor
from weights import shipped_weights

from decoct.reading.small import BUNDLED


def mean(files: list[str]) -> dict[str, Tensor]:
    """The mean of the files' weights, by their names in `VerifierNetwork`."""
    told = [(Path(one.partition("=")[0]), float(one.partition("=")[2] or 1)) for one in files]
    read_ones = [(shipped_weights(file) if file.suffix == ".onnx" else read(file), share) for file, share in told]
    first, whole = read_ones[0][0], sum(share for _, share in read_ones)
    return {
        name: sum((share * held.get(name, one).float() for held, share in read_ones), torch.zeros(())) / whole
        for name, one in first.items()
    }


def main() -> None:
    """Float32, then int8 per channel, as the bundled reader (`decoct_lab.train.reader.export`)."""
    out, held = Path(sys.argv[1]), mean(sys.argv[2:])
    out.mkdir(parents=True, exist_ok=True)
    model = VerifierNetwork(layers_of(held))
    load(model, held)
    model.eval()
    ids = torch.randint(1000, 2000, (2, 24))
    kinds, marked = torch.zeros_like(ids), torch.zeros_like(ids)
    kinds[:, 8:], marked[:, 10:14] = 1, 1
    names = ["input_ids", "attention_mask", "token_type_ids", "marked"]
    axes = {name: {0: "batch", 1: "tokens"} for name in names}
    whole = out / "float32.onnx"
    torch.onnx.export(
        model,
        (ids, torch.ones_like(ids), kinds, marked),
        str(whole),
        input_names=names,
        output_names=["said"],
        dynamic_axes={**axes, "said": {0: "batch"}},
        opset_version=17,
        dynamo=False,
    )
    quantize_dynamic(str(whole), str(out / "model.onnx"), weight_type=QuantType.QInt8, per_channel=True)
    whole.unlink()
    shutil.copyfile(BUNDLED / "tokenizer.json", out / "tokenizer.json")


if __name__ == "__main__":
    main()
