"""What a turn spoke of, as a later pronoun may mean it: persons, things, several, places, each in the words that stand for it.

- "Who was Clifford Durr?" is about a person; "Who directed Target Zero?" has a person for its answer and a thing in the question.
- Words that answered are read out of the answer's text by the small reader, so that a chat needs no more than its texts.
- A question without a name is about its noun phrases: what follows an article, else the words with meaning that stand together.
- Dates, times and amounts say when and how much and are none: "it" after "What froze in 1947?" is what froze.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal, TypeAlias

from decoct.answer.quoted import claimed_part
from decoct.conversation.predicates import is_predicate
from decoct.data import Document
from decoct.embed.minilm.weights import FOLDER
from decoct.embed.onnx import whole_tokenizer
from decoct.reading.base import PassageReader
from decoct.text.identifiers import identifiers
from decoct.text.lists import SPELT
from decoct.text.names import RUN
from decoct.text.questions import AUXILIARIES, parsed_question
from decoct.text.sentences import sentences
from decoct.text.times import WEEKDAYS, months
from decoct.text.values import quantities
from decoct.text.words import content_stems, is_stop, singular
from decoct.text.words import words as words_of

Kind: TypeAlias = Literal["person", "thing", "several", "place", "any"]

_COPULA = re.compile(r"^\W*(?P<asks>who|what)(?:\s+(?:is|are|was|were)|['’]s)\s+(?P<phrase>[^?]+?)\W*$", re.IGNORECASE)
_ASKS_FOR_PERSON = re.compile(r"^\W*(?:who|whom)\b", re.IGNORECASE)
ASKS_FOR_THING = re.compile(
    r"^\W*(?:what|which)\s+(?!(?:is|are|was|were|do|does|did|of|one|ones)\b)(?P<kind>[^\W_]+)", re.IGNORECASE
)
# What does something is asked for: "What froze in 1947?", without a further verb.
_ASKS_FOR_DOER = re.compile(rf"^\W*(?i:who|what|which)\s+(?!.*\b(?:{AUXILIARIES})\b)")
_ARTICLE = re.compile(r"^(?:an?|the)\s+", re.IGNORECASE)
PREPOSITIONS = "of in at on for with by from to under after before during about into over without".split()
_STRANDED = re.compile(rf"\s+(?:{'|'.join(PREPOSITIONS)})$", re.IGNORECASE)
_AT = re.compile(r"\b(?:in|on|at|from|to)\s+(?:the\s+)?$", re.IGNORECASE)
WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_ARTICLES = frozenset(("a", "an", "the", "my", "our", "your"))
_JOINING = "|".join(("and", "or"))
_AND = re.compile(rf",\s*(?:(?:{_JOINING})\s+)?|\s+(?:{_JOINING})\s+")
_BARE_TURN = 2  # words
_TELL = frozenset("tell show explain describe list give".split())
_ASK_FOR = "who whom whose what which when where why how".split()
ASKS = re.compile(rf"\b(?:{'|'.join(_ASK_FOR)}|{AUXILIARIES}|am)\b", re.IGNORECASE)
# Names as programs write them: maxFileSize, tune.ssl.lifetime, worker_connections.
_CODED = re.compile(r"\b[^\W_]*[^\W\d_A-Z][A-Z][^\W_]*\b|\b(?=[\d._]*[^\W\d_])[^\W_]+(?:[._](?=[^\W_])[^\W_]+)+\b")
_AUXILIARIES = frozenset(AUXILIARIES.split("|")) - {"has", "have", "had"}
SPEAKERS = frozenset("i we you me".split())
SPEAKER_DOES = re.compile(rf"\b(?:{AUXILIARIES})\s+(?:{'|'.join(sorted(SPEAKERS))})\s+", re.IGNORECASE)
_BE = frozenset(AUXILIARIES.split("|")[:4])
PUT_BEHIND = re.compile(r"\s*\(.*\)(?=\?$)")
"""The subject that a question was completed with."""
_APOSTROPHE = re.compile("['’]")
_MARK = re.compile(r"\s*\[\d+\]")
_READ = 0.5  # how sure the reader must be that an answer's text holds words that answer its question
_PERSONAL = (2, 3)  # words of a person's name
_LONGEST_NAME = 8  # words of words that answer which are taken as a name


@dataclass(frozen=True, slots=True)
class Mention:
    """`words` that stand for something, as a question would write them; `named`: by a name, a code or a number of its own.

    `is_topic`: the turn was completed with it.
    """

    words: str
    kind: Kind
    named: bool = True
    is_topic: bool = False


def names(question: str) -> list[tuple[int, int]]:
    """The characters of each name and code of a question, in order; "Stop! Or My Mom Will Shoot" is one, years are none."""
    found = [_without_lead(question, *match.span()) for match in RUN.finditer(question)]
    found += [(one.start, one.end) for one in identifiers(question)]
    found += [match.span() for match in _CODED.finditer(question)]
    merged: list[tuple[int, int]] = []
    for start, end in sorted(place for place in found if place[0] < place[1]):
        if merged and (start <= merged[-1][1] or _is_one_name(question[merged[-1][1] : start])):
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def mentions(question: str, answer: str, reader: PassageReader, topic: Mention | None = None) -> Iterator[Mention]:
    """What a turn spoke of, likeliest meant first: a `question` that can be understood by itself, and the `answer` to it.

    `topic` is what the question was completed with.
    """
    if is_statement(question):
        yield from _told_of(claimed_part(answer), question)
    question = PUT_BEHIND.sub("", question)
    written = [question[slice(*place)] for place in names(question)]
    told = _answering_words(question, answer, reader, written)
    copula = _COPULA.match(question)
    person = _ASKS_FOR_PERSON.match(question) is not None
    if copula is not None:
        yield from _of_what_is(_STRANDED.sub("", copula["phrase"].strip()), told, person, written, topic)
    else:
        yield from _answering(question, told, person, written)
        yield from [topic] if topic is not None else []
    for start, end in reversed(names(question)):
        where = _AT.search(question, 0, start) is not None
        if not _is_time(question[start:end], where):
            yield Mention(question[start:end], "place" if where else "thing" if person and copula is None else "any")
    for start, end in named_phrases(question):
        yield Mention(f"the {question[start:end]}", _phrase(question[start:end]).kind)
    for words in phrases(question):
        yield _phrase(words)
    text = claimed_part(answer)
    others = {text[a:b] for a, b in names(text) if _AT.search(text, 0, a) is None} - set(written)
    persons = [one for one in others if one.replace(" ", "").isalpha() and len(one.split()) in _PERSONAL]
    yield from [Mention(one, "person") for one in persons if len(persons) == 1]


def listed_things(answer: str) -> list[str]:
    """What an answer lists in one sentence ("the Inn", "the Ilz" and "the Danube"), in order; empty where it lists nothing."""
    text = _MARK.sub("", claimed_part(answer))
    first, *further = max(
        (_AND.split(text[start:end].strip(" .")) for start, end in sentences(text)), key=len, default=[""]
    )
    # Before the first and behind the last stands what is said of them.
    begun = max(
        [start for start, end in names(first) if end == len(first)]
        or [start for start, _ in meaning_places(first)]
        or [0]
    )
    *middle, last = further or [""]
    ended = next(iter(names(last) or meaning_places(last)), (0, 0))[1]
    things = [first[begun:], *middle, last[:ended]] if ended else []
    number = SPELT.get(things[0].partition(" ")[0].lower()) if things else None
    return things[number == len(things) - 1 :]  # "two moons, Phobos and Deimos"


def is_statement(turn: str) -> bool:
    """Whether a turn tells something and asks nothing."""
    own = WORD.findall(turn.lower())
    asks = ASKS.match(turn.strip()) or not set(_ASK_FOR).isdisjoint(own) or not _TELL.isdisjoint(own[:1])
    told = len(turn.split()) > _BARE_TURN or _APOSTROPHE.split((words_of(turn) or [""])[0])[0] in SPEAKERS
    return "?" not in turn and not asks and told


def _told_of(answer: str, statement: str) -> Iterator[Mention]:
    """What an answer to a statement speaks of that the statement does not: it is the last that was spoken of."""
    text = _MARK.sub("", answer)
    for match in _CODED.finditer(text):
        if match[0] not in statement:
            yield Mention(match[0], "thing")
    for start, end in meaning_places(text):
        article, words = WORD.findall(text[:start].lower())[-1:], text[start:end].split()
        if article in (["a"], ["an"]):  # one thing, so a word in "s" behind it is a verb: "a replacement card costs"
            words = [*words[:1], *takewhile(lambda word: singular(word) == word, words[1:])]
        if _ARTICLES.issuperset(article) and article and not content_stems(text[start:end]) <= content_stems(statement):
            behind = set(WORD.findall(text[:start].lower())[-2:-1]) <= set(PREPOSITIONS)
            yield replace(_phrase(" ".join(words)), is_topic=not behind)


def _of_what_is(phrase: str, told: str, person: bool, written: list[str], topic: Mention | None) -> Iterator[Mention]:
    """Of "Who was X's wife?" who was `told`, and X's wife; "Who was X?" has no other name in its answer."""
    asked = Mention(phrase, "person" if person else _phrase(phrase).kind, named=bool(written))
    answered = [replace(asked, words=_as_within(told), named=True)] if _has_own_name(told, written) else []
    if any(_fills(phrase, words) for words in written):
        answered = []
    own = [topic] if topic is not None else []
    yield from [*answered, asked, *own] if person else [*own, *answered, asked]


