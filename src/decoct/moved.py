"""Old import paths keep working: a module that was renamed, or went to another distribution, is found under the name it had.

`renamed.toml` and `distributions.toml` list them. The module itself is handed out, with a `DeprecationWarning` that names its new place;
where the distribution is not installed the error says what to install.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:  # importlib.abc takes a while to load
    from importlib.abc import Loader


@cache
def renamed() -> Mapping[str, str]:
    """Modules of Decoct itself by the names they had: each bears another name now, or its content stands in that module."""
    import tomllib
    from importlib.resources import files

    return tomllib.loads((files("decoct") / "renamed.toml").read_text("utf-8"))


class Redirect:
    """Asked last, for names under `decoct.` that nobody else finds; finder and loader of `importlib`'s protocols."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A spec for a name that stands in the table, or lies below one that does."""
        known = fullname.startswith("decoct.") and self._found(fullname)
        return ModuleSpec(fullname, cast("Loader", self)) if known else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module at its new place."""
        import warnings

        found = self._found(spec.name)
        assert found is not None
        new, distribution, folder = found
        try:
            module = importlib.import_module(new)
        except ModuleNotFoundError as error:
            if error.name != new.partition(".")[0]:
                raise
            raise ModuleNotFoundError(
                f"{spec.name} is {new} now and comes with {distribution}: pip install {distribution} "
                f"(from a checkout: pip install ./{folder})",
                name=spec.name,
            ) from error
        warnings.warn(f"{spec.name} is {new} now", DeprecationWarning, stacklevel=2)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run; the module keeps the spec of its new place."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state

    @staticmethod
    def _found(name: str) -> tuple[str, str, str] | None:
        from decoct.plugins import distributions

        tables: dict[str, Mapping[str, Any]] = {"decoct": {"folder": ".", "moved": renamed()}, **distributions()}
        for distribution, brings in tables.items():
            for old, new in brings.get("moved", {}).items():
                if name == old or name.startswith(f"{old}."):
                    return new + name.removeprefix(old), distribution, brings["folder"]
        return None


class RedirectInside(Redirect):
    """Asked first, for names inside a package that was found under its old name: else they would be loaded a second time."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See `Redirect.find_spec`; None for a name whose package bears its own name."""
        parent = fullname.rpartition(".")[0]
        moved = parent in sys.modules and sys.modules[parent].__name__ != parent
        return super().find_spec(fullname, path, target) if moved else None


def redirect() -> None:
    """Begin to look for moved modules; twice is once."""
    if not any(isinstance(one, Redirect) for one in sys.meta_path):
        sys.meta_path.insert(0, RedirectInside())
        sys.meta_path.append(Redirect())
