"""The public face: few names, sorted, quick to import."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import decoct


def test_the_public_names_are_sorted_few_and_there() -> None:
    assert decoct.__all__ == sorted(decoct.__all__)
    assert len(decoct.__all__) <= 20
    for name in decoct.__all__:
        assert getattr(decoct, name).__name__ == name


def test_importing_decoct_loads_nothing_heavy() -> None:
    code = "import sys, decoct; print([m for m in ('numpy', 'onnxruntime', 'tantivy', 'faiss', 'pydantic', 'typer') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_help_loads_no_more_than_its_words() -> None:
    code = (
        "import contextlib, io, sys; from decoct.cli import main\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()) as shown: main(['--help'])\n"
        "print('search' in shown.getvalue(), "
        "[m for m in ('numpy', 'onnxruntime', 'tokenizers', 'tantivy', 'faiss', 'pydantic', 'sqlite3') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True []"


def test_the_version_is_told_without_loading_the_program() -> None:
    code = (
        "import sys; from decoct.cli import main\n"
        "try:\n    main(['--version'])\n"
        "except SystemExit as error:\n    print(error.code, [m for m in ('typer', 'tomllib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0].startswith("decoct ")
    assert done.stdout.splitlines()[1] == "0 []"


def test_the_version_is_that_of_the_distribution() -> None:
    assert decoct.__version__ == importlib.metadata.version("decoct")
