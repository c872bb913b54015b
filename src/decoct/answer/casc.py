"""The reader of a CASC context: it answers wherever plain reading of the same passages would, and says what the documents make of it.

Without a model the passages behind the notes are read as if there were none (`plain_answer`): what that claims, and how surely, is the
answer. Where documents agree on it, or a conflict prefers it, the notes tell it; where it is a side that gave way, the preferred one takes
its place; where nothing decided, every side with its sources and how likely the likelier one is. Else it is told as it is, or the sentences
that are shown in place of one, and after it what the notes tell; what other documents answer otherwise, each read by itself, follows as
other sides with its share of the probability. Agreement and conflict change what is said about an answer and never take one away.
Where plain reading claims nothing, a conflict does only if each of its sides would be claimed of its document alone. A context of quotes or
notes whose passages nobody kept is read as it stands.

`caution` is the user's: below so much probability nothing is claimed, and what would have been is shown under the outcome "passages".

With a model the structured context is what it reads, or, where the budget has room for them whole, the passages after a line for each
conflict, under duties that say the same (`casc.md`); its citations are checked like any
other's, and a side of an undecided conflict that it leaves out is added.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from decoct import trace
from decoct.answer.as_json import passage_index
from decoct.answer.base import NO_ANSWER, NO_CONTEXT, QuotingReader, Reader, handed_to, says_not_found
from decoct.answer.citations import cited
from decoct.answer.short_answers import ShortAnswers
from decoct.context.assemble import assemble
from decoct.context.casc import extract_reader
from decoct.context.casc.claims import same_answer
from decoct.context.casc.notes import Conflict, Fact, Option, ReadSource, Sections
from decoct.context.casc.synthesise import CONFLICTS, one_line, quoted
from decoct.context.layouts import shielded, unshielded
from decoct.context.quotes import narrowed, pieces
from decoct.data import Answer, Citation, Context, Draft, Passage, Query, ShortAnswer
from decoct.errors import ConfigError, ReplyError
from decoct.llm.base import LLM, complete_one
from decoct.llm.prompts import load_prompt
from decoct.text.quotable import is_quotable
from decoct.text.struck import without_struck
from decoct.text.values import value_of
from decoct.text.words import content_stems

_MAX_TOKENS = 256
_EVEN = 0.05  # sides whose weights are nearer than that are as likely
_UNSURE = "not surely read: "
_BESIDE = "Less surely read: "
_OTHERWISE = "Other sources say otherwise: "
_MARKS = re.compile(r" ?\[\d+\]|^\"|\"(?= ?\[\d+\]|$)")


@dataclass(frozen=True, slots=True)
class CascReader:
    """Answers from facts and conflicts; `llm` writes the answer where there is one, else `plain` reads the passages behind them.

    `caution`, from 0 to 1, is the least probability of an answer that is claimed: 0.5 where a wrong answer costs as much as a right one
    is worth, 0.8 where it costs four times as much (Chow 1970, "On optimum recognition error and reject tradeoff").
    """

    llm: LLM | None = None
    plain: Reader = field(default_factory=ShortAnswers)
    caution: float = 0.67

    def __post_init__(self) -> None:
        if not 0 <= self.caution <= 1:
            raise ConfigError("casc: caution must be from 0 (answer always) to 1")

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        """The answer with its citations; `found=False` where the context says nothing on the question."""
        if not context.passages:
            made = Answer(NO_CONTEXT, (), context, found=False)
        else:
            made = self._asked(context, self.llm) if self.llm is not None else self._told(context)
        return handed_to(sink, made)

    @property
    def _plain(self) -> Reader:
        """Who reads the passages, as cautious as is asked for."""
        return self.plain.with_(caution=self.caution) if isinstance(self.plain, QuotingReader) else self.plain

    def _told(self, context: Context) -> Answer:
        """The answer without a model."""
        noted, plain = _answer_of_notes(context), plain_answer(self._plain, context)
        if not read_passages(context):
            return noted if plain is None or _parts(context) else replace(plain, context=context)
        best = plain.answers[0] if plain is not None and plain.found and plain.answers else None
        facts, conflicts = _notes(context)
        for number, conflict in enumerate(conflicts):
            words = self._borne_out(conflict, best, context)
            if words and conflict.sure and noted.found:
                return replace(noted, answers=words)
            if words:
                lined = context if plain is None or best is None else with_lines(context, quotes_of(plain))
                told = _stated(_notes(lined)[1][number])
                if plain is not None and best is not None:
                    told += f" {_OTHERWISE}{marked(plain, lined)}"
                text, citations = cited(told, lined)
                return Answer(text, citations, lined, answers=words)
        if plain is None:
            return _unclaimed(noted)
        compared = conflicts or any(fact.status == "agreed" for fact in facts)
        if (
            compared
            and best is not None
            and any(same_answer(value_of(one.text), value_of(best.text)) for one in noted.answers)
        ):
            return replace(noted, answers=plain.answers)
        return self._beside(plain, context)

    def _beside(self, plain: Answer, context: Context) -> Answer:
        """The plain answer, or what is shown in place of one, with what other documents and the notes tell."""
        # A document that is only shown has not been heard: of those cited, the ones count in which the words of the answer stand.
        cited_in = {one.source.doc_id for one in plain.citations}
        words = [one.text for one in plain.answers if one.doc_id in cited_in]
        heard = {one.doc_id for one in plain.answers}
        sides = elsewhere(self.plain, context, words, heard) if plain.found else []
        lined = with_lines(context, [*quotes_of(plain), *(side.quote for side in sides)])
        told = marked(plain, lined)
        told += _otherwise(sides, _score(plain), lined, told)
        shown = {_stated(conflict) for conflict in _notes(lined)[1] if _sides_are_in(told, conflict)}
        beside = [one for part in _parts(lined) for one in (*part.said, *part.evidence) if one not in shown]
        said = [one for one in beside if _solid(_MARKS.sub("", one)) not in _solid(told)]
        text, citations = cited(f"{told} {_BESIDE}{'; '.join(said)}" if said else told, lined)
        return Answer(text, citations, lined, plain.found, plain.outcome, plain.answers)

    def _borne_out(self, conflict: Conflict, best: ShortAnswer | None, context: Context) -> tuple[ShortAnswer, ...]:
        """What a conflict claims in place of the `best` words of plain reading, where these are one of its sides, or of none.

        It claims only if every side is what its documents, read alone, answer with: as surely as is asked for where plain reading claims
        nothing. The preferred side is as likely as the words whose place it takes; sides of an open conflict share what theirs answer with.
        """
        if (conflict.chosen is None and not conflict.sure) or (best is not None and not _is_contested(best, conflict)):
            return ()
        alone = [self._alone(side, context) for side in conflict.sides]
        if min(alone) < (self.caution if best is None else extract_reader.ALONE):
            return ()
        total = max(1.0, sum(alone))
        said = []
        for side, sure in zip(conflict.sides, alone, strict=True):
            if side.said is not None and conflict.chosen is None:
                said.append(replace(side.said, score=sure / total))
            elif side.said is not None and side.value == conflict.chosen:
                said.append(replace(side.said, score=sure if best is None else best.score))
        return tuple(sorted(said, key=lambda one: -one.score))

    def _alone(self, side: Option, context: Context) -> float:
        """How likely a side is right by what one of its documents, read alone, answers with."""
        passages, found = _by_document(context), [0.0]
        for doc_id in dict.fromkeys(span.doc_id for span in side.support):
            if doc_id in passages and isinstance(self.plain, QuotingReader):
                likely = self.plain.likely(replace(context, passages=tuple(passages[doc_id])))
                found += [one.score for one in likely if _stands_in(one, side)]
        return max(found)

    def _asked(self, notes: Context, llm: LLM) -> Answer:
        context = beside_passages(notes)
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


def _score(answer: Answer) -> float:
    """How surely the best words of an answer answer."""
    return answer.answers[0].score if answer.answers else 0.0


def _claimed_words(facts: Sequence[Fact], conflicts: Sequence[Conflict]) -> tuple[ShortAnswer, ...]:
    """The words that notes claim, the likeliest first: of an undecided conflict those of every side."""
    sides = [side.said for one in conflicts for side in one.sides if one.chosen is None or side.value == one.chosen]
    said = [*(fact.said for fact in facts), *sides]
    return tuple(sorted((one for one in said if one is not None), key=lambda one: -one.score))


def _is_contested(words: ShortAnswer, conflict: Conflict) -> bool:
    """Whether `words` are a side that a conflict does not prefer: by their value, else by the place where they stand."""
    value = value_of(words.text)
    said = {one.value for one in conflict.sides if same_answer(value, value_of(one.value)) is True}
    said = said or {one.value for one in conflict.sides if _stands_in(words, one)}
    return bool(said) and conflict.chosen not in said


def _stands_in(words: ShortAnswer, side: Option) -> bool:
    return any(span.doc_id == words.doc_id and span.start <= words.start < span.end for span in side.support)


def _otherwise(sides: Sequence[OtherSide], sure: float, context: Context, shown: str = "") -> str:
    """What other documents say, each with its line and how likely it is beside the answer, which is `sure`.

    Of a sentence that is `shown` already the words alone.
    """
    total = sure + sum(side.said.score for side in sides)
    told = []
    for side in sides:
        line = line_quoting(side.said.doc_id, side.said.start, context)
        share = side.said.score / total
        said = side.said.text if _solid(side.quote.text) in _solid(shown) else side.quote.text
        told.append(f"{shielded(quoted(said))}{f' [{line}]' if line else ''} ({share:.0%})")
    return f" {_OTHERWISE}{'; '.join(told)}" if told else ""


def _unsaid(text: str, context: Context) -> list[str]:
    """The conflicts that nothing decided and of which `text` leaves out a side, stated with all of them: small models pick one."""
    open_ones = [note for note in _notes(context)[1] if note.chosen is None]
    return [_stated(note) for note in open_ones if not _sides_are_in(text, note)]


def _sides_are_in(text: str, conflict: Conflict) -> bool:
    """Whether `text` gives the value of every side."""
    said = _solid(text)
    return all(_solid(side.value) in said for side in conflict.sides)


def _solid(text: str) -> str:
    """Without white space and case, the documents' own brackets as they are: a model may write "14%" for "14 %"."""
    return "".join(unshielded(text).split()).casefold()


