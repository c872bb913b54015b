"""Gzip, bzip2 and xz, bounded."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from reading import one, read, refused

from decoct.data import Document
from decoct.documents.base import MB, Failure, Limits, Source
from decoct.documents.formats import parse
from decoct.documents.inflate import inflated
from decoct.errors import ParseError


def test_every_format_may_be_compressed() -> None:
    document = one("notes.md.gz", gzip.compress(b"# Title\n\nwords"))
    assert (document.id, document.title) == ("notes.md.gz", "Title")
    assert one("notes", gzip.compress(b"plain words")).text == "plain words"


@pytest.mark.parametrize(("suffix", "packed"), [(".bz2", bz2.compress), (".xz", lzma.compress)])
def test_bzip2_and_xz_are_read_as_gzip_is(suffix: str, packed: Callable[[bytes], bytes]) -> None:
    document = one(f"notes.md{suffix}", packed(b"# Title\n\nwords"))
    assert (document.id, document.title) == (f"notes.md{suffix}", "Title")
    assert one("notes", packed(b"one ") + packed(b"two")).text == "one two"
    whole = packed(bytes(range(48, 120)) * 900)
    for cut in (whole[:-4], whole[: len(whole) // 2], whole[:14]):
        assert "data is damaged" in refused(f"a.txt{suffix}", cut)
    assert "holds no gzip" in refused(f"a.txt{suffix}", b"plain")
    assert "inside gzip" in refused("a.txt.gz", gzip.compress(packed(b"words")))
    assert refused(f"a.txt{suffix}", packed(b"")) == "it is empty"
    assert "zip bomb" in refused(f"a.txt{suffix}", packed(bytes(40 * MB)))


def test_a_text_that_begins_like_bzip2_is_text() -> None:
    assert one("a.txt", "BZh9 is what it begins with.").text == "BZh9 is what it begins with."


def test_several_members_are_one_text() -> None:
    assert one("a.txt.gz", gzip.compress(b"one ") + gzip.compress(b"two")).text == "one two"


def test_damage_is_reported() -> None:
    whole = gzip.compress(b"word " * 10_000)
    for cut in (whole[:-4], whole[: len(whole) // 2], whole[:12]):
        assert "gzip data is damaged" in refused("a.txt.gz", cut)
    assert "no gzip data" in refused("a.txt.gz", b"plain")
    assert "gzip inside gzip" in refused("a.txt.gz", gzip.compress(gzip.compress(b"words")))
    assert refused("a.txt.gz", gzip.compress(b"")) == "it is empty"


def test_a_bomb_is_stopped_early() -> None:
    squeeze = zlib.compressobj(9, wbits=31)
    bomb = b"".join(squeeze.compress(bytes(MB)) for _ in range(40)) + squeeze.flush()
    with inflated(io.BytesIO(bomb), Limits()) as stream, pytest.raises(ParseError, match="zip bomb"):
        stream.read(30 * MB)


def test_the_total_is_bounded() -> None:
    data = gzip.compress(b"word " * 1000)
    with (
        inflated(io.BytesIO(data), Limits(stream_bytes=100)) as stream,
        pytest.raises(ParseError, match="inflates to more"),
    ):
        stream.read()


def test_whole_records_before_a_cut_are_kept(tmp_path: Path) -> None:
    lines = b"".join(b'{"id": "%d", "text": "%s"}\n' % (i, str(i * 7919).encode() * 50) for i in range(5000))
    data = gzip.compress(lines)
    found = list(parse(Source.of("a.jsonl.gz", data[: len(data) * 3 // 4])))
    assert len(found) > 100
    assert all(isinstance(item, Document) and item.text == str(int(item.id) * 7919) * 50 for item in found[:-1])
    assert isinstance(found[-1], Failure)
    assert "gzip" in found[-1].reason


def test_records_are_read_as_a_stream() -> None:
    """The first record comes before the rest is inflated."""
    handed = 0

    class Watched(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            nonlocal handed
            data = super().read(size)
            handed += len(data)
            return data

    import random

    rng = random.Random(1)
    lines = b"".join(b'{"id": "%d", "text": "%s"}\n' % (i, rng.randbytes(400).hex().encode()) for i in range(20_000))
    data = gzip.compress(lines, 1)
    source = Source("a.jsonl.gz", lambda: Watched(data))
    first = next(parse(source))
    assert isinstance(first, Document)
    assert handed < len(data) / 5


def test_reading_whole_is_bounded() -> None:
    assert "larger than the limit of 10 bytes" in refused("a.txt", b"x" * 11, Limits(file_bytes=10))
    assert len(read("a.txt", b"x" * 10, Limits(file_bytes=10))) == 1
