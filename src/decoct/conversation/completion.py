"""A question completed by rule from what was spoken of before it (without a language model).

1. What stands for something said before, a pronoun or "there", is replaced by the nearest mention that it can mean: "he" and "she" mean
   persons, "it" things, "they" several, "there" places (Lappin & Leass 1994, An Algorithm for Pronominal Anaphora Resolution, gives the
   order: the last turn before those before it; what it asked about before what it merely named).
2. A question that only goes on ("And Louis Seigner?", "What about keys?") is the last question with the part of the same form put in its
   place: a name for a name, a code for a code, "in winter" for "in summer".
3. A question without a name of its own may still be about the last turn's subject ("Who wrote the film?"). It is put to the library with
   that subject first, and as it stands where that has no answer.
4. Where nothing before can be meant, the question is incomplete: the words that mean nothing yet are told.

What goes on names something: a phrase, without a subject that does something ("I lost my card"), in the language of the last question, and
in words that the library knows. By itself, without "and" or a question mark, it is as short as the words for a thing. All else is asked as
it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from decoct.answer.quoted import claimed_part
from decoct.data import Document
from decoct.reading.base import PassageReader
from decoct.reading.yes_no import AUXILIARIES
from decoct.text.identifiers import identifiers
from decoct.text.languages import asked_in
from decoct.text.names import RUN
from decoct.text.questions import parsed_question
from decoct.text.times import WEEKDAYS, months
from decoct.text.unasked import without_assent
from decoct.text.values import quantities
from decoct.text.words import is_stop, singular
from decoct.text.words import words as words_of

# What a turn spoke of, as a later pronoun may mean it: persons, things, several, places, each in the words that stand for it.
#
# - "Who was Clifford Durr?" is about a person; "Who directed Target Zero?" has a person for its answer and a thing in the question.
# - Words that answered are read out of the answer's text by the small reader, so that a chat needs no more than its texts.
# - A question without a name is about its noun phrases: what follows an article, else the words with meaning that stand together.
# - Dates, times and amounts say when and how much and are none: "it" after "What froze in 1947?" is what froze.

Kind: TypeAlias = Literal["person", "thing", "several", "place", "any"]

_COPULA = re.compile(r"^\W*(?P<asks>who|what)(?:\s+(?:is|are|was|were)|['’]s)\s+(?P<phrase>[^?]+?)\W*$", re.IGNORECASE)
_ASKS_FOR_PERSON = re.compile(r"^\W*(?:who|whom)\b", re.IGNORECASE)
_ASKS_FOR_THING = re.compile(r"^\W*(?:what|which)\s+(?!(?:is|are|was|were|do|does|did)\b)", re.IGNORECASE)
# What does something is asked for: "What froze in 1947?", without a further verb.
_ASKS_FOR_DOER = re.compile(rf"^\W*(?i:who|what|which)\s+(?!.*\b(?:{AUXILIARIES})\b)")
_ARTICLE = re.compile(r"^(?:an?|the)\s+", re.IGNORECASE)
_AT = re.compile(r"\b(?:in|on|at|from|to)\s+(?:the\s+)?$", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[0-9]{3}|20[0-9]{2})")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_ARTICLES = frozenset(("a", "an", "the", "my", "our", "your"))
_MARK = re.compile(r"\s*\[\d+\]")
_READ = 0.5  # how sure the reader must be that an answer's text holds words that answer its question
_LONGEST_NAME = 8  # words of words that answer which are taken as a name


@dataclass(frozen=True, slots=True)
class Mention:
    """`words` that stand for something, as a question would write them; `named`: by a name, a code or a number of its own."""

    words: str
    kind: Kind
    named: bool = True


def names(question: str) -> list[tuple[int, int]]:
    """The characters of each name and code of a question, in order; "Stop! Or My Mom Will Shoot" is one, years are none."""
    found = [_without_lead(question, *match.span()) for match in RUN.finditer(question)]
    found = [place for place in found if not _YEAR.fullmatch(question[slice(*place)])]
    found += [(one.start, one.end) for one in identifiers(question)]
    merged: list[tuple[int, int]] = []
    for start, end in sorted(place for place in found if place[0] < place[1]):
        if merged and (start <= merged[-1][1] or _is_one_name(question[merged[-1][1] : start])):
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def mentions(question: str, answer: str, reader: PassageReader) -> Iterator[Mention]:
    """What a turn spoke of, likeliest meant first: a `question` that can be understood by itself, and the `answer` to it."""
    written = [question[slice(*place)] for place in names(question)]
    answering = _answering_words(question, answer, reader, written)
    told = answering if _has_own_name(answering, written) else ""
    if _ARTICLE.match(told) and told[1:].islower():  # "The harbour", where a sentence began
        told = told[0].lower() + told[1:]
    copula = _COPULA.match(question)
    person = _ASKS_FOR_PERSON.match(question) is not None
    if copula is not None:
        # "Who was X's wife?": whoever it was, she is X's wife; "Who was X?" has no other name in its answer.
        relation = not any(_fills(copula["phrase"], words) for words in written)
        if told and relation:
            yield Mention(told, "person" if person else "thing")
        yield Mention(copula["phrase"].strip(), "person" if person else "thing", named=bool(written))
    elif told:
        asks_for = parsed_question(question).kind
        if person or asks_for == "person":
            yield Mention(told, "person")
        elif asks_for == "place":
            yield Mention(told, "place")
        elif _ASKS_FOR_THING.match(question) and asks_for == "open":
            yield Mention(told, "thing")
    elif _ASKS_FOR_DOER.match(question) and not person and _ARTICLE.match(answering):
        yield _phrase(_ARTICLE.sub("", answering))
    for start, end in reversed(names(question)):
        where = _AT.search(question, 0, start) is not None
        if _is_time(question[start:end], where):
            continue
        yield Mention(question[start:end], "place" if where else "thing" if person and copula is None else "any")
    for words in phrases(question):
        yield _phrase(words)


def phrases(question: str) -> list[str]:
    """Noun phrases without a name: what follows an article first, then other words with meaning that stand together, the last first."""
    after: list[str] = []
    other: list[str] = []
    taken = names(question)
    for start, end in _meaning(question):
        if any(start < past and begin < end for begin, past in taken):
            continue
        before = _WORD.findall(question[:start])
        (after if before and before[-1].lower() in _ARTICLES else other).append(question[start:end])
    return [*after, *reversed(other)]


def _phrase(words: str) -> Mention:
    """A noun phrase without a name, one or several things by its last word."""
    last = words.rsplit(maxsplit=1)[-1].lower()
    return Mention(words, "several" if singular(last) != last else "thing", named=False)


def _meaning(question: str) -> list[tuple[int, int]]:
    """The characters of words with meaning that stand together and name something: no bare dates, amounts, and no verb alone."""
    found: list[list[tuple[int, int]]] = []
    for match in _WORD.finditer(question):
        if is_stop(match[0].lower()):
            continue
        if found and question[found[-1][-1][1] : match.start()].isspace():
            found[-1].append(match.span())
        else:
            found.append([match.span()])
    values = quantities(question)
    # "Error 404" and "flood 1953" are things; "costs 500 euros" says how much.
    measured = [(one.start, one.end) for one in values if one.kind == "number" and one.dimension]
    valued = [(one.start, one.end) for one in values]
    doer = _ASKS_FOR_DOER.match(question)
    places: list[tuple[int, int]] = []
    for run in found:
        named = list(run)
        while named and _within(named[-1], measured):
            named.pop()
        if all(_within(word, valued) for word in named):
            continue
        if doer is None or len(named) > 1 or named[0][0] != doer.end():
            places.append((named[0][0], named[-1][1]))
    return places


def _within(word: tuple[int, int], places: list[tuple[int, int]]) -> bool:
    return any(start <= word[0] and word[1] <= end for start, end in places)


def _is_time(words: str, where: bool) -> bool:
    """Whether a name is a date's or a day's, or a month's after a preposition (`where`)."""
    if words.lower() in WEEKDAYS or (where and len(words.split()) == 1 and months(words)):
        return True
    dated = [(one.start, one.end) for one in quantities(words) if one.kind == "date"]
    return all(_within(match.span(), dated) for match in _WORD.finditer(words))


