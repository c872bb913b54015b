"""Arguments of the library's methods: one of a wrong type is refused by name before anything is done."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from decoct import AsyncLibrary, Document, Library
from decoct.errors import ConfigError, DecoctError, QueryError

NEEDED = {
    "question": "When was the bridge opened?",
    "doc_id": "bridge",
    "start": 0,
    "end": 5,
    "name": "sentences",
    "source": ".",
    "sources": [],
    "limit": 100,
    "location": ".",
}
METHODS = {
    name: made.__func__ if isinstance(made, classmethod) else made
    for name, made in vars(Library).items()
    if not name.startswith("_") and not isinstance(made, property)
}
PARAMETERS = [
    (name, parameter)
    for name, method in METHODS.items()
    for parameter in list(inspect.signature(method).parameters)[1:]
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(tmp_path_factory.mktemp("made") / "library") as opened:
        opened.add([Document("bridge", "The bridge was opened in 1934.")])
        yield opened


def given(method: Callable[..., Any], parameter: str, value: object) -> tuple[list[object], dict[str, object]]:
    kinds = inspect.signature(method).parameters
    needed = {name: NEEDED[name] for name, one in kinds.items() if one.default is one.empty and name in NEEDED}
    if kinds[parameter].kind is inspect.Parameter.VAR_POSITIONAL:
        return [value], needed
    return [], {**needed, parameter: value}


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_an_argument_of_a_wrong_type_is_refused_by_name(library: Library, name: str, parameter: str) -> None:
    """Was: TypeError or AttributeError from within, or taken (`prune="no"` pruned)."""
    for wrong in (object(), b"no", 2.5j):
        args, kwargs = given(METHODS[name], parameter, wrong)
        with pytest.raises(DecoctError):
            getattr(library, name)(*args, **kwargs)
        if name in vars(AsyncLibrary):
            opened = AsyncLibrary(library)
            with pytest.raises(DecoctError):
                asyncio.run(awaited(opened, name, args, kwargs))


async def awaited(opened: AsyncLibrary, name: str, args: list[object], kwargs: dict[str, object]) -> None:
    await getattr(opened, name)(*args, **kwargs)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda one: one.sync("docs", prune="no"), "sync: prune is to be bool, not 'no'"),
        (lambda one: one.sync(5), r"sync: source is to be str \| Path \| Iterable\[str \| Path\], not 5"),
        (lambda one: one.sync(["docs", 5]), r"sync: source is to be .*, not \['docs', 5\]"),
        (lambda one: one.search(["words"]), r"search: question is to be str, not \['words'\]"),
        (lambda one: one.search("words", True), "search: k is to be int, not True"),
        (lambda one: one.ask("words", sink=5), r"ask: sink is to be Callable\[\[str\], None\] \| None, not 5"),
        (lambda one: one.ask("words", history=5), "earlier turns are a list"),
        (lambda one: one.ask("words", history="before"), "earlier turns are a list"),
        (lambda one: one.delete(["bridge"]), r"delete: doc_ids is to be str, not \['bridge'\]"),
        (lambda one: one.add([], depth=-1), "0 or more, not -1"),
        (lambda one: one.open("place", embedder=5), r"open: embedder is to be str \| Embedder \| None, not 5"),
        (lambda one: one.open("place", llm=object()), "open: llm is to be"),
    ],
)
def test_the_error_says_what_it_is_to_be(library: Library, call: Callable[[Library], object], told: str) -> None:
    with pytest.raises((ConfigError, QueryError), match=told):
        call(library)


def test_names_that_a_method_does_not_have_are_told_by_python(library: Library) -> None:
    with pytest.raises(TypeError, match=r"search\(\) got an unexpected keyword argument 'bugdet'"):
        library.search("words", bugdet=5)  # type: ignore[call-arg]
