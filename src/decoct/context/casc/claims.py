"""What CASC passes from stage to stage: a claim of one source, and what was found out about all of them (lab/docs/methods.md, CASC)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from decoct.context.casc.sources import EvidenceSource
from decoct.data import Span
from decoct.text.aliases import may_abbreviate
from decoct.text.equality import same_value
from decoct.text.times import weekdays
from decoct.text.values import Value, quantities
from decoct.text.words import content_stems

Hedge: TypeAlias = Literal["none", "weak", "strong"]
Status: TypeAlias = Literal["stated", "withdrawn", "correction"]
ConflictType: TypeAlias = Literal["numeric", "date", "entity", "polarity", "scope", "unit"]
Action: TypeAlias = Literal["resolved", "flagged"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One source says that the thing asked for has `value`; `quote` is the source's text at `span`, `value` stands in it.

    `part` is the number of the question's part it answers, `relevance` how well it fits the question (0..1). `status` tells a value that
    its own source withdraws from one it puts in its place. `sure` is the probability of its being read rightly, and `alone` says whether
    plain reading of its source alone answers with its sentence (`extract_reader`).
    """

    source: EvidenceSource
    quote: str
    span: Span
    value: Value
    value_span: Span
    relevance: float
    part: int = 0
    hedge: Hedge = "none"
    status: Status = "stated"
    sure: float = 1.0
    alone: Callable[[], bool] = field(default=lambda: True, compare=False)

    @property
    def within(self) -> tuple[int, int]:
        """Where the value stands in the quote."""
        start = self.value_span.start - self.span.start
        return start, start + self.value_span.end - self.value_span.start

    @property
    def day(self) -> int | None:
        """Since when it holds, as an ordinal: the date of its source."""
        return self.source.day


@dataclass(frozen=True, slots=True)
class Side:
    """Claims that say the same.

    `support` counts independent sources, `weight` is their summed standing (lab/docs/methods.md, CASC: check), and `why` says why it is
    compared with no other one.
    """

    value: str
    claims: tuple[Claim, ...]
    support: int
    weight: float
    kind: str = "number"
    why: str = ""

    @property
    def best(self) -> Claim:
        """The claim that speaks for the side: in the words of most sentences, then the most authoritative, then the most relevant.

        A copied sentence counts once.
        """
        written = Counter(raw for raw, _ in {(claim.value.raw.casefold(), claim.quote) for claim in self.claims})
        return max(
            self.claims,
            key=lambda c: (
                written[c.value.raw.casefold()],
                round(c.source.authority, 1),
                c.relevance,
                -len(c.value.raw),
            ),
        )

    @property
    def sure(self) -> float:
        """The probability with which the best-read of its claims was read rightly."""
        return max((claim.sure for claim in self.claims), default=0.0)

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where its claims stand, in the order of their sources."""
        return tuple(dict.fromkeys(claim.span for claim in self.claims))

    @property
    def sources(self) -> tuple[EvidenceSource, ...]:
        """Its sources, each once."""
        return tuple({claim.source.doc_id: claim.source for claim in self.claims}.values())


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a disagreement ends: which rule decided for which side (None: none), how surely, and why in words."""

    action: Action
    rule: str
    chosen: int | None
    confidence: float
    reason: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """Everything said about one part of the question: its sides, best first, and what was made of them.

    `agree`: one side with several independent sources; `single`: one with one; `conditional`: sides that differ because their conditions
    do; `conflict`: sides that exclude each other, with a `type` and a `verdict`. `beside` are values that were not read well enough to be
    a side of it: they are told, and not compared.
    """

    about: str
    part: int
    sides: tuple[Side, ...]
    status: Literal["agree", "single", "conflict", "conditional"]
    type: ConflictType = "numeric"
    verdict: Verdict | None = None
    beside: tuple[Side, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """All that CASC learned for one question: clusters by part, further relevant claims, and the parts that nothing answers."""

    question: str
    sources: tuple[EvidenceSource, ...]
    clusters: tuple[Cluster, ...]
    further: tuple[Claim, ...] = ()
    gaps: tuple[str, ...] = ()

    @property
    def said(self) -> frozenset[Span]:
        """Where the claims of all clusters stand."""
        sides = [side for cluster in self.clusters for side in (*cluster.sides, *cluster.beside)]
        return frozenset(claim.span for side in sides for claim in side.claims)


# Whether two claims say the same: by their values, and answers in words by the words that they share.
#
# Words that share nothing are two answers ("stack overflow", "integer truncation") unless a synonym stands behind them, which nothing
# here can know: so a difference in words weighs less than one in values, and sameness in words is never certain ("agreed" asks for more).

_SHARED = 0.5
_WORDS = ("entity", "text")


def values_alike(one: Claim, other: Claim, asked: frozenset[str] = frozenset()) -> bool | None:
    """`same_answer` of their values."""
    return same_answer(one.value, other.value, asked)


def sides_differ(one: Side, other: Side, asked: frozenset[str] = frozenset()) -> bool:
    """Whether some claim of one side is known to say another thing than one of the other."""
    return any(values_alike(mine, theirs, asked) is False for mine in one.claims for theirs in other.claims)


def same_answer(one: Value, other: Value, asked: frozenset[str] = frozenset()) -> bool | None:
    """Whether two values answer the same: True or False, None where they cannot be compared.

    `asked` are the question's stems: where both have other words, those alone tell them apart ("raised the pulse", "lowered the pulse").
    """
    if one.kind in _WORDS and other.kind in _WORDS and not any(map(str.isalpha, one.raw + other.raw)):
        found: bool | None = [*filter(str.isdigit, one.raw)] == [*filter(str.isdigit, other.raw)]  # as of telephones
    elif one.kind in _WORDS and other.kind in _WORDS and _count_differently(one.raw, other.raw):
        found = False
    else:
        found = same_value(one, other)
    if found is not None or one.kind not in _WORDS or other.kind not in _WORDS:
        return found
    a, b = content_stems(one.raw), content_stems(other.raw)
    if a - asked and b - asked:
        a, b = a - asked, b - asked
    if not a or not b:
        return None
    shared = len(a & b)
    if shared and (shared == min(len(a), len(b)) or shared / len(a | b) >= _SHARED):
        return True
    return None if shared or may_abbreviate(one.raw, other.raw) else False


def _count_differently(one: str, other: str) -> bool:
    """Whether two answers in words tell quantities, dates or days of which none is the same."""
    days = weekdays(one), weekdays(other)
    if all(days) and not days[0] & days[1]:
        return True
    compared = [same_value(mine, theirs) for mine in quantities(one) for theirs in quantities(other)]
    return False in compared and True not in compared
