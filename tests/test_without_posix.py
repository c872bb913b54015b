"""The core runs where Python has no modules of POSIX alone, as on Windows: they are taken away, and a library is filled and asked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ASKED = """
import json, os, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"):
    sys.modules[name] = None
for name in ("killpg", "getpgid", "setsid", "fork"):
    if hasattr(os, name):
        delattr(os, name)
from decoct import Library
from decoct.errors import StoreBusyError
from decoct.testing.hash_embedder import HashEmbedder

folder, file = sys.argv[1:]
with Library.open(folder, embedder=HashEmbedder()) as library, library.store.session():  # the lock is kept
    added = library.add(file).added
    answer = library.ask("When was the bridge opened?")
    with Library.open(folder, embedder=HashEmbedder()) as other:
        try:
            other.delete("bridge.txt")
            second = "wrote"
        except StoreBusyError:
            second = "waits"
with Library.open(folder, embedder=HashEmbedder()) as library:
    gone = library.delete("bridge.txt")
print(json.dumps([added, answer.found, "1934" in answer.text, second, gone]))
"""


def test_a_library_is_filled_and_asked_without_modules_of_posix(tmp_path: Path) -> None:
    (tmp_path / "bridge.txt").write_text("The old bridge was opened in 1934. It was painted red by Ada Green.")
    program = [sys.executable, "-c", ASKED, str(tmp_path / "lib"), str(tmp_path / "bridge.txt")]
    done = subprocess.run(program, capture_output=True, text=True, timeout=550, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [1, True, True, "waits", 1]


IMPORTED = """
import pkgutil, importlib, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"):
    sys.modules[name] = None
import decoct
for package in ("chunking", "context", "answer", "documents", "embed", "index", "retrieve", "structure", "text", "cli"):
    for found in pkgutil.walk_packages([f"{decoct.__path__[0]}/{package}"], f"decoct.{package}."):
        if found.name.split(".")[2] not in ("postgresql", "milvus"):
            try:
                importlib.import_module(found.name)
            except ModuleNotFoundError as error:
                if error.name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"):
                    raise
"""


def test_no_part_of_the_core_needs_them_to_be_imported() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, timeout=550, check=False)
    assert done.returncode == 0, done.stderr
