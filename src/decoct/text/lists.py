"""Lists and tables of language, kept as TOML beside the modules that use them."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """All of `NAME.toml`. Do not change it: it is read once a process."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))


@cache
def listed(name: str, key: str) -> frozenset[str]:
    """The words under `key` of `NAME.toml`, written one after another."""
    return frozenset(table(name)[key].split())
