"""Yes or no, by the sentence that says what is asked: found, compared in its values, and read.

1. The sentences, items and rows (with their heads) of what was read that read like evidence or hold the question's words are compared with
   the question as vectors, with what stands over them, so that other words for the same ("the helper of somebody in a wheelchair") find it.
2. The nearest are compared in their values (`asked_values.py`): where another value of the kind stands in the asked one's place it is a no;
   a yes needs every value, identifier and label of the question.
3. Each is read alone with its place by the reader, which leans one way (turned round where the question denies: "is it true that no
   ferries run"), and by the second reading, which says how likely it says yes, and no, to the question as it stands. "Only" beside another
   identifier of the kind is a no.
4. `VerdictCertainty` makes a probability for each word that the values allow, of how near the sentence is, how much it is evidence, how far
   the reader leans and what the second reading says; what says the opposite takes from it. Fitted on questions whose documents no
   reader was trained on (`experiments/reader/fit_verdicts.py`).

A question whose names stand in no one place is decided by two passages: for it a digest of their best sentences is read too, as before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from decoct.answer.asked_values import Agreement, AskedValues, asked_values
from decoct.answer.candidates import ClaimFinder
from decoct.answer.cells import cells_of_row
from decoct.answer.claim_evidence import ClaimEvidence
from decoct.answer.decision import ClaimCandidate
from decoct.answer.quotable import is_quotable, is_row
from decoct.answer.quoted import FoundWords, ReadPassage
from decoct.embed.resolve import open_embedder
from decoct.errors import ConfigError
from decoct.reading.base import PassageReader, log_odds, logistic
from decoct.reading.placed import PartTitled, title_of_part
from decoct.reading.second import SecondReader, SecondReading, StatementToRead
from decoct.reading.yes_no import AUXILIARIES
from decoct.text.outline import above
from decoct.text.values import value_of
from decoct.text.words import content_stems

YesOrNo: TypeAlias = Literal["yes", "no"]
VerdictGround: TypeAlias = Literal["other", "only", "same", "said", "unmet", "cell"]
FITTED = Path(__file__).with_suffix(".json")

_BY_READER, _BY_WORDS = 24, 12  # sentences that are compared as vectors
_OTHER: Mapping[str, YesOrNo] = {"yes": "no", "no": "yes"}
_READ = 4  # of these, the nearest, that are read alone
_UNREAD = SecondReading(0.5, 0.5, 0.5)
_LEANS = 1.5  # log-odds of a verdict whose reader does not say how far it leans
_THAT = re.compile(r"\W*\w+ it (?:\w+ ){1,3}that\b", re.IGNORECASE)  # "is it true that", "is it the case that"
_DENIES = re.compile(
    r"(?<!\bat )(?<!\bfor )(?<!\bin )(?<!\bby )\b(?:not|no|never|none|nobody|nothing)\b|n['’]t\b", re.IGNORECASE
)
_VERB = re.compile(rf"\b(?:{AUXILIARIES})\b", re.IGNORECASE)
_ONLY = re.compile(r"\b(?:only|solely|exclusively)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ComparedSentence:
    """A sentence beside the question: its `words`, under `title`, and what a second reading has `said` of it.

    `near` is their likeness (-1 to 1), `behind` how much that is less than the nearest one's; `cell`: the row of a table answers in the
    column that the question names; `spoken`: the share of the question's words in it and over it.
    """

    read: ReadPassage
    sentence: tuple[int, int]
    words: str
    title: str
    cell: YesOrNo | None = None
    near: float = 0.0
    behind: float = 0.0
    spoken: float = 0.0
    relevance: float = 0.0
    leaning: float = 0.0
    said: SecondReading = _UNREAD


@dataclass(frozen=True, slots=True)
class SentenceVerdict:
    """What a sentence decides and on what `ground`; `leaning` is how far the reader is on its side, in log-odds."""

    compared: ComparedSentence
    word: YesOrNo
    ground: VerdictGround
    leaning: float

    def features(self) -> dict[str, float]:
        """What its probability is made of."""
        one = self.compared
        return {
            "leaning": max(-3.0, min(3.0, self.leaning)),
            "near": one.near,
            "behind": -one.behind,
            "spoken": one.spoken,
            "relevance": max(-6.0, min(6.0, log_odds(one.relevance))),
            "said": max(-4.0, min(4.0, log_odds(one.said.of(self.word)) - log_odds(one.said.of(_OTHER[self.word])))),
        }


@dataclass(frozen=True, slots=True)
class VerdictCertainty:
    """The logistic of the weighted features and of an offset for each ground, both as `file` holds them."""

    file: Path = FITTED

    def probability(self, verdict: SentenceVerdict) -> float:
        """How likely the verdict is right, from 0 to 1."""
        weights, offsets = _fitted(self.file)
        said = sum(weights[name] * value for name, value in verdict.features().items())
        return logistic(said + offsets[f"{verdict.word}-{verdict.ground}"])


@dataclass(slots=True)
class VerdictFinder:
    """Finds yes or no in what was read; `finder` knows the question and the evidence of words, `second` reads each sentence again."""

    finder: ClaimFinder
    reader: PassageReader
    second: SecondReader | None = None
    certainty: VerdictCertainty = field(default_factory=VerdictCertainty)

    def claims(self) -> list[ClaimCandidate]:
        """Yes and no, where a sentence decides so, the likelier first."""
        best: dict[YesOrNo, tuple[float, SentenceVerdict, ClaimEvidence]] = {}
        for verdict, evidence in self._decided():
            sure = self.certainty.probability(verdict)
            if verdict.word not in best or sure > best[verdict.word][0]:
                best[verdict.word] = sure, verdict, evidence
        opposed = {word: log_odds(sure) for word, (sure, *_) in best.items()}
        claims = []
        for word, (sure, verdict, evidence) in best.items():
            known = logistic(log_odds(sure) - max(0.0, opposed.get(_OTHER[word], 0.0)))
            found = replace(_found(verdict.compared, word), weight=known)
            claims.append(ClaimCandidate(found, replace(evidence, weight=log_odds(known)), known))
        return sorted(claims, key=lambda one: -one.probability)

    def is_joint(self) -> bool:
        """Whether the question names several things and no sentence, with its place, all of them."""
        names = self.finder.names
        stems = (content_stems(f"{one.title} {one.words}") for one in self._places())
        return len(names) > 1 and not any(all(name <= own for name in names) for own in stems)

    def verdicts(self) -> list[SentenceVerdict]:
        """What each of the nearest sentences decides."""
        return [verdict for verdict, _ in self._decided()]

    def _decided(self) -> list[tuple[SentenceVerdict, ClaimEvidence]]:
        question = self.finder.question
        asked = asked_values(question, self.finder.named)
        denied = denies(question)
        found = []
        for one in self._nearest():
            evidence = self.finder.evidence(_found(one, "yes"))
            verdict = _verdict(one, asked, evidence)
            if verdict is not None and denied:
                verdict = _turned(verdict)
            if verdict is not None:
                found.append((verdict, evidence))
        return found

    def _nearest(self) -> list[ComparedSentence]:
        """The sentences nearest to the question, read alone."""
        question = self.finder.question
        places = self._places()
        if not places:
            return []
        embedder = open_embedder()
        (asked,) = embedder.embed([question], "query")
        texts = [text for one in places for text in (f"{one.title}: {one.words}", one.words)]
        likeness = (embedder.embed(texts, "passage") @ asked).reshape(-1, 2).mean(axis=1)
        order = sorted(range(len(places)), key=lambda at: -likeness[at])[:_READ]
        most = float(likeness[order[0]])
        nearest = [replace(places[at], near=float(likeness[at]), behind=most - float(likeness[at])) for at in order]
        readings = self.reader.read(question, [PartTitled(one.title, one.words) for one in nearest])
        leanings = {"yes": _LEANS, "no": -_LEANS, "neither": 0.0}
        statements = [StatementToRead(question, one.words, 0, len(one.words), one.title) for one in nearest]
        again = self.second.read(statements) if self.second is not None else [_UNREAD] * len(nearest)
        return [
            replace(
                one,
                relevance=reading.relevance,
                leaning=leanings[reading.verdict] if reading.leaning is None else reading.leaning,
                said=said,
            )
            for one, reading, said in zip(nearest, readings, again, strict=True)
        ]

    def _places(self) -> list[ComparedSentence]:
        """The sentences that may decide: those that read most like evidence, and those with most of the question's words."""
        scored: list[tuple[float, float, ComparedSentence]] = []
        for read in self.finder.read:
            text = read.passage.text
            for sentence in read.reading.sentences:
                for place in _units(text, (sentence.start, sentence.end)):
                    for one in self._compared(read, place):
                        spoken = self.finder.coverage(content_stems(f"{one.title} {one.words}"))
                        scored.append((sentence.relevance, spoken, replace(one, spoken=spoken)))
        by_reader = sorted(range(len(scored)), key=lambda at: -scored[at][0])[:_BY_READER]
        by_words = sorted(range(len(scored)), key=lambda at: -scored[at][1])[:_BY_WORDS]
        return [scored[at][2] for at in dict.fromkeys((*by_reader, *by_words))]

    def _compared(self, read: ReadPassage, place: tuple[int, int]) -> list[ComparedSentence]:
        """A sentence by its main clauses (between semicolons), a row in words."""
        text = read.passage.text
        title = title_of_part(read.passage.title, (read.passage.place, *above(text, place[0])))
        if not is_row(text[slice(*place)]):
            clauses = text[slice(*place)].split("; ")
            return [ComparedSentence(read, place, clause.strip(), title) for clause in clauses if clause.strip()]
        cells = cells_of_row(text, place)
        said = ", ".join(f"{head}: {cell}" if head else cell for head, cell in cells)
        return (
            [ComparedSentence(read, place, said, title, _answering_cell(self.finder.question, cells))] if said else []
        )


