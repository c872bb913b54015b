"""The few sentences that answer a question together: a beam search over paths of sentences.

A path's value is the share of the question's weight that its sentences speak of (a word that only a title holds counts `TITLE`: sentences
call their subject "he" or "the film"), plus

- `EXPECTED` if it holds something of the kind asked for, after a bridge in the sentence that the bridge leads to;
- `BRIDGE` for a step to a passage whose title the sentence before names and the question does not: the second hop
  (lab/docs/retrieval.md);
- `SAME` for a step within one passage: what precedes tells what "he" is;
- `SUBJECT` for each of at most two passages whose title stands in the question: both sides of a comparison;
- the mean of its sentences' priors: `OPENING` for the first of a passage, `RANK` and `SCORE` for the
  passage's rank and its score between the context's least and greatest.

A path grows while the best longer one is worth `least_gain` more. The `BEAM` best of each length are extended, so the cost is
`BEAM` x sentences x length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from decoct.data import Passage
from decoct.text.questions import ParsedQuestion
from decoct_lab.answer.answer_types import holds_expected
from decoct_lab.answer.evidence import Sentence

# In shares of the question's weight. Found on public questions of HotpotQA, 2WikiMultiHopQA and Natural Questions with
# benchmarks/extractive_reader.py; each can be halved or doubled at a loss of at most .05 in any of them (lab/docs/answer.md).
TITLE = 0.9
EXPECTED = 0.25
BRIDGE = 0.35
SAME = 0.1
SUBJECT = 0.1
OPENING = 0.1
RANK = 0.1
SCORE = 0.2
BEAM = 8


@dataclass(frozen=True, slots=True)
class _Path:
    """Sentences by index, the question words that they and their titles cover (as bits), and the parts of their value that only grow."""

    steps: tuple[int, ...] = ()
    words: int = 0
    titles: int = 0
    subjects: int = 0
    expected: bool = False
    links: float = 0.0
    priors: float = 0.0


class Paths:
    """The search over one context's sentences for one question; `weight` are the shares of the question's words."""

    def __init__(
        self,
        question: ParsedQuestion,
        found: Sequence[Sentence],
        weight: Mapping[str, float],
        passages: Sequence[Passage],
    ) -> None:
        self._found, self._wanted = found, frozenset(question.words)
        bits = {word: 1 << number for number, word in enumerate(weight)}
        self._weights = [(bits[word], amount) for word, amount in weight.items()]
        self._words = [sum(bits[word] for word in sentence.words & self._wanted) for sentence in found]
        self._titles = [sum(bits[word] for word in sentence.title & self._wanted) for sentence in found]
        self._expected = [holds_expected(sentence.text, question) for sentence in found]
        self._subjects = [
            1 << sentence.passage if sentence.subject and sentence.subject <= self._wanted else 0 for sentence in found
        ]
        priors = _priors(passages)
        self._priors = [OPENING * (sentence.place == 0) + priors[sentence.passage] for sentence in found]
        self._worths: dict[int, float] = {}

    def best(self, most: int, least_gain: float) -> list[Sentence]:
        """The sentences of the best path of at most `most`, in its order."""
        best, best_value, beam = _Path(), 0.0, [_Path()]
        for length in range(1, min(most, len(self._found)) + 1):
            longer = [
                (-self._value(path, step), path.steps, step)
                for path in beam
                for step in range(len(self._found))
                if step not in path.steps
            ]
            longer = nsmallest(BEAM, longer)
            value = -longer[0][0]
            if length > 1 and value - best_value < least_gain:
                break
            paths = {path.steps: path for path in beam}
            beam = [self._extended(paths[steps], step) for _, steps, step in longer]
            best, best_value = beam[0], value
        return [self._found[step] for step in best.steps]

    def _value(self, path: _Path, step: int) -> float:
        words, titles = path.words | self._words[step], path.titles | self._titles[step]
        bridged = self._bridges(path, step)
        return (
            self._worth(words)
            + TITLE * self._worth(titles & ~words)
            + EXPECTED * (self._expected[step] or (path.expected and not bridged))
            + SUBJECT * min(2, (path.subjects | self._subjects[step]).bit_count())
            + path.links
            + self._link(path, step, bridged)
            + (path.priors + self._priors[step]) / (len(path.steps) + 1)
        )

    def _extended(self, path: _Path, step: int) -> _Path:
        bridged = self._bridges(path, step)
        return _Path(
            steps=(*path.steps, step),
            words=path.words | self._words[step],
            titles=path.titles | self._titles[step],
            subjects=path.subjects | self._subjects[step],
            expected=self._expected[step] or (path.expected and not bridged),
            links=path.links + self._link(path, step, bridged),
            priors=path.priors + self._priors[step],
        )

    def _worth(self, words: int) -> float:
        """The share of the question's weight that the words of these bits have."""
        worth = self._worths.get(words)
        if worth is None:
            worth = self._worths[words] = sum(amount for bit, amount in self._weights if words & bit)
        return worth

    def _link(self, path: _Path, step: int, bridged: bool) -> float:
        if bridged:
            return BRIDGE
        same = bool(path.steps) and self._found[path.steps[-1]].passage == self._found[step].passage
        return SAME if same else 0.0

    def _bridges(self, path: _Path, step: int) -> bool:
        """Whether the path's last sentence names the subject of another passage, which the question does not name."""
        if not path.steps:
            return False
        before, sentence = self._found[path.steps[-1]], self._found[step]
        return (
            bool(sentence.subject)
            and before.passage != sentence.passage
            and sentence.subject <= before.words
            and not sentence.subject <= self._wanted
        )


def _priors(passages: Sequence[Passage]) -> list[float]:
    """What rank and score say for each passage; equal scores say nothing."""
    scores = [passage.score for passage in passages]
    least, width = min(scores, default=0.0), max(scores, default=0.0) - min(scores, default=0.0)
    return [
        RANK * (1 - rank / len(passages)) + (SCORE * (score - least) / width if width > 0 else 0.0)
        for rank, score in enumerate(scores)
    ]
