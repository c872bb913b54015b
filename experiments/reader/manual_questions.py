"""Put the questions of `manual-questions.jsonl` beside the passages that they were written on, for `decoct train reader --silver`.

    python experiments/reader/manual_questions.py DOCS --out silver-manuals.jsonl

DOCS has a folder a Debian package (README.md beside this file says how to fetch them). The passages are not kept here, since each has the
licence of its package; they are cut out of the documents again and found by the digest of their text. What was changed in another version
of a package is left out and counted. Each answered question also gets `NEAR` other passage that is near it in vectors and does
not hold its answer: a hard negative.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from decoct.data import Document
from decoct.documents.formats import parse
from decoct.documents.sources import sources
from decoct.embed.minilm import MiniLM
from decoct.errors import DecoctError
from decoct_lab.train.reader.example import occurrences

HERE = Path(__file__).parent
SHORTEST, USUAL, LONGEST = (
    420,
    950,
    1200,
)  # characters of a passage; a paragraph that is longer stands for itself and is left out
PROSE, SENTENCES = 0.72, 3
NEAR = 1  # negatives a question, drawn from the `AMONG` nearest
AMONG, LOOKED_AT, LESS_NEAR = (
    12,
    40,
    0.97,
)  # a negative's score is at most so much of the right passage's: what is nearer may answer too


def passages(text: str) -> Iterator[str]:
    """Paragraphs packed to at most `USUAL` characters, where they are prose of at least `SENTENCES` sentences."""
    packed: list[tuple[int, int]] = []
    current: tuple[int, int] | None = None
    for match in re.finditer(r"[^\n]+(?:\n[^\n]+)*", text):
        start, end = match.span()
        if end - start > LONGEST:
            packed += [current] if current else []
            current = None
        elif current and end - current[0] <= USUAL:
            current = (current[0], end)
        else:
            packed += [current] if current else []
            current = (start, end)
    for start, end in [*packed, *([current] if current else [])]:
        passage = text[start:end].strip()
        words = passage.split()
        letters = sum(word.strip('.,;:()"').isalpha() for word in words)
        stops = len(re.findall(r"[a-z][.?!](?:\s|$)", passage))
        if len(passage) >= SHORTEST and letters >= PROSE * len(words) and stops >= SENTENCES:
            yield re.sub(r"[ \t]+", " ", passage)


def digest(passage: str) -> str:
    """The name of a passage in the file of questions."""
    return hashlib.sha256(passage.encode()).hexdigest()[:16]


Passage = tuple[str, str]  # title and text


def all_passages(docs: Path) -> dict[str, Passage]:
    """Title and text of every passage in `docs`, by its digest."""
    held: dict[str, Passage] = {}
    for file in sorted(path for path in docs.rglob("*") if path.is_file()):
        try:
            documents = [one for source in sources([file]) for one in parse(source) if isinstance(one, Document)]  # type: ignore[arg-type]
        except DecoctError:
            continue
        for document in documents:
            for passage in passages(document.text):
                held.setdefault(digest(passage), ((document.title or file.name)[:100], passage))
    return held


def negatives(asked: list[dict[str, Any]], held: dict[str, Passage], seed: int = 5) -> Iterator[dict[str, Any]]:
    """For each question with an answer in words, rows beside passages that are near it and do not hold the answer."""
    embedder = MiniLM()
    names = list(held)
    place = {name: at for at, name in enumerate(names)}
    vectors = embedder.embed([f"{title}\n{text}" for title, text in held.values()], "passage")
    answered = [row for row in asked if row["answer"] is not None and not row.get("yes_no")]
    chance = random.Random(seed)
    for row, question in zip(answered, embedder.embed([row["question"] for row in answered], "query"), strict=True):
        scores = vectors @ question
        own = scores[place[row["passage"]]]
        words = [row["answer"]] if isinstance(row["answer"], str) else row["answer"]
        near = [names[i] for i in np.argsort(-scores)[:LOOKED_AT] if scores[i] < LESS_NEAR * own]
        silent = [name for name in near if not occurrences(held[name][1], words)][:AMONG]
        for name in chance.sample(silent, min(NEAR, len(silent))):
            yield {**row, "passage": name, "answer": None, "sentence": None, "relevance": False}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    asked = [
        {**passage, **question}
        for passage in map(json.loads, (HERE / "manual-questions.jsonl").read_text("utf-8").splitlines())
        for question in passage.pop("questions")
    ]
    held = all_passages(arguments.docs)
    here = [row for row in asked if row["passage"] in held]
    made = [*here, *negatives(here, held)]
    with arguments.out.open("w", encoding="utf-8") as lines:
        for row in made:
            title, text = held[row.pop("passage")]
            lines.write(json.dumps({**row, "title": title, "text": text}, ensure_ascii=False) + "\n")
    print(
        f"{len(here)} of {len(asked)} questions, and {len(made) - len(here)} times another passage that does not answer"
    )


if __name__ == "__main__":
    main()
