"""What the table `[llm.NAME]` of the configuration may hold, by its provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from decoct.errors import ConfigError
from decoct.tables import TypedTable, read_table


class OpenAIOptions(TypedTable):
    """An endpoint that speaks OpenAI's protocol."""

    provider: Literal["openai"]
    model: str = Field(min_length=1)
    base_url: str | None = None
    api_key_env: str | None = None
    concurrency: int | None = None
    timeout: float | None = None
    max_retries: int | None = None


class LocalOptions(TypedTable):
    """A GGUF model in this process."""

    provider: Literal["local"]
    model: str = Field(min_length=1)
    context: int | None = None
    concurrency: int | None = None
    threads: int | None = None


PROVIDERS: Mapping[str, type[OpenAIOptions] | type[LocalOptions]] = {"openai": OpenAIOptions, "local": LocalOptions}


def read_options(table: Mapping[str, Any], where: str) -> OpenAIOptions | LocalOptions:
    """The options of a table; `ConfigError` with its place and the nearest name."""
    provider = table.get("provider")
    if provider not in PROVIDERS:
        raise ConfigError(f"{where}.provider: expected {' or '.join(map(repr, sorted(PROVIDERS)))}, not {provider!r}")
    return read_table(PROVIDERS[str(provider)], table, where)