@dataclass(frozen=True, slots=True)
class _Part:
    """What the notes tell on one part of the question, whether it was surely read, and else the sentences that bear on it."""

    said: tuple[str, ...]
    sure: bool
    evidence: tuple[str, ...]

    def written(self) -> list[str]:
        """All of it, with a word of doubt where it was not surely read."""
        if self.sure or not self.said:
            return [*self.said, *self.evidence]
        return [f"{_UNSURE}{self.said[0]}", *self.said[1:], *self.evidence]


def _answer_of_notes(context: Context) -> Answer:
    parts = _parts(context)
    if not parts:
        return Answer(NO_ANSWER, (), context, found=False)
    facts, conflicts = _notes(context)
    written = "; ".join(one for part in parts for one in part.written())
    text, citations = cited(written, context)
    claimed = any(part.sure for part in parts)
    certain = [fact for fact in facts if fact.status != "not compared"]
    said = _claimed_words(certain, [one for one in conflicts if one.sure]) if claimed else ()
    return Answer(text, citations, context, claimed, "answer" if claimed else "passages", said)


def _notes(context: Context) -> tuple[list[Fact], list[Conflict]]:
    """The facts that have a value, and the conflicts."""
    facts = [note for note in context.facts if isinstance(note, Fact) and note.value]
    return facts, [note for note in context.conflicts if isinstance(note, Conflict)]


