"""The sets that the second reading learns from: passages, and questions with the writers' gold."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from decoct.text.sentences import sentences

WRITTEN = Path(__file__).parents[1] / "reader"
PUBLIC = ("nq-gold", "covidqa")
ORGANISATIONS = Path(__file__).parent / "organisations"
TRADES = tuple(sorted(one.parent.name for one in ORGANISATIONS.glob("*/questions.jsonl*")))
SQUAD = "squad2"
YES_NO = ("yes-no", "other-words")
MANUALS = {
    one: one.replace("manuals", "manual-questions") for one in ("manuals", "manuals-2", "manuals-3")
}  # and its file
NAMES = ("domain", "everyday", *MANUALS, *YES_NO, SQUAD, *PUBLIC, *TRADES)
HELD_BACK = {**dict.fromkeys(NAMES, 5), **dict.fromkeys((*TRADES, *YES_NO), 12)}  # one group of so many


@dataclass(frozen=True)
class Asked:
    """A question, where it is answered (passage number to acceptable answers), and whether by yes or no with the deciding sentence."""

    question: str
    gold: dict[int, list[str]]
    group: str
    near: int | None = None
    yes_no: bool = False
    sentence: str | None = None


@dataclass
class Material:
    """Title and text of every passage, and the questions over them."""

    name: str
    passages: list[tuple[str, str]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)


def held_back(name: str, group: str) -> bool:
    """Whether a group is kept for development; certainty is fitted on these alone."""
    return int(hashlib.sha1((name + group).encode(), usedforsecurity=False).hexdigest(), 16) % HELD_BACK[name] == 0


def material(name: str, data: Path, manuals: Path) -> Material:
    """The set `name`; `data` holds the public ones by name, `manuals` passages by digest (`manual_questions.all_passages`, as JSON).

    Files in SQuAD 2.0's form lie in the folder `squad2` of `data`.
    """
    if name == SQUAD:
        return _squad(data / SQUAD)
    if name in PUBLIC:
        return _public(name, data)
    if name in MANUALS:
        return _manuals(name, manuals)
    if name in TRADES:
        return _organisation(name)
    if name in YES_NO:
        return _yes_no(name)
    return _domain() if name == "domain" else _everyday()


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    if file.suffix == ".gz":
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)
    else:
        yield from map(json.loads, file.read_text("utf-8").splitlines())


def _answers(given: str | list[str] | None) -> list[str]:
    return [] if given is None else [given] if isinstance(given, str) else given


def _written(row: dict[str, Any], place: int, group: str) -> Asked:
    answers, sentence = _answers(row["answer"]), row.get("sentence")
    first = sentence[0] if isinstance(sentence, list) and sentence else sentence
    gold = {place: answers} if answers else {}
    return Asked(row["question"], gold, group, place, bool(row.get("yes_no")), first or None)


def _domain() -> Material:
    found = Material("domain")
    for row in _lines(WRITTEN / "domain-questions.jsonl"):
        found.asked += [_written(one, len(found.passages), row["document"]) for one in row["questions"]]
        found.passages.append((row["title"], row["text"]))
    return found


def _everyday() -> Material:
    found, groups = Material("everyday"), defaultdict(list)
    for row in _lines(WRITTEN / "everyday-questions.jsonl"):
        groups[row["document"]].append((len(found.passages), row))
        found.passages.append((row["title"], row["text"]))
    for group, rows in groups.items():
        gold = {place: _answers(row["answer"]) for place, row in rows if row["answer"] is not None}
        found.asked += [
            Asked(row["question"], gold, group, place, bool(row.get("yes_no")), row.get("sentence"))
            for place, row in rows
        ]
    return found


def _manuals(name: str, file: Path) -> Material:
    held: dict[str, tuple[str, str]] = json.loads(file.read_text("utf-8"))
    places = {digest: place for place, digest in enumerate(held)}
    found = Material(name, list(held.values()))
    for row in _lines(WRITTEN / f"{MANUALS[name]}.jsonl"):
        if (place := places.get(row["passage"])) is not None:
            found.asked += [_written(one, place, row["document"].split("/")[0]) for one in row["questions"]]
    return found


def _organisation(name: str) -> Material:
    found, places = Material(name), dict[str, int]()
    documents, questions = (next((ORGANISATIONS / name).glob(f"{one}.jsonl*")) for one in ("documents", "questions"))
    for row in _lines(documents):
        places[row["id"]] = len(found.passages)
        found.passages.append((row["title"], row["text"]))
    for row in _lines(questions):
        near, judged = places[row["document"]], row["kind"].startswith("yesno")
        gold = {near: row["answers"]} if row["answers"] else {}
        found.asked.append(Asked(row["question"], gold, row["group"], near, judged, row["evidence"]))
    return found


def _yes_no(name: str) -> Material:
    found = Material(name)
    for row in _lines(next((ORGANISATIONS / name).glob("statements.jsonl*"))):
        text = "\n".join(row[part] for part in ("before", "statement", "after") if row[part])
        for one in row["questions"]:
            gold = {} if one["verdict"] == "neither" else {len(found.passages): [one["verdict"]]}
            found.asked.append(Asked(one["q"], gold, row["over"], len(found.passages), True, row["statement"]))
        found.passages.append((row["over"], text))
    return found


def _public(name: str, data: Path) -> Material:
    found, places = Material(name), dict[str, int]()
    for row in _lines(data / name / "corpus.jsonl.gz"):
        places[row["id"]] = len(found.passages)
        found.passages.append((row["title"], row["text"]))
    for row in _lines(data / name / "questions.jsonl.gz"):
        gold = {places[one]: row["answers"] for one in row["supporting_ids"] if one in places}
        found.asked.append(Asked(row["question"], gold, row.get("document_id", row["id"]), next(iter(gold), None)))
    return found


def _squad(folder: Path) -> Material:
    """Paragraphs; of a question without an answer the nearest sentence is that of the annotators' plausible answer."""
    found, seen = Material(SQUAD), set[str]()
    for file in sorted(folder.glob("*.json")):
        for article in json.loads(file.read_text("utf-8"))["data"]:
            title = article["title"].replace("_", " ")
            for paragraph in article["paragraphs"]:
                text, place = paragraph["context"], len(found.passages)
                found.passages.append((title, text))
                for one in paragraph["qas"]:
                    marked = one["answers"] or one.get("plausible_answers") or []
                    if not marked or one["question"] in seen:
                        continue
                    seen.add(one["question"])
                    start = marked[0]["answer_start"]
                    sentence = next((text[a:b] for a, b in sentences(text) if a <= start < b), None)
                    gold = {} if one.get("is_impossible") else {place: [answer["text"] for answer in marked]}
                    found.asked.append(Asked(one["question"], gold, title, place, sentence=sentence))
    return found
