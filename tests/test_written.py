"""Files are written whole, and never through a link."""

from __future__ import annotations

from pathlib import Path

import pytest

from decoct.errors import ConfigError
from decoct.visible import appending, write_whole


def test_a_link_is_replaced_and_what_it_points_at_is_not_touched(tmp_path: Path) -> None:
    target, link = tmp_path / "secret", tmp_path / "out" / "report.md"
    target.write_text("mine")
    link.parent.mkdir()
    link.symlink_to(target)
    write_whole(link, "theirs \ud800")
    assert (target.read_text(), link.read_text(), link.is_symlink()) == ("mine", "theirs \\ud800", False)
    assert [path.name for path in link.parent.iterdir()] == ["report.md"]


def test_a_link_to_nothing_makes_no_file_elsewhere(tmp_path: Path) -> None:
    link = tmp_path / "a.md"
    link.symlink_to(tmp_path / "elsewhere")
    write_whole(link, "x")
    assert not (tmp_path / "elsewhere").exists()


def test_what_cannot_be_written_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(ConfigError, match="folder cannot be written"):
        write_whole(tmp_path / "folder", "x")
    with pytest.raises(ConfigError, match="cannot be written"):
        write_whole(tmp_path / "folder" / ("x" * 300), "x")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_nothing_is_appended_through_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "rows"
    target.write_text("mine")
    link.symlink_to(target)
    with pytest.raises(ConfigError, match="symbolic link"):
        appending(link)
    with appending(target) as file:
        file.write("!")
    assert target.read_text() == "mine!"
