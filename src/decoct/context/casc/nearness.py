"""How near the question's own words stand to a candidate: "4A: ₹98 lakh. 4B: ₹1.2 crore" is told apart by "4B" alone.

Words are weighed by their rarity among the sentences read (a copied one counts once), and fade with the words between; what stands in
another sentence counts little.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from decoct.context.casc.candidates import Candidate, Read
from decoct.context.casc.focus import Focus
from decoct.reading.base import SentenceRelevance
from decoct.text.overlap import rarities
from decoct.text.words import content, content_stems

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_REACH = 6.0  # words after which a word's pull has halved


class Nearness:
    """How strongly the rare words of the question stand beside candidates."""

    def __init__(self, reads: Sequence[Read], focus: Focus) -> None:
        wanted = {stem for stem, _ in content(focus.text)}
        said = dict.fromkeys(read.text[s.start : s.end] for read in reads for s in read.reading.sentences)
        texts = [content_stems(sentence) for sentence in said]
        self._rare = rarities(sorted(wanted), texts) if wanted and texts else {}

    def share(self, read: Read, sentence: SentenceRelevance) -> float:
        """How much of the question's words, by their rarity, a sentence holds."""
        held = content_stems(read.text[sentence.start : sentence.end])
        return sum(rare for stem, rare in self._rare.items() if stem in held)

    def pull(self, candidate: Candidate) -> float:
        """The pull of the question's words in the candidate's sentence, from 0 to 1."""
        read, value = candidate.read, candidate.value
        for s in read.reading.sentences:
            if s.start <= value.start < s.end:
                pulls: dict[str, float] = {}
                for match in _WORD.finditer(read.text, s.start, s.end):
                    stems = content_stems(match.group())
                    for stem in stems & self._rare.keys():
                        low, high = sorted((match.start(), value.start))
                        words = len(_WORD.findall(read.text, low, high))
                        pull = self._rare[stem] / (1 + words / _REACH)
                        pulls[stem] = max(pulls.get(stem, 0.0), pull)
                return sum(pulls.values())
        return 0.0
