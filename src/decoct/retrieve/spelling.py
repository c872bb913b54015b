"""A question's words as the library spells them, where one is a word that neither the library nor the dictionary knows.

"How long is the waranty perod?" finds nothing by words, and little by vectors. A word is taken for a slip where

- no chunk holds its stem, and it is no word of the bundled WordPiece vocabulary (30,000 English words): so what documents do not speak of
  ("salary") is not turned into what they do ("salad");
- it has at least `_SHORTEST` letters and no digit, is no part of a code in capitals ("G-SKFE"), and no function word of the library's
  languages;
- of a name (a capital inside the question), the word before or behind it stands beside the word meant in a chunk too ("Elif Aydn"): else
  whom the documents do not know ("the Wexner Foundation") would be answered as somebody else ("Werner").

The words meant are those that the index knows within one edit (two from `_LONG` letters on, but for a name) and that begin with the same
letter, as typists rarely miss that one: insertions, deletions, substitutions and swaps of neighbours count one each (Damerau 1964: four of
five slips are one such edit). The index finds their chunks by an automaton over its terms (Schulz and Mihov 2002, in tantivy), so a word
costs the same in a large library. Of several the nearest is taken, of those the one in most chunks; where two are as near and as frequent
nothing is changed. A question whose words are all known costs one look-up of their counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from decoct import trace
from decoct.data import Query
from decoct.embed.tokenizer import WordPieceTokenizer
from decoct.index.abilities import SupportsNearWords, languages_of
from decoct.index.base import Store
from decoct.text.analysis import is_unspaced, stems
from decoct.text.lists import listed
from decoct.text.words import WORD, is_stop

_SHORTEST, _LONG = 4, 9  # letters; Lucene allows two edits from six on, by which "calories" is "colonies"
_ENDING = range(2, 5)  # letters that a stem lacks of its word, where the slip lies in the ending ("operatng", "oper")
_CHUNKS = 50  # with a near word, whose words are compared


def respelt(query: Query, store: Store) -> Query:
    """The query with the words put right that are slips; each pair is told in the trace as `spelling`. The query itself where none is."""
    meant = _meant(query.text, store) if isinstance(store, SupportsNearWords) else {}
    if not meant:
        return query
    trace.fact("spelling", dict(meant))
    text = WORD.sub(lambda word: meant.get(word[0], word[0]), query.text)
    return replace(query, text=text)


def knows(words: str, store: Store) -> bool:
    """Whether a chunk holds one of the words with meaning, as they are or put right; true of a store that cannot tell."""
    if not isinstance(store, SupportsNearWords):
        return True
    languages = languages_of(store)
    asked = respelt(Query(words), store).text
    told = [word for word in WORD.findall(asked) if not any(is_stop(word.lower(), one) for one in languages)]
    counts = _frequencies([stem for word in told for stem in stems(word, languages)], store)
    return any(counts.values())


def _meant(question: str, store: SupportsNearWords) -> Mapping[str, str]:
    languages = languages_of(store)
    asked = _asked(question, languages)
    known = {word: stems(word, languages) for word in asked}
    counts = _frequencies([stem for one in known.values() for stem in one], store)
    found: dict[str, str] = {}
    for word, own in known.items():
        if any(counts[stem] for stem in own) or any(is_stop(word.lower(), language) for language in languages):
            continue
        in_dictionary = len(WordPieceTokenizer().offsets(word.lower())) == 1
        if not in_dictionary and (near := _nearest(word, own, store, languages, asked[word])) is not None:
            found[word] = near
    return found


def _asked(question: str, languages: Sequence[str]) -> dict[str, frozenset[str]]:
    """The words that may be slips; for a name those beside it, for every other word none."""
    every = list(WORD.finditer(question))
    found: dict[str, frozenset[str]] = {}
    for at, match in enumerate(every):
        word = match[0]
        coded = word.isupper() and "-" in (
            question[match.start() - 1 : match.start()],
            question[match.end() : match.end() + 1],
        )
        if len(word) >= _SHORTEST and word.isalpha() and not coded and not is_unspaced(word):
            around = [other[0].lower() for other in (*every[max(at - 1, 0) : at], *every[at + 1 : at + 2])]
            beside = frozenset(one for one in around if not any(is_stop(one, language) for language in languages))
            if not (at > 0 and word[0].isupper() and not question.isupper()):
                found[word] = frozenset()
            elif beside:
                found[word] = beside
    return found


def _nearest(
    word: str, own: Sequence[str], store: SupportsNearWords, languages: Sequence[str], beside: frozenset[str]
) -> str | None:
    """The word meant, None where none is near or two are equally likely; of a name one that a word of `beside` stands beside."""
    from rapidfuzz.distance import OSA

    said = word.lower()
    most = 1 if beside or len(word) < _LONG else 2
    near = dict.fromkeys((*own, said), most)
    begun = _frequencies([said[:-ending] for ending in _ENDING], store)
    near |= {stem: 0 for stem, count in begun.items() if count and len(stem) >= _SHORTEST and stem not in near}
    keys = {int(key) for stem, edits in near.items() for key in store.near_words(stem, edits, _CHUNKS)}
    chunks = store.chunks(sorted(keys))
    texts = [WORD.findall(f"{chunk.title} {chunk.text}") for chunk in chunks]
    if beside:
        held = {one for text in texts for one, other in pairwise(text) if other.lower() in beside}
        held |= {one for text in texts for other, one in pairwise(text) if other.lower() in beside}
    else:
        held = {one for text in texts for one in text}
        held |= listed("words", "function") if "en" in languages else set()
    edits = {
        spelt: distance
        for spelt in held
        if spelt[0].lower() == said[0] and (distance := OSA.distance(said, spelt.lower(), score_cutoff=most)) <= most
    }
    least = min(edits.values(), default=0)
    best = sorted({spelt.lower() for spelt, distance in edits.items() if distance == least})
    if not best:
        return None
    of = {spelt: stems(spelt, languages) for spelt in best}
    counts = _frequencies([stem for one in of.values() for stem in one], store)
    often = {spelt: max((counts[stem] for stem in of[spelt]), default=0) for spelt in best}
    top = [spelt for spelt in best if often[spelt] == max(often.values())]
    if len({tuple(of[spelt]) for spelt in top}) > 1:
        return None
    spelt: str = top[0]
    return spelt.capitalize() if word[0].isupper() else spelt


def _frequencies(asked: Sequence[str], store: SupportsNearWords) -> dict[str, int]:
    different = list(dict.fromkeys(asked))
    counts, _ = store.frequencies(different)
    return dict(zip(different, counts.tolist(), strict=True))
