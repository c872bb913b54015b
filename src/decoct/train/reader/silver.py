"""Questions written on passages, by people or by a language model, as examples (`decoct train reader-questions` writes such a file)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from decoct.errors import ConfigError
from decoct.train.reader.example import ReaderExample, occurrences
from decoct.train.reader.sources import labelled_sentences

_VERDICTS = {"yes": 0, "no": 1}
_UNDECIDED = 2


def silver_examples(file: Path) -> Iterator[ReaderExample]:
    """The questions of `file`, one a line; `ConfigError` for a line that is none.

    A line holds `origin`, `document`, `title`, `text`, `question` and `answer`: words of the text, a list of such words, or null where the
    text does not answer. With `"yes_no": true` the answer is "yes", "no", or null where the text does not decide. `sentence`, where it is
    given, are the text's characters that decide; `relevance` says whether a text that does not answer is evidence all the same.
    """
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                example = _example(row)
            except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
                raise ConfigError(f"{file}:{number} is no silver question: {error!r}") from error
            if example is not None:
                yield example


def _example(row: dict[str, Any]) -> ReaderExample | None:
    """None where the answer's words do not stand in the text."""
    answer, text = row["answer"], row["text"]
    asked = (row["origin"], "silver", row["document"], row["question"], row["title"], text)
    deciding = _places(text, [row["sentence"]]) if row.get("sentence") else ()
    if row.get("yes_no"):
        if answer is None:
            return ReaderExample(*_unanswered(asked), answers=False, relevance=row.get("relevance"), verdict=_UNDECIDED)
        sentences = labelled_sentences(text, deciding) if deciding else ()
        return ReaderExample(
            *asked, answers=True, relevance=True, sentences=sentences, verdict=_VERDICTS[answer], aliases=(answer,)
        )  # fmt: skip
    if answer is None:
        return ReaderExample(*_unanswered(asked), answers=False, relevance=row.get("relevance"))
    aliases = (answer,) if isinstance(answer, str) else tuple(answer)
    spans = _places(text, aliases, deciding) if deciding else occurrences(text, aliases)
    if not spans:
        return None
    return ReaderExample(
        *asked, spans, answers=True, relevance=True, sentences=labelled_sentences(text, deciding or spans), aliases=aliases
    )  # fmt: skip


def _unanswered(asked: tuple[str, str, str, str, str, str]) -> tuple[str, str, str, str, str, str]:
    origin, _, *rest = asked
    return (origin, "silver-unanswered", *rest)  # type: ignore[return-value]


def _places(text: str, wanted: Sequence[str], within: Sequence[tuple[int, int]] = ()) -> tuple[tuple[int, int], ...]:
    """Where each of `wanted` stands first, as it is written: inside `within` if it stands there."""
    found = set()
    for words in wanted:
        at = next((p for low, high in within if (p := text.find(words, low, high)) >= 0), text.find(words))
        if at >= 0:
            found.add((at, at + len(words)))
    return tuple(sorted(found))
