"""Questions with documents whose conflicts are planted and recorded. Deterministic: equal arguments give equal bytes.

For each question a *plan* is drawn: the kind of question, the behaviour a good system shows, and the knobs; then a world is made and the
documents are written from the plan.

    kind         lookup, temporal (latest), conditional, compare, two-hop, aggregate
    behaviour    answer, complementary, recency, correction, authority, majority, flag
    knobs        error (how the wrong value was made), wrong (documents that carry it), copies (near-duplicates among them), rank (where the
                 first wrong document stands), signal (whether dates and kinds of source point to the truth), hedge

With `signal = "oppose"` the evidence misleads by design (a better source is wrong): no policy that trusts it can be right, and what
happens is told apart in the results. Records have the form of `scidocs-conflicts` and are read by its loader; `notes` holds the plan.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from decoct.errors import EvaluationError
from decoct_lab.worlds.documents import DocumentPlan, WrittenDocument, conflicts_of, document, said_in
from decoct_lab.worlds.families import Family, Split, families
from decoct_lab.worlds.more import aggregate, compare, two_hop
from decoct_lab.worlds.world import Stated, aliases, name, true_value, wrong_value

# Shares of behaviours follow the hand-written set: a fifth without conflict, a fifth complementary, the rest conflicts of each kind.
BEHAVIOURS = (
    "answer",
    "answer",
    "complementary",
    "recency",
    "recency",
    "correction",
    "authority",
    "majority",
    "flag",
    "flag",
)
_OPPOSED = 0.1
_OTHER_KINDS = 0.15  # of the questions without conflict: compare, two-hop and aggregate


@dataclass(frozen=True, slots=True)
class Knobs:
    """The knobs of one question, as recorded."""

    family: str
    kind: str
    behaviour: str
    error: str = "none"
    how: str = ""
    wrong: int = 0
    copies: int = 0
    rank: int = 0
    signal: str = "agree"
    hedge: bool = False


def worlds(seed: int, questions: int, split: Split = "dev") -> Iterator[dict[str, Any]]:
    """`questions` records, in order; a larger number begins with those of a smaller one."""
    if questions < 1:
        raise EvaluationError(f"--questions must be at least 1, not {questions}")
    known, filler = families(split)
    for number in range(1, questions + 1):
        rng = random.Random(f"{seed}:{split}:{number}")  # noqa: S311 - a benchmark, not a secret
        yield _question(f"{split}-{seed}-{number:05d}", known, filler, rng)


def _question(key: str, known: tuple[Family, ...], filler: tuple[str, ...], rng: random.Random) -> dict[str, Any]:
    behaviour = rng.choice(BEHAVIOURS)
    if behaviour == "answer" and rng.random() < 3 * _OTHER_KINDS:
        made = rng.choice((compare, two_hop, aggregate))(key, known, filler, rng)
        if made is not None:
            return made
    if behaviour == "complementary":
        return _conditional(key, rng.choice([f for f in known if f.conditions]), filler, rng)
    fitting = [f for f in known if f.latest] if behaviour == "recency" else list(known)
    return _conflict(key, rng.choice(fitting), behaviour, filler, rng)


def _conflict(key: str, family: Family, behaviour: str, filler: tuple[str, ...], rng: random.Random) -> dict[str, Any]:
    taken: set[str] = set()
    entity, other = name(rng, taken, rng.random() < 0.5), name(rng, taken, True)
    true, rival = true_value(family, rng), true_value(family, rng)
    false, made_by, how = wrong_value(family, true, rng)
    error: str = made_by
    opposed = behaviour in ("recency", "authority") and rng.random() < _OPPOSED
    hedge = behaviour == "authority" and rng.random() < 0.3
    sides = _sides(behaviour, opposed, rng)
    if behaviour == "recency":
        error = "outdated"
    if behaviour == "answer":
        error, how = "none", ""
    written: list[WrittenDocument] = []
    used: set[str] = set()
    for i, side in enumerate(sides):
        value = true if side.true else false
        old = false if side.role == "erratum" else None
        doubted = hedge and not side.true and side.style == "blog"
        made = document(
            f"{key}-d{i}", family, entity, value, side, filler=filler, rival=(other, rival), rng=rng, old=old, hedge=doubted, used=used
        )  # fmt: skip
        written.append(made)
        written += [written[-1].copy(f"{key}-d{i}c{n}", rng) for n in range(side.copies)]
    rng.shuffle(written)
    written = [w.renamed(f"{key}-d{i}") for i, w in enumerate(written, 1)]
    bad = [i for i, w in enumerate(written, 1) if not w.true and not w.silent]
    plan = Knobs(
        family.name, "temporal" if behaviour == "recency" else "lookup", behaviour, error, how, len(bad),
        sum(side.copies for side in sides), bad[0] if bad else 0, "oppose" if opposed else "agree", hedge,
    )  # fmt: skip
    question = (family.latest if behaviour == "recency" else family.question).format(e=entity, o=other)
    groups = [aliases(family, true)] + ([aliases(family, false)] if behaviour == "flag" else [])
    return {
        "id": key,
        "domain": family.noun,
        "question": question,
        "documents": [w.record for w in written],
        "answers": [alias for group in groups for alias in group],
        "answer_groups": groups,
        "behaviour": behaviour,
        "wrong_answers": [] if behaviour in ("flag", "answer") else aliases(family, false),
        "conflicts": [] if behaviour == "answer" else conflicts_of(written, family, error),
        "supporting_ids": [w.record["id"] for w in written if not w.silent and (w.true or behaviour == "flag")],
        "notes": {**asdict(plan), "said": said_in(written)},
    }


def _sides(behaviour: str, opposed: bool, rng: random.Random) -> list[DocumentPlan]:
    """The documents of a plan: 3 to 5 with their copies; where two equal sources disagree, the third says nothing on it."""
    year = rng.randint(2012, 2020)
    solid = [rng.choice(("paper", "report")) for _ in range(5)]
    match behaviour:
        case "answer":
            copies = rng.choice((0, 0, 1))
            return [
                DocumentPlan(True, solid[0], year),
                DocumentPlan(True, "blog", year + 1, copies=copies),
                DocumentPlan(True, solid[1], year + 2),
            ]
        case "recency":
            old, new = (False, True) if not opposed else (True, False)
            sides = [DocumentPlan(old, solid[0], year), DocumentPlan(new, solid[1], year + 4)]
            return [*sides, DocumentPlan(old, "blog", year + rng.choice((1, 5)))]
        case "correction":
            sides = [DocumentPlan(False, "paper", year), DocumentPlan(True, "erratum", year + 1, "erratum")]
            return [*sides, rng.choice((DocumentPlan(False, "blog", year + 3), DocumentPlan(True, solid[2], year + 2)))]
        case "authority":
            good, bad = (True, False) if not opposed else (False, True)
            return [
                DocumentPlan(good, solid[0], year),
                DocumentPlan(good, solid[1], year + 1),
                *[DocumentPlan(bad, "blog", year + 2)] * rng.choice((1, 2)),
            ]
        case "majority":
            even = ["paper", "paper", "report", "report"]
            rng.shuffle(even)
            sides = [DocumentPlan(True, style, year + i) for i, style in enumerate(even[:3])]
            return [*sides, DocumentPlan(False, even[3], year + 1, copies=rng.choice((0, 1)))]
        case _:
            return [
                DocumentPlan(True, "paper", year),
                DocumentPlan(False, "paper", year),
                DocumentPlan(True, "blog", year + 1, "silent"),
            ]


def _conditional(key: str, family: Family, filler: tuple[str, ...], rng: random.Random) -> dict[str, Any]:
    taken: set[str] = set()
    entity, other = name(rng, taken, False), name(rng, taken, True)
    asked: Stated = true_value(family, rng)
    elsewhere = wrong_value(family, asked, rng)[0]
    conditions = family.conditions or ("", "")
    wanted = next(c for c in conditions if c in family.conditional)
    unwanted = next(c for c in conditions if c != wanted)
    year = rng.randint(2012, 2020)
    written: list[WrittenDocument] = []
    for i, (value, style, where) in enumerate(
        [(asked, "paper", wanted), (elsewhere, "report", unwanted), (asked, "blog", wanted)], 1
    ):
        rival = (other, true_value(family, rng))
        side = DocumentPlan(True, style, year + i)
        written.append(
            document(f"{key}-d{i}", family, entity, value, side, filler=filler, rival=rival, rng=rng, condition=where)
        )
    rng.shuffle(written)
    written = [w.renamed(f"{key}-d{i}") for i, w in enumerate(written, 1)]
    plan = Knobs(family.name, "conditional", "complementary", "scope", f"{unwanted} for {wanted}")
    return {
        "id": key,
        "domain": family.noun,
        "question": family.conditional.format(e=entity, o=other),
        "documents": [w.record for w in written],
        "answers": aliases(family, asked),
        "answer_groups": [aliases(family, asked)],
        "behaviour": "complementary",
        "wrong_answers": aliases(family, elsewhere),
        "conflicts": [],
        "supporting_ids": [w.record["id"] for w in written if w.condition == wanted],
        "notes": {**asdict(plan), "said": said_in(written)},
    }
