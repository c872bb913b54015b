"""A question completed by rule from what was spoken of before it (without a language model).

1. What stands for something said before, a pronoun or "there", is replaced by the nearest mention that it can mean: "he" and "she" mean
   persons, "it" things, "they" several, "there" places (Lappin & Leass 1994, An Algorithm for Pronominal Anaphora Resolution, gives the
   order: the last turn before those before it; what it asked about before what it merely named). What the last turn's own pronoun stood
   for is meant again, if its answer named nothing of that kind (Grosz, Joshi & Weinstein 1995, Centering).
2. A question that only goes on ("And Louis Seigner?", "What about keys?") is the last question with the part of the same form put in its
   place: a name for a name, a code for a code, "in winter" for "in summer".
3. A question without a name of its own may still be about the last turn's subject ("Who wrote the film?"). Where it leans on that
   (`leaning.py`), it is put to the library with it first, and as it stands where that has no answer; "By when?" with all that was asked,
   and with the document that the last answer cites. So too where what a pronoun stood for was only a phrase ("the workers"), which says
   less than what was spoken of.
4. After a statement ("I've lost my card") a pronoun means what its answer spoke of; where that was nothing, the question is put with all
   that was told.
5. Where nothing before can be meant, the question is incomplete: the words that mean nothing yet are told. What the question itself brings
   up is meant in it: "When a visitor loses a badge, who reports it?".

What goes on names something: a phrase, without a subject that does something ("I lost my card"), in the language of the last question, and
in words that the library knows. By itself, without "and" or a question mark, it is as short as the words for a thing. All else is asked as
it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from decoct.conversation.leaning import LEANS, LEANS_SOMEWHAT, leaning
from decoct.conversation.mentions import (
    ASKS,
    ASKS_FOR_THING,
    PREPOSITIONS,
    PUT_BEHIND,
    SPEAKER_DOES,
    SPEAKERS,
    WORD,
    Kind,
    Mention,
    auxiliary_before,
    follows_article,
    is_several,
    is_statement,
    listed_things,
    meaning_places,
    mentions,
    named_phrases,
    names,
)
from decoct.embed.minilm import MiniLM
from decoct.reading.base import PassageReader
from decoct.reading.turn_kinds import without_assent
from decoct.text.identifiers import identifiers
from decoct.text.languages import asked_in
from decoct.text.lists import ORDINALS
from decoct.text.questions import AUXILIARIES
from decoct.text.wholes import Place
from decoct.text.words import content_stems, is_stop, singular
from decoct.text.words import words as words_of

Knows: TypeAlias = Callable[[str], bool]
"""Whether a library knows one of these words."""


def _word(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?P<word>{'|'.join(words.split())})\b", re.IGNORECASE)


_POINTED = re.compile(
    r"\b(?P<word>this|that)(?=\W*$|\s+(?:is|are|was|were|do|does|did|mean|cost|work|happen|apply|one)\b)", re.IGNORECASE
)
_PLURAL = re.compile(r"\b(?P<word>they|them|their|theirs|these|those)\b(?!\s+(?:who|that|with|in|of)\b)", re.IGNORECASE)
_THERE = re.compile(
    r"(?<!is )(?<!are )(?<!was )(?<!were )\b(?P<word>there)\b(?!\s+(?:is|are|was|were|any|an?)\b)", re.IGNORECASE
)
_CONDITIONS = frozenset("if when while".split())
_CLAUSES = _CONDITIONS | {"before", "after"}
_JOINED = frozenset("that how who what".split())
_LEADS = frozenset("and but so or then ok okay".split())
_ABOUT = re.compile(r"^\W*(?:\w+\W+)?(?:(?:what|how) about|i mean\w?)\b\s*(?:the ones?\b\s*)?", re.IGNORECASE)
_DOES = re.compile(rf"\b(?:{AUXILIARIES})\b|['’]s\b", re.IGNORECASE)
_DEFINITE = re.compile(r"\b(?:the|that|this)\s+(?P<noun>[a-z][a-z-]+)(?=\W*$)")
# "Is it possible to …", "how long does it take to …", "what time is it": the forms of Lappin & Leass, 2.2.
_PLEONASTIC = re.compile(
    r"\b(?:is|was|be|been)\s+it\s+[\w-]+\s+(?:to|that|for|if|whether)\b|\bit\s+(?:is|was|will be|would be)\s+[\w-]+\s+(?:to|that|for)\b"
    r"|\bit\s+takes?\b.*\bto\b|\b(?:time|day|date)\s+is\s+it\b|\bit\s+means?\s+(?:to|that|when|if)\b",
    re.IGNORECASE,
)
_ONE_OF = re.compile(rf"\bthe\s+(?P<which>{'|'.join(ORDINALS)}|last|other)(?:\s+one\b|(?=\W*$))", re.IGNORECASE)
# Where a clause of its own begins, and what is denied ("not Kiel, Bonn").
_CLAUSE = re.compile(rf",|\b(?:{'|'.join(sorted(_CLAUSES | _JOINED))})\b", re.IGNORECASE)
_DENIED = re.compile(r"\bnot\s+([^,;.]+?)(?:\W*$|\s*[,;.]\s*|\s+but\s+)", re.IGNORECASE)
_MOST = 7  # words of a question that only goes on
# Words with meaning of one that is told from what one looks for by nothing else, a name or code counted as one.
_BARE = 2
_OWNED = 2  # words before a possessive: the verb and one that may own
# Which mentions each kind of word may mean, best first.
_MEANS: tuple[tuple[re.Pattern[str], tuple[Kind, ...]], ...] = (
    (_word("he she him her his hers"), ("person", "any")),
    (_word("it its"), ("thing", "any", "place", "several")),
    (_POINTED, ("thing", "any", "place", "several")),
    (_PLURAL, ("several", "any", "thing", "person")),
    (_THERE, ("place", "any", "thing")),
)
_POSSESSIVES = frozenset("his its their her".split())


@dataclass(frozen=True, slots=True)
class Spoken:
    """A turn: its question as it was understood, the answer, what the question was completed with, the title of what the answer cites."""

    question: str
    answer: str
    topic: Mention | None = None
    document: str = ""


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
    last = before[-1] if before else None
    question = _picked(question, before)
    core = _completion_without_lead(question)
    if last and (kind := ASKS_FOR_THING.match(last.question)):
        which, _, rest = core.partition(" ")
        one, _, rest = rest.partition(" ")
        core = f"{which} {kind['kind']} {rest}" if (which.lower(), one[:3]) == ("which", "one") else core
    piece = _ABOUT.sub("", core, count=1).strip(" ?.!")
    denied = _DENIED.search(core)
    if last and denied and (part := re.search(rf"\b{re.escape(denied[1])}\b", last.question, re.IGNORECASE)):
        instead = _ABOUT.sub("", core[: denied.start()] + core[denied.end() :]).strip(" ,;?.!")
        return Completion((f"{last.question[: part.start()]}{instead}{last.question[part.end() :]}",), topic=last.topic)
    is_piece = _goes_on(core, piece) and _names_something(piece, question, last.question if last else "", knows)
    core = core[:1].upper() + core[1:]
    resolved, missing, topic = _resolved(core, spoken)
    if is_piece and (missing or last is None):  # words as for a search box go on from nothing, where nothing was said
        return (
            Completion((question,))
            if not missing and piece == question.strip(" ?.!")
            else Completion((), missing or question.strip())
        )
    found = _gone_on(last, piece, spoken, question) if is_piece and last else None
    if found is None and last and is_statement(last.question):
        found = _after_statement(question, core, Completion((resolved,), missing, topic), last, spoken)
    if found is not None or missing:
        return found or Completion((), missing)
    subject = _subject(spoken) if spoken else None
    if topic is not None:
        vague = not topic.named and subject is not None and content_stems(subject.words) - content_stems(resolved)
        return Completion((_about(resolved, subject) if vague and subject else resolved,), topic=topic)
    return _about_subject(question, core, subject, last) if subject and last else Completion((question,))


def _after_statement(
    question: str, core: str, resolved: Completion, last: Spoken, spoken: Sequence[Sequence[Mention]]
) -> Completion | None:
    """The question after a turn that told something: of what its answer spoke of, else with what was told; None: of neither."""
    said, topic = last.question.strip(" ?.!"), resolved.topic
    if ASKS.search(core) is None or not (topic or resolved.missing or leaning(core) > LEANS_SOMEWHAT):
        return None
    own = content_stems(said)
    if topic is not None and not content_stems(topic.words) <= own:
        return resolved
    term = next((f"{one.words}, " for one in spoken[0] if one.named and not content_stems(one.words) <= own), "")
    return Completion((_behind(core, f"{term}{said}"), question))


def corrects(turn: str) -> bool:
    """Whether a turn says what the one before it was to mean: "Sorry, I meant gracefully", "No, not Kiel, Bonn"."""
    told = without_assent(turn)
    match = _ABOUT.match(told)
    return (match is not None and told[match.end() :].strip(" .!?") != "") or _DENIED.search(told) is not None


def _about_subject(question: str, core: str, subject: Mention, last: Spoken) -> Completion:
    """A question without a pronoun: with the `subject` of the last turn, where it leans on that, else as it stands."""
    elliptical = _is_elliptical(core)
    if (names(core) and not elliptical) or ASKS.search(core) is None or is_statement(core):
        return Completion((question,))
    noun = _DEFINITE.search(core)
    again = noun is not None and noun["noun"] in words_of(f"{last.question} {last.answer}")
    readings = (core, _about(core, subject))
    if again or elliptical or leaning(core) > (LEANS / 2 if noun else LEANS):  # "the film" is one that is known
        # "By when?" and "is email enough?" mean all that the last question says
        says = PUT_BEHIND.search(last.question) is None and (elliptical or not subject.named)
        completed = _behind(core, _asked_of(last.question)) if says else readings[1]
        named = not last.document or content_stems(last.document) <= content_stems(completed)
        readings = (completed if named else _behind(completed, last.document), question)
    return Completion(readings, topic=None if meaning_places(core) else replace(subject, is_topic=True))


def _is_elliptical(question: str) -> bool:
    """Whether nothing is said to be or to be done in it, so that what the last question says is meant ("By when?", "How many times?")."""
    own = [word for word in words_of(question) if not is_stop(word)]
    return len(own) <= 1 and _DOES.search(question) is None


def _asked_of(question: str) -> str:
    """What a question asks for, without the words that ask: "cancel my membership" of "How do I cancel my membership?"."""
    found = (match for match in WORD.finditer(question) if not is_stop(match[0].lower()))
    first = next((match.start() for match in found if words_of(question[: match.start()])[-1:] != ["how"]), 0)
    return question[first:].strip(" ?.!")


def _gone_on(last: Spoken, piece: str, spoken: Sequence[Sequence[Mention]], question: str) -> Completion | None:
    """The last question with `piece` in its place, or behind it; None where the piece is a turn of its own.

    After a statement nothing was asked, so there the piece is asked about.
    """
    piece, _, topic = _resolved(piece, spoken)
    said = last.question.strip(" ?.!") if is_statement(last.question) else ""
    if piece.partition(" ")[0].lower() in _CONDITIONS:
        return Completion((f"{piece}?" if said and topic else _behind(last.question, piece),), topic=topic)
    bare = AT_PREPOSITION.sub("", piece)
    spoken_of = piece == bare or piece.lower().startswith(("of ", "for "))  # "on a phone" tells where, and is no topic
    topic = Mention(bare, "any", bool(names(bare)), is_topic=True) if spoken_of else last.topic
    to, _, does = piece.partition(" ")
    begun = SPEAKER_DOES.search(last.question)
    if to.lower() == "to" and does and not has_article(does) and begun:
        subject = _subject(spoken)
        words = f"{last.question[: begun.end()]}{does}?"
        return Completion((_about(words, subject) if subject else words,))
    found = exchanged(last.question, piece)
    if found is None and piece == question.strip(" .!") and leaning(f"what is {piece}") <= LEANS:
        return None  # as one writes for a search box
    return Completion((found or _behind(last.question, piece),), topic=topic)


def _completion_without_lead(question: str) -> str:
    """The question without the words of assent, thanks and going on before it ("Great, thanks, and in winter?")."""
    told = without_assent(question)
    first = WORD.search(told)
    while first is not None and first[0].lower() in _LEADS and WORD.search(told, first.end()):
        told = told[first.end() :].lstrip(" ,")
        first = WORD.search(told)
    return told.strip()


def _picked(question: str, before: Sequence[Spoken]) -> str:
    """The question with what was listed last in the place of "the second one" and "the other one"."""
    picked = _ONE_OF.search(question)
    if picked is None:
        return question
    which, found = picked["which"].lower(), ""
    for turn in reversed(before):
        things = listed_things(turn.answer) or listed_things(turn.question)
        if which == "other":
            asked, text = content_stems(before[-1].question), turn.answer
            things = things or [text[slice(*place)] for place in names(text)]
            things = [one for one in things if not content_stems(one) <= asked]
            found = things[0] if len(things) == 1 else ""
        else:
            at = ORDINALS.get(which, 0) - 1
            found = things[at] if at < len(things) else ""
        if found:
            break
    return f"{question[: picked.start()]}{found}{question[picked.end() :]}" if found else question


def _names_something(piece: str, question: str, last: str, knows: Knows) -> bool:
    """Whether a piece names a thing that may take a place in the `last` question: no clause, no sentence of another language."""
    if not last:
        return True
    if not SPEAKERS.isdisjoint(words_of(piece)) and _ABOUT.match(_completion_without_lead(question)) is None:
        return False
    if any(pattern.match(piece) for pattern, _ in _MEANS) and _POSSESSIVES.isdisjoint(words_of(piece)[:1]):
        return False  # "it prints stripes"
    named = names(piece)
    plain = [match[0] for match in WORD.finditer(piece) if not any(a <= match.start() < b for a, b in named)]
    meaning = [word for word in plain if not is_stop(word.lower())]
    bare = piece == question.strip(" ?.!") and "?" not in question
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
    if (match["word"].isupper() and not question.isupper()) or _is_brought_up(question, match):
        return True  # "the IT desk"; "When a visitor loses a badge, who reports it?"
    before = [one for pattern, _ in _MEANS for one in pattern.finditer(question, 0, match.start())]
    if any(_owners(question, one) >= _OWNED for one in (match, *before)):  # "Where does the server write its log?"
        return True
    if word == "it" and any(one.start() <= match.start() < one.end() for one in _PLEONASTIC.finditer(question)):
        return True
    if word == "that" and question[match.end() :].strip(" ?.!"):  # "files that are newer"
        return not all(is_stop(last) for last in words_of(question[: match.start()])[-1:])
    return word != "there" and any(end <= match.start() for _, end in names(question))


def _is_brought_up(question: str, match: re.Match[str]) -> bool:
    """Whether a clause before names what the word may mean, one or several (Kamp 1981, A Theory of Truth and Semantic Representation)."""
    clause = max((one.start() for one in _CLAUSE.finditer(question, 0, match.start())), default=0)
    several = _PLURAL.match(match["word"]) is not None
    for start, end in meaning_places(question[:clause]):
        words, named = question[start:end], follows_article(question, start) or auxiliary_before(question, start)
        # a verb may end them: "the washing machine leaks"
        if named and (" " in words or several == is_several(words)):
            return True
    return False


def _owners(question: str, match: re.Match[str]) -> int:
    """How many words before a possessive, or a pronoun of a clause of its own, may be what it stands for: those with meaning."""
    before = question[: match.start()]
    words = WORD.findall(before)
    if match["word"].lower() not in _POSSESSIVES and _CLAUSES.isdisjoint(word.lower() for word in words[-1:]):
        return 0
    speaks = any(word.lower() in SPEAKERS for word in words)
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
            fitting = (kinds[0], "any")
            return min(usable, key=lambda one: (not one.named or one.kind not in fitting, kinds.index(one.kind)))
    return None


def _form(match: re.Match[str], question: str, meant: Mention) -> str:
    """The mention as it stands in the place of the word."""
    word, words = match["word"].lower(), meant.words
    if not meant.named and not has_article(words):
        words = f"the {words}"
    if word == "there":
        return f"at {words}"
    after = WORD.match(question, len(question) - len(question[match.end() :].lstrip()))
    possessive = word in _POSSESSIVES and (word != "her" or (after is not None and not is_stop(after[0].lower())))
    if not possessive:
        return words
    return f"{words}'" if words.endswith("s") else f"{words}'s"


def _goes_on(core: str, piece: str) -> bool:
    """Whether the question only names something: nothing is asked of it, and it is short."""
    if not piece or len(piece.split()) > _MOST:
        return False
    return len(piece) < len(core.strip(" ?.!")) or ASKS.search(piece) is None


def _subject(spoken: Sequence[Sequence[Mention]]) -> Mention | None:
    """What the last turn was about: a thing before a person, a name before a phrase."""
    last = [one for one in spoken[0] if one.kind in ("thing", "several", "any")] or list(spoken[0])
    return next((one for one in last if one.named), last[0] if last else None)


def _behind(question: str, words: str) -> str:
    """The question with words behind it that tell of what it is asked."""
    return f"{question.rstrip(' ?.!')} ({words})?"


def _about(question: str, subject: Mention) -> str:
    """The question with the subject put behind the noun that stands for it ("the film"), else behind the question."""
    words = subject.words if subject.named or has_article(subject.words) else f"the {subject.words}"
    noun = _DEFINITE.search(question)
    if noun is not None and subject.named:
        return f"{question[: noun.start()]}the {noun['noun']} {words}{question[noun.end() :]}"
    return _behind(question, words)


# A part of a question exchanged for what goes on with it: "in winter" for "in summer", a name for a name, a code for a code.
#
# Else it is what means what is most like the piece ("an adult" for "teenagers"), and where nothing does, what the question asks something
# of, if both are of a form ("lost umbrellas", "keys"). "The default" is something of what was spoken of and no other of its kind, which
# `leaning.py` tells, and "gracefully" is no thing: they take no place.
AT_PREPOSITION = re.compile(rf"^(?P<word>{'|'.join(PREPOSITIONS)})\s+(?=\w)", re.IGNORECASE)
_ALIKE = 0.3  # the cosine of what may stand for each other ("winter", "summer"), on the conversations of 27 programs and 12 houses


def exchanged(last: str, piece: str) -> str | None:
    """The last question with `piece` in the place of what has its form there; None where nothing has."""
    end = len(last.rstrip(" ?.!"))
    preposition = AT_PREPOSITION.match(piece)
    if preposition is not None:
        found = list(re.finditer(rf"\b{preposition['word']}\b\s+", last[:end], re.IGNORECASE))
        if not found:
            bare = piece[preposition.end() :]
            place = _nearest(bare, [*meaning_places(last[:end]), *names(last[:end])], last)
            added = f" {piece[0].lower()}{piece[1:]}"
            return f"{last[: place[0]]}{bare}{last[place[1] : end]}?" if place else f"{last[:end]}{added}?"
        start = found[-1].start()
        named = [place for place in names(last[:end]) if place[0] >= found[-1].end()]
        stop = named[0][1] if named and names(piece) else _phrase_end(last, found[-1].end(), end)
        return f"{last[:start]}{piece}{last[stop:end]}?"
    place = _counterpart(last[:end], piece)
    if place is None:
        return None
    before = last[: place[0]]
    if has_article(piece) and has_article(before.rpartition(" ")[0].rpartition(" ")[2]):
        # "a carer" takes the place of "an employee", not of "employee" alone
        before = before.rstrip().rpartition(" ")[0] + " "
    return f"{before}{piece}{last[place[1] : end]}?"


def has_article(words: str) -> bool:
    """Whether the words begin with an article."""
    return words.partition(" ")[0].lower() in ("a", "an", "the")


def _phrase_end(text: str, start: int, end: int) -> int:
    """Where the phrase that begins at `start` ends: before the next preposition, or with the question."""
    further = re.compile(rf"\s+(?:{'|'.join(PREPOSITIONS)})\s", re.IGNORECASE).search(text, start, end)
    return further.start() if further is not None else end


def _counterpart(last: str, piece: str) -> Place | None:
    """What of the last question `piece` takes the place of."""
    if codes := identifiers(piece):
        others = [one for one in identifiers(last) if one.shape == codes[0].shape] or identifiers(last)
        if others:
            return others[-1].start, others[-1].end
    if piece.isdigit() and (numbers := [match.span() for match in WORD.finditer(last) if match[0].isdigit()]):
        return numbers[-1]
    named = names(last)
    if names(piece) and named:
        whole = (place for place in named_phrases(last) if place[0] <= named[-1][0] and named[-1][1] <= place[1])
        return next(whole, named[-1]) if has_article(piece) else named[-1]
    # Words of a name are none by themselves.
    places = [place for place in meaning_places(last) if not any(a <= place[0] < b for a, b in named)]
    return _nearest(piece, [*places, *named], last) or _of_its_form(piece, places, named, last)


def _nearest(piece: str, places: Sequence[Place], text: str) -> Place | None:
    """Of the places in a question the one whose words mean what is most like the piece; None where none is like it."""
    if not places:
        return None
    vectors = MiniLM().embed([piece, *(text[slice(*place)] for place in places)], "query")
    alike = vectors[1:] @ vectors[0]
    return places[int(alike.argmax())] if alike.max() >= _ALIKE else None


def _of_its_form(piece: str, places: Sequence[Place], named: Sequence[Place], last: str) -> Place | None:
    """The subject of the last question, a name before others, where the piece is a thing as it is one."""
    several = not has_article(piece) and _is_plural(piece)
    subject = next((place for place in places if auxiliary_before(last, place[0])), None)
    words = [match.span() for match in WORD.finditer(last, *subject)] if subject else []
    fitting = next((one for one in reversed(words) if last[slice(*one)].endswith("s") == piece.endswith("s")), subject)
    if several and fitting is not None and _is_plural(last[slice(*fitting)]):
        return fitting  # "how long are backups kept?", "and logs?"
    if leaning(f"what is {piece}") > LEANS or not (has_article(piece) or several):
        return None
    return named[-1] if named and not (several and places) else fitting


def _is_plural(words: str) -> bool:
    return singular(words) != words
