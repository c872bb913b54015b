"""Questions whose answer takes more than one statement: compare, two-hop and aggregate. Their documents do not conflict."""

from __future__ import annotations

import random
from typing import Any

from decoct_lab.worlds.documents import DocumentPlan, WrittenDocument, document, said_in
from decoct_lab.worlds.families import Family
from decoct_lab.worlds.world import Stated, aliases, name, true_value


def compare(key: str, known: tuple[Family, ...], filler: tuple[str, ...], rng: random.Random) -> dict[str, Any] | None:
    """Which has the longer X, A or B: two documents a thing; None where no family can be compared."""
    fitting = [family for family in known if family.compare]
    if not fitting:
        return None
    family = rng.choice(fitting)
    taken: set[str] = set()
    first, second = name(rng, taken, False), name(rng, taken, False)
    low = true_value(family, rng)
    high = Stated(round(low.amount * 1.6 + 1, family.decimals))
    pair = [(first, low), (second, high)] if rng.random() < 0.5 else [(first, high), (second, low)]
    written = [_plain(f"{key}-d{i}", family, e, v, style, filler=filler, rng=rng) for i, (e, v, style) in enumerate(
        [(*pair[0], "paper"), (*pair[1], "report"), (*pair[0], "blog")], 1)]  # fmt: skip
    less = "lower" in family.compare
    winner = min(pair, key=lambda p: p[1].amount) if less else max(pair, key=lambda p: p[1].amount)
    loser = first if winner[0] == second else second
    question = family.compare.format(e=first, o=second)
    return _record(key, family, "compare", question, written=written, groups=[[winner[0]]], wrongs=[loser])


def two_hop(key: str, known: tuple[Family, ...], filler: tuple[str, ...], rng: random.Random) -> dict[str, Any]:
    """The thing is named by its part in another document only."""
    family = rng.choice([family for family in known if family.units])
    taken: set[str] = set()
    entity, project, other = name(rng, taken, False), name(rng, taken, False), name(rng, taken, False)
    value, off = true_value(family, rng), true_value(family, rng)
    written = [_plain(f"{key}-d{i}", family, e, v, style, filler=filler, rng=rng) for i, (e, v, style) in enumerate(
        [(entity, value, "paper"), (other, off, "report"), (entity, value, "blog")], 1)]  # fmt: skip
    bridge = {
        "id": f"{key}-d4",
        "title": f"The {project} project",
        "date": "2019-05-04",
        "kind": "report",
        "venue": "Project Office",
        "text": f"The {project} project chose the {family.noun} {entity} after a long search. Its office closes on Fridays.",
    }
    question = f"Of the {family.noun} chosen by the {project} project, what is known as its {family.about}?"
    record = _record(
        key, family, "two-hop", question, written=written, groups=[aliases(family, value)], wrongs=aliases(family, off)
    )
    record["documents"].append(bridge)
    record["supporting_ids"].append(bridge["id"])
    return record


def aggregate(
    key: str, known: tuple[Family, ...], filler: tuple[str, ...], rng: random.Random
) -> dict[str, Any] | None:
    """A sum over two things: a number that no document states."""
    fitting = [family for family in known if family.units and not family.units[0][0]]
    if not fitting:
        return None
    family = rng.choice(fitting)
    taken: set[str] = set()
    first, second = name(rng, taken, False), name(rng, taken, False)
    one, two = true_value(family, rng), true_value(family, rng)
    written = [_plain(f"{key}-d{i}", family, e, v, style, filler=filler, rng=rng) for i, (e, v, style) in enumerate(
        [(first, one, "paper"), (second, two, "report"), (second, two, "blog")], 1)]  # fmt: skip
    total = Stated(one.amount + two.amount)
    question = f"How many {family.about} do {first} and {second} have together?"
    wrongs = [*aliases(family, one), *aliases(family, two)]
    return _record(key, family, "aggregate", question, written=written, groups=[aliases(family, total)], wrongs=wrongs)


def _plain(
    doc_id: str, family: Family, entity: str, value: Stated, style: str, *, filler: tuple[str, ...], rng: random.Random
) -> WrittenDocument:
    rival = (name(rng, {entity}, True), true_value(family, rng))
    return document(
        doc_id,
        family,
        entity,
        value,
        DocumentPlan(True, style, rng.randint(2014, 2022)),
        filler=filler,
        rival=rival,
        rng=rng,
    )


def _record(
    key: str,
    family: Family,
    kind: str,
    question: str,
    *,
    written: list[WrittenDocument],
    groups: list[list[str]],
    wrongs: list[str],
) -> dict[str, Any]:
    plan = {
        "family": family.name,
        "kind": kind,
        "behaviour": "answer",
        "error": "none",
        "signal": "agree",
        "said": said_in(written),
    }
    right = {alias for group in groups for alias in group}
    return {
        "id": key,
        "domain": family.noun,
        "question": question,
        "documents": [w.record for w in written],
        "answers": sorted(right),
        "answer_groups": groups,
        "behaviour": "answer",
        "wrong_answers": [w for w in dict.fromkeys(wrongs) if w not in right],
        "conflicts": [],
        "supporting_ids": [w.record["id"] for w in written],
        "notes": plan,
    }
