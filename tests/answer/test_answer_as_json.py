from __future__ import annotations

import json

from contexts import context_of

from decoct.answer.as_json import answer_as_json
from decoct.answer.citations import cited
from decoct.context.as_json import context_as_json
from decoct.data import Answer


def test_an_answer_is_its_context_and_its_cited_words() -> None:
    context = context_of("q", "One.", "Two.")
    text, citations = cited("It is two [2].", context)
    shown = answer_as_json(Answer(text, citations, context))
    assert json.loads(json.dumps(shown)) == {
        **context_as_json(context),
        "answer": "It is two [1].",
        "found": True,
        "outcome": "answer",
        "answers": [],
        "citations": [
            {
                "number": 1,
                "start": 10,
                "end": 13,
                "passage": 1,
                "support": [{"doc_id": "d2", "start": 100, "end": 104}],
                "source": {"doc_id": "d2", "start": 100, "end": 104, "quote": "Two."},
            }
        ],
    }
