"""Answers to questions in several steps, each step read in the passages that are about its subject.

A step is put to at most `EACH` passages: those that carry its subject as their title, then those whose title holds it or stands in it,
then those whose text does. A comparison is decided by the two values, if both are of one kind and do not begin alike; the answer is then
the alternative's name. A nested question's answer is that of its last step.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal, TypeAlias

from decoct.answer.quoted import FoundWords, ReadPassage
from decoct.answer.surroundings import surroundings
from decoct.data import Passage
from decoct.reading.base import NOTHING_READ, AnswerSpan, PassageReader, Reading, log_odds, logistic, one_each
from decoct.text.cells import cell_asked_for
from decoct.text.equality import comparable, same_value
from decoct.text.lists import comparatives, listed
from decoct.text.names import question_runs, stands_in, title_without_brackets
from decoct.text.questions import asks_yes_or_no
from decoct.text.quotable import quotable_words
from decoct.text.values import Value, quantities, value_of
from decoct.text.words import content_stems, is_stop, words

EACH = 2  # passages that one step reads
_CELL = 0.97  # how sure the cell is that a question names by row and column
_DEPTH = 3  # steps of a nested question
# Of the log-odds that an answer in steps is right: slope and offset of comparisons by their weight, and the offset of what is followed.
_SLOPE, _COMPARED, _FOLLOWED = 0.416, 2.044, 0.658


@dataclass(frozen=True, slots=True)
class Step:
    """What answers one question: `words` at `place` of the text of passage number `passage`, with the weight of its reading (0 to 1)."""

    passage: int
    place: tuple[int, int]
    words: str
    weight: float


@dataclass(frozen=True, slots=True)
class StepwiseAnswer:
    """`words` answer, as the `steps` say, in the order in which they were read; `deciding` is the one that gives the answer.

    `compared`: the words are one of the question's alternatives, not those at the place of the deciding step.
    """

    words: str
    steps: tuple[Step, ...]
    deciding: Step
    compared: bool

    @property
    def weight(self) -> float:
        """The geometric mean of the steps' weights, so that more steps are not less sure by their number alone."""
        return math.prod(step.weight for step in self.steps) ** (1 / len(self.steps))

    @property
    def probability(self) -> float:
        """How likely the answer is right, from 0 to 1, fitted (`experiments/reader/fit_steps.py`): of a comparison by its `weight`.

        Of what is followed from step to step the weights tell nothing, so that it is as likely right as such answers are.
        """
        return logistic(_SLOPE * log_odds(self.weight) + _COMPARED) if self.compared else logistic(_FOLLOWED)


