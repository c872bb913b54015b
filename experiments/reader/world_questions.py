"""Make training examples of `worlds.jsonl`: small invented worlds of encyclopaedia entries with questions in one and two steps.

    python experiments/reader/world_questions.py --out silver-worlds.jsonl

A question gets two digests (its sentences among others of the same world, as `decoct ask` lays them out), one digest without the sentence
that answers, the entry that holds the answer, the entries of the other steps (evidence, but no answer), and one entry that is neither.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from decoct.text.sentences import sentences
from decoct_lab.reading.digest import LENGTH, digest_of_sentences

HERE = Path(__file__).parent
Row = dict[str, Any]
Entries = Sequence[Mapping[str, str]]


def examples(entries: Entries, asked: Mapping[str, Any], chance: random.Random) -> Iterator[Row]:
    """The silver rows of one question."""
    numbers = {entry["title"]: number for number, entry in enumerate(entries)}
    needed = [numbers[title] for title in asked["need"]]
    gold = [_place(entries, needed, sentence) for sentence in asked["s"]]
    holding = numbers[asked["e"]] if asked.get("e") else None
    yes_no = asked["k"] == "yesno"
    base = {
        "origin": "world-questions",
        "document": f"world-questions/{asked['w']}",
        "question": asked["q"],
        **({"yes_no": True} if yes_no else {}),
    }
    answerable = asked["a"] is not None
    for _ in range(2):
        text = _digest(entries, gold, needed, chance)
        marks = [entries[n]["text"][a:b] for n, a, b in gold]
        yield {**base, "kind": "digest", "title": "", "text": text, "answer": asked["a"], "sentence": marks}
    if not answerable:
        return
    deciding = [row for row in gold if row[0] == holding] if holding is not None else gold
    silent = _digest(entries, [row for row in gold if row not in deciding], needed, chance, without=deciding)
    yield {**base, "kind": "digest", "title": "", "text": silent, "answer": None, "relevance": None}
    if yes_no:
        return
    for number in dict.fromkeys(needed):
        own = [entries[n]["text"][a:b] for n, a, b in gold if n == number]
        alone = {**base, "title": entries[number]["title"], "text": entries[number]["text"], "sentence": own}
        if number == holding:
            yield {**alone, "answer": asked["a"]}
        else:
            yield {**alone, "answer": None, "relevance": True}
    others = [number for number in range(len(entries)) if number not in needed]
    if others:
        other = entries[chance.choice(others)]
        yield {**base, "title": other["title"], "text": other["text"], "answer": None, "relevance": False}


def _place(entries: Entries, needed: Sequence[int], sentence: str) -> tuple[int, int, int]:
    for number in (*needed, *range(len(entries))):
        at = entries[number]["text"].find(sentence)
        if at >= 0:
            return number, at, at + len(sentence)
    raise ValueError(f"no entry holds {sentence!r}")


def _digest(
    entries: Entries,
    gold: Sequence[tuple[int, int, int]],
    near: Sequence[int],
    chance: random.Random,
    without: Sequence[tuple[int, int, int]] = (),
) -> str:
    """The gold sentences and others of the world, near entries first, as far as the room goes; entries in a random order."""
    taken = [*gold, *without]
    noise = [
        (number, start, end)
        for number, entry in enumerate(entries)
        for start, end in sentences(entry["text"])
        if not any(number == n and start < b and a < end for n, a, b in taken)
    ]
    chance.shuffle(noise)
    noise.sort(key=lambda row: row[0] not in near and chance.random() < 0.6)
    chosen, room = list(gold), LENGTH - sum(b - a + len(entries[n]["title"]) + 3 for n, a, b in gold)
    room = int(room * chance.choice((0.5, 0.8, 1.0)))
    for number, start, end in noise:
        cost = end - start + len(entries[number]["title"]) + 3
        if cost <= room:
            chosen.append((number, start, end))
            room -= cost
    order = list(range(len(entries)))
    chance.shuffle(order)
    chosen.sort(key=lambda row: (order[row[0]], row[1]))
    return digest_of_sentences([(n, entries[n]["title"], entries[n]["text"], a, b) for n, a, b in chosen]).text


def rows(file: Path) -> Iterator[Row]:
    """The silver rows of every question of `file`."""
    entries: dict[int, Entries] = {}
    for line in file.read_text("utf-8").splitlines():
        read = json.loads(line)
        if "entries" in read:
            entries[read["w"]] = read["entries"]
        else:
            yield from examples(entries[read["w"]], read, random.Random(f"{read['w']}:{read['q']}"))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=Path, default=HERE / "worlds.jsonl")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    made = list(rows(arguments.worlds))
    arguments.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in made), "utf-8")
    print(f"{len(made)} examples")


if __name__ == "__main__":
    main()