def _answering_words(question: str, answer: str, reader: PassageReader, written: list[str]) -> str:
    """The words in the answer that answer, few enough for a name; "" where none do."""
    text = _MARK.sub("", claimed_part(answer)).strip()
    if not text:
        return ""
    # Quoted sentences seldom name their subject ("The film stars …"): as in a document, the title does.
    (reading,) = reader.read(question, [Document("answer", text, title=", ".join(written))])
    if not reading.spans or reading.answers < _READ:
        return ""
    words = text[reading.spans[0].start : reading.spans[0].end].strip(" .,;")
    return words if len(words.split()) <= _LONGEST_NAME else ""


def _has_own_name(words: str, written: list[str]) -> bool:
    """Whether a word has a capital that none of the names `written` in the question holds."""
    known = {word.lower() for one in written for word in _WORD.findall(one)}
    return any(word[0].isupper() and word.lower() not in known for word in _WORD.findall(words))


def _without_lead(question: str, start: int, end: int) -> tuple[int, int]:
    """A run without the words that ask at its beginning ("Did Ada" is "Ada"), and without a possessive's ending."""
    for match in _WORD.finditer(question, start, end):
        if not is_stop(match[0].lower()) and match[0].lower() not in ("hi", "hello"):
            break
        start = min(end, match.end() + len(question[match.end() : end]) - len(question[match.end() : end].lstrip()))
    text = question[start:end]
    return start, end - 2 if re.search(r"['’]s$", text) else end


