"""Export to GGUF: the converter is found, its failure is told, what it wrote is checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from decoct.errors import ConfigError
from decoct_lab.train.gguf import CONVERTER, find_converter, to_gguf

WRITES = "import sys; open(sys.argv[sys.argv.index('--outfile') + 1], 'wb').write(b'GGUF' + sys.argv[-1].encode())"
FAILS = "import sys; sys.exit('unknown architecture')"
WRITES_ELSE = "import sys; open(sys.argv[sys.argv.index('--outfile') + 1], 'wb').write(b'<html>')"


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LLAMA_CPP", raising=False)
    monkeypatch.setenv("PATH", "")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "merged"
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf-8")
    return folder


def converter(folder: Path, program: str) -> Path:
    path = folder / CONVERTER
    path.write_text(program, encoding="utf-8")
    return path


def test_a_missing_converter_says_what_to_get(model: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="LLAMA_CPP"):
        to_gguf(model, tmp_path / "cas.gguf")
    with pytest.raises(ConfigError, match="nowhere"):
        find_converter(tmp_path / "nowhere")


def test_it_converts_with_the_converter_of_a_checkout(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    converter(tmp_path, WRITES)
    monkeypatch.setenv("LLAMA_CPP", str(tmp_path))
    assert to_gguf(model, tmp_path / "deep" / "cas.gguf", kind="q8_0").read_bytes() == b"GGUFq8_0"


@pytest.mark.parametrize(("program", "told"), [(FAILS, "unknown architecture"), (WRITES_ELSE, "no GGUF file")])
def test_a_converter_that_fails_is_told(model: Path, tmp_path: Path, program: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        to_gguf(model, tmp_path / "cas.gguf", converter(tmp_path, program))


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no model"):
        to_gguf(tmp_path, tmp_path / "cas.gguf", converter(tmp_path, WRITES))
