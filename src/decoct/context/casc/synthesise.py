"""Synthesise(Q, I_cons, I_conf): findings to lines, each with the spans that support it (lab/docs/methods.md, CASC: synthesise).

    KEY FACTS
    [1] Maintenance dose: "0.5 g" (D1, D2, D3; 3 sources): "… moved to the maintenance dose of 0.5 g once a day …"
    [2] "The amount actually injected was 12 µg/kg." (D2 erratum 2019, D3 paper 2021; preferred)
    CONFLICTS
    [3] "12 µg/kg" (D2 erratum 2019, D3 paper 2021) vs "12 mg/kg" (D1 paper 2019); preferred: "12 µg/kg" (D2 corrects …)
    [4] Half-life: "11.3 hours" (D1 paper 2019) vs "18.6 hours" (D4 paper 2020); unresolved (…)
    NOT FOUND: <part of the question>

The sentence of the side that won comes first and as the document has it, so that a reader that takes sentences is served as well
as one that reads lines. Conflicts come with every side, before facts and further sentences: `assemble` gives them room first.

Everything taken from a document stands between double quotes on one line, its own double quotes made single: a document can
neither close the quotation nor begin a line of its own, so what it says stays data (an instruction in it, too).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from decoct.context.casc.claims import Claim, Cluster, Findings, Side
from decoct.context.casc.notes import Conflict, Fact, FactStatus, Gap, Option
from decoct.context.casc.weighing import thresholds
from decoct.data import Passage, ShortAnswer, Span
from decoct.text.equality import known_equal

FACTS, CONFLICTS, OTHER, BACKGROUND = "KEY FACTS", "CONFLICTS", "UNDER OTHER CONDITIONS", "CONTEXT"
_LONGEST = 240  # characters of a quoted sentence: some 55 tokens; the rest is told by its span


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the context: its section, text, spans, and what it is worth; `first` lines are a preferred side's and its conflict's."""

    section: str
    text: str
    support: tuple[Span, ...]
    worth: float
    first: bool = False

    def passage(self) -> Passage:
        """The line as a passage; its section is the title."""
        return Passage(self.text, self.support, "rewrite", self.worth, self.section)


@dataclass(frozen=True, slots=True)
class Synthesis:
    """The lines in reading order and the notes that belong to them."""

    lines: tuple[Line, ...]
    facts: tuple[Fact, ...]
    conflicts: tuple[Conflict, ...]
    gaps: tuple[Gap, ...]


def synthesise(findings: Findings, background: Sequence[Claim] = ()) -> Synthesis:
    """The lines and notes of the findings; `background` are sentences that bear on the question without answering it."""
    lines: list[Line] = []
    facts: list[Fact] = []
    conflicts: list[Conflict] = []
    for cluster in findings.clusters:
        if cluster.status == "conflict":
            conflicts.append(_conflict(cluster))
            if cluster.verdict is not None and cluster.verdict.chosen is not None:
                lines.append(_preferred_line(cluster, cluster.sides[cluster.verdict.chosen]))
            lines.append(_conflict_line(cluster, conflicts[-1]))
        else:
            for side in _by_words(cluster, cluster.sides):
                facts.append(_fact(cluster, side))
                lines.append(_fact_line(cluster, side, facts[-1]))
        for side in _by_words(cluster, cluster.beside):
            facts.append(replace(_fact(cluster, side), status="not compared"))
            lines.append(replace(_fact_line(cluster, side, facts[-1]), section=BACKGROUND))
    for claim in findings.further:
        text = f"{quoted(claim.value.raw)} ({_sources([claim])}): {quoted(claim.quote)}"
        lines.append(Line(OTHER, text, (claim.span,), 0.3 * claim.relevance))
    said = findings.said
    for claim in background:
        if claim.span not in said:
            facts.append(
                Fact(
                    one_line(claim.quote),
                    (claim.span,),
                    (claim.source.doc_id,),
                    round(0.5 * claim.relevance, 2),
                    part=claim.part,
                    status="not compared",
                )
            )
            lines.append(
                Line(BACKGROUND, f"{quoted(claim.quote)} ({claim.source.label})", (claim.span,), 0.2 * claim.relevance)
            )
    order = (FACTS, CONFLICTS, OTHER, BACKGROUND)
    # `assemble` gives room in this order: a conflict goes before facts that nobody denies, and what only bears on the question last.
    lines.sort(key=lambda line: (not line.first, order.index(line.section)))
    return Synthesis(tuple(lines), tuple(facts), tuple(conflicts), tuple(Gap(text) for text in findings.gaps))


def quoted(text: str) -> str:
    """`text` on one line between double quotes, cut at a word."""
    flat = one_line(text).replace('"', "'").replace("“", "'").replace("”", "'")
    if len(flat) > _LONGEST:
        flat = flat[:_LONGEST].rsplit(" ", 1)[0] + " …"
    return f'"{flat}"'


def one_line(text: str) -> str:
    """`text` without line breaks and runs of white space."""
    return " ".join(text.split())


def confidence_of(side: Side) -> float:
    """How sure a fact without rival is: the chance that not all of its independent sources err, 1 - product of (1 - standing)."""
    doubt = 1.0
    for _ in range(side.support):
        doubt *= 1 - min(0.95, side.weight / side.support)
    return round(1 - doubt, 2)


def _fact(cluster: Cluster, side: Side) -> Fact:
    return Fact(
        one_line(side.best.quote),
        side.spans,
        tuple(source.doc_id for source in side.sources),
        confidence_of(side),
        side.value,
        side.support,
        cluster.part,
        _status(cluster, side),
        said=_words_of(side, 1.0),
        why=side.why,
    )


