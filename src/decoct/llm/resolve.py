"""From a spec to a model.

| spec | model |
|---|---|
| `openai:gpt-4o-mini` | at OPENAI_BASE_URL, else at OpenAI; the key in OPENAI_API_KEY |
| `openai:MODEL@http://host:8000/v1` | at this address |
| `local:NAME`, or the path of a .gguf file | in this process (`decoct-local`) |
| a name | the table `[llm.NAME]` of the configuration |
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from decoct import plugins
from decoct.errors import ConfigError
from decoct.llm.base import LLM
from decoct.registry import nearest
from decoct.settings import OpenAIOptions, load_settings, read_options


def open_llm(spec: str, settings: Mapping[str, Mapping[str, Any]] | None = None, cache: Path | None = None) -> LLM:
    """The model of `spec`; `settings` are the configuration's tables by name, `cache` a folder for replies (`decoct.llm.cache`).

    `ConfigError` for a spec that names nothing, with the nearest name that does; `MissingExtraError` where packages are missing.
    """
    named = settings or {}
    llm = _from_table(spec, named[spec]) if spec in named else _from_spec(spec, sorted(named))
    if cache is None:
        return llm
    from decoct.llm.cache import Cached

    return Cached(llm, cache)


def configured_llm(llm: str | LLM | None) -> LLM | None:
    """The model of a spec as the user's settings have it, its replies kept on disk; one that is open already, or None, as it is."""
    from decoct.llm.cache import replies_folder

    return open_llm(llm, load_settings().models, cache=replies_folder()) if isinstance(llm, str) else llm


def _from_spec(spec: str, names: list[str]) -> LLM:
    provider, _, rest = spec.partition(":")
    if spec.endswith(".gguf"):
        return _local({"model": spec.removeprefix("local:")}, spec)
    if provider == "local" and rest:
        return _local({"model": rest}, spec)
    if provider == "openai" and rest:
        model, at, address = rest.partition("@http")
        return _openai({"model": model, **({"base_url": "http" + address} if at else {})}, spec)
    known = [*names, "local:NAME", "openai:MODEL"]
    raise ConfigError(f"there is no language model {spec!r}; {nearest(spec, known)}")


def _from_table(name: str, table: Mapping[str, Any]) -> LLM:
    where = f"llm.{name}"
    options = read_options(table, where)
    fields = options.model_dump(exclude={"provider"}, exclude_none=True)
    return _openai(fields, where) if isinstance(options, OpenAIOptions) else _local(fields, where)


def _openai(fields: Mapping[str, Any], where: str) -> LLM:
    from decoct.llm.attempt import Retry
    from decoct.llm.openai_compatible import OpenAICompatible

    given = dict(fields)
    if not given["model"]:
        raise ConfigError(f"{where}: name a model, as in openai:gpt-4o-mini")
    address = os.environ.get("OPENAI_BASE_URL")
    if address and "base_url" not in given:
        given["base_url"] = address
    if "max_retries" in given:
        given["retry"] = Retry(given.pop("max_retries"))
    return OpenAICompatible(**given)


def _local(fields: Mapping[str, Any], where: str) -> LLM:
    made: LLM = plugins.load("llm", "local", where)(fields, where)
    return made
