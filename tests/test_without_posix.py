"""The core runs where Python has no modules of POSIX alone, as on Windows: they are taken away, and a library is filled and asked.

Files behave as there too: no folder is opened, none is synced that was not opened for writing, none that is open is replaced or removed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ASKED = """
import fcntl, json, os, stat, sys
open_, fsync, replace, rename, unlink = os.open, os.fsync, os.replace, os.rename, os.unlink

def opened(path, flags, *rest, **named):
    if os.path.isdir(path):
        raise PermissionError(13, "a folder cannot be opened", str(path))
    return open_(path, flags, *rest, **named)

def synced(file):
    if fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(9, "Bad file descriptor")
    fsync(file)

def unused(path):
    if os.path.exists(path) and not os.path.isdir(path):
        asked = os.stat(path)
        for one in map(int, os.listdir("/proc/self/fd")):
            try:
                if os.path.samestat(os.fstat(one), asked) and fcntl.fcntl(one, fcntl.F_GETFD) is not None:
                    raise PermissionError(13, "the file is open", str(path))
            except OSError as error:
                if error.errno == 13:
                    raise

def moving(move):
    def moved(source, target, **named):
        unused(source)
        unused(target)
        move(source, target, **named)
    return moved

def removed(path, **named):
    unused(path)
    unlink(path, **named)

os.open, os.fsync, os.replace, os.rename, os.unlink = opened, synced, moving(replace), moving(rename), removed
del os.O_DIRECTORY
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"):
    sys.modules[name] = None
for name in ("killpg", "getpgid", "setsid", "fork"):
    if hasattr(os, name):
        delattr(os, name)
from decoct import Library
from decoct.errors import StoreBusyError
from decoct_testing.hash_embedder import HashEmbedder

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
