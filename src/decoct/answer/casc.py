"""The reader of a CASC context: it believes the preferred side, states both sides where none is, and abstains where nothing is said.

Without a model the answer is put together from the notes: for each part of the question the agreed value, or the preferred side of its
conflict, or, where nothing decided, every side with its sources. Where nothing of it was surely read nothing is claimed: the outcome is
"passages", as with short answers. Where no value was found the best sentences are given as the extractive reader would, or it abstains.
With a model the structured context is what it reads, under duties that say the same
(`casc.md`); its citations are checked like any other's, and a side of an undecided conflict that it leaves out is added.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from decoct import trace
from decoct.answer.as_json import passage_index
from decoct.answer.citations import cited
from decoct.answer.extractive import Extractive
from decoct.answer.not_found import NO_ANSWER, NO_CONTEXT, says_not_found
from decoct.context.casc.notes import Conflict, Fact
from decoct.context.casc.synthesise import quoted
from decoct.context.marks import harmless
from decoct.data import Answer, Context, Passage
from decoct.errors import ReplyError
from decoct.llm.base import LLM, complete_one
from decoct.llm.prompts import load_prompt

_MAX_TOKENS = 256
_SEVERAL = 2
_UNSURE = "not surely read: "
_TOGETHER = re.compile(r"\b(?:together|combined|in total|altogether)\b", re.IGNORECASE)
_COUNT = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")


@dataclass(frozen=True, slots=True)
class CascReader:
    """Answers from facts and conflicts; `llm` writes the answer where there is one."""

    llm: LLM | None = None

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        """The answer with its citations; `found=False` where the context says nothing on the question."""
        if not context.passages:
            made = Answer(NO_CONTEXT, (), context, found=False)
        else:
            made = self._asked(context, self.llm) if self.llm is not None else _answer_of_notes(context)
        if sink is not None:
            sink(made.text)
        return made

    def _asked(self, context: Context, llm: LLM) -> Answer:
        prompt = load_prompt("decoct.answer", "casc", ("context", "question", "no_answer"))
        values = {"context": context.text, "question": context.question, "no_answer": NO_ANSWER}
        reply = complete_one(llm, prompt.request(values, max_tokens=_MAX_TOKENS))
        if reply.finish == "length":
            trace.fallback("casc-reader.cut")
        text, citations = cited(reply.text.strip(), context)
        if not text:
            raise ReplyError("the model gave no answer; try again or another model", reply.text)
        if says_not_found(text) and not citations:
            return Answer(NO_ANSWER, (), context, found=False)
        unsaid = _unsaid(text, context)
        if unsaid:
            trace.fallback("casc-reader.sides_added", len(unsaid))
            with trace.recording():  # the reply's own marks were counted above
                text, citations = cited("; ".join([reply.text.strip(), *unsaid]), context)
        if not citations:
            trace.fallback("casc-reader.uncited")
        return Answer(text, citations, context)


def _unsaid(text: str, context: Context) -> list[str]:
    """The conflicts that nothing decided and of which `text` leaves out a side, stated with all of them: small models pick one."""
    said = _solid(text)
    return [
        _stated(note)
        for note in context.conflicts
        if isinstance(note, Conflict)
        and note.chosen is None
        and any(_solid(harmless(side.value)) not in said for side in note.sides)
    ]


def _solid(text: str) -> str:
    """Without white space and case: a model may write "14%" for "14 %"."""
    return "".join(text.split()).casefold()


def _answer_of_notes(context: Context) -> Answer:
    facts = [note for note in context.facts if isinstance(note, Fact) and note.value]
    conflicts = [note for note in context.conflicts if isinstance(note, Conflict)]
    parts = sorted({fact.part for fact in facts} | {conflict.part for conflict in conflicts})
    if not parts:
        return _sentences(context)
    said: list[str] = []
    claimed = False
    for part in parts:
        decided = any(conflict.chosen is not None for conflict in conflicts if conflict.part == part)
        # What was not read well enough to be a side of a decided conflict is told by the context alone.
        mine = [] if decided else [fact for fact in facts if fact.part == part]
        told = [_stated(conflict) for conflict in conflicts if conflict.part == part]
        told += [f"{_worded(fact)}{_mark(fact)}" for fact in mine]
        sure = _surely(conflicts, mine, part)
        claimed |= sure
        if not sure:
            told = [f"{_UNSURE}{told[0]}", *told[1:]] if told else []
            told += [f"{_worded(fact)}{_mark(fact)}" for fact in _evidence(context, part)]
        said += told
    text, citations = cited(_total(context.question, facts, conflicts, parts) + "; ".join(said), context)
    return Answer(text, citations, context, claimed, "answer" if claimed else "passages")


def _surely(conflicts: Sequence[Conflict], facts: Sequence[Fact], part: int) -> bool:
    """Whether anything that is told on a part was surely read."""
    stated = any(fact.status != "not compared" for fact in facts if fact.part == part)
    return stated or any(conflict.sure for conflict in conflicts if conflict.part == part)


def _evidence(context: Context, part: int) -> list[Fact]:
    """The context's sentences without a value that the reader holds for evidence on a part: told beside what was not surely read."""
    told = [fact for fact in context.facts if isinstance(fact, Fact) and not fact.value and fact.part == part]
    return [fact for fact in told if fact.line is not None]


