"""Without an extra, its module says which one to install; the core needs none."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("langchain", "langchain_core", "langchain"),
        ("llama_index", "llama_index", "llama-index"),
        ("haystack", "haystack", "haystack"),
    ],
)
def test_a_missing_framework_names_its_extra(module: str, package: str, extra: str) -> None:
    code = f"import sys; sys.modules['{package}'] = None\nimport decoct.integrations.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"MissingExtraError: decoct.integrations.{module} needs the extra '{extra}'" in done.stderr


def test_the_core_imports_no_framework() -> None:
    frameworks = ("langchain_core", "llama_index", "haystack")
    code = f"import sys, decoct.integrations; print([m for m in {frameworks} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