def _fills(phrase: str, name: str) -> bool:
    """Whether the phrase is the name alone, with at most an article."""
    return [word.lower() for word in _WORD.findall(phrase) if word.lower() not in _ARTICLES] == [
        word.lower() for word in _WORD.findall(name) if word.lower() not in _ARTICLES
    ]


def _is_one_name(between: str) -> bool:
    """Whether two runs with this between them are one name: marks and function words alone ("Stop! Or My Mom Will Shoot")."""
    found = _WORD.findall(between)
    capital = all(word[0].isupper() for word in found)
    return (
        bool(re.fullmatch(r"[\s!:,&'’.-]*", _WORD.sub("", between))) and capital and len(found) <= 3 and between != " "
    )


Knows: TypeAlias = Callable[[str], bool]
"""Whether a library knows one of these words."""

_PERSONAL = re.compile(r"\b(?P<word>he|she|him|her|his|hers)\b", re.IGNORECASE)
_THING = re.compile(r"\b(?P<word>it|its)\b", re.IGNORECASE)
_POINTED = re.compile(
    r"\b(?P<word>this|that)(?=\W*$|\s+(?:is|are|was|were|do|does|did|mean|cost|work|happen|apply|one)\b)", re.IGNORECASE
)
_PLURAL = re.compile(r"\b(?P<word>they|them|their|theirs|these|those)\b", re.IGNORECASE)
_THERE = re.compile(
    r"(?<!is )(?<!are )(?<!was )(?<!were )\b(?P<word>there)\b(?!\s+(?:is|are|was|were|any|an?)\b)", re.IGNORECASE
)
_ASKS_FOR = frozenset("what which many much".split())
_LEADS = frozenset("and but so or then ok okay".split())
_ABOUT = re.compile(r"^\W*(?:what|how) about\b\s*", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|am|do|does|did|can|could|has|have|had|will|would|should|may|"
    r"might|must|shall)\b",
    re.IGNORECASE,
)
_BEFORE = "of in at on for with by from to under after before during about into over without".split()
_PREPOSITION = re.compile(rf"^(?P<word>{'|'.join(_BEFORE)})\s+(?=\w)", re.IGNORECASE)
_DEFINITE = re.compile(r"\b(?:the|that|this)\s+(?P<noun>[a-z][a-z-]+)(?=\W*$)")
# "Is it possible to …", "how long does it take to …", "what time is it": the forms of Lappin & Leass, 2.2.
_PLEONASTIC = re.compile(
    r"\b(?:is|was|be|been)\s+it\s+[\w-]+\s+(?:to|that|for|if|whether)\b|\bit\s+(?:is|was|will be|would be)\s+[\w-]+\s+(?:to|that|for)\b"
    r"|\bit\s+takes?\b.*\bto\b|\b(?:time|day|date)\s+is\s+it\b|\bit\s+means?\s+(?:to|that|when|if)\b",
    re.IGNORECASE,
)
_MOST = 7  # words of a question that only goes on
# Words with meaning of one that is told from what one looks for by nothing else, a name or code counted as one.
_BARE = 2
_SPEAKERS = frozenset("i we you me".split())
# Which mentions each kind of word may mean, best first.
_MEANS: tuple[tuple[re.Pattern[str], tuple[Kind, ...]], ...] = (
    (_PERSONAL, ("person", "any")),
    (_THING, ("thing", "any", "place", "several")),
    (_POINTED, ("thing", "any", "place", "several")),
    (_PLURAL, ("several", "any", "thing", "person")),
    (_THERE, ("place", "any", "thing")),
)
_POSSESSIVES = frozenset("his its their her".split())
_OWN = frozenset("hers theirs".split())


