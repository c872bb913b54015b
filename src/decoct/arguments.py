"""Arguments of public methods, checked against their annotations before anything is done: a wrong one is told by its name."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from numbers import Integral, Real
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from decoct.errors import ConfigError

C = TypeVar("C", bound=type)
_NUMBERS: Mapping[object, type] = {int: Integral, float: Real}


def checked(kind: C) -> C:
    """The class, whose public methods raise `ConfigError` for an argument that is not what their annotation says."""
    for name, made in list(vars(kind).items()):
        method = made.__func__ if isinstance(made, classmethod) else made
        if inspect.isfunction(method) and not name.startswith("_"):
            run = _refusing(method)
            setattr(kind, name, classmethod(run) if isinstance(made, classmethod) else run)
    return kind


def _refusing(method: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(method)
    here = _Known((name, one) for name, one in method.__globals__.items() if isinstance(one, type))
    hints = cache(lambda: get_type_hints(method, localns=here))

    @wraps(method)
    def run(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - what the method takes and returns
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:  # Python's own words for it name the method
            return method(*args, **kwargs)
        for name, value in given.items():
            parameter = signature.parameters[name]
            for one in value if parameter.kind is parameter.VAR_POSITIONAL else [value]:
                if not _fits(one, hints().get(name, Any)):
                    raise ConfigError(f"{method.__name__}: {name} is to be {parameter.annotation}, not {one!r:.80}")
        return method(*args, **kwargs)

    return run


class _Known(dict[str, Any]):
    """A module's classes; other names of annotations may be anything: what they stand for is checked where it is read."""

    def __missing__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(builtins, name, Any)


def _fits(value: object, hint: Any) -> bool:  # noqa: ANN401 - whatever stands in an annotation
    base, inner = get_origin(hint) or hint, get_args(hint)
    if base in (Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if base in _NUMBERS:
        return isinstance(value, _NUMBERS[base]) and not isinstance(value, bool)
    if getattr(base, "_is_protocol", False) and base.__module__ != "collections.abc":
        return all(hasattr(value, name) for name in dir(base) if not name.startswith("_"))
    if base is Iterable and isinstance(value, list | tuple):
        return all(_fits(one, inner[0]) for one in value)
    if base is Iterable and isinstance(value, str | bytes | Mapping):
        return False
    return base is Any or not isinstance(base, type) or isinstance(value, base)