def _answering(question: str, told: str, person: bool, written: list[str]) -> Iterator[Mention]:
    """What answered another question, where its kind is known."""
    asks_for = parsed_question(question).kind
    kind: Kind | None = "person" if person or asks_for == "person" else "place" if asks_for == "place" else None
    if kind is None and asks_for == "open" and (ASKS_FOR_THING.match(question) or _asks_how(question)):
        kind = "thing"
    if _has_own_name(told, written) or (told and _headword(told) == told and told not in words_of(question)):
        yield from [Mention(_as_within(told), kind)] if kind is not None else []
    elif person and _ARTICLE.match(told):
        yield Mention(_as_within(told), "person")
    elif _ASKS_FOR_DOER.match(question) and not person and _ARTICLE.match(told):
        yield _phrase(_ARTICLE.sub("", told))


def _as_within(told: str) -> str:
    """Words as they stand within a question: "The harbour" began a sentence."""
    return told[0].lower() + told[1:] if _ARTICLE.match(told) and told[1:].islower() else told


def phrases(question: str) -> list[str]:
    """Noun phrases without a name: what follows an article first, then other words with meaning, the last first, of a place at the end."""
    after: list[str] = []
    other: list[str] = []
    placed: list[str] = []
    taken = names(question)
    for start, end in meaning_places(question):
        if any(start < past and begin < end for begin, past in taken):
            continue
        if follows_article(question, start):
            after.append(question[start:end])
        else:
            (placed if _AT.search(question[:start]) else other).append(question[start:end])
    return [*after, *reversed(other), *placed]


