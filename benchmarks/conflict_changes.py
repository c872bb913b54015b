"""Changes to a case that must not change its outcome: the order of the documents, a copy of one, other names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from decoct.context.casc.synthesise import Synthesis
from decoct.text.names import question_runs

Case = dict[str, Any]
Outcome = tuple[list[tuple[str, ...]], list[tuple[list[str], str]]]
# Names that no case holds, in the shape of names.
_OTHERS = ("Vornath", "Quellim", "Dastro", "Ilvane", "Morrick", "Tessaly", "Umberlin", "Pradwen")


def turned(case: Case) -> Case:
    """The documents in the opposite order."""
    return {**case, "documents": case["documents"][::-1]}


def copied(case: Case) -> Case:
    """The first document a second time, at the end, under another id."""
    return {**case, "documents": [*case["documents"], {**case["documents"][0], "id": "a-copy"}]}


def renamed(case: Case) -> Case:
    """The question's names under other names everywhere."""
    words = dict.fromkeys(
        word for name in question_runs(case["question"]) for word in re.findall(r"\b[A-Z][^\W\d_]{3,}\b", name)
    )
    other = dict(zip(words, _OTHERS, strict=False))
    if not other:
        return case
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, other))})(?![^\W_])")
    changed: Case = json.loads(pattern.sub(lambda m: other[m[1]], json.dumps(case, ensure_ascii=False)))
    return changed


CHANGES: Mapping[str, Callable[[Case], Case]] = {"order": turned, "copy": copied, "names": renamed}


def outcome(made: Synthesis) -> Outcome:
    """What came out: the values told and how surely, the sides of conflicts, and what was chosen; not where it stands."""
    facts: list[tuple[str, ...]] = sorted({(_plain(fact.value), fact.status) for fact in made.facts if fact.value})
    conflicts = sorted((sorted(_plain(side.value) for side in c.sides), _plain(c.chosen or "")) for c in made.conflicts)
    return facts, conflicts


def _plain(value: str) -> str:
    return " ".join(value.split())
