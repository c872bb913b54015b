"""A trained model as one GGUF file, by llama.cpp's own converter, so that `--llm` can run it in this process.

The converter (`convert_hf_to_gguf.py` in llama.cpp's source tree) follows every new architecture; a copy here would only grow old. It is
looked for in this order: the path given, `$LLAMA_CPP` (a checkout of llama.cpp), the PATH. What it wrote is checked to begin as GGUF does.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from decoct.errors import ConfigError

CONVERTER = "convert_hf_to_gguf.py"
_MAGIC = b"GGUF"
_TOLD = 600  # characters of the converter's last words


def find_converter(given: Path | None = None) -> Path:
    """The converter's path; `ConfigError` says how to get it where there is none."""
    checkout = os.environ.get("LLAMA_CPP", "")
    places = [given] if given is not None else [Path(checkout) / CONVERTER] if checkout else []
    on_path = shutil.which(CONVERTER)
    if given is None and on_path is not None:
        places.append(Path(on_path))
    for place in places:
        found = place / CONVERTER if place.is_dir() else place
        if found.is_file():
            return found
    tried = f" (tried {', '.join(str(place) for place in places)})" if places else ""
    raise ConfigError(
        f"llama.cpp's {CONVERTER} was not found{tried}; get llama.cpp's source, install its "
        "requirements/requirements-convert_hf_to_gguf.txt, and give its folder with --converter or in LLAMA_CPP"
    )


def to_gguf(model: Path, out: Path, converter: Path | None = None, kind: str = "f16") -> Path:
    """Convert the model in folder `model` to the file `out` of number type `kind` (f32, f16, bf16, q8_0)."""
    if not (model / "config.json").is_file():
        raise ConfigError(f"there is no model in {model}: give the folder `merged` that `decoct train cas` wrote")
    program = find_converter(converter)
    out.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, str(program), str(model), "--outfile", str(out), "--outtype", kind]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ConfigError(f"{program} failed with status {done.returncode}: {done.stderr.strip()[-_TOLD:]}")
    if not _is_gguf(out):
        raise ConfigError(f"{program} wrote no GGUF file at {out}; try it by hand: {' '.join(command)}")
    return out


def _is_gguf(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
