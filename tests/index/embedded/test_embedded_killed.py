"""`kill -9` while a library is built anew and while its lost indexes are built again: nothing is lost, and the next run goes on."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from decoct import Document, Library
from decoct.errors import StoreError
from decoct.index.embedded import EmbeddedStore, opening
from decoct.rebuild import rebuild
from decoct_testing.hash_embedder import HashEmbedder

DOCUMENTS = 60

# Dies at the Nth step from where the new library is complete, or goes on to the end.
STEPPING = """
import os, sys
import decoct.rebuild
from decoct.index.embedded import opening
from decoct_testing.hash_embedder import HashEmbedder
if sys.argv[3] == "renames":
    opening._exchanged = lambda *_: False
left = [int(sys.argv[2])]
def step(event, _):
    left[0] -= event in {"os.rename", "os.remove", "shutil.rmtree", "os.rmdir", "os.mkdir", "os.link", "ctypes.dlopen"}
    if not left[0]:
        os._exit(9)
def put_in_place(folder):
    sys.addaudithook(step)
    return opening.put_in_place(folder)
decoct.rebuild.put_in_place = put_in_place
decoct.rebuild.rebuild(sys.argv[1], embedder=HashEmbedder())
"""

REBUILDING = """
import sys
from decoct.rebuild import rebuild
from decoct_testing.hash_embedder import HashEmbedder
print("begin", flush=True)
rebuild(sys.argv[1], embedder=HashEmbedder())
"""

SEARCHING = """
import sys
from decoct.index.embedded import EmbeddedStore, ivf
from decoct_testing.hash_embedder import HashEmbedder
ivf.EXACT, ivf.TAIL, ivf.REST = 30, 10, 5
store = EmbeddedStore.open(sys.argv[1], settings={})
print("begin", flush=True)
while True:
    store.lexical("river", 10)
    store.nearest(HashEmbedder().embed(["river"], "query")[0], 10)
    if len(sys.argv) > 2:
        break
"""


def text(number: int) -> str:
    return f"Document {number} tells of river r{number}. " + " ".join(
        f"It passes stone s{number}x{n}." for n in range(30)
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Library.open(tmp_path / "lib", embedder=HashEmbedder(), chunker={"use": "sentence", "tokens": 40}) as library:
        library.add([Document(f"d{n:02}", text(n), metadata={"n": n}) for n in range(DOCUMENTS)])
    return tmp_path / "lib"


def check(folder: Path) -> None:
    """Every document is there and found by every way, whichever of the two libraries this is."""
    with Library.open(folder, embedder=HashEmbedder(), create=False) as library:
        assert [info.id for info in library.documents()] == [f"d{n:02}" for n in range(DOCUMENTS)]
        for n in range(0, DOCUMENTS, 7):
            assert library.document(f"d{n:02}").text == text(n)
            keys = library.store.chunk_keys(f"d{n:02}").tolist()
            assert library.store.lexical(f"r{n}", 500).keys.tolist() == keys[:1]
            near = library.store.nearest(HashEmbedder().embed(["river"], "query")[0], 500, {"n": (str(n),)})
            assert sorted(near.keys.tolist()) == keys
        assert {(one.damaged, one.behind) for one in library.store.verify()} == {((), 0)}  # type: ignore[attr-defined]


@pytest.mark.parametrize("way", ["exchange", "renames"])
def test_killed_at_every_step_of_taking_the_place(folder: Path, way: str, slow_steps: int) -> None:
    generation, first = 0, None
    for step in range(1, slow_steps):
        done = subprocess.run(
            [sys.executable, "-c", STEPPING, folder, str(step), way], capture_output=True, text=True, check=False
        )
        assert done.returncode in {0, 9}, done.stderr
        check(folder)
        with EmbeddedStore.open(folder, settings={}) as store:
            assert store.status().generation in {generation, generation + 1}
            generation = store.status().generation
        if done.returncode == 0:
            first = step
            break
    assert rebuild(folder, embedder=HashEmbedder()).failures == []
    check(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["lib"]
    if slow_steps > 50:  # enough for every step
        assert first is not None


@pytest.fixture(params=[pytest.param(5), pytest.param(200, marks=[pytest.mark.slow, pytest.mark.timeout(3000)])])
def slow_steps(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def killed(code: str, folder: Path, after: float) -> None:
    """Start, wait until it is at work, and kill it a moment later."""
    with subprocess.Popen(
        [sys.executable, "-c", code, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begin\n"
        time.sleep(after)
        process.kill()
        assert "Traceback" not in process.communicate()[1]


@pytest.mark.parametrize(
    "kills", [pytest.param(2), pytest.param(40, marks=[pytest.mark.slow, pytest.mark.timeout(3000)])]
)
def test_killed_while_it_is_built_anew(folder: Path, kills: int) -> None:
    chance = random.Random(kills)
    for _ in range(kills):
        killed(REBUILDING, folder, chance.choice([chance.uniform(0, 0.3), chance.uniform(0, 3)]))
        check(folder)
    rebuild(folder, embedder=HashEmbedder())
    check(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["lib"]


@pytest.mark.parametrize(
    "kills", [pytest.param(2), pytest.param(60, marks=[pytest.mark.slow, pytest.mark.timeout(3000)])]
)
def test_killed_while_lost_indexes_are_built_again(folder: Path, kills: int) -> None:
    chance = random.Random(kills)
    for _ in range(kills):
        for name in chance.choice([("lexical",), ("vectors",), ("lexical", "vectors")]):
            files = (
                sorted(path for path in (folder / name).iterdir() if path.stat().st_size)
                if (folder / name).exists()
                else []
            )
            if files and chance.random() < 0.7:
                victim = chance.choice(files)
                data = bytearray(victim.read_bytes())
                data[chance.randrange(len(data))] ^= 0xFF
                victim.write_bytes(bytes(data))
            else:
                shutil.rmtree(folder / name, ignore_errors=True)
        killed(SEARCHING, folder, chance.choice([0.0, chance.uniform(0, 0.1), chance.uniform(0, 0.5)]))
        if chance.random() < 0.5:  # whoever comes next mends it, or whoever searches
            done = subprocess.run(
                [sys.executable, "-c", SEARCHING, folder, "once"], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
        check(folder)


def test_an_interrupted_rename_is_finished_by_whoever_opens_the_library(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_exchanged", lambda *_: False)
    real = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if self.name.endswith(".rebuild"):
            raise KeyboardInterrupt
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(KeyboardInterrupt):
        rebuild(folder, embedder=HashEmbedder())
    assert not folder.exists()
    monkeypatch.setattr(Path, "rename", real)
    check(folder)  # and no empty library was made in its place
    rebuild(folder, embedder=HashEmbedder())
    assert [path.name for path in folder.parent.iterdir()] == ["lib"]


def test_without_a_mark_nothing_takes_the_place_of_a_folder(folder: Path) -> None:
    folder.rename(folder.with_name("lib.rebuild"))
    with pytest.raises(StoreError, match="no library"):
        EmbeddedStore.open(folder, settings={}, create=False)
