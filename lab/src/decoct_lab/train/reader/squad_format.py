"""Examples out of files in SQuAD's form (SQuAD 1.1 and 2.0, XQuAD, PolicyQA and what people make themselves).

`{"data": [{"title", "paragraphs": [{"context", "qas": [{"question", "answers": [{"text", "answer_start"}], "is_impossible"}]}]}]}`
(Rajpurkar et al., 2016 and 2018). A question marked impossible is a passage that does not answer; so is another paragraph of the same
article in which the answer's words do not stand.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from decoct.errors import ConfigError
from decoct.text.sentences import sentences
from decoct_lab.train.reader.example import ReaderExample, occurrences
from decoct_lab.train.reader.sources import labelled_sentences


def squad_examples(file: Path, name: str, seed: int, most: int = 0) -> list[ReaderExample]:
    """The questions of `file`, at most `most` (0: all) drawn by `seed`, each third one with a silent paragraph of its article beside it."""
    found = list(_questions(file, name))
    chance = random.Random(f"{seed}:{name}")
    if most and len(found) > most:
        found = chance.sample(found, most)
    articles: dict[str, list[ReaderExample]] = {}
    for example in found:
        articles.setdefault(example.document, []).append(example)
    made: list[ReaderExample] = []
    for example in found:
        made.append(example)
        if example.answers and chance.random() < 0.34:
            other = chance.choice(articles[example.document])
            if other.text != example.text and not occurrences(other.text, example.aliases):
                silent = tuple((start, end, False) for start, end in sentences(other.text))
                made.append(
                    replace(example, kind="same-document", text=other.text, spans=(), answers=False, relevance=False, sentences=silent)
                )  # fmt: skip
    return made


def _questions(file: Path, name: str) -> Iterator[ReaderExample]:
    try:
        articles = json.loads(file.read_text(encoding="utf-8"))["data"]
        for article in articles:
            title = str(article.get("title", "")).replace("_", " ")
            for paragraph in article["paragraphs"]:
                text = paragraph["context"]
                for asked in paragraph["qas"]:
                    spans = tuple(
                        sorted(
                            {
                                (a["answer_start"], a["answer_start"] + len(a["text"]))
                                for a in asked["answers"]
                                if a["text"]
                            }
                        )
                    )
                    if any(not 0 <= start < end <= len(text) for start, end in spans):
                        continue
                    impossible = bool(asked.get("is_impossible"))
                    yield ReaderExample(
                        name, "judged-unanswerable" if impossible else "gold", f"{name}/{title}", asked["question"].strip(), title, text,
                        () if impossible else spans, answers=not impossible, relevance=None if impossible else True,
                        sentences=() if impossible else labelled_sentences(text, spans),
                        aliases=tuple(dict.fromkeys(a["text"] for a in asked["answers"])),
                    )  # fmt: skip
    except (OSError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise ConfigError(f"{file} is no file in SQuAD's form: {error!r}") from error
