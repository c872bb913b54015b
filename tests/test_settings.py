"""Settings come from the file and the environment; an unknown key is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from decoct.errors import ConfigError
from decoct.settings import Settings, load_settings


def written(folder: Path, text: str) -> Path:
    (folder / "decoct.toml").write_text(text)
    return folder


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load_settings({}, tmp_path) == Settings()


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    written(
        tmp_path,
        '[defaults]\nlibrary = "a"\nrecipe = "dos"\nbudget = 900\n[llm.reader]\nprovider = "openai"\nmodel = "m"\n',
    )
    loaded = load_settings({"DECOCT_LIBRARY": "b", "DECOCT_LLM": "reader"}, tmp_path)
    assert (loaded.library, loaded.recipe, loaded.budget, loaded.llm) == ("b", "dos", 900, "reader")
    assert loaded.models["reader"]["model"] == "m"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[defaults]\nlibary = "a"', "defaults.libary: unknown key; did you mean 'library'"),
        ("[default]\n", "default: unknown key; did you mean 'defaults'"),
        ("[defaults]\nbudget = true", "defaults.budget: expected a whole number or a text, not True"),
        ("[defaults]\nbudget = [1]", "defaults.budget: expected a whole number or a text"),
        ("[defaults]\nllm = 3", "defaults.llm: expected a text, not 3"),
        ("defaults = 3", "expected a table"),
        ('llm = "gpt"', "expected a table"),
        ('[llm]\nreader = "gpt"', "expected a table"),
        ("[defaults", "not valid TOML"),
        ('recipe = "casc"', r"decoct.toml: recipe: unknown key; it belongs in \[defaults\]"),
        ('[defaults]\nbase_url = "x"', r"defaults.base_url: unknown key; it belongs in \[llm.NAME\]"),
        ('api_key_en = "K"', r"api_key_en: unknown key; did you mean 'api_key_env' in \[llm.NAME\]"),
        ('[llm]\nprovider = "openai"', r"llm.provider: expected a table, not 'openai'; it belongs in \[llm.NAME\]"),
        ('llm = "reader"', r"llm: expected a table, not 'reader'; it belongs in \[defaults\]"),
    ],
)
def test_a_bad_file_says_where(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_settings({}, written(tmp_path, text))


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not a file"):
        load_settings({"DECOCT_CONFIG": str(tmp_path / "gone.toml")}, tmp_path)
