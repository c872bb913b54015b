"""What a question names letter by letter: codes, part numbers, options, file names, and what it puts in quotation marks.

Vectors see no difference between PX-4410 and PX-4401, and words are told apart into "px" and "4410". So where the question holds such a
string, the chunks that hold it as it stands are looked up: BM25 by its words gives `LOOKED_AT` chunks, and their text, title, headings and
document's id are searched for the very string (case, white space and the kind of dash aside), not as a part of a longer one. If all that
hold it are of one document, they go first, those with more of the question's strings before others, then in the order that they had. A
string that stands in several documents tells none of them apart, and changes nothing.

A question without such a string costs one regular expression; with one, a word search and the texts that it finds.

What it names and no document holds at all is `unheld`: an answer says so, since it can only be of something else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from decoct import trace
from decoct.data import Chunk, Query, Ranking
from decoct.documents.formats import SUFFIXES
from decoct.index.base import Store
from decoct.retrieve.base import Retriever
from decoct.retrieve.ranking import first_of
from decoct.text.identifiers import identifiers, runs, stands_in
from decoct.text.values import parse_values

LOOKED_AT = (
    100  # chunks by BM25 that a string is looked for in, and of the ranking whose order holds among those that have it
)
_MOST = 8  # strings of a question
_LONGEST = 200  # characters of one
_QUOTED = re.compile(
    rf'"([^"\n]{{3,{_LONGEST}}})"|“([^”\n]{{3,{_LONGEST}}})”|„([^“”\n]{{3,{_LONGEST}}})[“”]|«([^»\n]{{3,{_LONGEST}}})»|`([^`\n]{{2,{_LONGEST}}})`'
    rf"|(?<!\w)['‘]([^'’\n]{{3,{_LONGEST}}})['’](?!\w)"
)
_WORD = re.compile(r"\S+")
_AROUND = "\"'“”„«»‘’`()[]{}<>,;:!?…"
# A number alone is a year, a measure or a rank ("1912", "5kg", "20th", "1990s", "3.5%"): common to many documents by chance.
_NUMBER = re.compile(r"[^\w]*\d[\d.,:%°€$£/-]*[^\W\d_]{0,3}")
_CODE = re.compile(
    r"(?=.*\d)(?=.*[^\W\d_]).*"  # letters and digits: E-17, PX4410, v2.3.1, 0x80070005
    r"|\d{5,}|\d+(?:[-./]\d+){2,}"  # order numbers, versions, addresses
    r"|--?\w[\w-]+|\w+(?:_\w+)+|.*(?:::|->|\(\)|[\\/]\w).*"  # options, names of programs, paths
    r"|[^\W\d_]{2,}[-_][^\W\d_]*[A-Z]{2,}|.*[a-z][A-Z][a-z].*"  # ERR-CONN, NullPointerException
    r"|[\w-]+\.[a-z]{2,4}\d?"  # file names
)
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))


@dataclass(frozen=True, slots=True)
class Exact:
    """Puts first what holds the question's codes and quotations, where one document alone does; else `retriever` decides."""

    retriever: Retriever
    store: Store

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` chunks; `found_by` tells how many of the question's strings a chunk holds ("exact")."""
        wanted = strings(query.text)
        if not wanted:
            return self.retriever.retrieve(query, k)
        with trace.stage("exact"):
            held: dict[int, int] = {}
            for one in wanted:
                for key in self._holders(one, query):
                    held[key] = held.get(key, 0) + 1
            trace.count(strings=len(wanted), held=len(held))
            if not held:
                return self.retriever.retrieve(query, k)
            return first_of(_ahead(self.retriever.retrieve(query, max(k, LOOKED_AT)), held), k)

    def _holders(self, wanted: str, query: Query) -> list[int]:
        """The chunks that hold the string, best by its words first; none where they are of several documents."""
        name, dot, suffix = wanted.rpartition(".")
        words = name if dot + suffix.lower() in SUFFIXES else wanted
        pattern = _pattern(wanted)
        chunks = self.store.chunks(self.store.lexical(words, LOOKED_AT, query.where).keys)
        found = [chunk for chunk in chunks if pattern.search(_searched_text(chunk))]
        return [chunk.key for chunk in found] if len({chunk.span.doc_id for chunk in found}) == 1 else []


def unheld(question: str, store: Store) -> tuple[str, ...]:
    """The identifiers and file names of a question that stand in no document, however written; not those that are too common to tell."""
    dates = [(one.start, one.end) for one in parse_values(question) if one.kind == "date"]
    named = (one for one in identifiers(question) if not any(start <= one.start < end for start, end in dates))
    codes = [one.written for one in named]
    files = [one for one in strings(_QUOTED.sub(" ", question)) if _is_file(one)]
    return tuple(one for one in dict.fromkeys((*codes, *files)) if not _may_stand(one, store))


def _is_file(code: str) -> bool:
    name, dot, suffix = code.rpartition(".")
    return bool(dot) and suffix.isalpha() and name.replace("-", "").replace(".", "").isidentifier()


def _may_stand(written: str, store: Store) -> bool:
    parts = runs(written)
    chunks = store.chunks(store.lexical(" ".join((*parts, "".join(parts))), LOOKED_AT).keys)
    texts = [_searched_text(chunk) for chunk in chunks]
    # A chunk with all of its words would be found before those that have some, unless they are in so many.
    common = len(texts) == LOOKED_AT and set(parts) <= set(runs(texts[-1]))
    return common or any(stands_in(written, text) for text in texts) or bool(store.digests([written]))


def strings(question: str) -> list[str]:
    """What the question names letter by letter, each once: quotations first, then codes outside of them."""
    quoted = [next(part for part in found.groups() if part) for found in _QUOTED.finditer(question)]
    rest = _QUOTED.sub(" ", question)
    codes = [word for found in _WORD.finditer(rest) if _is_code(word := _bare(found[0]))]
    return list(dict.fromkeys(_plain(one) for one in (*quoted, *codes) if any(map(str.isalnum, one))))[:_MOST]


def _bare(word: str) -> str:
    """A word without the marks around it; the brackets of a call stay."""
    bare = word.lstrip(_AROUND).rstrip(_AROUND + ".")
    return f"{bare}()" if word[len(word) - len(word.lstrip(_AROUND)) :].startswith(f"{bare}()") else bare


def _is_code(word: str) -> bool:
    if not 2 < len(word) <= _LONGEST or (_NUMBER.fullmatch(word) and not re.search(r"\d{5}|\d[-./]\d+[-./]\d", word)):
        return False
    return _CODE.fullmatch(word) is not None


def _plain(text: str) -> str:
    return " ".join(text.translate(_DASHES).split())


def _pattern(wanted: str) -> re.Pattern[str]:
    """The string where it is not a part of a longer one: E-17 is not in E-170, PRE-17 or E-17-B."""
    return re.compile(rf"(?<!\w)(?<!\w[-_.]){re.escape(wanted)}(?!\w)(?![-_.]\w)", re.IGNORECASE)


def _searched_text(chunk: Chunk) -> str:
    return _plain(f"{chunk.span.doc_id}\n{chunk.title}\n{chunk.place}\n{chunk.text}")


def _ahead(found: Ranking, held: dict[int, int]) -> Ranking:
    """The chunks of `held` before all others, scores falling by one from the first of them to the best of the others."""
    place = {key: at for at, key in enumerate(found.keys[:LOOKED_AT].tolist())}
    named = list(held)
    order = sorted(named, key=lambda key: (-held[key], place.get(key, LOOKED_AT + named.index(key)), key))
    others = ~np.isin(found.keys, order)
    best = float(found.scores.max()) if len(found) else 0.0
    keys = np.concatenate([np.array(order, np.int64), found.keys[others]])
    scores = np.concatenate([best + np.arange(len(order), 0, -1, dtype=np.float32), found.scores[others]])
    by = {key: float(count) for key, count in held.items()}
    return Ranking(keys, scores.astype(np.float32), {**found.found_by, "exact": by})
