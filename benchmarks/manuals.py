"""Questions over real manuals (HTML, PDF, RST, man pages), for testing only: nothing is chosen or mended by these figures.

    python benchmarks/manuals.py DATA --library FOLDER [--recipes default,hybrid,best] [--out FILE]

DATA holds `manuals` (corpus.tar.gz, questions.jsonl); FOLDER keeps the library. A passage is right if it holds at least half of a quote,
letters and digits alone compared (a quote may reach over two chunks). A row a recipe: right passage first and among the first five, quote
in the context at 300 and 900 tokens. Then `ask` without a model: an alias of the answer stands in the cited sentences (answers of up to
three characters only together with half of the quote), or in what stands around these, what was claimed, and how many unanswerable
questions were declined. 95 % intervals by Wilson.
"""

from __future__ import annotations

import json
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from setting import command_line, setting, share, write

from decoct import Library

_SHORT = 3  # characters of an answer that stands anywhere by chance


def bare(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


def holds(text: str, quote: str) -> bool:
    """Whether `text` holds the quote, or one of its halves."""
    whole, wanted = bare(text), bare(quote)
    half = len(wanted) // 2
    return any(part in whole for part in (wanted, wanted[:half], wanted[half:]) if len(part) >= 12)


def right(texts: Sequence[str], question: dict[str, Any]) -> bool:
    found = [any(holds(text, source["quote"]) for text in texts) for source in question["sources"]]
    return all(found) if question.get("need") == "all" else any(found)


def answered(cited: str, question: dict[str, Any]) -> bool:
    def stands(alias: str) -> bool:
        if len(bare(alias)) <= _SHORT:
            return right([cited], question) and alias.lower() in cited.lower()
        return bare(alias) in bare(cited)

    found = [stands(alias) for alias in question["answers"]]
    return all(found) if question.get("need") == "all" else any(found)


def main() -> None:
    parser = command_line(__doc__, out="")
    parser.add_argument("data", type=Path)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--recipes", default="default,hybrid,bm25,dense,best")
    parser.add_argument("--only-ask", action="store_true", help="leave out what is found and the contexts")
    given = parser.parse_args()
    questions = [json.loads(line) for line in (given.data / "manuals" / "questions.jsonl").read_text().splitlines()]
    asked = [question for question in questions if question["sources"]]
    silent = [question for question in questions if not question["sources"]]
    result: dict[str, Any] = {"recipes": {}}
    with Library.open(given.library) as library:
        if not library.status().documents:
            with tempfile.TemporaryDirectory() as folder:
                with tarfile.open(given.data / "manuals" / "corpus.tar.gz") as packed:
                    packed.extractall(folder, filter="data")
                library.add([folder])
        for recipe in [] if given.only_ask else given.recipes.split(","):
            first: list[bool] = []
            five: list[bool] = []
            small: list[bool] = []
            large: list[bool] = []
            for question in asked:
                texts = [hit.chunk.text for hit in library.search(question["question"], 5, recipe)]
                first.append(right(texts[:1], question))
                five.append(right(texts, question))
                for budget, into in ((300, small), (900, large)):
                    context = library.context(question["question"], budget, recipe)
                    into.append(right([passage.text for passage in context.passages], question))
            result["recipes"][recipe] = {
                "first": share(first),
                "five": share(five),
                "in 300": share(small),
                "in 900": share(large),
            }
            print(recipe, json.dumps(result["recipes"][recipe]), flush=True)
        for recipe in [name for name in ("default", "best") if name in given.recipes.split(",")]:
            answers = [library.ask(question["question"], recipe=recipe) for question in asked]
            cited = [" ".join(citation.source.quote for citation in answer.citations) for answer in answers]
            declined = [library.ask(question["question"], recipe=recipe).outcome for question in silent]
            result[f"ask {recipe}"] = {
                "right": share([answered(text, question) for text, question in zip(cited, asked, strict=True)]),
                "right, or in what stands around it": share(
                    [
                        answered(text, question) or answered(answer.text, question)
                        for answer, text, question in zip(answers, cited, asked, strict=True)
                    ]
                ),
                "claimed": share([answer.found for answer in answers]),
                "not found, though there": share([answer.outcome == "not-found" for answer in answers]),
                "declined, where nothing is there": share([outcome == "not-found" for outcome in declined]),
                "not claimed, where nothing is there": share([outcome != "answer" for outcome in declined]),
            }
            print("ask", recipe, json.dumps(result[f"ask {recipe}"]), flush=True)
    if given.out:
        write(given.out, {**setting(), **result}, show=False)


if __name__ == "__main__":
    main()