def _total(question: str, facts: Sequence[Fact], conflicts: Sequence[Conflict], parts: Sequence[int]) -> str:
    """The sum of what the parts count, where the question asks for it and each part has one plain count; else nothing."""
    if len(parts) < _SEVERAL or not _TOGETHER.search(question):
        return ""
    counts = []
    for part in parts:
        values = [fact.value for fact in facts if fact.part == part]
        values += [conflict.chosen or "" for conflict in conflicts if conflict.part == part]
        if len(values) != 1 or not _COUNT.fullmatch(values[0]):
            return ""
        counts.append(int(values[0].replace(",", "")))
    return f"{sum(counts):,}: "


def _worded(fact: Fact) -> str:
    """What is agreed, and a quantity or date that was surely read, alone; of anything else the whole sentence."""
    certain = fact.status == "agreed" or (fact.status == "stated" and any(c.isdigit() for c in fact.value))
    return harmless(fact.value if certain else quoted(fact.text))


def _stated(conflict: Conflict) -> str:
    mark = _mark(conflict)
    if conflict.chosen is not None:
        return f"{harmless(conflict.chosen)}{mark}"
    sides = " or ".join(
        quoted(side.quote if conflict.type == "entity" and side.quote else side.value)
        + (f" ({side.kinds})" if side.kinds else "")
        for side in conflict.sides
    )
    return f"the sources disagree: {harmless(sides)}{mark}"


def _mark(note: Fact | Conflict) -> str:
    """The citation of the line that tells the note; empty where the budget left it out."""
    if note.line is None:
        trace.fallback("casc-reader.uncited")
        return ""
    return f" [{note.line}]"


def _sentences(context: Context) -> Answer:
    """The answer of the extractive reader on the sentences that the notes tell, or on the quotes where there are no notes."""
    trace.fallback("casc-reader.no-value")
    told = [fact for fact in context.facts if isinstance(fact, Fact)]
    told = [fact for fact in told if any(set(fact.support) <= set(passage.support) for passage in context.passages)]
    quotes = [replace(passage, title="") for passage in context.passages if passage.kind == "quote"]
    passages = [Passage(fact.text, fact.support, "rewrite", fact.confidence) for fact in told] + quotes
    if not passages:
        return Answer(NO_ANSWER, (), context, found=False)
    plain = replace(context, passages=tuple(passages))
    made = Extractive().answer(plain)
    citations = tuple(
        replace(citation, passage=_holder(plain.passages[passage_index(plain, citation)], context))
        for citation in made.citations
    )
    return Answer(made.text, citations, context, made.found)


def _holder(told: Passage, context: Context) -> Passage:
    """The passage of the context that holds what was told."""
    return next(passage for passage in context.passages if set(told.support) <= set(passage.support))
