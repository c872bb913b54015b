"""Parsing in a process that is killed when its time is over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from reading import one, read

from decoct.data import Document, Link
from decoct.documents import isolation as apart
from decoct.documents.base import Failure, Limits, Source
from decoct.documents.formats import parse
from decoct.documents.worker import packed, unpacked
from decoct.errors import ParseError
from decoct.trace import recording

PARSERS = {
    "loops": "import re\ndef parse(source):\n    re.match('(a+)+b', 'a' * 60)\n    yield\n",  # native code, holding the interpreter
    "hogs": "def parse(source):\n    kept = [bytes(1 << 28) for _ in range(40)]\n    yield\n",
    "crashes": "import ctypes\ndef parse(source):\n    ctypes.string_at(0)\n    yield\n",
    "fails": "def parse(source):\n    yield {}['x']\n",
    "prints": "from decoct.data import Document\ndef parse(source):\n    print('noise' * 9999)\n    yield Document('a', 'said')\n",
    "sleeps": "import time\ndef parse(source):\n    time.sleep(60)\n    yield\n",
}


@pytest.fixture
def parsers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, program in PARSERS.items():
        (tmp_path / f"parser_that_{name}.py").write_text(program)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    apart._close_all()  # processes of other tests do not know the path
    yield
    apart._close_all()


def _parsed(name: str, limits: Limits | None = None) -> list[Document | Failure]:
    return list(apart.parsed(f"parser_that_{name}", Source.of("a", b"x", limits=limits), b"x"))


@pytest.mark.usefixtures("parsers")
def test_native_code_that_does_not_end_is_a_typed_failure() -> None:
    start = time.monotonic()
    (failure,) = _parsed("loops", Limits(parse_seconds=0.3))
    assert failure == Failure("a", "reading it takes longer than 0.3 s: split it", "timeout")
    assert time.monotonic() - start < 60
    assert _parsed("prints") == [Document("a", "said")]  # the next one is read


@pytest.mark.usefixtures("parsers")
def test_waiting_is_bounded_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "SLACK", 2)
    (failure,) = _parsed("sleeps", Limits(parse_seconds=0.3))
    assert isinstance(failure, Failure)
    assert failure.code == "timeout"


@pytest.mark.usefixtures("parsers")
@pytest.mark.parametrize(
    ("name", "reason"),
    [("hogs", "too much memory"), ("crashes", "ended its reader"), ("fails", r"gave up \(KeyError\)")],
)
def test_what_breaks_a_reader_is_a_failure_of_its_source(name: str, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        _parsed(name)


def test_the_limit_grows_with_the_source_up_to_a_bound() -> None:
    limits = Limits(parse_seconds=10, seconds=50)
    assert apart.allowed_seconds(0, limits) == 10
    assert apart.allowed_seconds(1_000_000, limits) == 20
    assert apart.allowed_seconds(100_000_000, limits) == 50


def test_nothing_is_lost_on_the_way() -> None:
    document = Document(
        "a\ud800", "text\f🙂", "T", "s", {"a": 1, "b": 2.5, "c": True, "d": "x"}, ("n",), ((0, 1),), (Link(1, 2, "t"),)
    )
    assert unpacked(packed(document)) == document
    assert unpacked(packed(Failure("s", "r", "c"))) == Failure("s", "r", "c")


def test_large_pages_are_read_apart_as_small_ones_are_here() -> None:
    small, large = "# One\n\n[a](b.md)\n", "# One\n\n[a](b.md)\n" + "\nwords " * 5_000
    assert (one("a.md", small).title, one("a.md", small).links) == (one("a.md", large).title, one("a.md", large).links)


def test_fallbacks_of_the_other_process_are_counted() -> None:
    with recording() as trace:
        assert one("a.md", "words " * 1_000 + "[" * 300_000).text
    assert trace.fallbacks["markdown.links"] == 1


def test_a_file_in_the_working_directory_is_never_run(tmp_path: Path) -> None:
    (tmp_path / "docutils.py").write_text("raise SystemExit('run')")
    (tmp_path / "lxml.py").write_text("raise SystemExit('run')")
    program = (
        "import sys; sys.path = [p for p in sys.path if p]\n"
        "from decoct.documents.base import Source\nfrom decoct.documents.formats import parse\n"
        "(found,) = parse(Source.of('a.rst', b'Title\\n=====\\n\\nwords'))\nassert found.title == 'Title', found\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    subprocess.run([sys.executable, "-P", "-c", program], check=True, cwd=tmp_path, env=environment)


def test_a_process_that_ended_is_replaced() -> None:
    assert one("a.rst", "words").text == "words"
    for worker in apart._idle:
        worker.kill()
        worker.process.wait()
    assert one("a.rst", "words").text == "words"


def test_a_process_that_was_late_is_waited_for() -> None:
    """On a busy machine one that was killed may take longer to die than is waited to learn how it ended."""
    worker = apart._Worker()
    worker.late = True
    worker.close()
    assert worker.process.returncode == -signal.SIGKILL
    assert worker.late


def test_threads_do_not_mix_documents() -> None:
    found: dict[int, str] = {}

    def reads(number: int) -> None:
        found[number] = one("a.rst", f"words of {number}").text

    threads = [threading.Thread(target=reads, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: f"words of {number}" for number in range(3)}


@pytest.mark.parametrize("unit", ["![", "[", "![]", "[x\n", "[a][", "[a](", "*a **b "])
def test_hostile_markdown_is_quick(unit: str) -> None:
    page = "words " * 1_000 + unit * (300_000 // len(unit))  # without words it would be refused as data
    (document,) = parse(Source.of("a.md", page.encode(), limits=Limits(parse_seconds=12)))
    assert isinstance(document, Document), document


def test_a_source_that_is_too_late_among_others() -> None:
    assert [type(item) for item in read("a.pdf", b"%PDF-1.4\n", Limits(seconds=0))] == [Failure]


_ONCE = """
import os, pathlib, signal
from decoct.data import Document
def parse(source):
    mark = pathlib.Path({mark!r})
    if not mark.exists():
        mark.touch()
        {end}
    yield Document("a", "said")
"""


@pytest.mark.usefixtures("parsers")
@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), signal.SIGPROF)"])
def test_a_process_that_left_before_its_time_is_asked_again(tmp_path: Path, end: str) -> None:
    """Leaving for idleness just as a request comes, or charged for time in which the machine was suspended."""
    (tmp_path / "parser_that_leaves.py").write_text(_ONCE.format(mark=str(tmp_path / "mark"), end=end))
    assert _parsed("leaves", Limits(parse_seconds=30)) == [Document("a", "said")]


@pytest.mark.usefixtures("parsers")
def test_a_process_that_leaves_each_time_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "parser_that_leaves.py").write_text("import os\ndef parse(source):\n    os._exit(0)\n    yield\n")
    with pytest.raises(ParseError, match="ended its reader"):
        _parsed("leaves")
