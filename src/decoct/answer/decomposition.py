"""Questions that ask for several things, one after the other, and the questions that they ask: by their words alone.

- A comparison of two ("Who was born first, A or B?") asks the same of both, and which of the two values is the earlier, later, smaller or
  greater one. Where it compares what belongs to each ("Which film has the director who died later, A or B?"), it first asks who that is.
- A nested question ("Where was the director of A born?", "When did A's father die?") asks for what it describes, then about that.

Only function words and the comparatives of `text/comparatives.toml` are looked at, so what is asked for may be anything. Splitting a
question into single steps is Min et al. 2019, "Multi-hop Reading Comprehension through Question Decomposition" (bridging and
comparison, sections 3.1 and 3.2); asking them one after the other is Press et al. 2023, "Measuring and Narrowing the Compositionality Gap"
(self-ask), there by a language model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from decoct.text.lists import comparatives, listed
from decoct.text.names import question_runs
from decoct.text.words import content_stems, is_stop

Measure: TypeAlias = Literal["date", "number", "same"]
_SPACE = re.compile(r"\s+")
_WORDS = re.compile(r"\w+")
_OR = re.compile(r"\s*,?\s+or\s+", re.IGNORECASE)
_WHICH = re.compile(r"^\W*(?:who|which|what)\b\s*(?:of (?:the two|these|them)\b\s*)?", re.IGNORECASE)
_BETWEEN = re.compile(
    r"^\W*(?:between|of) (?P<a>.+?) (?:and|or) (?P<b>.+?),\s*(?P<head>(?:who|which|what)\b.*)$", re.IGNORECASE
)
_FRONTED = re.compile(
    r"^\W*(?P<a>.+?)\s*,?\s+or\s+(?P<b>.+?)\s*[,:]\s*(?P<head>(?:who|which|what)\b.*)$", re.IGNORECASE
)
_INVERTED = re.compile(
    r"^\W*(?P<verb>is|are|was|were|did|does|do|has|have|had)\s+(?P<a>.+?)\s+or\s+(?P<b>.+)$", re.IGNORECASE
)
_LONGEST = 500  # characters of a question that is taken apart
_SHORTEST = 4  # letters of a name of one word
_SAME = re.compile(
    r"^\W*(?:is|are|was|were|did|does|do|has|have|had)\s+(?P<a>.+?)\s+and\s+(?P<b>.+?)\s+the same\s+(?P<noun>[\w ]+)$",
    re.IGNORECASE,
)
_RELATION_OF = re.compile(r"^(?:both )?(?:the )?(?P<relation>[a-z]+?)s? of (?:the )?(?:[a-z]+ )?(?=[\"“'‘]?[A-Z0-9])")
_THEIR = re.compile(
    r"\bhave (?:the |a )?(?P<relation>[a-z]+?)s? (?:who (?:are|is|were|was) )?(?=(?:from|of|in|with|at|born)\b)"
)
_CUT = re.compile(r"[,:]\s*")
_STARTS = re.compile(r"(?<!\S)[\"“'‘]?[A-Z0-9]")
_CAPITAL = re.compile(r"(?<=\s)[\"“'‘]?[A-Z0-9]")
_OWNED = re.compile(
    r"\bwhose (?P<whose>[\w-]+)\b|\b(?:has|have|had|with) (?:the|a|an) (?P<has>[\w-]+)(?=\s+(?:who|that|which|born|died|is|was)\b)"
    r"(?:\s+(?:who|that|which)\b)?",
    re.IGNORECASE,
)
_POSSESSED = re.compile(r"['’]s?\s+[a-z][\w-]*(?=[\s?,.]|$)")
_POSSESSED_LAST = re.compile(r"['’]s?\s+[a-z][\w-]*(?:\s+[a-z][\w-]*){0,2}(?=\s*\?*\s*$)")
_BEFORE_LAST = re.compile(r"\bof [\"“]?$|^\W*(?:who|what) (?:is|was|are|were) [\"“]?$", re.IGNORECASE)
_ADDITION = re.compile(r"\s*\([^()]*\)")
_DESCRIBED = re.compile(r"\bthe (?:[a-z][\w-]* ){1,3}?(?:of|for|by|in) (?:the )?(?:(?!wh)[a-z]+ )?[\"“'‘]?$")
_CLAUSE = re.compile(
    r"\bthe (?P<noun>(?:[a-z][\w-]* ){1,2}?)(?:(?P<before>in|at|on|of|for|by|from|with|to|under) (?=wh(?:ich|om|ose) ))?"
    r"(?P<who>who|whom|whose|that|which|where) (?P<clause>.+?)\s*\?*\s*$"
)


@dataclass(frozen=True, slots=True)
class ComparisonQuestion:
    """A choice between two `alternatives`: the one of the lesser value where `least`, else of the greater; or whether they have the "same".

    `relation` is what belongs to each and is compared ("director"), "" where the alternatives are compared themselves. `before` and `after`
    stand around the one who is asked about in the question of a single value.
    """

    alternatives: tuple[str, str]
    measure: Measure
    least: bool
    before: str
    after: str
    relation: str = ""

    def who(self, alternative: str) -> str:
        """The question of what belongs to an alternative, where there is a `relation`."""
        return f"Who is the {self.relation} of {alternative}?"

    def value(self, subject: str) -> str:
        """The question of the value of one of them."""
        return _SPACE.sub(" ", f"{self.before} {subject} {self.after}").strip() + "?"


@dataclass(frozen=True, slots=True)
class NestedQuestion:
    """A question about what `first` asks for; `before` and `after` stand around it."""

    first: str
    before: str
    after: str

    def then(self, answer: str) -> str:
        """The question that is left when the first one is answered."""
        return f"{self.before}{answer}{self.after}"

    def is_half_said(self, stems: frozenset[str]) -> bool:
        """Whether words, by the stems of what is said around them, speak of what is asked without whom it is asked of, or the reverse.

        What names nobody ("the form that I need") is told by other words as well, and is no half.
        """
        asked = content_stems(f"{self.before} {self.after}")
        names = frozenset().union(*(content_stems(name) for name in question_runs(self.first)))
        return bool(names) and (not names & stems or (bool(asked) and not asked & stems))


def comparison(question: str) -> ComparisonQuestion | None:
    """The comparison of two things that `question` is, or None."""
    if len(question) > _LONGEST:
        return None
    asked = _SPACE.sub(" ", question).strip().rstrip("?").rstrip()
    if match := _SAME.match(asked):
        return _same(match["a"], match["b"], match["noun"])
    if match := _BETWEEN.match(asked) or _FRONTED.match(asked):
        return _comparison(match["a"], match["b"], match["head"])
    if match := _INVERTED.match(asked):
        name = _name_before(match["b"])
        return _comparison(match["a"], name, f"who {match['verb'].lower()}{match['b'][len(name) :]}") if name else None
    return _choice_at_end(asked) if _WHICH.match(asked) else None


def nested(question: str, titles: Iterable[str]) -> NestedQuestion | None:
    """What has to be found first, where `question` describes it by a name: one of `titles` (without brackets), else one with capitals."""
    if len(question) > _LONGEST:
        return None
    place = _named(question, titles)
    if place is not None:
        start, end = place
        # Behind "of" and "who is" all that follows describes ("Ann's second wife"); elsewhere a verb may follow ("did Ann's father die").
        owned = (_POSSESSED_LAST if _BEFORE_LAST.search(question[:start]) else _POSSESSED).match(question, end)
        if owned is not None and (found := _split(question, start, owned.end())):
            return found
        described = _DESCRIBED.search(question[:start])
        if described is not None and (found := _split(question, described.start(), end)):
            return found
    clause = _CLAUSE.search(question)
    if clause is not None and _says_more(question, clause.start(), len(question)):
        noun = clause["noun"].strip()
        before = "in" if clause["who"] == "where" else clause["before"]
        asked = f"{before} which" if before else "which"
        first = f"{asked[:1].upper()}{asked[1:]} {noun} {clause['clause']}?"
        return NestedQuestion(first, question[: clause.start()], "?")
    return None


def _choice_at_end(asked: str) -> ComparisonQuestion | None:
    """As in "Which is older, A or B": the alternatives stand behind the comparative, after a comma, a colon or with a capital."""
    for choice in reversed(list(_OR.finditer(asked))):
        left, right = asked[: choice.start()], asked[choice.end() :]
        if (word := _comparative().search(left)) is None:
            continue
        tail = left[word.end() :]
        if (cut := _CUT.search(tail)) is not None:
            return _comparison(tail[cut.end() :], right, left[: word.end() + cut.start()])
        capital = _CAPITAL.search(tail)
        at = capital.start() if capital is not None else 0
        return _comparison(tail[at:], right, left[: word.end() + at])
    return None


def _comparison(a: str, b: str, head: str) -> ComparisonQuestion | None:
    word = _comparative().search(head)
    a, b = a.strip(' ,"“”'), b.strip(' ,"“”')
    if word is None or not a or not b:
        return None
    said = word.group().lower().split()[-1]
    said = "latest" if said.startswith("recent") else said
    front, back = _WHICH.sub("", head[: word.start()]), head[word.end() :]
    relation = ""
    if (owned := _OWNED.search(front)) is not None:
        relation, front = owned["whose"] or owned["has"], front[owned.end() :]
    front = front.strip(" ,").removesuffix(" the")
    if said in _words("earlier") | _words("later"):
        if said.startswith(("old", "young")):
            front, back = "was born or founded", ""
        return ComparisonQuestion(
            (a, b), "date", said in _words("earlier"), "When", f"{front} {back}".strip(" ,"), relation
        )
    how = _how()[said] if back.strip() == "" or said not in ("more", "most", "less", "least") else _amount(front, back)
    return ComparisonQuestion(
        (a, b), "number", said in comparatives("less"), f"How {how} {back.strip()} {front}", "", relation
    )


def _same(a: str, b: str, noun: str) -> ComparisonQuestion | None:
    """Whether A and B have the same of `noun`; `b` also holds the words between B and "the same"."""
    other = _name_before(b)
    rest = b[len(other) :].strip(" ,")
    of, their = _RELATION_OF.match(a), _THEIR.search(rest)
    relation = of["relation"] if of else their["relation"] if their else ""
    rest = rest[their.end() :] if their else rest
    own = a[of.end() :] if of else a
    first = _STARTS.search(own)
    if first is None or not other:
        return None
    second = other[again.end() :] if of and (again := _RELATION_OF.match(other)) else other
    rest = rest.removeprefix("both").strip(" ,")
    return ComparisonQuestion(
        (own[first.start() :].strip(" ,"), second.strip(" ,")), "same", False, "", f"{rest} what {noun}", relation
    )


def _amount(front: str, back: str) -> str:
    """What "how" takes before what there is more of: "many" acts, "much" storage; nothing before an adjective ("is more populous")."""
    if front.rsplit(" ", maxsplit=1)[-1].lower() in ("is", "are", "was", "were", ""):
        return ""
    return "many" if back.split(maxsplit=1)[0].endswith("s") else "much"


def _split(question: str, start: int, end: int) -> NestedQuestion | None:
    if not _says_more(question, start, end):
        return None
    return NestedQuestion(f"Who is {question[start:end].rstrip('? ')}?", question[:start], question[end:] or "?")


def _says_more(question: str, start: int, end: int) -> bool:
    """Whether words of content stand outside `start`..`end`: else that is all that the question asks."""
    return any(not is_stop(word.lower()) for word in _WORDS.findall(question[:start] + " " + question[end:]))


def _named(question: str, titles: Iterable[str]) -> tuple[int, int] | None:
    """The characters of the longest of the titles that stand in the question, else of its longest name with capitals."""
    asked = list(_WORDS.finditer(question))
    for names in (titles, question_runs(question)):
        bare = (name.removesuffix("'s").removesuffix("’s") for name in names)
        places = [place for name in bare if (place := _place(name, question, asked))]
        if places:
            return max(places, key=lambda place: place[1] - place[0])
    return None


def _place(name: str, question: str, words: Sequence[re.Match[str]]) -> tuple[int, int] | None:
    """Where a name stands among the `words` of the question, in any case; a single word needs four letters."""
    wanted = [word.casefold() for word in _WORDS.findall(name)]
    if not wanted or (len(wanted) == 1 and len(wanted[0]) < _SHORTEST):
        return None
    for at in range(len(words) - len(wanted) + 1):
        if [word.group().casefold() for word in words[at : at + len(wanted)]] == wanted:
            start, end = words[at].start(), words[at + len(wanted) - 1].end()
            end += question[end : end + 1] == ")" and "(" in question[start:end]
            addition = _ADDITION.match(question, end)  # "(1976 film)", where the name was given without it
            return start, addition.end() if addition else end
    return None


def _name_before(text: str) -> str:
    """The words of `text` up to its last one with a capital or digit; "" where none has."""
    ends = [match.end() for match in re.finditer(r"\S+", text) if match.group().lstrip("\"“'(")[:1].isupper()]
    return text[: ends[-1]] if ends else ""


@cache
def _comparative() -> re.Pattern[str]:
    words = sorted({*_words("earlier"), *_words("later"), *_how()}, key=len, reverse=True)
    return re.compile(rf"\b(?:(?:more|most) recent(?:ly)?|{'|'.join(words)})\b", re.IGNORECASE)


def _words(key: str) -> frozenset[str]:
    return listed("comparatives", key)


def _how() -> dict[str, str]:
    return comparatives("less") | comparatives("more")
