"""The reader that needs no language model: the sentences that best support an answer, word for word, each cited.

1. The question is read for its content words and the kind of answer it expects (`question`).
2. Its words are weighted by their inverse frequency among the context's sentences (`evidence`).
3. A beam search finds the one to three sentences that together speak of most of the question, hold something of the expected kind,
   and lead from one to the next by the names of passages (`paths`).
4. Nothing is claimed on weak evidence: if no single sentence speaks of at least `least_evidence` of the question's weight, the answer
   says that it found none, names the words that the context does not hold, and cites nothing.

Choosing answer sentences by weighted word overlap and the expected type of answer is the classic of TREC question answering (Prager et
al. 2000, "Question-answering by predictive annotation"); the search over linked sentences and the weights are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from decoct import trace
from decoct.answer.base import NO_ANSWER, NO_CONTEXT
from decoct.answer.sources import quoted_at
from decoct.data import Answer, Citation, Context, Passage, SourceQuote
from decoct.text.questions import ParsedQuestion, parsed_question
from decoct.text.sentences import sentences
from decoct_lab.answer.evidence import Sentence, candidate_sentences, weights
from decoct_lab.answer.paths import Paths

_LEAST_GAIN = 0.1
_NAMED = 4  # missing words told: the rest would be noise
_LONGEST = 60  # characters of such a word: what is longer is no word that a reader must see whole


@dataclass(frozen=True, slots=True)
class Extractive:
    """Answers with at most `most` sentences; one more must be worth a tenth of the question's weight.

    `least_evidence` is the share of the question that a single sentence must speak of: higher abstains more.
    """

    most: int = 3
    least_evidence: float = 0.22

    def answer(self, context: Context, sink: Callable[[str], None] | None = None) -> Answer:
        """The best supporting sentences, each with its `[n]`; `found=False` where they are too weak."""
        answer = self._answer(context)
        if sink is not None:
            sink(answer.text)
        return answer

    def _answer(self, context: Context) -> Answer:
        if not context.passages:
            return Answer(NO_CONTEXT, (), context, found=False)
        question, found = parsed_question(context.question), candidate_sentences(context)
        weight = weights(question, found)
        chosen = Paths(question, found, weight, context.passages).best(self.most, _LEAST_GAIN)
        trace.count(sentences=len(found), chosen=len(chosen))
        if not chosen or _strongest(found, weight) < self.least_evidence:
            return Answer(_not_found(question, found), (), context, found=False)
        text, citations = _written(chosen, context)
        return Answer(text, citations, context)


def _strongest(found: Sequence[Sentence], weight: Mapping[str, float]) -> float:
    """The largest share of the question that one sentence speaks of."""
    return max(sum(weight[word] for word in sentence.words if word in weight) for sentence in found)


def _written(chosen: Sequence[Sentence], context: Context) -> tuple[str, tuple[Citation, ...]]:
    """The sentences, line breaks within them as spaces, each followed by its citation."""
    text, citations = "", []
    numbers: dict[int, int] = {}
    for sentence in chosen:
        passage = context.passages[sentence.passage]
        number = numbers.setdefault(sentence.passage, len(numbers) + 1)
        text += f"{' ' if text else ''}{' '.join(sentence.text.split())} "
        mark = f"[{number}]"
        source = _source(passage, sentence)
        citations.append(Citation(number, len(text), len(text) + len(mark), passage, source))
        text += mark
    return text, tuple(citations)


def _source(passage: Passage, sentence: Sentence) -> SourceQuote:
    if passage.kind == "rewrite":
        span = passage.support[0]
        return SourceQuote(span.doc_id, span.start, span.end, "")
    return quoted_at(passage, *sentences(passage.text)[sentence.place])


def _not_found(question: ParsedQuestion, found: Sequence[Sentence]) -> str:
    held = {word for sentence in found for word in sentence.words | sentence.title}
    missing = [written[:_LONGEST] for stem, written in question.words.items() if stem not in held]
    if not missing:
        return NO_ANSWER
    return f"{NO_ANSWER} It does not mention: {', '.join(missing[:_NAMED])}."
