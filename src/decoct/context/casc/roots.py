"""Words as CASC compares them: the first letters of their stems, so that the forms of one word meet, and words of one fact joined.

"How high" and "a height of", "headquarters" and "based in", "population" and "inhabitants" say which fact is meant in the words of
different authors. The list is short on purpose: it holds what factual questions ask again and again, not a thesaurus.
"""

from __future__ import annotations

from functools import lru_cache

from decoct.text.words import content_stems, is_stop, stem

_LENGTH = (
    6  # "effective" and "effectiveness", "conduct" and "conductivity" meet; fewer letters confuse, more keep them apart
)

# A line a fact; the first word stands for all.
_FACTS = """
    population people inhabitants residents
    employ employees employee staff workforce
    found founded founder founders established establishes establishment
    headquarters headquartered hq
    height high tall
    length long
    depth deep
    width wide
    weight weighs weigh heavy
    price cost costs priced
    capacity holds seats seating accommodates
    acquire acquired acquires acquisition bought buys buy purchased purchase
    boil boils boiling
    melt melts melting
    licence license licences licensed
    die died dies death deaths dead killed kill kills fatalities
    released release releases launched launch unveiled
    largest biggest
    lower lowers lowered lowering reduce reduced reduces reducing decrease decreased decreases
    raise raised raises raising increase increased increases
    sink sank sunk
    rise rose risen rises rising
    fall fell fallen falls falling
    break broke broken breaks
    choose chose chosen chooses
    drive drove driven
    fly flew flown flies
    freeze froze frozen
    meet met meets
    pay paid pays
    send sent sends
    spend spent spends
    strike struck strikes
    draw drew drawn
    bring brought brings
    catch caught
    stand stood stands
    receive received receives awarded award
    discovered discovery discover discoverer
    invented inventor invention
"""
_JOINED = {stem(word): stem(line.split()[0])[:_LENGTH] for line in _FACTS.splitlines() for word in line.split()}


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """The root of one word; empty for a function word."""
    return _rooted(stem(word)) if not is_stop(word.lower()) else ""


@lru_cache(maxsize=16384)  # the same sentences and phrases are asked again for every candidate of a question
def roots(text: str) -> frozenset[str]:
    """The roots of the content words of `text`."""
    return frozenset(_rooted(word) for word in content_stems(text))


def _rooted(found: str) -> str:
    return _JOINED.get(found, found[:_LENGTH])