def named_phrases(question: str) -> list[tuple[int, int]]:
    """The characters of noun phrases that hold a name and say more: "plugin in Grafana", "Blender scene" behind an article."""
    found, taken = [], names(question)
    for start, end in meaning_places(question):
        within = [name for name in taken if start <= name[0] and name[1] <= end]
        if within and (start, end) not in within and follows_article(question, start):
            found.append((start, end))
    return found


def is_several(words: str) -> bool:
    """Whether words name several things: by "and", else by their head ("logs" of "logs of a pod")."""
    head = [words, *takewhile(lambda word: word not in PREPOSITIONS, words.lower().split())][-1]
    return " and " in words or singular(head) != head


def _phrase(words: str) -> Mention:
    """A noun phrase without a name."""
    return Mention(words, "several" if is_several(words) else "thing", named=False)


def meaning_places(question: str) -> list[tuple[int, int]]:
    """The characters of words with meaning that stand together and name something: no bare dates, amounts, and no verb alone."""
    found: list[list[tuple[int, int]]] = []
    # "Can I keep …": no thing.
    tells = {match.end() for match in SPEAKER_DOES.finditer(question)}
    for match in WORD.finditer(question):
        if _is_function(match[0]) or match.start() in tells:
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
        auxiliary = auxiliary_before(question, named[0][0])
        after = WORD.findall(question[named[-1][1] :])
        if auxiliary in _BE:
            verb = is_predicate(question[slice(*named[-1])])
        else:
            verb = bool(auxiliary) and not (after and is_stop(after[-1].lower()) and after[-1] not in PREPOSITIONS)
        if verb and len(named) > 1:
            named.pop()  # "does the ticket last", "is the key placed by default": what it does is no part of its name
        while named and _within(named[-1], measured):
            named.pop()
        if all(_within(word, valued) for word in named):
            continue
        if doer is None or len(named) > 1 or named[0][0] != doer.end():
            places.append((named[0][0], named[-1][1]))
    return places


def follows_article(question: str, at: int) -> bool:
    """Whether the word before a place is an article or a speaker's "my", "our", "your"."""
    return not _ARTICLES.isdisjoint(WORD.findall(question[:at].lower())[-1:])


