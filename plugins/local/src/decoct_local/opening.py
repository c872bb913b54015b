"""From the name of a GGUF model, or its file, to the model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from decoct.errors import ConfigError
from decoct.registry import nearest
from decoct_local.llamacpp import LlamaCpp
from decoct_local.models import KNOWN, find, installed


def local_model(fields: Mapping[str, Any], where: str) -> LlamaCpp:
    """The model that `fields` describe: `model`, a name or a path that ends in .gguf, and settings of `LlamaCpp`.

    `where` is where they stand, for `ConfigError`, which says how to fetch a known model that is not here.
    """
    given = dict(fields)
    name = given.pop("model")
    path = Path(name).expanduser() if name.endswith(".gguf") else find(name)
    if path is not None and path.is_file():
        return LlamaCpp(path, **given)
    if name in KNOWN:
        raise ConfigError(f"{where}: the model {name} is not on this machine; run: decoct models pull {name}")
    known = sorted({*KNOWN, *(path.stem for path in installed())})
    raise ConfigError(f"{where}: there is no model {name!r}; {nearest(name, known)}; `decoct models list` shows all")
