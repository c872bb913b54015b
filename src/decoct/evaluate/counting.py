"""Exact token counts without tokenising the same words again and again.

An evaluation counts the same sentences thousands of times: for each system, each budget and each try to fit. WordPiece never joins
characters across a blank, tab or line break (BERT's pre-tokenizer cuts there, and its normalisation looks at single words only), so a
text's count is the sum of its lines', a line's the sum of its words', and each different word is tokenised once. Lines are remembered
because contexts of one question are made of the same few; words because all of a language's are soon known. Other tokenizers are not
additive in this way (byte-pair encodings attach the blank to the word): for them whole texts are remembered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from decoct.budget import Tokenizer
from decoct.embed.tokenizer import WordPieceTokenizer

_WORDS = 1_000_000  # remembered words, about 100 MB; beyond it the memory is begun anew
_CHARACTERS = 20_000_000  # of remembered lines or texts: those of some hundred questions at every budget
# No other white space: BERT drops some of it instead of cutting there.
_BLANKS = str.maketrans("\t\r", "  ")


@dataclass(slots=True)
class _Texts:
    """Counts of lines or texts, and how many characters they have."""

    counts: dict[str, int] = field(default_factory=dict)
    characters: int = 0

    def add(self, found: Iterable[tuple[str, int]]) -> None:
        if self.characters > _CHARACTERS:
            self.counts.clear()
            self.characters = 0
        for text, count in found:
            self.counts[text] = count
            self.characters += len(text)


@dataclass(frozen=True, slots=True)
class Counting:
    """Counts as `tokenizer` does, to the token, and remembers."""

    tokenizer: Tokenizer
    _words: dict[str, int] = field(default_factory=dict, repr=False, compare=False)
    _texts: _Texts = field(default_factory=_Texts, repr=False, compare=False)

    @property
    def fingerprint(self) -> str:
        """The tokenizer's own: the counts are equal."""
        return self.tokenizer.fingerprint

    def count(self, text: str) -> int:
        """Tokens in `text`."""
        return self.counts([text])[0]

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Tokens in each text."""
        additive = isinstance(self.tokenizer, WordPieceTokenizer)
        parts = [text.split("\n") if additive else [text] for text in texts]
        missing = [part for part in dict.fromkeys(chain.from_iterable(parts)) if part not in self._texts.counts]
        if not missing:
            known = self._texts.counts
            return [sum(map(known.__getitem__, found)) for found in parts]
        new = dict(self._by_words(missing) if additive else self._whole(missing))
        known = {**{part: self._texts.counts[part] for found in parts for part in found if part not in new}, **new}
        self._texts.add(new.items())
        return [sum(map(known.__getitem__, found)) for found in parts]

    def _whole(self, texts: Iterable[str]) -> Iterable[tuple[str, int]]:
        asked = list(texts)
        return zip(asked, self.tokenizer.counts(asked), strict=True)

    def _by_words(self, lines: Iterable[str]) -> Iterable[tuple[str, int]]:
        split = [(line, line.translate(_BLANKS).split(" ")) for line in lines]
        known = self._words
        if len(known) > _WORDS:
            known.clear()
        if missing := list(set[str]().union(*(words for _, words in split)).difference(known)):
            known.update(zip(missing, self.tokenizer.counts(missing), strict=True))
        return [(line, sum(map(known.__getitem__, words))) for line, words in split]
