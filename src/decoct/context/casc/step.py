"""CASC as a step of context construction: passages in, structured lines in their place, facts and conflicts as notes.

Zhou et al., "Context-Adaptive Synthesis and Compression": extract, check and resolve, synthesise, then a reader that uses the result. The
paper fixes only this order and fine-tunes a 7B model for it; what each stage does is ours (lab/docs/methods.md). An `Extractor` reads: the
small reader that comes with Decoct, a language model, or rules.

`depth` gives the ablation of the paper's Table II: "extract" hands on the claims' sentences as quotes, "check" one sentence a side with
facts and conflicts as notes, "synthesise" the structured context. Each of the three steps can be done by a language model or without
one (`extract`, `check`, `synthesis`): the paper's form has one fine-tuned model do all three.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from decoct import plugins, trace
from decoct.budget import Budget
from decoct.context.casc.check import check
from decoct.context.casc.claims import Claim, Findings
from decoct.context.casc.extract_reader import ByReader
from decoct.context.casc.extractor import Extractor
from decoct.context.casc.focus import Focus, focuses
from decoct.context.casc.notes import ReadSource
from decoct.context.casc.resolve import POLICY, Rule
from decoct.context.casc.sources import EvidenceSource, sources_behind
from decoct.context.casc.synthesise import Synthesis, synthesise
from decoct.data import Draft, Passage, Query, Span
from decoct.index.base import Store
from decoct.llm.base import LLM
from decoct.text.overlap import jaccard, shingles

# Sentences that bear on the question, whatever value was taken from them: the net below a value that was read wrongly.

_REPEAT = 0.5  # word 3-grams in common: the same sentence in another's words adds nothing


def background(sentences: Sequence[Claim], most: int, said: Collection[Span] = ()) -> list[Claim]:
    """The first `most` of `sentences`, none nearly twice and none of those that are `said` already."""
    kept: list[Claim] = []
    for claim in sentences:
        if len(kept) >= most:
            break
        if claim.span in said:
            continue
        mine = shingles(claim.quote)
        if not any(jaccard(mine, shingles(other.quote)) >= _REPEAT for other in kept):
            kept.append(claim)
    return kept


Depth: TypeAlias = Literal["extract", "check", "synthesise"]
By: TypeAlias = Literal["rules", "model"]

BACKGROUND = 2  # further sentences: one more than the answer's own, so that a wrong slot can be noticed; each costs some 35 tokens


@dataclass(frozen=True, slots=True)
class Casc:
    """CASC. `extract` reads the documents, `policy` orders the rules, `background` adds sentences.

    `check` and `synthesis` say who does the second and third step: rules, or the language model `llm`, as the laboratory has it (its
    replies verified, the rules where they cannot be used).
    """

    store: Store
    extract: Extractor = field(default_factory=ByReader)
    depth: Depth = "synthesise"
    policy: tuple[Rule, ...] = POLICY
    background: int = BACKGROUND
    check: By = "rules"
    synthesis: By = "rules"
    llm: LLM | None = None

    def __post_init__(self) -> None:
        if "model" in (self.check, self.synthesis) and self.llm is None:
            raise ValueError("a check or synthesis by a model needs a language model: give --llm NAME")

    def apply(self, query: Query, draft: Draft, budget: Budget) -> Draft:
        """The draft's passages, replaced by what they come to."""
        sources = _sources(self.store, draft)
        parts = focuses(query.text)
        found = self.extract.extract(query.text, sources, parts)
        trace.count(sources=len(sources), claims=len(found.claims))
        if self.depth == "extract":
            return replace(draft, passages=_quotes(found.claims))
        findings = self._findings(query.text, sources, parts, found.claims)
        most = self.background if findings.clusters else 2 * self.background
        made = self._synthesis(findings, background(found.sentences, most, findings.said))
        return draft_of_findings(findings, made, draft, self.depth)

    def _findings(
        self, question: str, sources: Sequence[EvidenceSource], parts: Sequence[Focus], claims: Sequence[Claim]
    ) -> Findings:
        if self.check == "model" and self.llm is not None:
            by_model = plugins.load("casc", "check", "casc.check")
            found: Findings = by_model(question, sources, parts, claims, llm=self.llm, policy=self.policy)
            return found
        return check(question, sources, parts, claims, self.policy)

    def _synthesis(self, findings: Findings, beside: Sequence[Claim]) -> Synthesis:
        if self.synthesis == "model" and self.depth == "synthesise" and self.llm is not None:
            made: Synthesis = plugins.load("casc", "synthesis", "casc.synthesis")(findings, beside, self.llm)
            return made
        return synthesise(findings, beside)


def draft_of_findings(findings: Findings, made: Synthesis, draft: Draft, depth: Depth) -> Draft:
    """The findings as a draft with their notes: a quote a side for "check", else the lines in the order in which they shall have room."""
    trace.count(conflicts=sum(cluster.status == "conflict" for cluster in findings.clusters))
    read = tuple(map(ReadSource, draft.passages))
    notes = {**draft.notes, "facts": made.facts, "conflicts": made.conflicts, "gaps": made.gaps, "read": read}
    if depth == "check":
        best = [side.best for cluster in findings.clusters for side in cluster.sides]
        return Draft(_quotes([*best, *findings.further]), notes)
    return Draft(tuple(line.passage() for line in made.lines), notes)


def _sources(store: Store, draft: Draft) -> list[EvidenceSource]:
    ids = dict.fromkeys(span.doc_id for passage in draft.passages for span in passage.support)
    return sources_behind(draft.passages, {doc_id: store.document(doc_id) for doc_id in ids})


def _quotes(claims: Sequence[Claim]) -> tuple[Passage, ...]:
    unique = {claim.span: claim for claim in sorted(claims, key=lambda c: -c.relevance)}
    return tuple(
        Passage(claim.quote, (span,), "quote", claim.relevance, claim.source.title) for span, claim in unique.items()
    )
