"""Settings of a user: `decoct.toml` and the environment.

The file is the one named by DECOCT_CONFIG, else `decoct.toml` in the working directory. What neither says is read of the user's own
`decoct/config.toml`, in `$XDG_CONFIG_HOME` (`~/.config`; on Windows `%APPDATA%`):

    [defaults]
    library = "my-library"     # DECOCT_LIBRARY
    recipe = "default"         # DECOCT_RECIPE
    llm = "reader"             # DECOCT_LLM: a name of the tables below, or a spec such as openai:gpt-4o-mini
    budget = 5400              # DECOCT_BUDGET; or "5x", times the mean retrieved chunk

    [llm.reader]
    provider = "openai"
    model = "gpt-4o-mini"
    api_key_env = "OPENAI_API_KEY"   # the name of the variable, never the key

The environment wins over the file; a command's options win over both.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from decoct.errors import ConfigError
from decoct.tables import TypedTable, read_table

DEFAULT_LIBRARY = ".decoct"


class Defaults(TypedTable):
    """The table `[defaults]`."""

    library: str = DEFAULT_LIBRARY
    recipe: str = "default"
    llm: str | None = None
    budget: int | str | None = None


class Settings(Defaults):
    """What a command uses where no option is given; `models` are the tables `[llm.NAME]` (`decoct.llm.resolve` reads one)."""

    models: dict[str, dict[str, Any]] = Field(default_factory=dict)


class SettingsFile(TypedTable):
    """What `decoct.toml` may hold."""

    defaults: Defaults = Defaults()
    llm: dict[str, dict[str, Any]] = Field(default_factory=dict)


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
    return read_table(PROVIDERS[str(provider)], table, where, places=_DEFAULTS)


# Where a key belongs that stands elsewhere.
_DEFAULTS: Mapping[str, str] = dict.fromkeys(Defaults.model_fields, "[defaults]")
_PLACES: Mapping[str, str] = {
    **{name: "[llm.NAME]" for options in PROVIDERS.values() for name in options.model_fields},
    **_DEFAULTS,
}


def load_settings(environment: Mapping[str, str] | None = None, folder: Path | None = None) -> Settings:
    """The settings of `decoct.toml` and the environment; an unknown key is a `ConfigError` with its path."""
    env = os.environ if environment is None else environment
    near = read_table(SettingsFile, _file(env, folder or Path.cwd()), "decoct.toml", places=_PLACES)
    wide = read_table(SettingsFile, _user_wide(env), "decoct/config.toml", places=_PLACES)
    named = {name: getattr(near.defaults, name) for name in near.defaults.model_fields_set}
    written = SettingsFile(defaults=wide.defaults.model_copy(update=named), llm={**wide.llm, **near.llm})
    told = {key: value for key in Defaults.model_fields if (value := env.get(f"DECOCT_{key.upper()}"))}
    return Settings(**(written.defaults.model_dump() | told), models=written.llm)


def _file(env: Mapping[str, str], folder: Path) -> dict[str, Any]:
    named = env.get("DECOCT_CONFIG")
    path = Path(named) if named else folder / "decoct.toml"
    if not path.is_file():
        if named:
            raise ConfigError(f"DECOCT_CONFIG names {named}, which is not a file")
        return {}
    return _read(path)


def _user_wide(env: Mapping[str, str]) -> dict[str, Any]:
    """The user's own file, which holds for every folder; an empty table where there is none."""
    home = env.get("HOME") or env.get("USERPROFILE")
    place = env.get("XDG_CONFIG_HOME") or env.get("APPDATA") or (f"{home}/.config" if home else "")
    path = Path(place) / "decoct" / "config.toml"
    return _read(path) if place and path.is_file() else {}


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name}: not valid TOML: {error}") from error
