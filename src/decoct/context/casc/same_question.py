"""Whether a source speaks of the very thing that the question names: another bearer of a part of its name, or another year, is another.

The reader alone is easily led: to "How much disk space does Pinto Studio take?" it reads the cluster's figure out of "Pinto Cloud: planning
a cluster". A title says what a whole document is about, so a title is what is compared: a name that shares a word with the question's,
lacks one of its words, and has another in that place.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from decoct.context.casc.focus import Focus
from decoct.context.casc.sources import EvidenceSource, are_editions
from decoct.text.dates import dates
from decoct.text.lists import MONTHS
from decoct.text.names import normal, question_runs, runs, stands_in
from decoct.text.overlap import jaccard, shingles
from decoct.text.words import content_stems, is_stop

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_BREAK = re.compile(r"[,;:()\[\]|–—]|\s-\s|[.?!](?=\s|$)")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_LINE, _HEAD = 100, 240  # characters of a first line that stands for a title, and of a paper's head
_ONE_TEXT = 0.1  # of the word 3-grams of two texts, those that both have: editions share from a sixth on, papers of two days next to none


def of_others(focus: Focus, sources: Sequence[EvidenceSource]) -> frozenset[str]:
    """The ids of those sources that are about another thing or year, where one beside them names the very thing or year in full.

    Of the records of one table those are that say less of the question than another one.

    Alone a title that differs says little: who asks for "Pinto Studio" is content with "Pinto: first steps". Beside a title or a
    text that has the whole name, "Pinto Cloud" answers another question. A text that has the whole name itself speaks of both.
    """
    texts = {source.doc_id: source.titled_text for source in sources}
    found: set[str] = set()
    for name in question_runs(focus.text):
        wanted = set(_folded(_WORD.findall(name)))
        known = {word for other in question_runs(focus.text) for word in _folded(_WORD.findall(other))}
        apart = {
            s.doc_id
            for s in sources
            if _other_bearer(name, s.title, known) and name.casefold() not in s.text.casefold()
        }
        if any(wanted <= set(_folded(_WORD.findall(text))) for doc_id, text in texts.items() if doc_id not in apart):
            found |= apart
    apart = {source.doc_id for source in sources if _other_year(focus.text, source)}
    asked = set(_YEAR.findall(focus.text))
    if any(asked & set(_YEAR.findall(text)) for doc_id, text in texts.items() if doc_id not in apart):
        found |= apart
    tables: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for one in sources:
        if not one.title and "#" in one.doc_id:
            named = len(focus.words & content_stems(one.text))
            tables[one.doc_id.rpartition("#")[0]].append((named, one.doc_id))
    return frozenset(found) | {doc_id for rows in tables.values() for named, doc_id in rows if named < max(rows)[0]}


def are_of_two_things(one: EvidenceSource, other: EvidenceSource) -> bool:
    """Whether each title has a name or a number where the other has another (two sites, two products), and of no two editions.

    Titles of two forms are of one thing where they share a name, or one text has the other title's; records of one table are of two.
    Of papers with one title the lines at their heads tell: two contracts name two parties.
    """
    if are_editions(one, other):
        return False
    titles = [_title(source) for source in (one, other)]
    if not (one.title or other.title) and one.doc_id.rpartition("#")[0] == other.doc_id.rpartition("#")[0] != "":
        return True
    if titles[0] == titles[1] != "":
        parties = [
            {name for name, _, _ in runs(_undated(source.text[:_HEAD])) if " " in name} for source in (one, other)
        ]
        return all(
            any(not stands_in(name, normal(text)) for name in mine)
            for mine, text in zip(parties, (other.text, one.text), strict=True)
        )
    mine, theirs = map(_title_words, titles)
    shared = mine.keys() & theirs.keys()
    alike = 2 * len(shared) > min(len(mine), len(theirs))
    texts = f"{one.text}\n{other.text}"
    if not alike and any(
        " " in name and stands_in(name, normal(text))
        for title, text in zip(titles, (other.text, one.text), strict=True)
        for name, _, _ in runs(_undated(title))
    ):
        return False
    named = [
        {key for key, (word, first) in words.items() if _tells_apart(word, first, texts, alike)}
        for words in (mine, theirs)
    ]
    return all(names - shared for names in named) and (alike or not named[0] & named[1])


def are_of_two_days(one: EvidenceSource, other: EvidenceSource) -> bool:
    """Whether papers of a kind, by their titles, are of two days (two meetings), and their texts are not much the same, as of editions."""
    times = [_times(source.title) for source in (one, other)]
    return (
        all(times)
        and times[0] != times[1]
        and bool(_title_words(one.title).keys() & _title_words(other.title).keys())
        and not are_editions(one, other)
        and jaccard(shingles(one.text), shingles(other.text)) < _ONE_TEXT
    )


def _title(source: EvidenceSource) -> str:
    """Its title, else its first line, unless that is a sentence."""
    line = source.text.lstrip().partition("\n")[0][:_LINE]
    return source.title or ("" if line.endswith(".") else line)


def _title_words(title: str) -> dict[str, tuple[str, bool]]:
    """The words of a title without dates and stop words, each as written and whether it begins the title or what stands after a colon."""
    found: dict[str, tuple[str, bool]] = {}
    for part in re.split(r"[:.?!]\s", _undated(title)):
        for at, word in enumerate(_WORD.findall(part)):
            if not is_stop(key := word.casefold()):
                found.setdefault(key, (word, at == 0))
    return found


def _tells_apart(word: str, first: bool, texts: str, alike: bool) -> bool:
    """Whether a word of a title is a name; numbers and codes are where titles are of one form.

    No name is written small in a text. What begins a title is one where it has its capital within a sentence too.
    """
    if any(map(str.isdigit, word)):
        return alike
    if not word[:1].isupper() or re.search(rf"(?<![^\W_]){re.escape(word.casefold())}(?![^\W_])", texts):
        return False
    return (
        not first
        or re.search(rf"[a-z,] {re.escape(word)}(?![^\W_])", texts, re.IGNORECASE if word.isupper() else 0) is not None
    )


def _undated(title: str) -> str:
    """A title without its dates and months."""
    for when in reversed(dates(title)):
        title = title[: when.start] + " " + title[when.end :]
    return " ".join(word for word in title.split() if word.strip(".,;:()").casefold() not in MONTHS)


def _times(title: str) -> set[object]:
    """The days and months that a title names."""
    days = {when.first for when in dates(title) if not when.bare}
    return days | {key for word in _WORD.findall(title) if (key := word.casefold()) in MONTHS}


def _other_year(question: str, source: EvidenceSource) -> bool:
    """The question names years, and the title others and none of them, nor does the text."""
    asked = set(_YEAR.findall(question))
    titled = set(_YEAR.findall(source.title))
    if not asked or not titled or asked & titled:
        return False
    return not any(year in source.text for year in asked) and bool(dates(question))


def _other_bearer(name: str, title: str, known: set[str]) -> bool:
    """Whether the title names something that bears a part of `name` and, beside it, another word in place of the rest."""
    wanted = _folded(_WORD.findall(name))
    if len(wanted) < 2 or set(wanted) <= set(_folded(_WORD.findall(title))):
        return False
    for run in _BREAK.split(title):
        words = _WORD.findall(run)
        folded = _folded(words)
        for at, word in enumerate(folded):
            if word not in wanted:
                continue
            place = wanted.index(word)
            rivals = [
                words[at + step]
                for step in (-1, 1)
                if 0 <= at + step < len(words)
                and 0 <= place + step < len(wanted)
                and wanted[place + step] not in folded
            ]
            if any(_names(rival) and rival.casefold() not in known for rival in rivals):
                return True
    return _inverted(wanted, title)


def _inverted(wanted: Sequence[str], title: str) -> bool:
    """A catalogue's "Ferenc, Leon" beside the question's "Lukas Ferenc"."""
    match = re.match(r"\W*([^\W\d_][\w'’-]+), ([^\W\d_][\w'’-]+)", title)
    if match is None or len(wanted) != 2:
        return False
    last, first = match[1].casefold(), match[2].casefold()
    return last == wanted[1] and first != wanted[0] and match[2][:1].isupper() and first[0] + "." != wanted[0]


def _names(word: str) -> bool:
    """Whether a word of a title distinguishes: capitalised or with a digit, and no number of pages or years alone."""
    return word[:1].isupper() or (any(c.isdigit() for c in word) and not _YEAR.fullmatch(word))


def _folded(words: Sequence[str]) -> list[str]:
    return [word.casefold().removesuffix("'s").removesuffix("’s") for word in words]
