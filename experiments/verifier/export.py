"""The trained weights as the files that are shipped.

    python experiments/verifier/export.py FOLDER WEIGHTS …

Of several files the later stand over the earlier.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import torch
from network import VerifierNetwork, layers_of, load, read
from onnxruntime.quantization import QuantType, quantize_dynamic

from decoct.reading.small import BUNDLED


def main() -> None:
    """Float32, then int8 per channel, as the bundled reader (`decoct_lab.train.reader.export`)."""
    out = Path(sys.argv[1])
    held = {name: one for file in sys.argv[2:] for name, one in read(Path(file)).items()}
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
