"""Structures built on a Ray cluster: what is done a document, a text or a summary goes to workers, the rest happens here.

Documents are read out of the store by this process and sent along, so workers need no library, only Decoct, its models and its extras.
What they read comes back in the order of the documents and is kept as by a build of one machine, batch by batch: such a build can be
gone on with on a cluster, and the reverse. Vectors and a model's summaries of the structure as a whole are made by the same workers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from decoct.data import Floats
from decoct.embed.base import Embedder, TextKind
from decoct.errors import ConfigError, ModelError, StaleIndexError
from decoct.library import Library
from decoct.llm.base import LLM, Reply, Request
from decoct_lab.structure.build import BuildStructure, StructureReport
from decoct_lab.workforce import Workforce
from decoct_ray.pool import ray_pool
from decoct_ray.session import LOCAL


def ray_structure(
    library: Library,
    name: str,
    address: str = LOCAL,
    *,
    settings: Mapping[str, Any] | None = None,
    workers: int | None = None,
    gpus: float = 0,
    progress: Callable[[StructureReport], None] | None = None,
) -> StructureReport:
    """Build the structure `name` of `library`, or bring it up to date, as `library.structure(name, settings).run(progress)` does.

    `address`, `workers` and `gpus` are those of `decoct_ray.pool.ray_pool`, with its errors. `ConfigError` where the library's embedder
    or model is an object that cannot be sent to workers.
    """
    with ray_pool(address, workers=workers, gpus=gpus) as pool:
        return spread_build(library, name, pool, settings).run(progress)


def spread_build(
    library: Library, name: str, workforce: Workforce, settings: Mapping[str, Any] | None = None
) -> BuildStructure:
    """The way to build the structure `name`, its work done by `workforce`."""
    spec = library.status().settings.get("embedder_spec")
    if not spec:
        raise ConfigError(
            "this library's embedder is an object of this process, which workers cannot open: name one (minilm, openai:MODEL …)"
        )
    build: BuildStructure = library.structure(name, settings)
    embedder = NamedEmbedder(spec, library.embedder.fingerprint, library.embedder.dimension)
    if (llm := library.llm) is None:
        return replace(build, embedder=embedder, workforce=workforce)
    asked = {one.name for one in fields(build.method) if getattr(build.method, one.name) is llm}  # type: ignore[arg-type]
    method = replace(build.method, **dict.fromkeys(asked, SpreadLLM(llm, workforce)))  # type: ignore[type-var]
    return replace(build, embedder=embedder, workforce=workforce, method=method)


@dataclass(frozen=True, slots=True)
class NamedEmbedder:
    """An embedder by its name, opened in whichever process embeds; `StaleIndexError` where that one's is another."""

    spec: str
    fingerprint: str
    dimension: int

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        """See `Embedder.embed`."""
        opened = _opened(self.spec, self.fingerprint)
        if opened.fingerprint != self.fingerprint:
            raise StaleIndexError(
                f"a worker's embedder {self.spec!r} is {opened.fingerprint}, the library's {self.fingerprint}: install the same Decoct "
                "and models on every machine"
            )
        return opened.embed(texts, kind)


@cache
def _opened(spec: str, fingerprint: str) -> Embedder:
    from decoct.embed.resolve import open_embedder

    return open_embedder(spec, fingerprint)


@dataclass(frozen=True, slots=True)
class SpreadLLM:
    """`llm`, asked by the workers of `workforce`, who share a batch. Sent to a worker it is `llm` itself."""

    llm: LLM
    workforce: Workforce

    @property
    def fingerprint(self) -> str:
        """The model's own."""
        return self.llm.fingerprint

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        """See `LLM.complete`."""
        size = max(1, -(-len(requests) // self.workforce.width))
        shares = [requests[at : at + size] for at in range(0, len(requests), size)]
        return [one for _, replies in self.workforce.results(_Asking(self.llm), shares) for one in replies]

    def __reduce__(self) -> tuple[Any, ...]:
        return _itself, (self.llm,)


@dataclass(frozen=True, slots=True)
class _Asking:
    llm: LLM

    def __call__(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        return self.llm.complete(requests)


def _itself(llm: LLM) -> LLM:
    return llm
