"""The examples made of an invented world: digests with and without the answer, entries that answer, and entries that only lead on."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from typing import Any

import pytest

from decoct_lab.train.reader.silver import silver_examples

SCRIPT = Path(__file__).parents[3] / "experiments" / "reader" / "world_questions.py"
ENTRIES = [
    {"title": "The Oar", "text": "The Oar is a film by Ida Marn. It was shot in a mill."},
    {"title": "Ida Marn", "text": "Ida Marn directed four films. She was born in Vell."},
    {"title": "Vell", "text": "Vell is a town of weavers. It lies on the Sorne."},
]
ASKED: dict[str, Any] = {
    "w": 1,
    "q": "Where was the director of The Oar born?",
    "a": "Vell",
    "e": "Ida Marn",
    "need": ["The Oar", "Ida Marn"],
    "s": ["The Oar is a film by Ida Marn.", "She was born in Vell."],
    "k": "bridge",
}


def _made(**given: Any) -> list[dict[str, Any]]:
    spec = importlib.util.spec_from_file_location("world_questions", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return list(module.examples(ENTRIES, {**ASKED, **given}, random.Random(0)))


def test_a_question_in_two_steps_gives_each_kind_of_example() -> None:
    first, second, silent, lead, holding, other = _made()
    for digest in (first, second):
        assert digest["kind"] == "digest"
        assert all(sentence in digest["text"] for sentence in ASKED["s"])
        assert "Ida Marn: She was born in Vell." in digest["text"]
    assert "She was born in Vell." not in silent["text"]
    assert silent["answer"] is None
    assert (lead["title"], lead["answer"], lead["relevance"]) == ("The Oar", None, True)
    assert (holding["title"], holding["answer"]) == ("Ida Marn", "Vell")
    assert (other["title"], other["answer"], other["relevance"]) == ("Vell", None, False)


def test_a_question_that_the_world_does_not_answer_gives_silent_digests_alone() -> None:
    made = _made(a=None, e=None, s=[], k="none")
    assert [row["answer"] for row in made] == [None, None]


def test_every_row_is_a_silver_question(tmp_path: Path) -> None:
    import json

    rows = [*_made(), *_made(a="no", e=None, k="yesno")]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    read = list(silver_examples(tmp_path / "rows.jsonl"))
    assert len(read) == len(rows)
    assert [one.verdict for one in read[-3:]] == [1, 1, 2]


def test_a_sentence_that_no_entry_holds_is_an_error() -> None:
    with pytest.raises(ValueError, match="no entry holds"):
        _made(s=["She was never born."])
