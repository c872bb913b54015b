"""A question completed by rule from what was spoken of before it (without a language model).

1. What stands for something said before, a pronoun or "there", is replaced by the nearest mention that it can mean: "he" and "she" mean
   persons, "it" things, "they" several, "there" places (Lappin & Leass 1994, An Algorithm for Pronominal Anaphora Resolution, gives the
   order: the last turn before those before it; what it asked about before what it merely named). What the last turn's own pronoun stood
   for is meant again, if its answer named nothing of that kind (Grosz, Joshi & Weinstein 1995, Centering).
2. A question that only goes on ("And Louis Seigner?", "What about keys?") is the last question with the part of the same form put in its
   place: a name for a name, a code for a code, "in winter" for "in summer".
3. A question without a name of its own may still be about the last turn's subject ("Who wrote the film?"). It is put to the library with
   that subject first, and as it stands where that has no answer.
   So too where what a pronoun stood for was only a phrase ("the workers"), which says less than what was spoken of.
4. Where nothing before can be meant, the question is incomplete: the words that mean nothing yet are told.

What goes on names something: a phrase, without a subject that does something ("I lost my card"), in the language of the last question, and
in words that the library knows. By itself, without "and" or a question mark, it is as short as the words for a thing. All else is asked as
it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from decoct.conversation.mentions import (
    ASKS_FOR_THING,
    PREPOSITIONS,
    WORD,
    Kind,
    Mention,
    auxiliary_before,
    meaning_places,
    mentions,
    names,
)
from decoct.embed.minilm import MiniLM
from decoct.reading.base import PassageReader
from decoct.reading.yes_no import AUXILIARIES
from decoct.text.identifiers import identifiers
from decoct.text.languages import asked_in
from decoct.text.unasked import without_assent
from decoct.text.words import content_stems, is_stop
from decoct.text.words import words as words_of

Knows: TypeAlias = Callable[[str], bool]
"""Whether a library knows one of these words."""

_PERSONAL = re.compile(r"\b(?P<word>he|she|him|her|his|hers)\b", re.IGNORECASE)
_THING = re.compile(r"\b(?P<word>it|its)\b", re.IGNORECASE)
_POINTED = re.compile(
    r"\b(?P<word>this|that)(?=\W*$|\s+(?:is|are|was|were|do|does|did|mean|cost|work|happen|apply|one)\b)", re.IGNORECASE
)
_PLURAL = re.compile(r"\b(?P<word>they|them|their|theirs|these|those)\b(?!\s+(?:who|that|with|in|of)\b)", re.IGNORECASE)
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
_PREPOSITION = re.compile(rf"^(?P<word>{'|'.join(PREPOSITIONS)})\s+(?=\w)", re.IGNORECASE)
_DEFINITE = re.compile(r"\b(?:the|that|this)\s+(?P<noun>[a-z][a-z-]+)(?=\W*$)")
# "Is it possible to …", "how long does it take to …", "what time is it": the forms of Lappin & Leass, 2.2.
_PLEONASTIC = re.compile(
    r"\b(?:is|was|be|been)\s+it\s+[\w-]+\s+(?:to|that|for|if|whether)\b|\bit\s+(?:is|was|will be|would be)\s+[\w-]+\s+(?:to|that|for)\b"
    r"|\bit\s+takes?\b.*\bto\b|\b(?:time|day|date)\s+is\s+it\b|\bit\s+means?\s+(?:to|that|when|if)\b",
    re.IGNORECASE,
)
_SHORT = 3  # words with meaning of a question that may be about what was spoken of
_ALIKE = 0.35  # the cosine of what may stand for each other ("winter", "summer"), on the conversations of 27 programs and 12 houses
_MOST = 7  # words of a question that only goes on
# Words with meaning of one that is told from what one looks for by nothing else, a name or code counted as one.
_BARE = 2
_OWNED = 2  # words before a possessive: the verb and one that may own
_SPEAKERS = frozenset("i we you me".split())
_POINTS = frozenset("the that this".split())
_CLAUSES = frozenset("if when while before after".split())
_ASK_FOR = frozenset("who whom whose what which when where why how".split())
_SPEAKER_DOES = re.compile(rf"\b(?:{AUXILIARIES})\s+(?:{'|'.join(sorted(_SPEAKERS))})\s+", re.IGNORECASE)
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
    """A turn: its question as it was understood, the answer, and what the question was completed with."""

    question: str
    answer: str
    topic: Mention | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """`readings` of a question, likeliest first (none where it is incomplete), and the `topic` that was put into the first.

    `missing`: the words that nothing said before explains.
    """

    readings: tuple[str, ...]
    missing: str = ""
    topic: Mention | None = None


def completed(
    question: str, before: Sequence[Spoken], reader: PassageReader, knows: Knows = lambda _: True
) -> Completion:
    """The question as it is meant after the turns `before` it, oldest first; `knows` tells whether the library has words."""
    spoken = [list(mentions(turn.question, turn.answer, reader, turn.topic)) for turn in reversed(before)]
    core = _completion_without_lead(question)
    if before and (kind := ASKS_FOR_THING.match(before[-1].question)):
        which, _, rest = core.partition(" ")
        one, _, rest = rest.partition(" ")
        core = f"{which} {kind['kind']} {rest}" if (which.lower(), one[:3]) == ("which", "one") else core
    piece = _ABOUT.sub("", core, count=1).strip(" ?.!")
    about = piece != core.strip(" ?.!")
    bare = piece == question.strip(" ?.!") and "?" not in question
    core = core[:1].upper() + core[1:]
    resolved, missing, topic = _resolved(core, spoken)
    said = before[-1].question.strip(" ?.!") if before and _is_statement(before[-1].question) else ""
    if _goes_on(core, piece) and (not before or _names_something(piece, about, bare, before[-1].question, knows)):
        if missing or not before:  # words as for a search box go on from nothing, where nothing was said
            alone = not missing and piece == question.strip(" ?.!")
            return Completion((question,)) if alone else Completion((), missing or question.strip())
        return _gone_on(before[-1], _resolved(piece, spoken)[0], spoken, said)
    if said and _ASKS.search(core) and (_is_bare(core) or topic is not None) and not _PERSONAL.search(core):
        return Completion((_about(core, Mention(said, "thing")), question))
    if missing:
        return Completion((), missing)
    return _about_subject(question, core, resolved, topic, _subject(spoken) if spoken else None)


def _about_subject(
    question: str, core: str, resolved: str, topic: Mention | None, subject: Mention | None
) -> Completion:
    """The question whose pronouns are `resolved`, or one without any, with the `subject` of the last turn where it says too little."""
    if topic is not None:
        vague = not topic.named and subject is not None and content_stems(subject.words) - content_stems(resolved)
        return Completion((_about(resolved, subject) if vague and subject else resolved,), topic=topic)
    if subject is None or names(core) or _ASKS.search(core) is None:
        return Completion((question,))
    with_subject = _about(core, subject)
    own = [at for at, _ in meaning_places(core) if _POINTS.isdisjoint(WORD.findall(core[:at].lower())[-1:])]
    readings = (with_subject, question) if _is_bare(core) else (core, with_subject)
    return Completion(readings, topic=None if own else replace(subject, is_topic=True))


def _is_statement(turn: str) -> bool:
    """Whether a turn tells something and asks nothing."""
    asks = _ASKS.match(turn.strip()) or not _ASK_FOR.isdisjoint(WORD.findall(turn.lower()))
    return "?" not in turn and not asks and len(turn.split()) > _BARE


def _is_bare(question: str) -> bool:
    """Whether a question says too little to stand by itself."""
    return sum(not is_stop(word.lower()) for word in WORD.findall(question)) <= _SHORT


def _gone_on(last: Spoken, piece: str, spoken: Sequence[Sequence[Mention]], said: str) -> Completion:
    """The last question with `piece` in its place; of a statement (`said`) nothing was asked, so there the piece is asked about."""
    bare = _PREPOSITION.sub("", piece)
    topic = Mention(bare, "any", bool(names(bare)), is_topic=True)
    if said and not (identifiers(piece) or piece.isdigit() or (names(piece) and names(said))):
        return Completion((_about(f"{piece}?", Mention(said, "thing")),), topic=topic)
    asked = last.question
    to, *does = piece.split()
    begun = _SPEAKER_DOES.search(asked)
    if to.lower() == "to" and does and not _has_article(does[:1]) and begun:
        subject = _subject(spoken)
        words = f"{asked[: begun.end()]}{' '.join(does)}?"
        return Completion((_about(words, subject) if subject else words,))
    if last.topic is not None and _PREPOSITION.match(piece) and asked.endswith(f"({last.topic.words})?"):
        # "(the number of sessions in imtcp)", and now for another than imtcp
        asked = re.sub(rf"\s+(?:{'|'.join(PREPOSITIONS)})\s+[^()]*?\)\?$", ")?", asked)
    return Completion((_in_place(asked, piece),), topic=topic)


def _completion_without_lead(question: str) -> str:
    """The question without the words of assent, thanks and going on before it ("Great, thanks, and in winter?")."""
    told = without_assent(question)
    first = WORD.search(told)
    while first is not None and first[0].lower() in _LEADS and WORD.search(told, first.end()):
        told = told[first.end() :].lstrip(" ,")
        first = WORD.search(told)
    return told.strip()


def _names_something(piece: str, about: bool, bare: bool, last: str, knows: Knows) -> bool:
    """Whether a piece names a thing that may take a place in the `last` question: no clause, no sentence of another language."""
    if not about and not _SPEAKERS.isdisjoint(words_of(piece)):
        return False
    named = names(piece)
    plain = [match[0] for match in WORD.finditer(piece) if not any(a <= match.start() < b for a, b in named)]
    meaning = [word for word in plain if not is_stop(word.lower())]
    if bare and len(meaning) + len(named) > _BARE:
        return False
    return (not plain or asked_in(piece) in (None, asked_in(last))) and (not bare or bool(named) or knows(piece))


def _resolved(question: str, spoken: Sequence[Sequence[Mention]]) -> tuple[str, str, Mention | None]:
    """The question with what stands for something replaced, the first word for which there is nothing, and what was put first."""
    topic: Mention | None = None
    for pattern, kinds in _MEANS:
        at = 0
        while (match := pattern.search(question, at)) is not None:
            at = match.end()
            if _explained(question, match):
                continue
            meant = _meant(spoken, kinds)
            if meant is None:
                return question, match["word"], None
            words = _form(match, question, meant)
            question = question[: match.start()] + words + question[match.end() :]
            at = match.start() + len(words)
            topic = topic or replace(meant, is_topic=True)
    return question, "", topic


def _explained(question: str, match: re.Match[str]) -> bool:
    """Whether the question itself says what the word stands for: a name or its owner before it, or "it" that stands for what follows."""
    word = match["word"].lower()
    before = [one for pattern, _ in _MEANS for one in pattern.finditer(question, 0, match.start())]
    if any(_owners(question, one) >= _OWNED for one in (match, *before)):  # "Where does the server write its log?"
        return True
    if word == "it" and any(one.start() <= match.start() < one.end() for one in _PLEONASTIC.finditer(question)):
        return True
    return word != "there" and any(end <= match.start() for _, end in names(question))


def _owners(question: str, match: re.Match[str]) -> int:
    """How many words before a possessive, or a pronoun of a clause of its own, may be what it stands for: those with meaning."""
    before = question[: match.start()]
    words = WORD.findall(before)
    if match["word"].lower() not in _POSSESSIVES and _CLAUSES.isdisjoint(word.lower() for word in words[-1:]):
        return 0
    speaks = any(word.lower() in _SPEAKERS for word in words)
    return sum(not is_stop(word.lower()) for word in words) - speaks - (words[-1:] == ["of"])


def _meant(spoken: Sequence[Sequence[Mention]], kinds: Sequence[Kind]) -> Mention | None:
    """The nearest mention that a word of these kinds can mean: of the last turn that has one; named ones before phrases.

    What another turn told to be of another kind ("Who directed Target Zero?": a thing) is none where this one does not tell.
    """
    personal = kinds[0] == "person"
    told = {(one.words, one.kind) for turn in spoken for one in turn if one.kind != "any"}
    other = {words for words, kind in told if kind not in kinds} - {words for words, kind in told if kind in kinds}
    for turn in spoken:
        usable = [one for one in turn if one.kind in kinds and (one.named or not personal) and one.words not in other]
        topic = next((at for at, one in enumerate(usable) if one.is_topic and one.kind in ("any", kinds[0])), None)
        if topic is not None:  # only what answered is meant before it
            usable = usable[: topic + 1]
            if not any(one.named and one.kind == kinds[0] for one in usable[:topic]):
                return usable[topic]
        if usable:
            usable.sort(key=lambda one: (not one.named, kinds.index(one.kind)))
            return usable[0]
    return None


def _form(match: re.Match[str], question: str, meant: Mention) -> str:
    """The mention as it stands in the place of the word."""
    word, words = match["word"].lower(), meant.words
    if not meant.named and not _has_article(words.split()[:1]):
        words = f"the {words}"
    if word == "there":
        return f"at {words}"
    after = WORD.match(question, len(question) - len(question[match.end() :].lstrip()))
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
        return f"{last[:end]} ({piece})?"
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
    further = re.compile(rf"\s+(?:{'|'.join(PREPOSITIONS)})\s", re.IGNORECASE).search(text, start, end)
    return further.start() if further is not None else end


def _counterpart(last: str, piece: str) -> tuple[int, int] | None:
    """What of the last question `piece` takes the place of: a code, a name, or the phrase most like it in number."""
    if codes := identifiers(piece):
        others = [one for one in identifiers(last) if one.shape == codes[0].shape] or identifiers(last)
        if others:
            return others[-1].start, others[-1].end
    if piece.isdigit() and (numbers := [match.span() for match in WORD.finditer(last) if match[0].isdigit()]):
        return numbers[-1]
    named = names(last)
    if names(piece) and named:
        return named[-1]
    # Words of a name are none by themselves, and what is asked for ("how many days") stays.
    found = list(WORD.finditer(last))
    asked = {match.end() for before, match in pairwise(found) if before[0].lower() in _ASKS_FOR}
    places = [
        place
        for place in meaning_places(last)
        if place[1] not in asked and not any(a <= place[0] < b for a, b in named)
    ]
    if named and not (piece.endswith("s") and places):
        return named[-1]
    return _nearest(piece, places, last)


def _nearest(piece: str, places: Sequence[tuple[int, int]], text: str) -> tuple[int, int] | None:
    """Of the places in a question the one whose words mean what is most like the piece, else its subject; None where it has none."""
    if not places:
        return None
    vectors = MiniLM().embed([piece, *(text[slice(*place)] for place in places)], "query")
    alike = vectors[1:] @ vectors[0]
    if alike.max() >= _ALIKE:
        return places[int(alike.argmax())]
    subject = next((place for place in places if auxiliary_before(text, place[0])), None)
    words = [match.span() for match in WORD.finditer(text, *subject)] if subject else []
    return next((one for one in reversed(words) if text[slice(*one)].endswith("s") == piece.endswith("s")), subject)


def _subject(spoken: Sequence[Sequence[Mention]]) -> Mention | None:
    """What the last turn was about: a thing before a person, a name before a phrase."""
    last = [one for one in spoken[0] if one.kind in ("thing", "any")] or list(spoken[0])
    return next((one for one in last if one.named), last[0] if last else None)


def _about(question: str, subject: Mention) -> str:
    """The question with the subject put behind the noun that stands for it ("the film"), else behind the question."""
    words = subject.words if subject.named or _has_article(subject.words.split()[:1]) else f"the {subject.words}"
    noun = _DEFINITE.search(question)
    if noun is not None and subject.named:
        return f"{question[: noun.start()]}the {noun['noun']} {words}{question[noun.end() :]}"
    end = len(question.rstrip(" ?.!"))
    return f"{question[:end]} ({words})?"
