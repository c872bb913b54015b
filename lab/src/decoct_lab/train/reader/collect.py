"""The whole training set, from the public sets and the files given: one list to train on, one held back."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from decoct.errors import ConfigError
from decoct_lab.train.reader.boolq_format import boolq_examples
from decoct_lab.train.reader.digests import digest_examples
from decoct_lab.train.reader.example import Part, ReaderExample
from decoct_lab.train.reader.headings import heading_examples
from decoct_lab.train.reader.leads import led_examples
from decoct_lab.train.reader.negatives import cut, retrieved, shortened, substituted, swapped
from decoct_lab.train.reader.silver import silver_examples
from decoct_lab.train.reader.sources import SETS, material
from decoct_lab.train.reader.squad_format import squad_examples

KEPT_FOR_TESTS = (
    "ramdocs",
    "wikicontradict",
    "conflictqa-strategyqa",
    "manuals",
    "everyday-conflicts",
    "scidocs-conflicts",
)
_MOST = {"2wikimultihopqa": 5200}  # its many questions would outweigh the others


@dataclass(frozen=True, slots=True)
class Sources:
    """What examples are made of: the folder of public sets, which of them, files in SQuAD's and BoolQ's form by name, silver questions."""

    data: Path
    sets: Sequence[str] = SETS
    squad: Mapping[str, Path] = field(default_factory=dict)
    boolq: Mapping[str, Path] = field(default_factory=dict)
    headings: Mapping[str, Path] = field(default_factory=dict)
    silver: Sequence[Path] = ()
    most_squad: int = 4000
    seed: int = 0


def collect(sources: Sources) -> dict[Part, list[ReaderExample]]:
    """Examples by side of the split, in a random order fixed by the seed; development ones are never changed or added to by swaps.

    `ConfigError` for a set that is kept for tests.
    """
    if kept := [
        name for name in (*sources.sets, *sources.squad, *sources.boolq, *sources.headings) if name in KEPT_FOR_TESTS
    ]:
        raise ConfigError(f"{', '.join(kept)}: kept for tests, never trained on; leave it out")
    found: list[ReaderExample] = []
    for name in sources.sets:
        read = material(name, sources.data, sources.seed)
        own = [*read.examples, *retrieved(read, 2 if name in ("nq-gold", "covidqa") else 1, sources.seed)]
        chance = random.Random(f"{sources.seed}:{name}:most")
        found += own if len(own) <= _MOST.get(name, len(own)) else chance.sample(own, _MOST[name])
    for name, file in sources.squad.items():
        found += squad_examples(file, name, sources.seed, sources.most_squad)
    for name, file in sources.boolq.items():
        found += boolq_examples(file, name, sources.seed)
    found += digest_examples(sources.data, sources.sets, 2, sources.seed)
    found += heading_examples(sources.headings, 450, sources.seed)
    for file in sources.silver:
        found += silver_examples(file)
    sides: dict[Part, list[ReaderExample]] = {"train": [], "dev": []}
    for example in found:
        sides[example.part].append(example)
    train = sides["train"]
    train += [*swapped(train, 0.25, sources.seed), *cut(train, 0.12, sources.seed)]
    train += led_examples(train, 0.15, sources.seed)
    train = shortened(substituted(train, 0.2, sources.seed), 0.3, sources.seed)
    sides["dev"] += [*swapped(sides["dev"], 0.25, sources.seed), *cut(sides["dev"], 0.25, sources.seed)]
    sides["dev"] += led_examples(sides["dev"], 0.1, sources.seed)
    for side in sides.values():
        random.Random(sources.seed).shuffle(side)
    random.Random(sources.seed).shuffle(train)
    sides["train"] = train
    return sides
