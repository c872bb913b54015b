"""From specs and tables to models."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from decoct.errors import ConfigError, MissingDistributionError, MissingExtraError
from decoct.llm.cache import Cached
from decoct.llm.openai_compatible import OpenAICompatible
from decoct.llm.resolve import open_llm
from decoct_local.llamacpp import LlamaCpp


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DECOCT_MODELS", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    (tmp_path / "tiny.gguf").write_bytes(b"GGUF")


@pytest.mark.parametrize(
    ("spec", "fingerprint"),
    [
        ("openai:gpt-4o-mini", "openai:gpt-4o-mini@https://api.openai.com/v1"),
        ("openai:org/a:7b@http://localhost:8000/v1", "openai:org/a:7b@http://localhost:8000/v1"),
        ("openai:m@https://host/v1", "openai:m@https://host/v1"),
    ],
)
def test_endpoints(spec: str, fingerprint: str) -> None:
    assert open_llm(spec).fingerprint == fingerprint


def test_the_environment_names_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:9/v1")
    assert open_llm("openai:m").fingerprint == "openai:m@http://localhost:9/v1"
    assert open_llm("openai:m@http://other/v1").fingerprint == "openai:m@http://other/v1"


def test_local_models_by_name_and_path(tmp_path: Path) -> None:
    for spec in ("local:tiny", str(tmp_path / "tiny.gguf"), f"local:{tmp_path / 'tiny.gguf'}"):
        assert open_llm(spec) == LlamaCpp(tmp_path / "tiny.gguf")


def test_tables(tmp_path: Path) -> None:
    tables: dict[str, dict[str, Any]] = {
        "reader": {
            "provider": "openai",
            "model": "m",
            "base_url": "http://h/v1",
            "concurrency": 3,
            "timeout": 9,
            "max_retries": 5,
        },
        "small": {"provider": "local", "model": "tiny", "context": 512, "concurrency": 2, "threads": 1},
    }
    reader = open_llm("reader", tables)
    assert isinstance(reader, OpenAICompatible)
    assert (reader.concurrency, reader.timeout, reader.retry.retries) == (3, 9, 5)
    assert open_llm("small", tables) == LlamaCpp(tmp_path / "tiny.gguf", 512, 2, 1)


def test_a_cache_is_put_around(tmp_path: Path) -> None:
    assert open_llm("local:tiny", cache=tmp_path / "c") == Cached(LlamaCpp(tmp_path / "tiny.gguf"), tmp_path / "c")


@pytest.mark.parametrize(
    ("spec", "tables", "says"),
    [
        ("readr", {"reader": {"provider": "openai", "model": "m"}}, "did you mean 'reader'"),
        ("local:smollm2-135m-instruct", {}, "run: decoct models pull smollm2-135m-instruct"),
        ("local:tinny", {}, "did you mean 'tiny'"),
        ("nowhere.gguf", {}, "no model"),
        ("openai:", {}, "no language model"),
        ("openai:@http://h/v1", {}, "name a model"),
        ("a", {"a": {"provider": "opnai", "model": "m"}}, r"llm\.a\.provider"),
        ("a", {"a": {"provider": "openai"}}, r"llm\.a\.model: missing"),
        (
            "a",
            {"a": {"provider": "openai", "model": "m", "timout": 3}},
            r"llm\.a\.timout: unknown key; did you mean 'timeout'",
        ),
        ("a", {"a": {"provider": "openai", "model": "m", "timeout": "3"}}, r"llm\.a\.timeout: expected a number"),
        (
            "a",
            {"a": {"provider": "openai", "model": "m", "concurrency": True}},
            r"llm\.a\.concurrency: expected a whole number",
        ),
        (
            "a",
            {"a": {"provider": "openai", "model": "m", "api_key": "sk-1234"}},
            r"llm\.a\.api_key: unknown key; did you mean 'api_key_env'",
        ),
    ],
)
def test_what_names_nothing_is_an_error(spec: str, tables: dict[str, dict[str, Any]], says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        open_llm(spec, tables)
    assert "sk-" not in str(caught.value)


def test_secrets_are_not_shown() -> None:
    llm = open_llm("openai:gpt-4o-mini")
    assert "secret" not in repr(llm) + llm.fingerprint


@pytest.mark.parametrize(
    ("spec", "package", "advice"),
    [("openai:m", "openai", r"decoct\[openai\]"), ("local:tiny", "xllamacpp", "./plugins/local")],
)
def test_what_is_missing_is_named(spec: str, package: str, advice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    with pytest.raises((MissingExtraError, MissingDistributionError), match=advice):
        open_llm(spec)


def test_in_a_fresh_process_without_the_client_the_extra_is_named_and_local_models_need_none() -> None:
    """Was: a traceback of an import, for models in this process too."""
    code = (
        "import sys\nsys.modules['openai'] = None\nimport decoct_local.llamacpp\n"
        "from decoct.llm.resolve import open_llm\nopen_llm('openai:m')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtraError" in done.stderr
    assert "decoct[openai]" in done.stderr
