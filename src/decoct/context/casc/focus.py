"""What a question asks for: the kind of answer, the words that say which, and its parts.

"What thermal conductivity does X have at 300 K, and what at 77 K?" asks twice; each part is a `Focus` of its own that knows what sets it
apart from the other (`mine`, `rival`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from decoct.text.equality import known_equal
from decoct.text.questions import asks_for_several, parsed_question
from decoct.text.values import Value, quantities
from decoct.text.words import content_stems

Target: TypeAlias = Literal["number", "date", "truth", "entity"]

_TARGETS: Mapping[str, Target] = {"number": "number", "time": "date", "yes-no": "truth"}
_LATEST = re.compile(
    r"\b(?:current(?:ly)?|latest|now|today|at present|present(?:ly)?|most recent(?:ly)?|newest|so far|to date|record"
    r"|highest|best|"
    r"in force|as of|maximum recommended|population|price|still)\b",
    re.IGNORECASE,
)
_WAS_GERMAN = re.compile(r"^\W*was (?:ist|sind|war|waren|kostet|bedeutet|macht)\b", re.IGNORECASE)
_ABOUT = 4  # content words that tell a line's reader what a value is about
_PARALLEL = re.compile(
    r"\b(?P<prep>at|on|in|for|with|under|among|before|after|during|of|by)\s+(?P<a>[^,?]+?)\s*(?:,\s*and|,"
    r"|\band)\s+(?:what\s+)?(?P=prep)\s+(?P<b>[^,?]+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Condition:
    """What tells one part of a question from another: words, and quantities as written ("20 mg")."""

    words: frozenset[str] = frozenset()
    values: tuple[Value, ...] = ()

    def named(self, text: str) -> bool:
        """Whether `text` speaks of it."""
        if self.words & content_stems(text):
            return True
        measured = [value for value in self.values if value.dimension]
        if measured and any(known_equal(a, b) for a in measured for b in quantities(text)):
            return True
        plain = [value.raw for value in self.values if not value.dimension]
        return any(re.search(rf"(?<![\w.,]){re.escape(raw)}(?![\w%]|[.,]\d)", text) for raw in plain)


@dataclass(frozen=True, slots=True)
class Focus:
    """One thing asked for.

    `words` are the roots that say what it is, `about` the first of them as written, without names; `several` says that it is a list; `mine`
    is what only this part of the question names and `rival` what only the other parts do; `latest` says that it changes with time.
    """

    text: str
    target: Target
    words: frozenset[str]
    mine: Condition | None = None
    rival: Condition | None = None
    latest: bool = False
    several: bool = False
    about: str = ""

    def answered_in(self, *texts: str) -> bool | None:
        """Whether the first of `texts` that names the condition of some part names this one's; None where it names both, or none does."""
        if self.mine is None or self.rival is None:
            return None
        for text in texts:
            mine, rival = self.mine.named(text), self.rival.named(text)
            if mine or rival:
                return None if mine and rival else mine
        return None


def focuses(question: str) -> list[Focus]:
    """The parts of a question, at least one, in its order."""
    found = list(map(_focus, _parts(question)))
    if len(found) == 1:
        return found
    (one, other) = found
    mine, rival = _apart(one, other), _apart(other, one)
    return [replace(one, mine=mine, rival=rival), replace(other, mine=rival, rival=mine)]


def _apart(one: Focus, other: Focus) -> Condition:
    values = tuple(v for v in quantities(one.text) if not any(known_equal(v, o) for o in quantities(other.text)))
    words = frozenset(word for word in one.words - other.words if not word[0].isdigit())
    units = frozenset().union(*(content_stems(value.unit) for value in values))
    return Condition(words - units, values)


def _parts(question: str) -> list[str]:
    parallel = _PARALLEL.search(question)
    if parallel is None:
        return [question]
    before, after = question[: parallel.start()], question[parallel.end() :]
    return [f"{before}{parallel['prep']} {parallel[name]}{after}" for name in ("a", "b")]


def _focus(text: str) -> Focus:
    read = parsed_question(text)
    target = "entity" if _WAS_GERMAN.match(text) else _TARGETS.get(read.kind, "entity")
    latest = _LATEST.search(text) is not None
    named = {word for name in read.names for word in name.split()}
    about = [written for written in read.words.values() if written not in named][:_ABOUT]
    return Focus(
        text, target, content_stems(text), latest=latest, several=target == "entity" and asks_for_several(text), about=" ".join(about)
    )  # fmt: skip
