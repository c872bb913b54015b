"""Questions from sentences by rules, without a model: few, and only such as are well formed.

Templates are tried in this order on each sentence that states something; the first that fits is taken.

1. Birth: "X (born 15 March 1978 …) is …" -> "When was X born?".
2. Passive: "X was opened in 1912" -> "When was X opened?"; "X was born in Geneva" -> "Where was X born?"; "X was designed by Y", or
   "X is a film directed by Y" -> "Who designed X?".
3. Definition: "X is a/an/the …" -> "What is X?", or "Who is X?" where the words say so, answered by the clause.

A rule cannot tell what a sentence means, so it takes only what cannot well be misread: X is the document's own title, or a name of
several words, or "the oldest bakery", or a word that is written like no other (`SQLite`), or, in a definition, "a/an" and a noun; the
verb is one that is complete with a time, a place or an agent; the answer ends where its clause ends. Everything else is passed over:
most sentences give no question. The grammar is English. How often the questions hold: `benchmarks/results/question_rules.json`
(lab/docs/evaluation.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from decoct.evaluate.generate import MadeQuestion
from decoct.text.sentences import sentences

SHORTEST, LONGEST = 6, 40  # words of a usable sentence

# -- sentences and subjects -----------------------------------------------------------------------------------------
# A first word that points back or elsewhere, or begins something that is no statement about its subject.
_NO_START = frozenset(
    "he she it its his her hers they their this that these those there here we our i you your however but and or so also then thus "
    "in on at by from with for after before during since as while when where if although though among under through throughout "
    "despite according another one two three some many most all each every no both such what who which whose how why not only even "
    "today now note table figure fig section chapter part appendix step example question answer problem theorem lemma listing "
    "other several either neither none my mine let given because until unless once later earlier first second third finally".split()
)
# A sentence that ends so was cut inside a name or an abbreviation.
_CUT_END = re.compile(
    r"(?:^|[\s.(])(?:[A-Z]|[Ss]t|[Dd]r|[Mm]rs?|[Nn]o|vs|cf|[Ff]igs?|[Ee]qs?|[Vv]ol|pp?|al|e\.g|i\.e|Inc|Ltd|Jr|Sr|c)\.$"
)
_BACKWARDS = re.compile(
    r"\b(?:this|these|those|above|below|following|same|such|latter|another|aforementioned|here|our|my|your|it|he|she|they|we|you|"
    r"the (?:former|other|first|second))\b",
    re.IGNORECASE,
)
_SMALL = frozenset(
    "of the de la le du da di van von der den and & in for to a an on at y e el al bin ibn with from".split()
)
_SUBJECT = r"(?P<subject>(?:The |A |An )?[\w\"“'’][^,;:()\[\]{}<>|*_`=]{1,80}?)"
_ASIDE = r"(?: ?\((?P<aside>[^()]{1,160})\))?"
_BE = r"(?P<be>was|were|is|are)"
_CLAUSE_END = r"(?=\.$|,|;)"

# -- what a clause may say ------------------------------------------------------------------------------------------
_NAME = r"(?:[A-Z]\.[ ]?|[A-Z][\w’'-]+ ?)(?:(?:(?:of|the|de|la|van|von|der|del|di) )?(?:[A-Z]\.[ ]?|[A-Z][\w’'-]+ ?))*"
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_YEAR = r"(?:1[0-9]{3}|20[0-9]{2})"
_DATE = rf"(?:{_MONTH} \d{{1,2}}, {_YEAR}|\d{{1,2}} {_MONTH} {_YEAR}|{_MONTH} {_YEAR}|{_YEAR})\b"
# Verbs that need nothing after them but the time (or the place) to make a whole statement.
_TIMED = (
    "born|built|opened|reopened|closed|founded|established|published|released|completed|created|launched|introduced|invented|"
    "discovered|signed|formed|constructed|demolished|destroyed|abolished|ordained|crowned|killed|murdered|assassinated|executed|"
    "buried|incorporated|dissolved|restored|renovated|recorded|inaugurated|consecrated|dedicated|commissioned|decommissioned|"
    "adopted|ratified|enacted|repealed|arrested|unveiled|premiered|disbanded|rebuilt|canonized|beatified|knighted|organized"
)
_PLACED = (
    "born|buried|raised|educated|located|situated|headquartered|held|founded|baptized|killed|executed|discovered|signed"
)
_MADE = (
    "directed|designed|founded|produced|published|invented|discovered|developed|composed|painted|recorded|established|released|"
    "created|launched|commissioned|introduced|edited|constructed|proposed|organized|owned|translated|built|written|drawn|built"
)
_PAST = {"written": "wrote", "drawn": "drew"}
_BORN = re.compile(rf"^{_SUBJECT} ?\(\s*born (?:on )?(?P<answer>{_DATE})[^()]*\)")
_WHEN = re.compile(
    rf"^{_SUBJECT}{_ASIDE} {_BE} (?:[a-z]+ly )?(?P<verb>{_TIMED}) (?:in|on) (?P<answer>{_DATE})"
    r"(?! ?(?:or|and|to|until|through|[-–—/]|\())"
)
_WHERE = re.compile(
    rf"^{_SUBJECT}{_ASIDE} {_BE} (?P<verb>{_PLACED}) (?:in|at|near) (?P<answer>(?:the )?{_NAME})"
    r"(?=\.$|,| (?:in|on|near|to|and|into|from|during|as|by) )"
)
_AGENT = (
    rf"(?P<answer>{_NAME}(?:and {_NAME})?)(?=\.$|; |, (?!and |or |[A-Z])|"
    rf" (?:in|on|at|for|during|from|to|and|with|starring|based|between|after|that|who|which|as) (?!{_NAME}(?:,|and )))"
)
_BY = re.compile(rf"^{_SUBJECT}{_ASIDE} {_BE} (?:[a-z]+ly )?(?P<verb>{_MADE}) by (?:the )?{_AGENT}")
_WORK_BY = re.compile(
    rf"^{_SUBJECT}{_ASIDE} (?P<be>is|was) an? [^,;:()]{{3,70}}? (?P<verb>directed|written|composed|designed|painted|published|"
    rf"developed|produced) by {_AGENT}"
)
_DEFINITION = re.compile(
    rf"^{_SUBJECT}{_ASIDE} {_BE} (?P<object>(?:an?|the|one of the) [^,;:()\[\]{{}}<>|*`=“”]{{8,160}}?){_CLAUSE_END}(?P<rest>.*)$"
)
# After a comma the clause may go on with more adjectives: then what stands before it is no answer. It is one if a new clause begins.
_NEW_CLAUSE = re.compile(
    r"[,;] (?:who|which|where|whose|that|best|currently|formerly|especially|usually|often|such as|as well as|with|based|held|built|"
    r"written|known|born|[a-z]+(?:ed|ing))\b"
)
# A second statement, whose verb no relative pronoun carries.
_SECOND = re.compile(r"(?<!who)(?<!that)(?<!which)(?<!where) (?:is|was|are|were|has|have|had) ")
_SECOND_AFTER_AND = re.compile(
    r"(?<!ed) and (?:[a-z]+ed|sought|became|began|made|went|held|led|won|wrote) | (?:in|of|on) and "
)
_CARRIED = re.compile(r"\bwhose \w+ (?:is|was|are|were|has|have|had)\b")
_UNFINISHED = re.compile(
    r"\b(?:of|in|on|at|by|from|with|for|to|and|or|the|an?|as|is|was|that|which|who|when|than|its|their|his|her|very|also|directed|"
    r"written|produced|based|known|located|used|called|named|born|created|starring|featuring|set|not|most|more|either|both)$"
)
# Who, not what.
_PERSON = re.compile(
    r"\b(?:\w+(?:ologist|ographer|icist|wright|woman|sman|tician|sician|ianist|olinist|nalist|ovelist)|actor|actress|artist|activist|"
    r"administrator|architect|astronaut|astronomer|athlete|author|bassist|biologist|bishop|boxer|businessman|businesswoman|"
    r"cartoonist|cardinal|chef|chemist|choreographer|clergyman|coach|comedian|composer|conductor|cricketer|critic|cyclist|dancer|"
    r"designer|diplomat|director|drummer|duchess|duke|economist|editor|emperor|empress|engineer|entrepreneur|essayist|explorer|farmer|"
    r"filmmaker|footballer|general|goalkeeper|golfer|governor|midfielder|defender|striker|pitcher|quarterback|winger|guitarist|historian|inventor|journalist|judge|jurist|legislator|leader|pastor|rapper|composer|official|anthropologist|king|lawyer|lecturer|"
    r"linguist|lyricist|mathematician|merchant|minister|missionary|model|monk|musician|noble|nobleman|noblewoman|novelist|nun|nurse|"
    r"officer|organist|painter|philosopher|photographer|physician|physicist|pianist|player|playwright|poet|politician|pope|preacher|"
    r"president|priest|prince|princess|producer|professor|psychologist|queen|rapper|ruler|sailor|saint|scholar|scientist|screenwriter|"
    r"sculptor|senator|singer|singer- ?songwriter|skier|sociologist|soldier|songwriter|sprinter|statesman|swimmer|teacher|theologian|"
    r"trader|violinist|warrior|wrestler|writer|son|daughter|wife|husband|brother|sister|mother|father|member of the house)$",
    re.IGNORECASE,
)
_LIKE_PERSON = re.compile(r"(?:er|or|ist|ian|ant|ent|man|ess)$")
_HEAD_END = re.compile(
    r" (?:of|in|on|from|by|at|for|with|who|which|that|to|between|known|best|born|active|whose|where|based|"
    r"serving|playing|working|featuring|living|competing|specialising|specializing|holding|located|used)\b|[/,]| ?\(|$"
)
_EXTREME = re.compile(r"The [a-z]{3,}est [a-z]+(?: of [A-Z]\w+)?")  # "the oldest bakery": there is one
_CODE = re.compile(r"\d|^[A-Z]{2,}|[a-z]{3}[A-Z]")  # written as no person's name is
_DATES = re.compile(rf"\b(?:born|died|{_YEAR} ?[-–—] ?(?:\d|{_MONTH}|$))")


def from_text(text: str, title: str = "") -> Iterator[MadeQuestion]:
    """The questions that the sentences of a document (or of a part that begins and ends with one) give, at most one a sentence."""
    for start, end in sentences(text):
        sentence = text[start:end]
        if not _states(sentence):
            continue
        plain = sentence.strip()
        made = _born(plain, title) or _passive(plain, title) or _definition(plain, title)
        if made is not None:
            question, answer, kind = made
            yield MadeQuestion(_common(question, title, text), answer, start, end, kind)


def _common(question: str, title: str, text: str) -> str:
    """The question with the title in it as a common noun, if the text has it as one: `What is bone marrow?`."""
    small = title[:1].lower() + title[1:]
    if title and small != title and f" {title}?" in question and re.search(rf"[a-z,] {re.escape(small)}\b", text):
        return question.replace(f" {title}?", f" {small}?")
    return question


def _states(sentence: str) -> bool:
    plain = sentence.strip()
    words = plain.split()
    return (
        SHORTEST <= len(words) <= LONGEST
        and "\n" not in plain
        and plain.endswith(".")
        and (plain[0].isupper() or not plain[0].isalpha() or any(letter.isupper() for letter in words[0]))
        and words[0].strip("\"“'(").lower() not in _NO_START
        and not _CUT_END.search(plain)
        and plain.count('"') % 2 == 0
        and plain.count("(") == plain.count(")")
    )


def _born(sentence: str, title: str) -> tuple[str, str, str] | None:
    found = _BORN.match(sentence)
    subject = _subject(found["subject"], title) if found else None
    return (f"When was {subject} born?", found["answer"], "when") if found and subject else None


def _passive(sentence: str, title: str) -> tuple[str, str, str] | None:
    for pattern, kind in ((_WHEN, "when"), (_WHERE, "where"), (_BY, "who"), (_WORK_BY, "who")):
        found = pattern.match(sentence)
        subject = _subject(found["subject"], title) if found else None
        if not found or not subject:
            continue
        answer, verb = found["answer"].strip(), found["verb"]
        if kind == "who":
            return f"Who {_PAST.get(verb, verb)} {subject}?", answer, kind
        return f"{kind.capitalize()} {found['be']} {subject} {verb}?", answer, kind
    return None


def _definition(sentence: str, title: str) -> tuple[str, str, str] | None:
    found = _DEFINITION.match(sentence)
    if found is None:
        return None
    answer, rest, be = found["object"].strip(), found["rest"], found["be"]
    if _BACKWARDS.search(answer) or _UNFINISHED.search(answer) or not _whole(answer, rest):
        return None
    if (
        _SECOND.search(_CARRIED.sub("", answer))
        or _SECOND_AFTER_AND.search(answer)
        or answer.startswith(("the only ", "the most "))
    ):
        return None
    head = _HEAD_END.split(answer, maxsplit=1)[0]
    dated = bool(found["aside"] and _DATES.search(found["aside"]))
    called = any(_PERSON.search(part) for part in re.split(" (?:and|or) ", head))
    person = called and be in ("is", "was") and not found["subject"].startswith(("A ", "An "))
    if not person and (dated or (_LIKE_PERSON.search(head) and not _of_things(found["subject"], title))):
        return None  # it may be a person, and may not
    subject = _subject(found["subject"], title, noun=not person)
    if subject is None or (answer.startswith("the ") and subject.startswith(("a ", "an "))):
        return None
    return f"{'Who' if person else 'What'} {be} {subject}?", answer, "who" if person else "what"


def _whole(answer: str, rest: str) -> bool:
    """Whether the clause is complete where it was cut."""
    if rest == ".":
        return True
    place = re.match(r", [A-Z]", rest) and answer.rpartition(" ")[2][0].isupper()  # "in Auburn", and the state follows
    return bool(place or _NEW_CLAUSE.match(rest))


def _of_things(subject: str, title: str) -> bool:
    """Whether a subject is clearly no person: a common noun, or a word written like no name."""
    words = subject.split()
    return words[0] in ("A", "An", "The") or any(_CODE.search(word) for word in words) or words[0].islower()


def _subject(subject: str, title: str, *, noun: bool = False) -> str | None:
    """The subject as it stands in a question, if it says by itself what it is; with `noun` "a/an" and a common noun do."""
    words = subject.split()
    if not 1 <= len(words) <= 8 or subject.count('"') % 2 or subject[-1] in '"”-–—/':
        return None
    bare = subject.removeprefix("The ")
    if _same(subject, title):
        return f"the {bare}" if bare != subject and not title.startswith("The ") else subject
    if words[0] in ("A", "An"):
        common = noun and len(words) <= 4 and all(word.isalpha() and word.islower() for word in words[1:])
        return f"{words[0].lower()} {' '.join(words[1:])}" if common and not _SMALL & set(words[1:]) else None
    names = bare.split()
    if _EXTREME.fullmatch(subject):
        return f"the {bare}"
    if len(names) == 1:
        return bare if noun and bare == subject and sum(letter.isupper() for letter in bare) > 1 else None
    return (f"the {bare}" if bare != subject else subject) if _proper(names) else None


def _proper(names: list[str]) -> bool:
    """Whether the words are one name: of two capitalised words at the least, and of nothing that joins two names."""
    return (
        names[0].lower() not in _NO_START
        and not {"and", "or"} & set(names)
        and all(word in _SMALL or word[0].isupper() or word[0].isdigit() for word in names)
        and names[-1] not in _SMALL
        and sum(word[0].isupper() for word in names) >= 2
    )


def _same(subject: str, title: str) -> bool:
    """Whether the subject is the document's title, whatever its article, case or remark in brackets."""

    def bare(name: str) -> str:
        return re.sub(r"\W+", " ", re.sub(r"\(.*?\)", "", name)).strip().casefold().removeprefix("the ")

    return bool(title) and bare(subject) == bare(title)
