"""Fetching, with the hub's clients replaced: what they are asked for, and what their failures become."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import huggingface_hub
import pytest

from decoct.errors import EvaluationError, MissingExtraError
from decoct_lab.dataset import Hub, load
from decoct_lab.datasets.hub import fetch

FILES = Hub("someone/set", ("dev.json",), revision="abc")
ROWS = Hub("someone/table", config="rc", split="validation")


def test_files_are_fetched_by_pattern(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: dict[str, Any] = {}

    def snapshot_download(repository: str, **given: Any) -> str:
        asked.update(given, repository=repository)
        (tmp_path / "dev.json").write_text("[]")
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    assert fetch("set", FILES) == tmp_path
    assert asked == {
        "repository": "someone/set",
        "repo_type": "dataset",
        "revision": "abc",
        "allow_patterns": ["dev.json"],
    }


def test_an_empty_answer_and_no_network_say_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_, **__: str(tmp_path))
    with pytest.raises(EvaluationError, match=r"someone/set holds none of dev.json; give the folder .* with --data"):
        fetch("set", FILES)

    monkeypatch.chdir(tmp_path)

    def unreachable(*_: Any, **__: Any) -> str:
        raise ConnectionError("no route")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", unreachable)
    with pytest.raises(
        EvaluationError, match=r"hotpotqa: could not fetch .* \(ConnectionError\); check the network, or give"
    ):
        load("hotpotqa")


def test_rows_are_written_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls: list[tuple[Any, ...]] = []
    client: Any = ModuleType("datasets")

    def load_dataset(*given: Any, **named: Any) -> list[dict[str, Any]]:
        calls.append((given, named))
        return [{"a": 1}, {"a": "ö"}]

    client.load_dataset = load_dataset
    monkeypatch.setitem(sys.modules, "datasets", client)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = fetch("table", ROWS)
    assert [json.loads(line) for line in (folder / "rows.jsonl").read_text("utf-8").splitlines()] == [
        {"a": 1},
        {"a": "ö"},
    ]
    assert fetch("table", ROWS) == folder
    assert calls == [(("someone/table", "rc"), {"split": "validation", "revision": "main"})]
    assert [path.name for path in folder.iterdir()] == ["rows.jsonl"]


def test_without_the_client_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(MissingExtraError, match=r"decoct\[evaluate\]"):
        fetch("table", ROWS)
