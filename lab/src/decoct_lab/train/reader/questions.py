"""Silver questions: a language model writes them on passages, and only those are kept that it answers alike when asked back.

For each passage the model writes a question in words of its own and copies the answer. Asked back in another run by the short schema
(`language_model.py`) it must point at the same words; asked of another passage of the same document it must find nothing there,
and then that passage is kept as a hard negative. Lines are written as they are made, so a stopped run goes on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from decoct import trace
from decoct.errors import ConfigError, ModelError
from decoct.evaluate.metrics.answers import token_f1
from decoct.llm.base import LLM, Schema
from decoct.llm.prompts import Prompt, load_prompt
from decoct_lab.reading.language_model import LanguageModelReader

SCHEMA: Schema = {
    "type": "object",
    "properties": {"question": {"type": "string"}, "answer": {"type": "string"}},
    "required": ["question", "answer"],
    "additionalProperties": False,
}
_SAME = 0.6  # token F1 of the answer written and the answer given when asked back


@dataclass(frozen=True, slots=True)
class PassageToAsk:
    """A passage to ask about, and another of the same document (None: it has none)."""

    origin: str
    document: str
    title: str
    text: str
    other: str | None = None


@dataclass(frozen=True, slots=True)
class _Text:
    title: str
    text: str


def write_questions(
    passages: Iterable[PassageToAsk], llm: LLM, out: Path, *, wave: int = 4, say: Callable[[str], None] = print
) -> int:
    """Append the questions that pass to `out` (JSON lines, as `silver_examples` reads them); passages already asked about are skipped.

    Returns how many questions were kept in this run. `ConfigError` names a line of `out` that cannot be read.
    """
    done = _asked_about(out)
    reader = LanguageModelReader(llm)
    kept = asked = 0
    waiting: list[PassageToAsk] = []
    with out.open("a", encoding="utf-8") as lines:
        for passage in chain(passages, [None]):
            if passage is not None and passage.text not in done:
                waiting.append(passage)
            if not waiting or (passage is not None and len(waiting) < wave):
                continue
            for row in _rows(waiting, llm, reader):
                lines.write(json.dumps(row, ensure_ascii=False) + "\n")
                kept += row["answer"] is not None
            lines.flush()
            asked += len(waiting)
            waiting = []
            say(f"{asked} passages, {kept} questions kept")
    return kept


def _asked_about(out: Path) -> set[str]:
    """The passages that `out` has an answered question on; those kept only because they do not answer may still be asked about."""
    if not out.exists():
        return set()
    done: set[str] = set()
    for number, line in enumerate(out.read_text("utf-8").split("\n"), 1):
        try:
            row = json.loads(line) if line.strip() else {}
            if row and (row.get("answer") is not None or "questions" in row):
                done.add(row["text"])
        except (json.JSONDecodeError, AttributeError, KeyError) as error:
            raise ConfigError(
                f"{out}:{number} is no question that was written here: mend or remove the line"
            ) from error
    return done


def _rows(passages: Sequence[PassageToAsk], llm: LLM, reader: LanguageModelReader) -> list[dict[str, object]]:
    requests = [
        _prompt().request({"title": p.title, "passage": p.text}, max_tokens=120, schema=SCHEMA) for p in passages
    ]
    rows: list[dict[str, object]] = []
    for passage, outcome in zip(passages, llm.complete(requests), strict=True):
        if isinstance(outcome, ModelError):
            continue
        try:
            written = json.loads(outcome.text)
            question, answer = str(written["question"]).strip(), str(written["answer"]).strip()
        except (json.JSONDecodeError, KeyError, TypeError):
            continue
        if not question.endswith("?") or not answer or answer.lower() in question.lower():
            continue
        with trace.recording() as record:
            here, *there = reader.read(
                question, [_Text(passage.title, text) for text in (passage.text, passage.other) if text is not None]
            )
        if not here.spans or token_f1(passage.text[here.spans[0].start : here.spans[0].end], [answer]) < _SAME:
            continue
        base = {"origin": passage.origin, "document": passage.document, "title": passage.title, "question": question}
        rows.append({**base, "text": passage.text, "answer": passage.text[here.spans[0].start : here.spans[0].end]})
        # A call that failed found nothing, which says nothing of the passage.
        if there and not there[0].spans and not record.fallbacks["reading.failed"]:
            rows.append({**base, "text": passage.other, "answer": None, "relevance": None})
    return rows


@cache
def _prompt() -> Prompt:
    return load_prompt("decoct_lab.train.reader", "ask_about", ("title", "passage"))
