"""Modules that were renamed or went to other distributions are found under their old names, and say where they are."""

from __future__ import annotations

import importlib
import subprocess
import sys
import warnings

import pytest

from decoct.moved import Redirect, redirect, renamed
from decoct.plugins import distributions

MOVED = [(old, new) for brings in distributions().values() for old, new in brings["moved"].items()] + [
    *renamed().items()
]


@pytest.mark.parametrize(("old", "new"), [("decoct.cluster.places", "decoct_ray.places"), *MOVED])
def test_an_old_name_is_the_module_itself(old: str, new: str) -> None:
    for name in [name for name in sys.modules if name == old]:
        del sys.modules[name]
    try:
        module = importlib.import_module(new)
    except ModuleNotFoundError:
        pytest.skip("a package of an extra is not here")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = importlib.import_module(old)
    assert f"{old} is {new} now" in [str(one.message) for one in told]
    assert found is module
    assert found.__spec__ is not None
    assert (found.__name__, found.__spec__.name) == (new, new)


def test_without_the_distribution_the_error_says_what_to_install() -> None:
    code = (
        "import sys\n"
        "class Gone:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'decoct_ray':\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Gone())\n"
        "import decoct.cluster.places\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install decoct-ray (from a checkout: pip install ./plugins/ray)" in done.stderr


def test_other_names_are_no_business_of_the_redirect() -> None:
    redirect()
    assert sum(isinstance(one, Redirect) for one in sys.meta_path) == 2
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'decoct\.clusters'"):
        importlib.import_module("decoct.clusters")
