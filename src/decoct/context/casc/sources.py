"""The documents behind a draft, with what is known about each: date, kind, authority, and which pieces of text may be used.

Metadata comes with the document (`date`, `kind` and their usual other names); what is missing is read off title and source where
that is safe (a title that begins "Erratum" is one). Authority is a prior by kind of source, after the paper's wish that reliable sources
weigh more: its figures are ours, and only gaps of 0.3 and more decide anything (`resolve`).
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TypeAlias

from decoct.data import Document, Metadata, Passage, Span
from decoct.documents.frontmatter import front_matter
from decoct.text.dates import dates, day_of
from decoct.text.overlap import idf
from decoct.text.sentences import sentences
from decoct.text.values import quantities
from decoct.text.words import content, content_stems
from decoct.text.words import words as folded

# What is checked before it is printed and can be held to account weighs more; an erratum has the last word on its own article.
AUTHORITY: Mapping[str, float] = {
    "erratum": 0.95, "standard": 0.9, "paper": 0.85, "report": 0.8, "registry": 0.8, "manual": 0.8, "preprint": 0.55, "unknown": 0.6,
    "news": 0.45, "press": 0.35, "blog": 0.3, "forum": 0.2, "draft": 0.3,
}  # fmt: skip
_KINDS = {
    "article": "paper", "journal": "paper", "abstract": "paper", "conference": "paper", "study": "paper", "survey": "paper",
    "corrigendum": "erratum", "correction": "erratum", "retraction": "erratum", "press release": "press", "pressrelease": "press",
    "blog post": "blog", "blogpost": "blog", "post": "blog", "technical report": "report", "techreport": "report", "newspaper": "news",
    "magazine": "news", "thread": "forum", "social": "forum", "specification": "standard", "guideline": "standard",
}  # fmt: skip
_ERRATUM = re.compile(
    r"^\W*(?:erratum|errata|corrigendum|(?:author |publisher )?correction|retraction|retracted|addendum)\b",
    re.IGNORECASE,
)
# What a document without metadata says of itself in its first lines: "Press release, 3 May 2023", "Last updated: 2024-01-15".
_HEAD = 240
_SELF = re.compile(
    r"^\W*(?P<kind>erratum|corrigendum|correction(?: notice)?|retraction(?: notice)?|press release|blog post|technical report|annual report"
    r"|preprint|journal article|research article|forum post|news|newspaper|guideline|standard|specification|report)\b"
    r"(?=\s*(?:[,:.(|–—-]|$))",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL = re.compile(
    r"(?:last |first |originally )?(?:updated|modified|revised|reviewed|date|dated|published|posted|issued|publication date)(?: on)?",
    re.IGNORECASE,
)
_MARKS = " \t#*_-–—:,.()[]|"
_LINE = 100  # a longer line is a sentence that mentions a date
_DATE_KEYS = ("date", "published", "publication_date", "updated", "year", "created", "timestamp")
_KIND_KEYS = ("status", "kind", "type", "source_type", "document_type", "genre", "category")


@dataclass(frozen=True, slots=True)
class EvidenceSource:
    """A document as evidence: `label` is its name in the context (D1 …), `pieces` the ranges that may be used, in text order.

    `day` is the ordinal of its date (None: not known), `authority` lies in 0..1, `version` is what it says of itself in its first lines.
    """

    label: str
    doc_id: str
    pieces: tuple[tuple[Span, str], ...]
    title: str = ""
    day: int | None = None
    date: str = ""
    kind: str = "unknown"
    authority: float = AUTHORITY["unknown"]
    version: tuple[int, ...] = ()

    @property
    def year(self) -> str:
        """The year of its date; empty where none is known."""
        return str(datetime.date.fromordinal(self.day).year) if self.day is not None and self.day > 0 else ""

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The pieces as what a reader reads."""
        return tuple(Passage(text, (span,), title=self.title) for span, text in self.pieces)

    @property
    def text(self) -> str:
        """All usable text, pieces parted by a blank line."""
        return "\n\n".join(text for _, text in self.pieces)

    @property
    def titled_text(self) -> str:
        """Its title and all usable text: where it may name what it speaks of."""
        return f"{self.title} {self.text}"