def _parts(context: Context) -> list[_Part]:
    """What the notes tell, part by part of the question."""
    facts, conflicts = _notes(context)
    parts = []
    for part in sorted({fact.part for fact in facts} | {conflict.part for conflict in conflicts}):
        own = [conflict for conflict in conflicts if conflict.part == part]
        decided = any(conflict.chosen is not None for conflict in own)
        # What was not read well enough to be a side of a decided conflict is told by the context alone.
        mine = [] if decided else [fact for fact in facts if fact.part == part]
        told = [_stated(conflict) for conflict in own]
        told += [f"{_worded(fact)}{_mark(fact)}" for fact in mine]
        sure = any(fact.status != "not compared" for fact in mine) or any(conflict.sure for conflict in own)
        evidence = [] if sure else [f"{_worded(fact)}{_mark(fact)}" for fact in _evidence(context, part)]
        parts.append(_Part(tuple(told), sure, tuple(evidence)))
    return parts


def _unclaimed(answer: Answer) -> Answer:
    """The same words, claimed by nobody."""
    if not answer.found:
        return answer
    text, citations = cited(f"{_UNSURE}{_with_lines(answer)}", answer.context)
    return Answer(text, citations, answer.context, found=False, outcome="passages")


def _with_lines(answer: Answer) -> str:
    """The answer's text with the numbers of its context's lines for marks, as `cited` takes it."""
    return with_marks(answer, lambda citation: passage_index(answer.context, citation) + 1)


