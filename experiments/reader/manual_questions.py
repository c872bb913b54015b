"""Put the questions of `manual-questions.jsonl` beside the passages that they were written on, for `decoct train reader --silver`.

    python experiments/reader/manual_questions.py DOCS --out silver-manuals.jsonl

DOCS has a folder a Debian package (README.md beside this file says how to fetch them). The passages are not kept here, since each has the
licence of its package; they are cut out of the documents again and found by the digest of their text. What was changed in another version
of a package is left out and counted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

from decoct.data import Document
from decoct.documents.formats import parse
from decoct.documents.sources import sources
from decoct.errors import DecoctError

HERE = Path(__file__).parent
SHORTEST, USUAL, LONGEST = (
    420,
    950,
    1200,
)  # characters of a passage; a paragraph that is longer stands for itself and is left out
PROSE, SENTENCES = 0.72, 3


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


def found(docs: Path, wanted: set[str]) -> dict[str, tuple[str, str]]:
    """Title and text of each wanted passage, by its digest."""
    held: dict[str, tuple[str, str]] = {}
    for file in sorted(path for path in docs.rglob("*") if path.is_file()):
        try:
            documents = [one for source in sources([file]) for one in parse(source) if isinstance(one, Document)]  # type: ignore[arg-type]
        except DecoctError:
            continue
        for document in documents:
            for passage in passages(document.text):
                if (name := digest(passage)) in wanted:
                    held.setdefault(name, ((document.title or file.name)[:100], passage))
    return held


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("docs", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in (HERE / "manual-questions.jsonl").read_text("utf-8").splitlines()]
    held = found(arguments.docs, {row["passage"] for row in rows})
    written = 0
    with arguments.out.open("w", encoding="utf-8") as lines:
        for row in rows:
            if row["passage"] in held:
                title, text = held[row.pop("passage")]
                lines.write(json.dumps({**row, "title": title, "text": text}, ensure_ascii=False) + "\n")
                written += 1
    print(f"{written} of {len(rows)} questions, on {len(held)} passages")


if __name__ == "__main__":
    main()