def denies(question: str) -> bool:
    """Whether a question of yes or no asks for the truth of a denial: "Is it true that no ferries run?", "Are there no lockers?".

    "Isn't it open?" asks whether it is; "loaves that we could not sell" and "at no cost" deny nothing of what is asked.
    """
    that = _THAT.match(question)
    first = that or _VERB.search(question)
    start = first.end() if first else 0
    start += 3 if question[start : start + 3] in ("n't", "n’t") else 0
    found = _DENIES.search(question, start)
    verbs = len(_VERB.findall(question[start : found.start()])) if found else 0
    return found is not None and verbs <= (1 if that else 0)


def _units(text: str, place: tuple[int, int]) -> list[tuple[int, int]]:
    """The sentence where it may be quoted, or each row where it is some of a table."""
    quote = text[slice(*place)]
    if not is_row(quote):
        return [place] if is_quotable(quote) else []
    found, at = [], place[0]
    for line in quote.split("\n"):
        if is_quotable(line):
            found.append((at, at + len(line)))
        at += len(line) + 1
    return found


def _answering_cell(question: str, cells: Sequence[tuple[str, str]]) -> YesOrNo | None:
    """What a row says in the one column whose head the question names, where it names the row elsewhere: "yes" or "no"."""
    asked = content_stems(question)
    told = [(value_of(cell).dimension, content_stems(head) & asked) for head, cell in cells]
    named = [at for at, (answer, head) in enumerate(told) if answer in ("yes", "no") and head]
    rest = any(content_stems(cell) & asked for at, (_, cell) in enumerate(cells) if at not in named)
    if len(named) != 1 or not rest:
        return None
    return "yes" if told[named[0]][0] == "yes" else "no"