def _evidence(context: Context, part: int) -> list[Fact]:
    """The context's sentences without a value that the reader holds for evidence on a part: told beside what was not surely read."""
    told = [fact for fact in context.facts if isinstance(fact, Fact) and not fact.value and fact.part == part]
    return [fact for fact in told if fact.line is not None and is_quotable(fact.text)]


def _worded(fact: Fact) -> str:
    """What is agreed, and a quantity or date that was surely read, alone; of anything else the whole sentence."""
    certain = fact.status == "agreed" or (fact.status == "stated" and any(c.isdigit() for c in fact.value))
    return shielded(fact.value if certain else quoted(fact.text))


def _stated(conflict: Conflict) -> str:
    mark = _mark(conflict)
    if conflict.chosen is not None:
        word = next((side.word for side in conflict.sides if side.value == conflict.chosen), "")
        return f"{f'{word.capitalize()}. ' if word else ''}{shielded(conflict.chosen)}{mark}"
    told = []
    for n, side in enumerate(conflict.sides):  # each names what says it: one mark stands for the line of all sides
        said = shielded(quoted(side.quote if conflict.type == "entity" and side.quote else side.value))
        named = ", ".join(dict.fromkeys(one_line(span.doc_id) for span in side.support))
        told.append(f"{said} ({'; '.join(filter(None, (shielded(named), side.kinds, _likelier(conflict, n))))}){mark}")
    return f"the sources disagree: {' or '.join(told)}"


def _likelier(conflict: Conflict, side: int) -> str:
    """That the first side of an undecided conflict is the likelier one, where it is: sides are told with the weightiest first."""
    even = 1 / len(conflict.sides)
    return f"likelier, {conflict.confidence:.0%}" if side == 0 and conflict.confidence > even + _EVEN else ""


def _mark(note: Fact | Conflict) -> str:
    """The citation of the line that tells the note; empty where the budget left it out."""
    if note.line is None:
        trace.fallback("casc-reader.uncited")
        return ""
    return f" [{note.line}]"


# What plain reading of the same passages would answer, in the lines of a context that was made of them, and who of them says otherwise.
#
# A context of notes keeps little of what documents say, so a reader of passages cannot read it as it would have read them. It reads the
# passages themselves (the note `read`), and the sentences that it answers with get lines of their own: within the same budget, before all
# others, since the answer stands on them.
#
# An answer is read in one document or two; the others may say otherwise, and beside the surest words theirs are too weak to be told. So
# each document in which the answer does not stand is read by itself, and what it answers with other words is another side (`elsewhere`).


HEADING = "READ"
_MOST = 3  # sides beside the answer


@dataclass(frozen=True, slots=True)
class OtherSide:
    """What a document answers, read by itself: its best words with their probability, and the sentence, as a line of its own."""

    said: ShortAnswer
    quote: Passage


def read_passages(context: Context) -> tuple[Passage, ...]:
    """The passages behind `context`; none where nobody kept them."""
    return tuple(note.passage for note in context.notes.get("read", ()) if isinstance(note, ReadSource))


def plain_answer(reader: Reader, context: Context) -> Answer | None:
    """What `reader` answers, or shows, from the passages behind `context`, or its own quotes where nobody kept them; None for nothing."""
    read = read_passages(context) or tuple(passage for passage in context.passages if passage.kind == "quote")
    if not read:
        return None
    answer = reader.answer(replace(context, passages=read))
    return None if answer.outcome == "not-found" else answer