def _words_of(side: Side, share: float) -> ShortAnswer:
    """The words of a side, which are right with a `share` of the probability that they were read rightly."""
    value, place = side.best.value, side.best.value_span
    words = value.dimension if side.kind == "bool" else value.raw
    return ShortAnswer(words, place.doc_id, place.start, place.end, round(side.sure * share, 4))


def _by_words(cluster: Cluster, sides: Sequence[Side]) -> list[Side]:
    """The sides, those in words parted by what is known to be one name unless it is agreed: no source is told for another's words."""
    if cluster.status == "agree":
        return list(sides)
    return [part for side in sides for part in _parted(side)]


def _parted(side: Side) -> list[Side]:
    if side.kind not in ("bool", "text", "entity"):
        return [side]
    parts: list[list[Claim]] = []
    for claim in sorted(side.claims, key=lambda claim: claim != side.best):
        mine = next((part for part in parts if _is_said_by(part[0], claim)), None)
        if mine is None:
            parts.append([claim])
        else:
            mine.append(claim)
    if len(parts) == 1:
        return [side]
    made = [replace(side, claims=tuple(part), support=min(side.support, len(part))) for part in parts]
    return [replace(one, value=one.best.value.raw, weight=side.weight * one.support / side.support) for one in made]


def _is_said_by(one: Claim, other: Claim) -> bool:
    """Whether two claims in words are of the same words, or names of one bearer."""
    if one.value.raw.casefold() == other.value.raw.casefold():
        return True
    return one.value.kind != "bool" and known_equal(one.value, other.value)


def _status(cluster: Cluster, side: Side) -> FactStatus:
    if cluster.status == "agree":
        return "agreed"
    return "stated" if any(claim.sure >= thresholds()["sure"] for claim in side.claims) else "not compared"


def _fact_line(cluster: Cluster, side: Side, fact: Fact) -> Line:
    about, said = _headed(cluster.about), quoted(side.best.quote)
    count = (
        f"; {side.support} sources" if fact.status == "agreed" else "; not compared" * (fact.status == "not compared")
    )
    told = f"({', '.join(source.label for source in side.sources)}{count})"
    text = f"{about}: {quoted(side.value)} {told}: {said}"
    return Line(FACTS, text, fact.support, max(c.relevance for c in side.claims) * fact.confidence)


def _conflict(cluster: Cluster) -> Conflict:
    verdict = cluster.verdict
    assert verdict is not None  # a cluster of status "conflict" has one
    total = sum(side.weight for side in cluster.sides) or 1.0
    rest = (1 - verdict.confidence) / (len(cluster.sides) - 1)
    shares = [
        side.weight / total if verdict.chosen is None else verdict.confidence if at == verdict.chosen else rest
        for at, side in enumerate(cluster.sides)
    ]
    sides = tuple(
        Option(
            side.value,
            side.spans,
            _sources(side.claims),
            _kinds(side.claims),
            one_line(side.best.quote),
            side.best.value.dimension if side.kind == "bool" else "",
            _words_of(side, share),
        )
        for side, share in zip(cluster.sides, shares, strict=True)
    )
    chosen = sides[verdict.chosen].value if verdict.chosen is not None else None
    # Labels are of the context's lines; who reads the notes alone knows documents.
    named = {source.label: source.doc_id for side in cluster.sides for source in side.sources}
    reason = " ".join(named.get(word, word) for word in verdict.reason.split(" "))
    told = cluster.sides if verdict.chosen is None else (cluster.sides[verdict.chosen],)
    sure = all(side.sure >= thresholds()["sure"] for side in told)
    return Conflict(
        cluster.about, cluster.type, sides, verdict.action, verdict.rule, chosen, verdict.confidence, reason, cluster.part, sure=sure
    )  # fmt: skip


def _preferred_line(cluster: Cluster, side: Side) -> Line:
    """The sentence of the preferred side, before the conflict is told: a reader that takes sentences takes this one."""
    said = quoted(side.best.quote)
    about = "" if side.value in said else f"{_headed(cluster.about)}: {quoted(side.value)}: "
    return Line(FACTS, f"{about}{said} ({_sources(side.claims)}; preferred)", side.spans, 1.0, first=True)


def _conflict_line(cluster: Cluster, conflict: Conflict) -> Line:
    sides = " vs ".join(f"{quoted(side.value)} ({side.described})" for side in conflict.sides)
    spans = tuple(dict.fromkeys(span for side in conflict.sides for span in side.support))
    reason = cluster.verdict.reason if cluster.verdict is not None else conflict.reason
    if conflict.chosen is None:
        text = f"{_headed(cluster.about)}: {sides}; unresolved ({reason})"
    else:
        # Without the words of the question: they stand with the preferred sentence, where a reader shall look first.
        text = f"{sides}; preferred: {quoted(conflict.chosen)} ({reason})"
    return Line(CONFLICTS, text, spans, 1.0, first=True)


def _headed(about: str) -> str:
    """What a line is about, as a sentence begins: readers skip a line that seems to begin in the middle of one."""
    flat = one_line(about)
    return flat[:1].upper() + flat[1:]


def _kinds(claims: Sequence[Claim]) -> str:
    """Kind and year of each source without its label, each once: for readers who do not see the labels."""
    told = [f"{'' if c.source.kind == 'unknown' else c.source.kind} {c.source.year}".strip() for c in claims]
    return ", ".join(word for word in dict.fromkeys(told) if word)


def _sources(claims: Sequence[Claim]) -> str:
    """Label, kind and year of each source, as in: D2 erratum 2019, D3 paper 2021; what is not known is left out."""
    told = []
    for source in {claim.source.doc_id: claim.source for claim in claims}.values():
        kind = "" if source.kind == "unknown" else source.kind
        told.append(" ".join(word for word in (source.label, kind, source.year) if word))
    return ", ".join(told)