def _verdict(one: ComparedSentence, asked: AskedValues, evidence: ClaimEvidence) -> SentenceVerdict | None:
    """What a sentence decides; None where that cannot be told."""
    if one.cell is not None and not asked.any and not evidence.is_of_another:
        return SentenceVerdict(one, one.cell, "cell", 0.0)
    agreement: Agreement | None = asked.agreement(one.words, one.title) if asked.any else "same"
    if evidence.is_of_another:
        return SentenceVerdict(one, "no", "only", one.leaning) if evidence.rivals and _ONLY.search(one.words) else None
    if agreement == "other":
        return SentenceVerdict(one, "no", "other", one.leaning) if one.leaning > 0 else None
    met = agreement == "same" and evidence.identifiers_present == evidence.identifiers
    ground: VerdictGround = "unmet" if not met else "same" if asked.any else "said"
    if one.leaning == 0:
        return None
    if one.leaning < 0:
        return SentenceVerdict(one, "no", ground, -one.leaning)
    return SentenceVerdict(one, "yes", ground, one.leaning) if met else None


def _turned(verdict: SentenceVerdict) -> SentenceVerdict | None:
    """The verdict of a question that denies; None where the sentence states another value, or not all, which then decides nothing."""
    return replace(verdict, word=_OTHER[verdict.word]) if verdict.ground in ("same", "said", "cell") else None


def _found(one: ComparedSentence, word: str) -> FoundWords:
    return FoundWords(one.read, one.sentence, one.sentence, word, 0.5, judged=True, form="verdict")


@cache
def _fitted(file: Path) -> tuple[Mapping[str, float], Mapping[str, float]]:
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
        return dict(held["weights"]), dict(held["offsets"])
    except (OSError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise ConfigError(f"the certainty of verdicts {str(file)!r} cannot be used: {error!r}; fit it again") from error
