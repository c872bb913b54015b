"""The record of the lexical index, and which of its files are as tantivy wrote them."""

import json
import struct
import zlib
from pathlib import Path

import pytest

from decoct.index.embedded.lexical import RECORD, SegmentFiles


def write_file(path: Path, body: bytes, crc: int | None = None) -> None:
    """A file as tantivy ends it: its bytes, a record with their CRC, the record's length and tantivy's number."""
    record = json.dumps({"crc": zlib.crc32(body) if crc is None else crc}).encode()
    path.write_bytes(body + record + struct.pack("<II", len(record), 1337))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An index of one segment with removed rows at its seventh operation."""
    segment = {"segment_id": "ab-cd", "deletes": {"opstamp": 7}}
    (tmp_path / "meta.json").write_text(json.dumps({"segments": [segment, {"segment_id": "ef", "deletes": None}]}))
    for name in ("abcd.idx", "abcd.7.del", "ef.term"):
        write_file(tmp_path / name, name.encode() * 9)
    return tmp_path


# -- the record --------------------------------------------------------------------------------------------------
def test_what_was_committed_is_told_to_the_same_library_and_format_only(tmp_path: Path) -> None:
    files = SegmentFiles(tmp_path, "lib")
    assert files.recorded() is None
    files.record(5, 30)
    assert files.recorded() == (5, {30})
    assert SegmentFiles(tmp_path, "other").recorded() is None
    told = json.loads((tmp_path / RECORD).read_text())
    (tmp_path / RECORD).write_text(json.dumps({**told, "format": 99}))
    assert files.recorded() is None


def test_between_announcing_and_committing_the_index_may_hold_either_number(tmp_path: Path) -> None:
    files = SegmentFiles(tmp_path, "lib")
    files.announce(40)  # of nothing that was recorded: the first commit
    assert files.recorded() is None
    files.record(5, 30)
    files.announce(40)
    assert files.recorded() == (5, {30, 40})
    files.record(6, 40)
    assert files.recorded() == (6, {40})


@pytest.mark.parametrize(
    "record",
    [
        "",
        "{",
        "[]",
        '{"format": 2}',
        '{"format": 2, "library": "lib", "sequence": -1}',
        '{"format": 2, "library": "lib", "sequence": "x"}',
        '{"format": 3, "library": "lib", "sequence": 4}',  # with columns of frequent words, which are no more
    ],
)
def test_a_record_that_cannot_be_read_is_none(tmp_path: Path, record: str) -> None:
    (tmp_path / RECORD).write_text(record)
    assert SegmentFiles(tmp_path, "lib").recorded() is None


def test_a_record_of_the_version_before_tells_no_number_of_chunks(tmp_path: Path) -> None:
    (tmp_path / RECORD).write_text('{"format": 2, "library": "lib", "sequence": 4}')
    assert SegmentFiles(tmp_path, "lib").recorded() == (4, set())


# -- the files ---------------------------------------------------------------------------------------------------
def test_whole_files_are_found_whole(folder: Path) -> None:
    write_file(folder / "stray.idx", b"of no segment that counts", crc=1)
    write_file(folder / "abcd.3.del", b"an older list of removed rows", crc=1)
    assert SegmentFiles(folder, "lib").damaged() == []


def test_a_flipped_or_cut_file_is_named(folder: Path) -> None:
    write_file(folder / "abcd.idx", b"abcd.idx", crc=1)
    (folder / "ef.term").write_bytes((folder / "ef.term").read_bytes()[:-3])
    assert sorted(SegmentFiles(folder, "lib").damaged()) == ["abcd.idx", "ef.term"]


def test_a_lost_list_of_removed_rows_is_named(folder: Path) -> None:
    (folder / "abcd.7.del").unlink()
    assert SegmentFiles(folder, "lib").damaged() == ["abcd.7.del"]


@pytest.mark.parametrize("meta", [None, "{", "[]", '{"segments": [{}]}', '{"segments": 3}'])
def test_a_lost_or_unreadable_list_of_segments_is_named(folder: Path, meta: str | None) -> None:
    (folder / "meta.json").unlink()
    if meta is not None:
        (folder / "meta.json").write_text(meta)
    assert SegmentFiles(folder, "lib").damaged() == ["meta.json"]


def test_a_file_found_whole_is_read_again_once_it_was_touched(folder: Path) -> None:
    files = SegmentFiles(folder, "lib")
    assert files.damaged() == []
    write_file(folder / "ef.term", b"other", crc=1)
    assert files.damaged() == ["ef.term"]