def source_of(label: str, document: Document, spans: Iterable[Span] | None = None) -> EvidenceSource:
    """A source of `document`: the whole of it, or the union of `spans`."""
    whole = (Span(document.id, 0, len(document.text)),) if document.text else ()
    begin = front_matter(document.text)[1]  # a date or a kind there is of the document, and nothing that it says
    pieces = tuple(
        (Span(span.doc_id, max(begin, span.start), span.end), document.text[max(begin, span.start) : span.end])
        for span in _union(spans if spans is not None else whole)
        if span.end > begin
    )
    kind = _kind(document)
    date = _date(document.metadata) or _written(document.text) or _titled(document.title)
    day = day_of(date) if date else None
    version = version_at_head(document.text[begin:])
    return EvidenceSource(label, document.id, pieces, document.title, day, date, kind, AUTHORITY[kind], version)


def handed_over(documents: Sequence[Document]) -> list[EvidenceSource]:
    """Documents that a user gives, in their order, labelled D1, D2 and so on."""
    return [source_of(f"D{i}", document) for i, document in enumerate(documents, 1)]


def sources_behind(passages: Sequence[Passage], document_of: Mapping[str, Document]) -> list[EvidenceSource]:
    """The sources of a draft's passages, in the order of their best passage; only text that the passages support is used."""
    spans: dict[str, list[Span]] = {}
    for passage in passages:
        for span in passage.support:
            spans.setdefault(span.doc_id, []).append(span)
    return [source_of(f"D{i}", document_of[doc_id], found) for i, (doc_id, found) in enumerate(spans.items(), 1)]


