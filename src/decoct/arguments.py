"""Arguments of public methods, checked against their annotations before anything is done: a wrong one is told by its name."""

from __future__ import annotations

import builtins
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from numbers import Integral, Real
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from decoct.errors import ConfigError, QueryError

C = TypeVar("C", bound=type)
_ASKED = ("question", "where", "k", "doc_id", "doc_ids")  # what a query says, whose errors are its own


def checked(kind: C) -> C:
    """The class, whose public methods refuse what their annotations do not allow: `QueryError` for what is asked, else `ConfigError`."""
    for name, made in list(vars(kind).items()):
        if isinstance(made, classmethod) and not name.startswith("_"):
            setattr(kind, name, classmethod(_refusing(made.__func__)))
        elif inspect.isfunction(made) and not name.startswith("_"):
            setattr(kind, name, _refusing(made))
    return kind


def _refusing(method: Callable[..., Any]) -> Callable[..., Any]:
    # What an alias stands for is checked where it is read, and what is imported for type checkers alone may be anything.
    known = {name: one for name, one in (vars(builtins) | method.__globals__).items() if isinstance(one, type)}
    hints = cache(lambda: get_type_hints(method, localns=defaultdict(lambda: Any, known)))
    several = inspect.getfullargspec(method).varargs

    @wraps(method)
    def run(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - what the method takes and returns
        for name, given in inspect.getcallargs(method, *args, **kwargs).items():
            for one in given if name == several else [given]:
                if not _fits(one, hints().get(name, Any)):
                    wanted = method.__annotations__[name]
                    error = QueryError if name in _ASKED else ConfigError
                    raise error(f"{method.__name__}: {name} is to be {wanted}, not {one!r:.80}")
        return method(*args, **kwargs)

    return run


def _fits(value: object, hint: Any) -> bool:  # noqa: ANN401 - whatever stands in an annotation
    base, inner = get_origin(hint) or hint, get_args(hint)
    if base in (Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if base in (int, float):
        return isinstance(value, Integral if base is int else Real) and not isinstance(value, bool)
    if getattr(base, "_is_protocol", False) and base.__module__ != "collections.abc":
        return all(hasattr(value, name) for name in dir(base) if not name.startswith("_"))
    if base is Iterable and isinstance(value, list | tuple):
        return all(_fits(one, inner[0]) for one in value)
    if base is Iterable and isinstance(value, str | bytes | Mapping):
        return False
    return base is Any or not isinstance(base, type) or isinstance(value, base)