@dataclass(frozen=True, slots=True)
class Spoken:
    """A turn: its question as it was understood, and the answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Completion:
    """`readings` of a question, likeliest first (none where it is incomplete); `missing`: the words that nothing said before explains."""

    readings: tuple[str, ...]
    missing: str = ""


def completed(
    question: str, before: Sequence[Spoken], reader: PassageReader, knows: Knows = lambda _: True
) -> Completion:
    """The question as it is meant after the turns `before` it, oldest first; `knows` tells whether the library has words."""
    spoken = [list(mentions(turn.question, turn.answer, reader)) for turn in reversed(before)]
    core = _completion_without_lead(question)
    piece = _ABOUT.sub("", core, count=1).strip(" ?.!")
    about = piece != core.strip(" ?.!")
    bare = piece == question.strip(" ?.!") and "?" not in question
    core = core[:1].upper() + core[1:]
    resolved, missing = _resolved(core, spoken)
    goes_on = _goes_on(core, piece)
    if goes_on and (not before or _names_something(piece, about, bare, before[-1].question, knows)):
        if missing or not before:  # words as for a search box go on from nothing, where nothing was said
            alone = not missing and piece == question.strip(" ?.!")
            return Completion((question,)) if alone else Completion((), missing or question.strip())
        return Completion((_in_place(before[-1].question, _resolved(piece, spoken)[0]),))
    if missing:
        return Completion((), missing)
    if resolved != core:
        return Completion((resolved,))
    asks = _ASKS.search(core) is not None
    if asks and not names(core) and spoken and (subject := _subject(spoken)) is not None:
        return Completion((_about(core, subject), question))
    return Completion((question,))


def _completion_without_lead(question: str) -> str:
    """The question without the words of assent, thanks and going on before it ("Great, thanks, and in winter?")."""
    told = without_assent(question)
    first = _WORD.search(told)
    while first is not None and first[0].lower() in _LEADS and _WORD.search(told, first.end()):
        told = told[first.end() :].lstrip(" ,")
        first = _WORD.search(told)
    return told.strip()


def _names_something(piece: str, about: bool, bare: bool, last: str, knows: Knows) -> bool:
    """Whether a piece names a thing that may take a place in the `last` question: no clause, no sentence of another language."""
    if not about and not _SPEAKERS.isdisjoint(words_of(piece)):
        return False
    named = names(piece)
    plain = [match[0] for match in _WORD.finditer(piece) if not any(a <= match.start() < b for a, b in named)]
    meaning = [word for word in plain if not is_stop(word.lower())]
    if bare and len(meaning) + len(named) > _BARE:
        return False
    return (not plain or asked_in(piece) in (None, asked_in(last))) and (not bare or bool(named) or knows(piece))


def _resolved(question: str, spoken: Sequence[Sequence[Mention]]) -> tuple[str, str]:
    """The question with what stands for something replaced, and the first word for which there is nothing."""
    for pattern, kinds in _MEANS:
        at = 0
        while (match := pattern.search(question, at)) is not None:
            at = match.end()
            if _explained(question, match):
                continue
            meant = _meant(spoken, kinds)
            if meant is None:
                return question, match["word"]
            words = _form(match, question, meant)
            question = question[: match.start()] + words + question[match.end() :]
            at = match.start() + len(words)
    return question, ""


def _explained(question: str, match: re.Match[str]) -> bool:
    """Whether the question itself says what the word stands for: a name before it, or "it" that stands for what follows."""
    word = match["word"].lower()
    if word == "it" and any(one.start() <= match.start() < one.end() for one in _PLEONASTIC.finditer(question)):
        return True
    return word != "there" and any(end <= match.start() for _, end in names(question))


def _meant(spoken: Sequence[Sequence[Mention]], kinds: Sequence[Kind]) -> Mention | None:
    """The nearest mention that a word of these kinds can mean: of the last turn that has one; named ones before phrases.

    What another turn told to be of another kind ("Who directed Target Zero?": a thing) is none where this one does not tell.
    """
    personal = kinds[0] == "person"
    told = {(one.words, one.kind) for turn in spoken for one in turn if one.kind != "any"}
    other = {words for words, kind in told if kind not in kinds} - {words for words, kind in told if kind in kinds}
    for turn in spoken:
        usable = [one for one in turn if one.kind in kinds and (one.named or not personal) and one.words not in other]
        if usable:
            fitting = [one for one in usable if one.kind == kinds[0] and one.named]
            named = [one for one in usable if one.named]
            return (fitting or named or sorted(usable, key=lambda one: kinds.index(one.kind)))[0]
    return None


def _form(match: re.Match[str], question: str, meant: Mention) -> str:
    """The mention as it stands in the place of the word."""
    word, words = match["word"].lower(), meant.words
    if not meant.named and not _has_article(words.split()[:1]):
        words = f"the {words}"
    if word == "there":
        return f"at {words}"
    after = _WORD.match(question, len(question) - len(question[match.end() :].lstrip()))
    possessive = word in _POSSESSIVES and (word != "her" or (after is not None and not is_stop(after[0].lower())))
    if not possessive and word not in _OWN:
        return words
    return f"{words}'" if words.endswith("s") else f"{words}'s"


def _goes_on(core: str, piece: str) -> bool:
    """Whether the question only names something: nothing is asked of it, and it is short."""
    if not piece or len(piece.split()) > _MOST:
        return False
    return len(piece) < len(core.strip(" ?.!")) or _ASKS.search(piece) is None


def _in_place(last: str, piece: str) -> str:
    """The last question with `piece` in the place of what has its form there."""
    end = len(last.rstrip(" ?.!"))
    preposition = _PREPOSITION.match(piece)
    if preposition is not None:
        found = list(re.finditer(rf"\b{preposition['word']}\b\s+", last[:end], re.IGNORECASE))
        if not found:
            return f"{last[:end]} {piece}?"
        start = found[-1].start()
        named = [place for place in names(last[:end]) if place[0] >= found[-1].end()]
        own = bool(names(piece))
        stop = named[0][1] if named and own else _phrase_end(last, found[-1].end(), end)
        return f"{last[:start]}{piece}{last[stop:end]}?"
    place = _counterpart(last[:end], piece)
    if place is None:
        return f"{last[:end]} {piece}?"
    before = last[: place[0]]
    if _has_article(piece.split()[:1]) and _has_article(before.split()[-1:]):
        before = (
            before.rstrip().rpartition(" ")[0] + " "
        )  # "a carer" takes the place of "an employee", not of "employee" alone
    return f"{before}{piece}{last[place[1] : end]}?"


def _has_article(words: Sequence[str]) -> bool:
    return any(word.lower() in ("a", "an", "the") for word in words)


def _phrase_end(text: str, start: int, end: int) -> int:
    """Where the phrase that begins at `start` ends: before the next preposition, or with the question."""
    further = re.compile(rf"\s+(?:{'|'.join(_BEFORE)})\s", re.IGNORECASE).search(text, start, end)
    return further.start() if further is not None else end


def _counterpart(last: str, piece: str) -> tuple[int, int] | None:
    """What of the last question `piece` takes the place of: a code, a name, or the phrase most like it in number."""
    if codes := identifiers(piece):
        others = [one for one in identifiers(last) if one.shape == codes[0].shape] or identifiers(last)
        if others:
            return others[-1].start, others[-1].end
    named = names(last)
    if names(piece) and named:
        return named[-1]
    # Words of a name are none by themselves, and what is asked for ("how many days") stays.
    found = list(_WORD.finditer(last))
    asked = {match.span() for before, match in pairwise(found) if before[0].lower() in _ASKS_FOR}
    places = [match.span() for match in found if not is_stop(match[0].lower()) and match.span() not in asked]
    words = [place for place in places if not any(a <= place[0] < b for a, b in named)]
    alike = [place for place in words if last[place[0] : place[1]].endswith("s") == piece.endswith("s")]
    if named and not (alike and piece.endswith("s")):
        return named[-1]
    return next(reversed(alike or words), None)


def _subject(spoken: Sequence[Sequence[Mention]]) -> Mention | None:
    """What the last turn was about: a thing before a person, a name before a phrase."""
    last = [one for one in spoken[0] if one.kind in ("thing", "any")] or list(spoken[0])
    return next((one for one in last if one.named), last[0] if last else None)


def _about(question: str, subject: Mention) -> str:
    """The question with the subject put behind the noun that stands for it ("the film"), else behind the question."""
    words = subject.words if subject.named else f"the {subject.words}"
    noun = _DEFINITE.search(question)
    if noun is not None and subject.named:
        return f"{question[: noun.start()]}the {noun['noun']} {words}{question[noun.end() :]}"
    end = len(question.rstrip(" ?.!"))
    return f"{question[:end]} ({words})?"
