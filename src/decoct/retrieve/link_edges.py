"""The links that leave a set of source chunks: who is named, and who mentions the same name. See `links` for what they are for.

An edge is (source, target, weight), the weight without what depends on the coverage of source and target together. Everything is
worked out as arrays over the rows of the sources' traits (`structure.traits`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from decoct.data import Chunk, Floats, Keys
from decoct.index.abilities import Mentions, Named, SupportsNames
from decoct.structure.traits import LINKED, OPENING, Traits, covered_share, half_hash, unpack

# Chosen with the constants of `links`.
ONE, STRENGTH, RARITY, ASKED, BESIDE, OPENS, TITLE, STANDING = 2.7, 5.0, -1.9, -4.4, 1.0, 1.8, 1.6, 0.7
LEADS = 0.7  # a name at least so sure leads to its document; weaker ones only tell that a title holds it

Rows = NDArray[np.int64]
Table = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Edges:
    """Links by key, none twice for one source and target; `weights` as in the module's text."""

    sources: Keys
    targets: Keys
    weights: Floats


NONE = Edges(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))


def edges(
    store: SupportsNames, stems: Sequence[str], weights: Floats, sources: Keys, standing: Floats, *, most: int
) -> Edges:
    """The links of `sources` (keys, with how far each stands below the best) for a question's `stems` and their `weights`.

    A name that more than `most` chunks mention, or by which more documents are known, leads nowhere.
    """
    rows, of = unpack(store.traits(sources))
    if not len(rows):
        return NONE
    asked = _asked(rows, stems)
    beside = covered_share(_stems_beside_names(store.chunks(sources), sources, rows, of, stems) & ~asked, weights)
    length = np.maximum((rows["stems"] > 0).sum(axis=1), 1)
    base = (
        ONE
        + STANDING * standing[of]
        + ASKED * asked.sum(axis=1) / length
        + BESIDE * beside
        + OPENS * ((rows["kind"] & OPENING) > 0)
    ).astype(np.float32)
    linked = (rows["kind"] & LINKED) > 0
    names, of_name = np.unique(rows["name"], return_inverse=True)
    meant = store.named(names, most)
    # Mentions of mere candidates are read as well and not used: they are few, and a second look-up costs more.
    mentioned = store.mentioned_in(names, most, least=2)
    counts = np.array([mentioned.counts[name] for name in names.tolist()], dtype=np.float32)[of_name]
    parts = [
        _to_documents(rows, of, base + RARITY * np.log1p(counts), meant),
        _to_mentions(rows, base + RARITY * np.log(np.maximum(counts, 1)), linked, mentioned, meant),
    ]
    source = of[np.concatenate([part[0] for part in parts])]
    targets = np.concatenate([part[1] for part in parts])
    weight = np.concatenate([part[2] for part in parts])
    direct = np.repeat([True, False], [len(part[0]) for part in parts])
    first, past = store.extents(sources)[source].T
    across = (targets < first) | (targets >= past)
    return _best(sources[source][across], targets[across], weight[across], direct[across])


def _asked(rows: Traits, question: Sequence[str]) -> Table:
    """Which of the question's stems each name holds; shape (rows, stems)."""
    halves = np.array([half_hash(stem) for stem in question], dtype=np.uint16)
    found: Table = (rows["stems"][:, :, None] == halves[None, None, :]).any(axis=1)
    return found


def _stems_beside_names(
    chunks: Sequence[Chunk], sources: Keys, rows: Traits, of: Rows, question: Sequence[str]
) -> Table:
    """Which of the question's stems stand in the sentence of each name; shape (rows, stems)."""
    found: Table = np.zeros((len(rows), len(question)), dtype=bool)
    if not question:
        return found
    place = {key: at for at, key in enumerate(sources.tolist())}
    hits = []
    for chunk in chunks:
        text = chunk.text.lower()
        for stem, word in enumerate(question):
            # Words that begin like the stem without its last letter's "i" for "y" ("marri", "marry").
            start = word[:-1] if word.endswith("i") and len(word) > 3 else word
            at = text.find(start)
            while at >= 0:
                if at == 0 or not text[at - 1].isalnum():
                    hits.append((place[chunk.key], at, stem))
                at = text.find(start, at + 1)
    if not hits:
        return found
    chunk_of, where, stem_of = np.array(hits, dtype=np.int64).T
    inside = (of[:, None] == chunk_of) & (rows["start"][:, None] <= where) & (where < rows["end"][:, None])
    for one in set(stem_of.tolist()):
        found[:, one] = inside[:, stem_of == one].any(axis=1)
    return found


Part = tuple[Rows, Keys, Floats]


def _to_documents(rows: Traits, of: Rows, base: Floats, meant: Named) -> Part:
    row, at = _matches(rows["name"], meant.names)
    sure = meant.strengths[at] >= LEADS
    row, at = row[sure], at[sure]
    # "New York" inside "New York City" means nothing of its own where both are known.
    known = row[np.diff(row, prepend=-1) > 0]
    inner, outer = rows[known][:, None], rows[known][None, :]
    within = (
        (of[known][:, None] == of[known][None, :])
        & (outer["at"] <= inner["at"])
        & (inner["past"] <= outer["past"])
        & (inner["past"] - inner["at"] < outer["past"] - outer["at"])
    )
    outermost = np.zeros(len(rows), dtype=bool)
    outermost[known] = ~within.any(axis=1)
    row, at = row[outermost[row]], at[outermost[row]]
    return row, meant.keys[at], base[row] + STRENGTH * meant.strengths[at]


def _to_mentions(rows: Traits, base: Floats, linked: Table, mentioned: Mentions, meant: Named) -> Part:
    which = np.flatnonzero(linked)
    row, at = _matches(rows["name"][which], mentioned.names)
    row, keys = which[row], mentioned.keys[at]
    titled = _stand_in(_pairs(rows["name"][row], keys), np.sort(_pairs(meant.names, meant.keys)))
    return row, keys, base[row] + TITLE * titled.astype(np.float32)


def _stand_in(numbers: Keys, table: Keys) -> Table:
    """Which of the `numbers` stand in `table`, which is sorted."""
    if not len(table):
        return np.zeros(len(numbers), dtype=bool)
    found: Table = table[np.minimum(np.searchsorted(table, numbers), len(table) - 1)] == numbers
    return found


def _matches(names: Keys, table: Keys) -> tuple[Rows, Rows]:
    """All pairs (place in `names`, place in `table`) of equal numbers; `table` is sorted."""
    low, high = np.searchsorted(table, names, side="left"), np.searchsorted(table, names, side="right")
    many = high - low
    row = np.repeat(np.arange(len(names)), many)
    start = np.repeat(low - np.concatenate([[0], np.cumsum(many)[:-1]]), many) if len(names) else low
    return row, start + np.arange(len(row))


def _pairs(names: Keys, keys: Keys) -> Keys:
    """One number for a name and a key; two pairs share one by chance of 2^-63."""
    return names ^ (keys * np.int64(0x9E3779B97F4A7C1))


def _best(sources: Keys, targets: Keys, weights: Floats, direct: Table) -> Edges:
    """The heaviest link of each source and target; one that leads to a named document goes before any other."""
    order = np.lexsort((-weights, ~direct, targets, sources))
    sources, targets, weights = sources[order], targets[order], weights[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (sources[1:] != sources[:-1]) | (targets[1:] != targets[:-1])
    return Edges(sources[first], targets[first], weights[first].astype(np.float32))
