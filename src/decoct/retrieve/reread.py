"""Reading again: the second reading says of the best chunks of a retriever how likely one of their statements answers the question.

The final score of the best `depth` chunks is `share * P(a statement answers) + (1 - share) * min-max(retriever)`. The probability counts as
it is, not scaled: where no statement answers by itself, as in the first steps of a question in several steps, all are near nought and the
retriever's order stays; where one does, its chunk comes up. Of the statements the nearest are read (`decoct.reading.nearest`); a chunk of
which none was is as likely as the least that was. Chunks beyond `depth` follow in their old order.

What answers only together is likely in no one statement: the retriever's first `kept` chunks stay among the first five, in the order of
the final score, and chunks behind them have their scores' places.

A question in a language that the reader does not know keeps the retriever's order (counted as the fallback `reread.language`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from decoct import trace
from decoct.data import Query, Ranking
from decoct.documents.matter import without_matter
from decoct.embed.base import unknown_language
from decoct.index.base import Store
from decoct.reading.base import languages_read
from decoct.reading.nearest import NearestStatements
from decoct.retrieve.base import Retriever
from decoct.retrieve.ranking import FIRST, dealt, first_of, min_max, ranked, under, with_kept


@dataclass(frozen=True, slots=True)
class Reread:
    """Reorders the best `depth` chunks of `retriever`; `statements` reads title, headings above and text.

    The first `kept` chunks of `retriever`, at most five, stay among the first five.
    """

    retriever: Retriever
    store: Store
    depth: int = 50
    share: float = 0.5
    kept: int = 3
    statements: NearestStatements = field(default_factory=NearestStatements)

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ValueError("share is the second reading's part of the score, from 0 to 1")
        if self.depth < 1:
            raise ValueError("depth must be at least 1")
        if not 0 <= self.kept <= FIRST:
            raise ValueError(
                f"kept is how many of the retriever's first chunks stay among the first {FIRST}, from 0 to {FIRST}"
            )

    def retrieve(self, query: Query, k: int) -> Ranking:
        """At most `k` chunks; `found_by` also has the probabilities ("reread")."""
        with trace.stage("reread"):
            known = languages_read(self.statements.reader)
            if known is not None and unknown_language(query.text, known):
                trace.fallback("reread.language")
                return self.retriever.retrieve(query, k)
            found = self.retriever.retrieve(query, max(k, self.depth))
            head = found.keys[: self.depth]
            chunks = self.store.chunks(head)
            read = self.statements.read(query.text, [replace(one, text=without_matter(one.text)) for one in chunks])
            answers = {chunk.key: max(one.values()) for chunk, one in zip(chunks, read, strict=True) if one}
            if not answers:
                return first_of(found, k)
            least = min(answers.values())
            said = np.array([answers.get(key, least) for key in head.tolist()], np.float32)
            mixed = self.share * said + (1 - self.share) * min_max(found.scores[: self.depth])
            order = with_kept(np.lexsort((head, -mixed)), np.arange(len(head)) < self.kept)
            scores = np.concatenate([dealt(mixed, order), under(found.scores[self.depth :])])
            return ranked(found.keys, scores, k, {**found.found_by, "reread": answers})
