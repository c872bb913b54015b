"""Examples out of files in BoolQ's form: a line a question of yes or no, `question`, `title`, `answer` (true or false) and `passage`.

(Clark et al., 2019, "BoolQ: Exploring the Surprising Difficulty of Natural Yes/No Questions".) Every other question is also put to the
passage of another one that shares most of its words: that passage decides nothing, and the verdict is "neither".
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

from decoct.data import Document
from decoct.errors import ConfigError
from decoct_lab.train.reader.example import ReaderExample
from decoct_lab.train.reader.negatives import Bm25
from decoct_lab.train.reader.sources import negative

_YES, _NO = 0, 1


def boolq_examples(file: Path, name: str, seed: int) -> list[ReaderExample]:
    """The questions of `file`, half of them beside a near passage that does not decide. `ConfigError` for a line that is none."""
    found = list(_questions(file, name))
    ranked = Bm25([f"{example.title} {example.text}" for example in found])
    chance = random.Random(f"{seed}:{name}")
    made: list[ReaderExample] = []
    for example in found:
        made.append(example)
        if chance.random() < 0.5:
            near = [found[row] for row in ranked.best(example.question, 6) if found[row].title != example.title]
            if near:
                other = chance.choice(near[:3])
                made.append(negative(example, Document(other.document, other.text, other.title), "retrieved"))
    return made


def _questions(file: Path, name: str) -> Iterator[ReaderExample]:
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                verdict = _YES if row["answer"] else _NO
                yield ReaderExample(
                    name, "gold", f"{name}/{row['title']}", row["question"].strip() + "?", row["title"], row["passage"],
                    answers=True, relevance=True, verdict=verdict, aliases=("yes" if row["answer"] else "no",),
                )  # fmt: skip
            except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
                raise ConfigError(f"{file}:{number} is no question of BoolQ's form: {error!r}") from error
