"""Questions written on passages, by people or by a language model, as examples (`decoct train reader-questions` writes such a file)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from decoct.errors import ConfigError
from decoct_lab.train.reader.example import ReaderExample, occurrences
from decoct_lab.train.reader.sources import labelled_sentences

_VERDICTS = {"yes": 0, "no": 1}
_UNDECIDED = 2


def silver_examples(file: Path) -> Iterator[ReaderExample]:
    """The questions of `file`, one or a passage's a line; `ConfigError` for a line that is none.

    A line holds `origin`, `document`, `title`, `text`, `question` and `answer`: words of the text, a list of such words, or null where the
    text does not answer. With `"yes_no": true` the answer is "yes", "no", or null where the text does not decide. `sentence`, where it is
    given, are the text's characters that decide (a list where there are several steps); `relevance` says whether a text that does not
    answer is evidence all the same; `kind` is `digest` for lines of several passages (default `silver`).
    Where a passage is asked several questions, its line may hold them as `questions`: a list of objects with what differs.
    """
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                passage = json.loads(line)
                examples = [_example({**passage, **asked}) for asked in passage.get("questions", [{}])]
            except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
                raise ConfigError(f"{file}:{number} is no silver question: {error!r}") from error
            yield from (example for example in examples if example is not None)


def _example(row: dict[str, Any]) -> ReaderExample | None:
    """None where the answer's words do not stand in the text."""
    answer, text = row["answer"], row["text"]
    given = row.get("sentence") or []
    deciding = _places(text, [given] if isinstance(given, str) else given)
    sentences = labelled_sentences(text, deciding) if deciding else ()
    asked = {
        "origin": row["origin"],
        "kind": row.get("kind", "silver") + ("-unanswered" if answer is None else ""),
        "document": row["document"],
        "question": row["question"],
        "title": row["title"],
        "text": text,
        "sentences": sentences,
    }
    if answer is None:
        verdict = _UNDECIDED if row.get("yes_no") else None
        return ReaderExample(**asked, answers=False, relevance=row.get("relevance"), verdict=verdict)
    if row.get("yes_no"):
        return ReaderExample(**asked, answers=True, relevance=True, verdict=_VERDICTS[answer], aliases=(answer,))
    aliases = (answer,) if isinstance(answer, str) else tuple(answer)
    spans = _places(text, aliases, deciding) if deciding else occurrences(text, aliases)
    if not spans:
        return None
    asked["sentences"] = sentences or labelled_sentences(text, spans)
    return ReaderExample(**asked, spans=spans, answers=True, relevance=True, aliases=aliases)


def _places(text: str, wanted: Sequence[str], within: Sequence[tuple[int, int]] = ()) -> tuple[tuple[int, int], ...]:
    """Where each of `wanted` stands first, as it is written: inside `within` if it stands there."""
    found = set()
    for words in wanted:
        at = next((p for low, high in within if (p := text.find(words, low, high)) >= 0), text.find(words))
        if at >= 0:
            found.add((at, at + len(words)))
    return tuple(sorted(found))
