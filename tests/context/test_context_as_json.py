from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from word_tokenizer import Words

from decoct.budget import Budget
from decoct.context.as_json import context_as_json
from decoct.data import Context, Passage, Span
from decoct.trace import Trace


@dataclass(frozen=True)
class Fact:
    text: str

    def as_dict(self) -> dict[str, Any]:
        return {"text": self.text}


def context(**notes: tuple[object, ...]) -> Context:
    passage = Passage("Text.", (Span("d", 3, 8),), score=0.5, title="T")
    return Context("why?", "[1] T\nText.", (passage,), Budget(9, Words()), Trace(), notes)


def test_the_shape_is_that_of_the_interface() -> None:
    shown = context_as_json(context())
    assert json.loads(json.dumps(shown)) == {
        "question": "why?",
        "text": "[1] T\nText.",
        "tokens": 3,
        "limit": 9,
        "passages": [
            {
                "text": "Text.",
                "kind": "quote",
                "score": 0.5,
                "title": "T",
                "support": [{"doc_id": "d", "start": 3, "end": 8}],
            }
        ],
        "trace": {"stages": [], "fallbacks": {}},
    }


def test_notes_are_written_by_name_or_refused() -> None:
    shown = context_as_json(context(facts=(Fact("x"), "plain"), merges=()))
    assert (shown["facts"], shown["merges"]) == ([{"text": "x"}, "plain"], [])
    with pytest.raises(TypeError, match="as_dict"):
        context_as_json(context(facts=(object(),)))
