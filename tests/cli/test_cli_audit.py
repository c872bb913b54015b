"""`decoct audit` and `decoct worlds generate` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from decoct.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    captured = capsys.readouterr()
    return int(ended.value.code or 0), captured.out, captured.err


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, value, kind in (("a", "500 K", "paper"), ("b", "900 K", "blog"), ("c", "500 K", "report")):
        text = f"---\ntitle: Brandite {name}\nkind: {kind}\ndate: 2020-01-0{len(name)}\n---\n\nNote {name} on a subject of its own.\n\n"
        (tmp_path / f"{name}.md").write_text(
            f"{text}The melting temperature of Brandite is {value}.\n", encoding="utf-8"
        )
    return tmp_path


QUESTION = "What is the melting temperature of Brandite?"


def test_audit_prints_the_conflict(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, _ = run(capsys, "audit", str(folder), "--question", QUESTION)
    assert code == 0
    assert "500 K" in out
    assert "900 K" in out
    assert "conflict" in out


def test_audit_json_has_the_contract(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, _ = run(capsys, "audit", str(folder), "--question", QUESTION, "--json")
    record = json.loads(out)
    assert code == 0
    (conflict,) = record["questions"][0]["conflicts"]
    assert conflict["chosen"] == "500 K"
    assert conflict["rule"] == "authority"


def test_audit_of_nothing_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, "audit", str(tmp_path), "--question", QUESTION)
    assert code == 2
    assert "no document" in err


def test_worlds_generate_writes_the_set(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(
        capsys, "worlds", "generate", "--questions", "5", "--out", str(tmp_path / "w"), "--split", "test"
    )
    assert code == 0
    assert "5 questions" in out
    assert len((tmp_path / "w" / "questions.jsonl").read_text().splitlines()) == 5


def test_audit_json_gives_facts_and_conflicts_at_its_top_too(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, out, _ = run(capsys, "audit", str(folder), "--question", QUESTION, "--json")
    record = json.loads(out)
    assert code == 0
    assert record["conflicts"] == record["questions"][0]["conflicts"]
    assert record["facts"] == []


def test_worlds_generate_without_a_folder_prints_equal_records_for_equal_seeds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, first, _ = run(capsys, "worlds", "generate", "--seed", "3", "--questions", "4")
    _, second, _ = run(capsys, "worlds", "generate", "--seed", "3", "--questions", "4")
    assert first == second
    assert len([json.loads(line) for line in first.splitlines()]) == 4