@dataclass(slots=True)
class StepReader:
    """Reads the steps of one question in `passages`; `weigh` gives a span's weight, `most` readings are made, and `made` counted.

    `parts` is what the question asks for, one thing after the other; None where its words ask for one thing alone.
    """

    question: str
    reader: PassageReader
    weigh: Callable[[Reading, AnswerSpan], float]
    passages: Sequence[Passage]
    most: int
    made: int = field(default=0, init=False)
    parts: ComparisonQuestion | NestedQuestion | None = field(init=False)
    _titles: list[str] = field(init=False)
    _folded: list[tuple[str, str]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._titles = [title_without_brackets(passage.title) for passage in self.passages]
        self.parts = comparison(self.question)
        if self.parts is None and not asks_yes_or_no(self.question):
            self.parts = nested(self.question, self._titles)

    def answer(self) -> StepwiseAnswer | None:
        """The answer in steps; None where the question has none, or one of them was not answered."""
        match self.parts:
            case ComparisonQuestion():
                return self._chosen(self.parts)
            case NestedQuestion():
                return self._followed(self.parts)
            case None:
                return None

    def _chosen(self, choice: ComparisonQuestion) -> StepwiseAnswer | None:
        steps: list[Step] = []
        values: list[tuple[Step, Value]] = []
        for alternative in choice.alternatives:
            subject, without = alternative, None
            if choice.relation:
                owner = self._best(choice.who(alternative), alternative)
                if owner is None:
                    return None
                steps.append(owner)
                subject, without = owner.words, owner.passage
            value = self._value(choice, subject, without)
            if value is None:
                return None
            steps.append(value[0])
            values.append(value)
        (one, first), (other, second) = values
        if choice.measure == "same":
            same = same_value(first, second)
            # Two names may differ and still say the same (a city and its country), two quantities may not.
            if same is None or (not same and first.kind not in ("number", "date")):
                return None
            return StepwiseAnswer("yes" if same else "no", tuple(steps), other, compared=True)
        if not comparable(first, second) or first.codes != second.codes or first.low == second.low:
            return None
        chosen = 0 if (first.low < second.low) == choice.least else 1
        return StepwiseAnswer(choice.alternatives[chosen], tuple(steps), (one, other)[chosen], compared=True)

    def _followed(self, parts: NestedQuestion | None) -> StepwiseAnswer | None:
        steps: list[Step] = []
        question = self.question
        while parts is not None and len(steps) < _DEPTH - 1:
            step = self._best(parts.first, parts.first)
            if step is None:
                return None
            steps.append(step)
            question = parts.then(step.words)
            parts = nested(question, [*self._titles, *(step.words for step in steps)])
        last = self._best(question, steps[-1].words, without=steps[-1].passage)
        return StepwiseAnswer(last.words, (*steps, last), last, compared=False) if last is not None else None

    def _best(self, question: str, subject: str, without: int | None = None) -> Step | None:
        """The surest words for a question that do not stand in it."""
        spans = (
            step
            for step in self._read(question, subject, without)
            if not stands_in(_plain(step.words), _plain(question))
        )
        return max(spans, key=lambda step: step.weight, default=None)

    def _value(self, choice: ComparisonQuestion, subject: str, without: int | None) -> tuple[Step, Value] | None:
        """The surest words that state a value of the kind, of the subject and of what is counted: a cell where a table has it."""
        question, named = choice.value(subject), content_stems(subject)
        if subject in choice.alternatives:
            named -= content_stems(next(one for one in choice.alternatives if one != subject))
        counted = content_stems(choice.counted)
        found = [
            (step, value)
            for step in (self._cells(question, subject) or self._read(question, subject, without))
            if (value := _stated(step.words, choice.measure)) is not None
            and self._speaks_of(named, step)
            and self._speaks_of(counted, step, value.noun)
        ]
        return max(found, key=lambda pair: pair[0].weight, default=None)

    def _cells(self, question: str, subject: str) -> list[Step]:
        """The cells that a question names by row and column, in the passages about the subject."""
        found = []
        for number in self._about(subject, None):
            passage = self.passages[number]
            if (cell := cell_asked_for(question, passage.text, passage.title)) is not None:
                found.append(Step(number, cell.place, passage.text[slice(*cell.place)], _CELL))
        return found

    def _speaks_of(self, stems: frozenset[str], step: Step, noun: str = "") -> bool:
        """Whether the noun of a step's number, else its sentence or row, what is said before or stands over it, holds one of some stems."""
        passage = self.passages[step.passage]
        held = quotable_words(passage.text, step.place)
        around = surroundings(passage, held[0] if held else step.place, step.place)
        said = content_stems(noun) or (around.all_stems | content_stems(around.words))
        return not stems or not stems.isdisjoint(said)

    def _read(self, question: str, subject: str, without: int | None) -> Iterator[Step]:
        chosen = self._about(subject, without)[: min(EACH, self.most - self.made)]
        self.made += len(chosen)
        readings = one_each(
            self.reader.read(question, [self.passages[number] for number in chosen]), chosen, self.reader
        )
        for number, reading in zip(chosen, readings, strict=True):
            for span in reading.spans:
                found = self.passages[number].text[span.start : span.end]
                yield Step(number, (span.start, span.end), found, self.weigh(reading, span))

    def _about(self, subject: str, without: int | None) -> list[int]:
        """The passages about a subject, best first; not the one that only said who that is."""
        named = _plain(subject)
        ranks: list[tuple[int, int]] = []
        if not self._folded:
            texts = (passage.text for passage in self.passages)
            self._folded = [(_plain(title), _plain(text)) for title, text in zip(self._titles, texts, strict=True)]
        for number, (title, text) in enumerate(self._folded):
            if title and title == named:
                rank = 0
            elif title and (stands_in(title, named) or stands_in(named, title)):
                rank = 1
            elif stands_in(named, text):
                rank = 2
            else:
                continue
            if number != without or rank < 2:
                ranks.append((rank, number))
        return [number for _, number in sorted(ranks)]


def _stated(said: str, measure: Measure) -> Value | None:
    """The first date (with its year) or number that is said; whatever is said where it is only asked whether it is the same."""
    if measure == "same":
        return value_of(said)
    return next((value for value in quantities(said) if value.kind == measure and value.dimension != "yearless"), None)


def _plain(text: str) -> str:
    """Folded to words, without a leading article."""
    folded = words(text)
    return " ".join(folded[1:] if folded[:1] in (["the"], ["a"], ["an"]) else folded)


def step_sentences(answer: StepwiseAnswer, passages: Sequence[Passage]) -> list[FoundWords]:
    """The sentence of each step, the deciding one last and with the answer; none where a step stands in no sentence."""
    found = []
    for step in sorted(answer.steps, key=lambda step: step is answer.deciding):
        passage = passages[step.passage]
        held = quotable_words(passage.text, step.place)
        if held is None:
            return []
        read = ReadPassage(passage, NOTHING_READ, step.passage)
        found.append(FoundWords(read, held[0], step.place, step.words, step.weight))
    deciding = replace(found[-1], words=answer.words, weight=answer.probability, judged=answer.compared)
    if answer.compared and (named := _name_in(deciding.read.passage.text, answer.words)) is not None:
        deciding = replace(deciding, place=named)
    return [*found[:-1], deciding]


def _name_in(text: str, name: str) -> tuple[int, int] | None:
    """Where a passage names an alternative, in any case: the place of the answer, rather than that of the value."""
    match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    return match.span() if match is not None else None


# Questions that ask for several things, one after the other, and the questions that they ask: by their words alone.
#
# - A comparison of two ("Who was born first, A or B?") asks the same of both, and which of the two values is the earlier, later, smaller or
#   greater one. Where it compares what belongs to each ("Which film has the director who died later, A or B?"), it first asks who that is.
# - A nested question ("Where was the director of A born?", "When did A's father die?") asks for what it describes, then about that.
#
# Only function words and the comparatives of `text/comparatives.toml` are looked at, so what is asked for may be anything. Splitting a
# question into single steps is Min et al. 2019, "Multi-hop Reading Comprehension through Question Decomposition" (bridging and comparison,
# sections 3.1 and 3.2); asking them one after the other is Press et al. 2023, "Measuring and Narrowing the Compositionality Gap"
# (self-ask), there by a language model.
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
    stand around the one who is asked about in the question of a single value; `counted` is what one has more of.
    """

    alternatives: tuple[str, str]
    measure: Measure
    least: bool
    before: str
    after: str
    relation: str = ""
    counted: str = ""

    def who(self, alternative: str) -> str:
        """The question of what belongs to an alternative, where there is a `relation`."""
        return f"Who is the {self.relation} of {alternative}?"

    def is_half_said(self, stems: frozenset[str]) -> bool:
        """Whether words, by the stems of what is said around them, speak of one alternative alone, or of none."""
        if self.measure == "same":
            return False
        one, other = map(content_stems, self.alternatives)
        return any(own and own.isdisjoint(stems) for own in (one - other, other - one))

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
    counted = back.strip() if said in ("more", "most", "less", "least", "fewer", "fewest") else ""
    how = _how()[said] if back.strip() == "" or said not in ("more", "most", "less", "least") else _amount(front, back)
    return ComparisonQuestion(
        (a, b),
        "number",
        said in comparatives("less"),
        f"How {how} {back.strip()} {front}",
        "",
        relation,
        counted * bool(how),
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
