"""Make weights such as the bundled ones from a sentence-transformers model: `python -m decoct_lab.train.embedder.export_minilm MODEL OUT`.

MODEL is a local folder or a hub name of a mean-pooled BERT-like encoder; OUT receives `model.onnx` and `tokenizer.json`, ready for
`onnx:OUT`. In four steps:

1. load the encoder in float32 with eager attention (the fused kinds do not export to plain operators);
2. wrap it so that mean pooling over the mask and scaling to length 1 happen inside the graph;
3. `torch.onnx.export` at opset 17, batch and length left open;
4. `quantize_dynamic`: int8 weights with one scale a channel (one scale a matrix costs .05 of cosine), activations at run time.

Needs the extra `torch`, and the package `onnx`.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any

from decoct.errors import ConfigError, DecoctError, MissingExtraError

OPSET = 17


def export(model: str, out: Path) -> Path:
    """Write `model.onnx` and `tokenizer.json` of `model` to the folder `out`; return the path of the former."""
    try:
        import torch
        from onnxruntime.quantization import QuantType, quantize_dynamic
        from transformers import AutoModel, AutoTokenizer

        importlib.import_module("onnx")  # the quantiser needs it and says so less clearly
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"exporting weights (module {error.name!r} is missing)", "torch") from error
    try:
        encoder = AutoModel.from_pretrained(model, attn_implementation="eager", dtype=torch.float32)
        tokenizer = AutoTokenizer.from_pretrained(model)
    except (OSError, ValueError) as error:
        raise ConfigError(f"no model {model!r} on disk or hub: {error}") from error
    out.mkdir(parents=True, exist_ok=True)
    tokenizer.backend_tokenizer.save(str(out / "tokenizer.json"))
    sample = tokenizer(["a first text", "and a second, longer one"], padding=True, return_tensors="pt")
    with tempfile.TemporaryDirectory() as scratch:
        plain = Path(scratch) / "float32.onnx"
        torch.onnx.export(
            _pooled(encoder),
            (sample["input_ids"], sample["attention_mask"]),
            str(plain),
            input_names=["input_ids", "attention_mask"],
            output_names=["emb"],
            dynamic_axes={"input_ids": {0: "b", 1: "s"}, "attention_mask": {0: "b", 1: "s"}, "emb": {0: "b"}},
            opset_version=OPSET,
            dynamo=False,
        )
        quantize_dynamic(plain, out / "model.onnx", weight_type=QuantType.QInt8, per_channel=True)
    return out / "model.onnx"


def _pooled(encoder: Any) -> Any:  # noqa: ANN401 - torch modules; torch is not there when types are checked
    import torch

    class Pooled(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:  # noqa: ANN401
            states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            mask = attention_mask.unsqueeze(-1).to(states.dtype)
            mean = (states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1e-9)
            return torch.nn.functional.normalize(mean, p=2, dim=1)

    return Pooled().eval()


def main(arguments: list[str] | None = None) -> int:
    """The command line; the exit code is 2 for a wrong setting."""
    parser = argparse.ArgumentParser(
        prog="python -m decoct_lab.train.embedder.export_minilm", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("model", help="folder or hub name of the model")
    parser.add_argument("out", type=Path, help="folder to write to")
    settings = parser.parse_args(arguments)
    try:
        path = export(settings.model, settings.out)
    except DecoctError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f"{path} ({path.stat().st_size / 1e6:.0f} MB)\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
