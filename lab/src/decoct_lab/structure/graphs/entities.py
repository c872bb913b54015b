"""What LightRAG and HyperGraphRAG keep of each name: its kind, a description merged of all passages, and a vector of both.

A model's descriptions of one name are put one after another, none twice; where they grow longer than `LONGEST` characters the model
writes them anew as one (kept, so that it is asked once), or, where it fails, they are cut. Without a model a name is described by the
first two sentences that name it, and its vector is the mean of its own and theirs, so that nothing has to be embedded for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from decoct import trace
from decoct.data import Floats
from decoct.errors import ModelError
from decoct.llm.base import LLM, complete_one
from decoct.llm.prompts import Prompt, load_prompt
from decoct_lab.structure.base import Workshop
from decoct_lab.structure.graphs.catalogue import Catalogue, notes_of

LONGEST = 1_600
ENTITIES = "entities"
_REPLY = 300
_SENTENCES = 2


@dataclass(frozen=True, slots=True)
class Entities:
    """By number of the name: its kind and description; `statements` are those that a description without a model is made of."""

    kinds: Sequence[str]
    about: Sequence[str]


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.structure.graphs", "description", ("name", "descriptions"))


def write_entities(
    workshop: Workshop, catalogue: Catalogue, llm: LLM | None, names: Floats, statements: Floats
) -> None:
    """Write each name's kind and description, and `entities.npy`, to the workshop's folder."""
    if llm is None:
        about, vectors = _by_sentences(catalogue, names, statements)
        np.save(workshop.folder / f"{ENTITIES}.npy", vectors)
        kinds = [""] * len(about)
    else:
        kinds, about = _merged(workshop, catalogue, llm)
        texts = [f"{name}\n{told}" for name, told in zip(catalogue.names, about, strict=True)]
        workshop.vectors(ENTITIES, texts)
    (workshop.folder / f"{ENTITIES}.json").write_text(json.dumps({"kinds": kinds, "about": about}), "utf-8")


def load_entities(folder: Path) -> Entities:
    """The names' kinds and descriptions."""
    found = json.loads((folder / f"{ENTITIES}.json").read_text("utf-8"))
    return Entities(found["kinds"], found["about"])


def as_one(workshop: Workshop, llm: LLM, name: str, told: Iterable[str]) -> str:
    """Descriptions of one thing, put together; rewritten by the model where they are long."""
    every = " ".join(dict.fromkeys(filter(None, told)))
    if len(every) <= LONGEST:
        return every
    key = hashlib.blake2b(f"{llm.fingerprint}\n{name}\n{every}".encode("utf-8", "surrogatepass"), digest_size=16)
    request = _prompt().request({"name": name, "descriptions": every[: 8 * LONGEST]}, max_tokens=_REPLY)

    def write() -> str:
        return complete_one(llm, request).text.strip()

    with suppress(ModelError):
        if written := workshop.remembered(key.hexdigest(), write)[:LONGEST]:
            return written
    trace.fallback("structure.description_cut")  # it failed, or said nothing
    return every[:LONGEST]


def _merged(workshop: Workshop, catalogue: Catalogue, llm: LLM) -> tuple[list[str], list[str]]:
    kinds: list[list[str]] = [[] for _ in catalogue.names]
    told: list[list[str]] = [[] for _ in catalogue.names]
    for _, notes in notes_of(workshop.parts()):
        for one in notes.names:
            number = catalogue.numbers[one.name]
            kinds[number].extend(filter(None, [one.kind]))
            told[number].append(one.about)
    about = []
    for number, name in enumerate(catalogue.names):
        if number % 200 == 0:
            workshop.tell("describing names", number, len(told))
        about.append(as_one(workshop, llm, name, told[number]))
    # The kind that most passages give; ties by letters.
    return [max(sorted(set(some)), key=some.count, default="") for some in kinds], about


def _by_sentences(catalogue: Catalogue, names: Floats, statements: Floats) -> tuple[list[str], Floats]:
    by_name = catalogue.name_statements
    about = []
    vectors = np.array(names, np.float32)
    for number in range(len(catalogue.names)):
        first = by_name.indices[by_name.indptr[number] : by_name.indptr[number + 1]][:_SENTENCES].tolist()
        about.append(" ".join(catalogue.text_of(one) for one in first))
        if first:
            vectors[number] += statements[first].mean(axis=0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return about, vectors / np.maximum(lengths, 1e-12)
