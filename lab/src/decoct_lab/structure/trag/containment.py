"""What a sentence states to be inside what, by rules: "Graz is a city in Austria" and "the Union consists of Kenya and Uganda".

Between two names that follow each other (`decoct.text.names.runs`) stand only words that say that the first is a part, a place inside or a
member of the second: after "is", or, where the sentence begins with the first name, after a comma ("Lend, the fourth district of Graz, …").
Without either the words may belong to anything before ("an airfield in the United States, located in Bellevue", "the Prussian branch of
…"). Or the first "consists of" the second, and of those joined to it by commas and "and". The words are listed in `containment.toml`.
Names are compared normalised; none is inside itself.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise

from decoct.text.names import RUN, is_common, normal

# Words that may stand before what says the kind of containment: "is a small market town in".
_FILL = 8
_LISTED = re.compile(r"\s*(?:,|,? and|,? or)\s+(?:the )?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Inside:
    """`child` is inside `parent`, as they are written."""

    child: str
    parent: str


def containments_in(sentence: str) -> list[Inside]:
    """Everything that the sentence states to be inside something, in order, none twice."""
    names = [match.span() for match in RUN.finditer(sentence) if _is_name(match[0])]
    into, beginning, out_of = _patterns()
    found: dict[Inside, None] = {}
    for number, ((start, end), (begin, stop)) in enumerate(pairwise(names)):
        between = sentence[end:begin]
        if into.fullmatch(between) or (not sentence[:start].strip() and beginning.fullmatch(between)):
            found[Inside(sentence[start:end], sentence[begin:stop])] = None
        elif out_of.fullmatch(between):
            whole = sentence[start:end]
            found |= dict.fromkeys(Inside(child, whole) for child in _split(sentence[begin:stop]))
            for (_, before), (go_on, past) in pairwise(names[number + 1 :]):
                if not _LISTED.fullmatch(sentence[before:go_on]):
                    break
                found |= dict.fromkeys(Inside(child, whole) for child in _split(sentence[go_on:past]))
    return [one for one in found if normal(one.child) != normal(one.parent)]


def _split(name: str) -> list[str]:
    """The members of a list: a run of capitalised words goes across "and"."""
    return [one for one in name.split(" and ") if _is_name(one)]


def _is_name(words: str) -> bool:
    name = normal(words)
    return len(name) > 2 and not name.isdigit() and not is_common(name)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Between a name and what it is inside of: anywhere, behind the sentence's first words, and the other way round."""
    listed = tomllib.loads(resources.files("decoct_lab.structure.trag").joinpath("containment.toml").read_text("utf-8"))
    into, directly, out_of, is_ = (
        "|".join(re.escape(words) for words in listed[kind]) for kind in ("into", "directly", "out_of", "is")
    )
    aside, fill = r"(?:\s*\([^()]*\))?", rf"(?:[a-z-]+\s+){{0,{_FILL}}}?"
    return (
        re.compile(rf"{aside}\s+(?:(?:{is_})\s+{fill}(?:{into})|{directly})\s+(?:the\s+)?"),
        re.compile(rf"{aside},\s+(?:(?:{is_})\s+)?{fill}(?:{into})\s+(?:the\s+)?"),
        re.compile(rf"{aside}\s+(?:{out_of})\s+(?:the\s+)?"),
    )