def _union(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and merged[-1].doc_id == span.doc_id and span.start <= merged[-1].end:
            merged[-1] = Span(span.doc_id, merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _kind(document: Document) -> str:
    if _ERRATUM.match(document.title):
        return "erratum"
    if "draft" in folded(document.title):
        return "draft"
    for key in _KIND_KEYS:
        named = str(document.metadata.get(key, "")).strip().casefold()
        named = _KINDS.get(named, named)
        if named in AUTHORITY:
            return named
    if (said := _SELF.search(document.text[:_HEAD])) is not None:
        named = said["kind"].casefold().removesuffix(" notice")
        return _KINDS.get(named, named) if _KINDS.get(named, named) in AUTHORITY else "report"
    return "unknown"


def _date(metadata: Metadata) -> str:
    for key in _DATE_KEYS:
        written = str(metadata.get(key, "")).strip()
        if written and day_of(written) is not None:
            return written
    return ""


def _titled(title: str) -> str:
    """The one date that a title holds ("2022 edition", "takster fra 01.01.2025"); none where it holds several."""
    found = [value.raw for value in quantities(title) if value.kind == "date" and not value.dimension]
    return found[0] if len(found) == 1 and day_of(found[0]) is not None else ""


def _written(text: str) -> str:
    """The date that a document gives itself at its head, as written: after a label, alone on a line, or after its kind."""
    for line in text[:_HEAD].splitlines():
        for when in dates(line):
            before, after = line[: when.start].strip(_MARKS), line[when.end :].strip(_MARKS)
            alone = not before and not after
            if alone or _LABEL.fullmatch(before) or (len(line) < _LINE and _SELF.match(before)):
                return line[when.start : when.end]
    return ""


# Which sources are editions of one publication: their names are the same but for a year or the number of a version.
#
# "Pilotage Directions 2021" and "Pilotage Directions 2026" by their titles, `dues-2025.xlsx` and `dues-2026.xlsx` by their files. Where one
# of the names has neither ("Pilotage Directions"), the sources' own dates tell the older. A number that is neither year nor version parts
# two things of one kind ("Notice 9", "Notice 14").
#
# A name may have words that tell the state of the file ("v4 SUPERSEDED", "old", "signed copy"): the document does not speak of them, or no
# more than the other does, as it would of a depot or a product. Then some of their sentences must be alike, and where no name has a number,
# the versions or dates that both state at their heads tell the older.

_NUMBER = re.compile(
    r"(?<![\d.,])(?:(?:19|20)\d\d|(?<=\bv)\d+(?:\.\d+)*|(?<=version )\d+(?:\.\d+)*|(?<=edition )\d+"
    r"|\d+(?=(?:st|nd|rd|th) edition))(?!\d|[-/.,]\d)",
    re.IGNORECASE,
)
_WITH_ENDING = re.compile(rf"{_NUMBER.pattern}(?:st|nd|rd|th)?", re.IGNORECASE)
_MARK = re.compile(rf"(?:\b(?:version|edition|v)[ ]?)?{_NUMBER.pattern}(?:[ ]edition\b)?", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_Numbered: TypeAlias = tuple[str, list[tuple[int, ...]]]
_YEARS = 1900  # greater numbers are years
_FORM = 3  # stems of a sentence that is compared
_SAME_WORDS = 0.5  # of two sentences that are alike, of all their stems
_SAME_FORM, _SAME_TEXT = 0.3, 0.8  # of their sentences: where versions tell the older, and where dates do
_LETTER = re.compile(r"[^\W\d_]{3}")


def is_older_edition(one: EvidenceSource, other: EvidenceSource) -> bool:
    """Whether `one` is an older edition of the publication that `other` is; such are of one kind."""
    if one.kind != other.kind:
        return False
    dated = one.day is not None and other.day is not None and one.day < other.day
    return any(
        _is_older(numbered_name(mine), numbered_name(theirs)) or (dated and _is_one_numbered(mine, theirs))
        for mine, theirs in _names(one, other)
    ) or (_are_named_alike(one, other) and _is_stated_older(one, other, dated=dated))


def _is_stated_older(one: EvidenceSource, other: EvidenceSource, *, dated: bool) -> bool:
    """Whether the numbers of the names, else the versions, else the dates make `one` the older, and the texts are as alike as it takes."""
    for names in _names(one, other):
        mine, theirs = map(numbers_of_edition, names)
        if mine and theirs and mine != theirs:
            return mine < theirs and _alike(one, other) > 0
    if one.version and other.version:
        return one.version < other.version and _alike(one, other) >= _SAME_FORM
    named = _stem(one) != _stem(other) and not any(map(str.isdigit, _stem(one) + _stem(other)))  # no running numbers
    return dated and named and _alike(one, other) >= _SAME_TEXT


def are_editions(one: EvidenceSource, other: EvidenceSource) -> bool:
    """Whether both are editions of one publication."""
    if is_older_edition(one, other) or is_older_edition(other, one):
        return True
    return one.kind == other.kind and any(_is_one_numbered(mine, theirs) for mine, theirs in _names(one, other))


def _names(one: EvidenceSource, other: EvidenceSource) -> tuple[tuple[str, str], ...]:
    return (one.title, other.title), (_stem(one), _stem(other))


def _are_named_alike(one: EvidenceSource, other: EvidenceSource) -> bool:
    """Whether their names are the same but for editions and words of which the documents do not speak.

    Where they have one title, both files may have such words; else one of each two names.
    """
    both_titled = bool(_letters(one.title) and _letters(other.title))
    titled = both_titled and _letters(one.title) == _letters(other.title)
    for mine, theirs in _names(one, other)[0 if both_titled else 1 :]:
        own, others = Counter(_letters(mine)), Counter(_letters(theirs))
        more, less = own - others, others - own
        if not titled and (
            (more and less) or not any(map(_LETTER.search, own & others)) or any(map(str.isdigit, more + less))
        ):
            return False
        if _speaks_of(more, one, other) or _speaks_of(less, other, one):
            return False
    folders = [Counter(PurePath(source.doc_id).parent.parts) for source in (one, other)]
    return not (_speaks_of(folders[0] - folders[1], one, other) or _speaks_of(folders[1] - folders[0], other, one))


def _speaks_of(words: Iterable[str], one: EvidenceSource, other: EvidenceSource) -> bool:
    """Whether `one` has some of the words in its text and `other` has not."""
    stems = content_stems(" ".join(words))
    return bool(stems) and bool(stems & content_stems(one.text) - content_stems(other.text))


def _alike(one: EvidenceSource, other: EvidenceSource) -> float:
    """The share of the sentences of the one with fewer that have the words of one of the other, numbers aside."""
    mine, theirs = sorted((_forms(one.text), _forms(other.text)), key=len)
    alike = sum(any(len(a & b) >= _SAME_WORDS * len(a | b) for b in theirs) for a in mine)
    return alike / len(mine) if mine else 0.0


def _forms(text: str) -> list[frozenset[str]]:
    """The stems of each sentence that has some, without numbers."""
    found = (frozenset(w for w in content_stems(text[a:b]) if w.isalpha()) for a, b in sentences(text))
    return [stems for stems in found if len(stems) >= _FORM]


def _is_older(mine: _Numbered | None, theirs: _Numbered | None) -> bool:
    return mine is not None and theirs is not None and mine[0] == theirs[0] and mine[1] < theirs[1]


def _is_one_numbered(one: str, other: str) -> bool:
    """Whether the names are the same, and just one of them has a year or version."""
    bare, numbered = (one, other) if numbered_name(one) is None else (other, one)
    return numbered_name(bare) is None and numbered_name(numbered) is not None and _letters(bare) == _letters(numbered)


def _letters(name: str) -> list[str]:
    """The words and other numbers of a name."""
    return _WORD.findall(_MARK.sub(" ", name).casefold())


def numbered_name(name: str) -> _Numbered | None:
    """A name without its years, versions and numbers of editions, and these; None where it has none, or nothing else."""
    found = numbers_of_edition(name)
    rest = _WITH_ENDING.sub("#", name).casefold()
    return (rest, found) if found and _LETTER.search(rest) else None


def numbers_of_edition(text: str) -> list[tuple[int, ...]]:
    """The years, versions ("v2.1": 2 and 1) and numbers of editions in a text, in order."""
    return [tuple(map(int, number.split("."))) for number in _NUMBER.findall(text)]


def version_at_head(text: str) -> tuple[int, ...]:
    """The number of the version or edition that a document states first at its beginning."""
    return next((number for number in numbers_of_edition(text[:_HEAD]) if number[0] < _YEARS), ())


def _stem(source: EvidenceSource) -> str:
    """The name of the source's file."""
    return PurePath(source.doc_id).stem.replace("_", "-")


# The documents of a folder that bear most on a question, by BM25 over words' roots (Robertson and Zaragoza 2009, k1 = 1.2, b = 0.75).

_K1, _B = 1.2, 0.75


def relevant(question: str, documents: Sequence[Document], most: int) -> list[Document]:
    """At most `most` documents that share a word with the question, in the order given; the best where there are more."""
    wanted = {word for word, _ in content(question)}
    counts = [Counter(word for word, _ in content(f"{document.title}\n{document.text}")) for document in documents]
    lengths = [count.total() for count in counts]
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    df = {word: sum(word in count for count in counts) for word in wanted}
    scores = [
        sum(_gain(count[word], df[word], len(documents), length / (mean or 1.0)) for word in wanted if count[word])
        for count, length in zip(counts, lengths, strict=True)
    ]
    best = sorted((i for i, score in enumerate(scores) if score > 0), key=lambda i: -scores[i])[:most]
    return [documents[i] for i in sorted(best)]


def _gain(tf: int, df: int, size: int, length: float) -> float:
    return idf(df, size) * tf * (_K1 + 1) / (tf + _K1 * (1 - _B + _B * length))
