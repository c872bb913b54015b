"""Questions that a language model wrote on passages, as examples (`decoct train reader-questions` writes the file)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from decoct.errors import ConfigError
from decoct.train.reader.example import ReaderExample, occurrences
from decoct.train.reader.sources import labelled_sentences


def silver_examples(file: Path) -> Iterator[ReaderExample]:
    """A line holds `document`, `title`, `text`, `question`, `answer` (null: the passage does not answer) and `origin`."""
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                answer, text = row["answer"], row["text"]
                spans = occurrences(text, [answer]) if answer else ()
                if answer and not spans:
                    continue
                yield ReaderExample(
                    row["origin"], "silver" if answer else "silver-unanswered", row["document"], row["question"], row["title"], text,
                    spans, answers=bool(answer), relevance=True if answer else row.get("relevance"),
                    sentences=labelled_sentences(text, spans) if answer else (), aliases=(answer,) if answer else (),
                )  # fmt: skip
            except (json.JSONDecodeError, KeyError, TypeError) as error:
                raise ConfigError(f"{file}:{number} is no silver question: {error!r}") from error
