"""One thing to learn from: a question, a passage, and what is known of the two together."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeAlias

Part: TypeAlias = Literal["train", "dev"]
VERDICTS = ("yes", "no", "neither")
"""The classes of a yes/no question, in the order of the model's outputs."""

_HELD_BACK = 12  # of a hundred documents, for development


@dataclass(frozen=True, slots=True)
class ReaderExample:
    """What a passage says to a question; None where a label is not known, so that its head learns nothing from it.

    `spans` are the characters of `text` that answer (any of them is right), `answers` whether the passage answers, `relevance` whether it
    is evidence, `sentences` the sentences of `text` with whether each is evidence, `verdict` an index into `VERDICTS`. `origin` names the
    data set, `document` what the example is split by, `kind` how it was made (for the tables).
    """

    origin: str
    kind: str
    document: str
    question: str
    title: str
    text: str
    spans: tuple[tuple[int, int], ...] = ()
    answers: bool | None = None
    relevance: bool | None = None
    sentences: tuple[tuple[int, int, bool], ...] = ()
    verdict: int | None = None
    aliases: tuple[str, ...] = ()

    @property
    def part(self) -> Part:
        """Whether its document is trained on or held back: decided by the digest of the document's name, so it never changes."""
        return part_of(self.document)


def part_of(document: str) -> Part:
    """The side of the split on which every question about `document` lies."""
    digest = hashlib.sha256(document.encode()).digest()
    return "dev" if int.from_bytes(digest[:4], "big") % 100 < _HELD_BACK else "train"


def occurrences(
    text: str, aliases: Iterable[str], within: Iterable[tuple[int, int]] = ()
) -> tuple[tuple[int, int], ...]:
    """Where one of `aliases` stands in `text` as whole words, in order; only those inside `within` if any lies there."""
    found: set[tuple[int, int]] = set()
    for alias in aliases:
        wanted = alias.strip().strip(".").strip()
        if not wanted or len(wanted) > 600:
            continue
        pattern = r"\s+".join(re.escape(word) for word in wanted.split())
        found.update(match.span() for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE))
    widest = {span for span in found if not any(o != span and o[0] <= span[0] and span[1] <= o[1] for o in found)}
    ranges = list(within)
    inside = {span for span in widest if any(low <= span[0] and span[1] <= high for low, high in ranges)}
    return tuple(sorted(inside or widest))


def write(examples: Iterable[ReaderExample], path: Path) -> int:
    """Write one example a line, and return how many there were."""
    number = 0
    with path.open("w", encoding="utf-8") as lines:
        for number, example in enumerate(examples, 1):  # noqa: B007 - the count is what is returned
            lines.write(json.dumps(asdict(example), ensure_ascii=False) + "\n")
    return number


def read(path: Path) -> Iterator[ReaderExample]:
    """The examples of a file that `write` made."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            row["spans"] = tuple(tuple(span) for span in row["spans"])
            row["sentences"] = tuple(tuple(sentence) for sentence in row["sentences"])
            row["aliases"] = tuple(row["aliases"])
            yield ReaderExample(**row)