def auxiliary_before(question: str, at: int) -> str:
    """The auxiliary verb whose subject begins at `at`, with or without an article before it; "" where none stands there."""
    before = WORD.findall(question[:at].lower())
    while before and before[-1] in _ARTICLES:
        before.pop()
    return before[-1] if before and before[-1] in _AUXILIARIES else ""


def _is_function(word: str) -> bool:
    """Whether it is a function word, alone or with another ("what's", "cannot")."""
    return is_stop(_APOSTROPHE.split(word.lower())[0].removesuffix("not"))


def _within(word: tuple[int, int], places: list[tuple[int, int]]) -> bool:
    return any(start <= word[0] and word[1] <= end for start, end in places)


def _is_time(words: str, where: bool) -> bool:
    """Whether a name is a date's or a day's, or a month's after a preposition (`where`)."""
    if singular(words.lower()) in WEEKDAYS or (where and len(words.split()) == 1 and months(words)):
        return True
    dated = [(one.start, one.end) for one in quantities(words) if one.kind == "date"]
    return all(_within(match.span(), dated) for match in WORD.finditer(words))


def _answering_words(question: str, answer: str, reader: PassageReader, written: list[str]) -> str:
    """The words in the answer that answer, few enough for a name; "" where none do."""
    text = _MARK.sub("", claimed_part(answer)).strip()
    if not text:
        return ""
    # Quoted sentences seldom name their subject ("The film stars …"): as in a document, the title does.
    if _asks_how(question):
        return _headword(text)
    (reading,) = reader.read(question, [Document("answer", text, title=", ".join(written))])
    if not reading.spans or reading.answers < _READ:
        coded = (match[0] for match in _CODED.finditer(text) if match[0] not in question)
        return (_headword(text) or next(coded, "")) if ASKS_FOR_THING.match(question) else ""
    words = text[reading.spans[0].start : reading.spans[0].end].strip(" .,;")
    return words if len(words.split()) <= _LONGEST_NAME else ""


def _asks_how(question: str) -> bool:
    """Whether it asks how something is done; how much of something there is, is another question."""
    how, does = ([*words_of(question), "", ""])[:2]
    return how == "how" and does in _AUXILIARIES


def _headword(text: str) -> str:
    """The term that an entry of a manual explains: it begins the sentence with no capital put to it, and is no word of plain language.

    Such a word the embedder knows in pieces alone.
    """
    first = text.split(maxsplit=1)[0].strip(":,;")
    if first[:1].isupper() or len(first) <= len("-m"):
        return ""
    pieces = whole_tokenizer(FOLDER).encode(first, add_special_tokens=False).tokens
    return first if _has_own_name(first, []) or (first.isalpha() and len(pieces) > 1) else ""


def _has_own_name(words: str, written: list[str]) -> bool:
    """Whether a word has a capital, or a form as programs write names, that none of the names `written` in the question holds."""
    known = {word.lower() for one in written for word in WORD.findall(one)}
    coded = _CODED.search(words) or identifiers(words) or (len(words.split()) == 1 and "-" in words.strip("-"))
    return bool(coded) or any(word[0].isupper() and word.lower() not in known for word in WORD.findall(words))


def _without_lead(question: str, start: int, end: int) -> tuple[int, int]:
    """A run without the words that ask at its beginning ("Did Ada" is "Ada"), and without a possessive's ending."""
    for match in WORD.finditer(question, start, end):
        if not _is_function(match[0]) and match[0].lower() not in ("hi", "hello"):
            break
        start = min(end, match.end() + len(question[match.end() : end]) - len(question[match.end() : end].lstrip()))
    text = question[start:end]
    return start, end - 2 if re.search(r"['’]s$", text) else end


def _fills(phrase: str, name: str) -> bool:
    """Whether the phrase is the name alone, with at most an article."""
    return [word.lower() for word in WORD.findall(phrase) if word.lower() not in _ARTICLES] == [
        word.lower() for word in WORD.findall(name) if word.lower() not in _ARTICLES
    ]


def _is_one_name(between: str) -> bool:
    """Whether two runs with this between them are one name: marks and function words alone ("Stop! Or My Mom Will Shoot")."""
    found = WORD.findall(between)
    capital = all(word[0].isupper() for word in found)
    return (
        bool(re.fullmatch(r"[\s!:,&'’.-]*", WORD.sub("", between))) and capital and len(found) <= 3 and between != " "
    )
