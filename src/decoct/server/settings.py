"""What a server is started with: its libraries, what requests may choose from, and its limits."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from decoct.errors import ConfigError
from decoct.index.resolve import is_folder, without_password
from decoct.llm.base import LLM
from decoct.recipe import FIRST, Recipe, load_recipe, shipped

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
MB = 1024 * 1024


def half_of_memory() -> int:
    """Half of this machine's memory in bytes, 2 GiB at least; 0 where it cannot be told."""
    try:
        return max(2 << 30, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
    except (AttributeError, OSError, ValueError):
        return 0


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """How much one request, one key and all together may cost. Sizes in bytes, times in seconds.

    `queue` requests wait for one of `threads`, at most `patience` long (a second set is for calls that ask a language model, which wait
    for another machine; `page_threads` draw pages of PDFs, which hold up no question); `children` ingest jobs run at once, each of one
    library, and beside them `evaluations`; `body_idle` is how long a body may bring nothing.
    """

    json_bytes: int = 1 * MB
    embedding_bytes: int = 32 * MB
    upload_bytes: int = 200 * MB
    upload_files: int = 100
    queue: int = 64
    patience: float = 120.0
    threads: int = field(default_factory=lambda: max(2, os.cpu_count() or 1))
    model_threads: int = 32
    page_threads: int = 2
    per_second: float = 60.0
    open_libraries: int = 64
    children: int = 2
    evaluations: int = 1
    body_idle: float = 30.0
    stop: float = 10.0
    child_bytes: int = field(default_factory=half_of_memory)  # of a job's process; 0 leaves it unbounded


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """`state` holds keys, jobs and the libraries that requests made: a folder, or an address of PostgreSQL that replicas share.

    `libraries` maps names to the folders and addresses given at the start.

    `llm` is a spec such as `openai:gpt-4o-mini` or a model; `recipes` are all that a request may name. `keys` says whether every
    request needs one; `hosts` are the names under which the server may be addressed, "*" for any; `origins` are
    pages of elsewhere ("http://localhost:3000") whose scripts may ask, never with the page's session. `prices` are those of a million
    tokens in and out, for the page.
    """

    state: str | Path
    libraries: Mapping[str, str | Path] = field(default_factory=dict)
    recipes: Mapping[str, Recipe] = field(default_factory=lambda: allowed_recipes(()))
    llm: str | LLM | None = None
    keys: bool = False
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]")
    origins: tuple[str, ...] = ()
    embedders: tuple[str, ...] = ("minilm",)
    chunkers: tuple[str, ...] = ("structure", "sentence", "recursive", "fixed")
    prices: tuple[float, float] | None = None
    allow_urls: bool = False
    allow_private: bool = False
    demo: bool = False
    limits: ServerLimits = field(default_factory=ServerLimits)


def allowed_recipes(names: Iterable[str]) -> dict[str, Recipe]:
    """The recipes of `names` (names or paths, as the one who starts the server gives them), in their order.

    Where there are none all that ship, those to know first before the others: chat programs choose the first in the list. `default`,
    which requests mean that name no recipe, is the first of `names` where it is none of them.
    """
    first = [known.name for known in FIRST]
    known_first = sorted(shipped(), key=lambda name: first.index(name) if name in first else len(first))
    loaded = [load_recipe(name) for name in (tuple(names) or known_first)]
    allowed = {recipe.name: recipe for recipe in loaded}
    return allowed if "default" in allowed else {"default": replace(loaded[0], name="default"), **allowed}


def named_libraries(given: Iterable[str]) -> dict[str, str | Path]:
    """`DIR`, `NAME=DIR` or `NAME=ADDRESS` as a map from names to places.

    Without a name it is the folder's own, or that of the library in the address, made into one that a URL can hold.
    """
    found: dict[str, str | Path] = {}
    for one in given:
        name, equals, folder = one.partition("=")
        if not equals or not NAME.fullmatch(name):  # an address has its own = signs
            name, folder = ("", one) if not equals or not is_folder(one) else (name, folder)
        path = Path(folder).expanduser().resolve() if is_folder(folder) else folder
        if not name:
            known = path.name if isinstance(path, Path) else library_in(path)
            name = re.sub(r"[^a-z0-9_-]+", "-", known.lower()).strip("-_")[:63] or "library"
        if not NAME.fullmatch(name):
            raise ConfigError(
                f"the library's name {name!r} must be of a-z, 0-9, - and _: write --library NAME={without_password(folder)}"
            )
        if name in found:
            told = without_password(folder)
            raise ConfigError(f"two libraries are named {name!r}: name one of them, --library NAME={told}")
        found[name] = path
    return found


def checked_origins(given: Iterable[str]) -> tuple[str, ...]:
    """Origins as browsers send them; `ConfigError` for what is none, and for "*": every page that one visits could ask."""
    found = tuple(one.rstrip("/").lower() for one in given)
    for one in found:
        parts = urlsplit(one)
        if parts.scheme not in ("http", "https") or one != f"{parts.scheme}://{parts.netloc}" or "*" in one:
            raise ConfigError(f"{one!r} is no origin: write it as http://localhost:3000, one for each page")
    return found


def library_in(address: str) -> str:
    """The name of the library that an address names: its parameter `library`, else the last part of its path."""
    parts = urlsplit(address)
    return dict(parse_qsl(parts.query)).get("library") or parts.path.rpartition("/")[2] or "library"
