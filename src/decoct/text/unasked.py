"""Questions that no passage can answer by themselves: those that refer back, that ask nothing, that ask about the library, not from it.

- "When was it published?": a pronoun for a thing that the question does not name before. "How long does it take to dry?" names it after.
  "What about Sundays?" goes on with a question asked before.
- "thanks!", "ok, that helps": nothing but words of greeting, thanks and assent, or what the writer makes of what was said.
- "Summarize the documents": nothing but what is done with documents.

Orders about the conversation are told apart (`is_order`): "Translate that to German", and what chat programs send beside questions to have
a chat's title or tags.

The words are closed classes of English (Quirk et al. 1985, A Comprehensive Grammar, 6.2 and 11.53) in `unasked.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from decoct.text.identifiers import identifiers
from decoct.text.lists import listed
from decoct.text.names import question_runs
from decoct.text.words import content_stems, is_stop, stem, words

Unasked: TypeAlias = Literal["refers-back", "none", "about-library"]

_PRONOUN = re.compile(r"\b(?:it|its|he|she|him|his|her|hers|they|them|their|theirs)\b", re.IGNORECASE)
_POINTED = re.compile(
    r"\b(?:this|that|these|those)(?=\W*$|\s+(?:is|are|was|were|do|does|did|mean|cost|work|happen|one|ones)\b)",
    re.IGNORECASE,
)
# "Is it possible to …", "what does it mean when …", "what time is it in …": the thing follows.
_FOLLOWS = re.compile(r"\bit\b(?:\s+\w+){0,4}\s+(?:to|that|when|if|whether|in|at|for)\s+\w", re.IGNORECASE)
_HOW = re.compile(r"^\W*how \w+\b", re.IGNORECASE)  # "how old", "how long": what is asked for
_OBJECTS = ("them", "him", "her")
_GOES_ON = re.compile(r"^\W*(?:and\s+|but\s+|or\s+)?(?:(?:what|how) about\b|and\b)", re.IGNORECASE)
_ORDER = re.compile(
    r"^\W*(?P<lead>(?:(?:(?:now|ok|and|please|kindly|task)\b|(?:can|could|would|will) you\b)\W*)*)", re.IGNORECASE
)
ASKS = re.compile(r"^\W*(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
"""A question word at the beginning."""
# "That helps", "this was quick": a demonstrative that does something, where "that card" names one.
_COMMENT = re.compile(
    r"^(?:this|that)(?:['’]s|\s+(?:is|was|\w+[^\W_aisu]s|\w+[^\W_e]ed))\b(?!\s+not\b)[^?]*$", re.IGNORECASE
)
_SEGMENT = re.compile(r"^[^,.;:!?–—]*[,.;:!?–—]\s*")
_READ = 1_000  # characters of an order; what follows is what it is about
_MOST = 2  # content words of a question that only goes on
_HEAD = 5  # words of an order up to what is to be said again: "translate the last answer"


def unasked(question: str) -> Unasked | None:
    """Why no passage answers the question by itself; None where one may."""
    asked = words(question)
    own = [word for word in asked if not is_stop(word)]
    if not asked or _is_said(asked) or _comments(without_assent(question)):
        return "none"
    if _asks_about_library(own):
        return "about-library"
    return "refers-back" if _refers_back(question, own) else None


def asks_to_tell(text: str) -> bool:
    """Whether it begins with what is done with documents: "Tell me about the Danube", "list the tariffs"."""
    first = (words(text) or [""])[0]
    return first in listed("unasked", "done") and not is_stop(first)


def without_assent(question: str) -> str:
    """The question without the thanks and assent that stand before it, up to a mark ("Great, thanks, and in winter?")."""
    rest = question.strip()
    while (match := _SEGMENT.match(rest)) is not None and match.end() < len(rest) and _is_said(words(match[0])):
        rest = rest[match.end() :]
    return rest


def is_order(text: str) -> bool:
    """Whether it orders something of the conversation: to say again what was said, or to give the chat a title, tags, further questions."""
    order = _ORDER.match(text)
    if order is None:
        return False
    told = words(text[order.end("lead") : order.end("lead") + _READ])
    first = next((word for word in told if not word.isdigit()), "")
    if first in listed("unasked", "retold"):
        before, handed, _ = text[order.end("lead") : order.end("lead") + _READ].partition(":")
        if handed and len(words(before)) <= _HEAD:  # "Translate this sentence: …", with what is to be translated
            return True
        said = listed("unasked", "said_before")
        spoken = set(told[1:3]) & said or {word for word in told[1:_HEAD] if not is_stop(word)} & said
        return not set(told[1:]) or bool(spoken) or told[1:2] == ["your"]
    made = any(word in listed("unasked", "made") for word in told)
    spoken_of = any(word in listed("unasked", "conversation") for word in told)
    return (
        made
        and spoken_of
        and any(word in listed("unasked", "of_conversation") for word in told)
        and not ASKS.match(text)
    )


def _is_said(told: Sequence[str]) -> bool:
    """Whether these are words of greeting, thanks and assent, and function words beside them."""
    said = listed("unasked", "said")
    return not said.isdisjoint(told) and all(word in said or is_stop(word) for word in told)


def _comments(told: str) -> bool:
    """Whether it tells what the writer makes of what was said ("that helps a lot"), and names nothing."""
    return _COMMENT.match(told) is not None and not question_runs(told) and not identifiers(told)


def _asks_about_library(own: list[str]) -> bool:
    things = {stem(word) for word in listed("unasked", "documents")}
    done = {stem(word) for word in listed("unasked", "done")}
    stems = {stem(word) for word in own}
    return bool(stems & things) and stems <= things | done


def _refers_back(question: str, own: list[str]) -> bool:
    going_on = _GOES_ON.match(question)
    if going_on is not None and len(content_stems(question[going_on.end() :])) <= _MOST and len(own) <= _MOST:
        return True
    pronoun = _PRONOUN.search(question) or _POINTED.search(question)
    if pronoun is None or (pronoun[0].lower() == "it" and _FOLLOWS.search(question, pronoun.start())):
        return False
    if question_runs(question):
        return False
    before = _HOW.sub("", question[: pronoun.start()])
    if pronoun[0].lower() in _OBJECTS and len(own) <= _MOST:
        return True  # "How do I return them?": the verb before it names nothing
    return all(is_stop(word) for word in words(before))