def elsewhere(
    reader: Reader,
    context: Context,
    said: Sequence[str],
    heard: Collection[str],
) -> list[OtherSide]:
    """What the documents behind `context` but those of `heard` answer with other words than `said`, in their order, each value once."""
    asked = reader.with_(caution=extract_reader.ALONE) if isinstance(reader, QuotingReader) else reader
    told, found, asked_words = list(said), list[OtherSide](), content_stems(context.question)
    for doc_id, passages in _by_document(context).items():
        if doc_id in heard:
            continue
        answer = asked.answer(replace(context, passages=tuple(passages)))
        if answer.outcome != "answer" or not answer.answers or not answer.citations:
            continue
        best, quote = answer.answers[0], _quoted(answer.citations[0])
        if quote.text == without_struck(quote.text) and not any(
            _says(best.text, quote.text, one, asked_words) for one in told
        ):
            told.append(best.text)
            found.append(OtherSide(best, quote))
    return found[:_MOST]


def _by_document(context: Context) -> dict[str, list[Passage]]:
    """The passages behind a context, those of each document together."""
    found: dict[str, list[Passage]] = {}
    for passage in read_passages(context):
        found.setdefault(passage.support[0].doc_id, []).append(passage)
    return found


def _says(words: str, sentence: str, other: str, asked: frozenset[str]) -> bool:
    """Whether words, or the sentence that they stand in, say what `other` does; a weight denies no price."""
    mine, theirs = value_of(words), value_of(other)
    same = same_answer(mine, theirs, asked)
    if same is None and mine.kind == theirs.kind == "number":
        return True
    return same is True or other.casefold() in sentence.casefold()


def with_lines(context: Context, quotes: Iterable[Passage]) -> Context:
    """`context` with lines of its own for `quotes`, before all others and within the same budget."""
    draft = Draft((*dict.fromkeys(quotes), *context.passages), context.notes)
    return assemble(Query(context.question), draft, context.budget, Sections(), context.trace)


def beside_passages(context: Context) -> Context:
    """The passages behind `context`, whole, after a line for each of its conflicts; `context` itself where the budget has no room for them.

    What a language model reads: notes alone keep from it what it would have read in short documents.
    """
    read = tuple(replace(passage, title=HEADING) for passage in read_passages(context))
    lines = tuple(passage for passage in context.passages if passage.title == CONFLICTS)
    whole = Draft((*lines, *read), context.notes)
    if not read or not context.budget.fits(Sections().render(whole)):
        return context
    return assemble(Query(context.question), whole, context.budget, Sections(), context.trace)


def quotes_of(answer: Answer) -> list[Passage]:
    """The sentences that an answer cites, as lines."""
    return [_quoted(citation) for citation in answer.citations]


def marked(answer: Answer, context: Context) -> str:
    """The text of a plain answer, its marks the numbers of the lines of `context` that quote what is cited."""
    return with_marks(answer, lambda citation: line_quoting(citation.source.doc_id, citation.source.start, context))


def with_marks(answer: Answer, number: Callable[[Citation], int | None]) -> str:
    """The text of an answer with other numbers in its marks, none where there is None; its words are shielded from who parses it."""
    text, at = "", 0
    for citation in answer.citations:
        line = number(citation)
        text += f"{shielded(answer.text[at : citation.start])}{f'[{line}]' if line else ''}"
        at = citation.end
    return text + shielded(answer.text[at:])


def _quoted(citation: Citation) -> Passage:
    """The cited sentence as a passage of its own."""
    source = citation.source
    for at, span in pieces(citation.passage):
        if span.doc_id == source.doc_id and span.start <= source.start < span.end:
            start = at + source.start - span.start
            return replace(narrowed(citation.passage, start, start + source.end - source.start), title=HEADING)
    return replace(citation.passage, title=HEADING)


def line_quoting(doc_id: str, start: int, context: Context) -> int | None:
    """The number of the line that quotes character `start` of a document; None where the budget left it out."""
    for number, passage in enumerate(context.passages, 1):
        if passage.title == HEADING and any(
            span.doc_id == doc_id and span.start <= start < span.end for span in passage.support
        ):
            return number
    return None
