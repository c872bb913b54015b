"""How sure something must be to be claimed is the user's to say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from decoct import Document, Library
from decoct.answer.base import adjusted
from decoct.answer.short_answers import ShortAnswers
from decoct.errors import ConfigError, QueryError
from decoct_lab.answer.extractive import Extractive

NOTES = "The Harrow Bridge was opened in 1934 by the mayor. Tolls were ended in 1960."
QUESTION = "When was the Harrow Bridge opened?"


def test_with_all_caution_nothing_is_claimed_and_with_none_the_words_are(tmp_path: Path) -> None:
    (tmp_path / "bridge.txt").write_text(NOTES, "utf-8")
    with Library.open(tmp_path / "library") as library:
        library.add([tmp_path / "bridge.txt"])
        bold, careful = library.ask(QUESTION, caution=0.1), library.ask(QUESTION, caution=1.0)
    assert (bold.outcome, [one.text for one in bold.answers]) == ("answer", ["1934"])
    assert (careful.outcome, careful.answers) == ("passages", ())
    assert "1934" in careful.text


def test_the_score_is_what_caution_is_compared_with(tmp_path: Path) -> None:
    (tmp_path / "bridge.txt").write_text(NOTES, "utf-8")
    with Library.open(tmp_path / "library") as library:
        library.add([tmp_path / "bridge.txt"])
        score = library.ask(QUESTION, caution=0.1).answers[0].score
        assert library.ask(QUESTION, caution=score - 0.01).found
        assert not library.ask(QUESTION, caution=min(1.0, score + 0.01)).found


@pytest.mark.parametrize("caution", [-0.1, 1.5, "x"])
def test_caution_is_a_probability(caution: float) -> None:
    with pytest.raises(ConfigError, match="from 0 to 1"):
        adjusted(ShortAnswers(), caution, None, None)


def test_the_caution_of_a_recipe_is_one_too(tmp_path: Path) -> None:
    recipe = {"retrieve": "bm25", "read": {"use": "short-answers", "sure": 2}}
    with Library.open(tmp_path / "library") as library, pytest.raises(ConfigError, match=r"read: sure .* from 0 to 1"):
        library.ask(QUESTION, recipe=recipe)


@pytest.mark.parametrize("name", ["reader", "second"])
def test_what_reads_is_a_reader(tmp_path: Path, name: str) -> None:
    with Library.open(tmp_path / "library") as library, pytest.raises(ConfigError, match=f"{name} is to be .*not 5"):
        library.ask(QUESTION, **{name: 5})  # type: ignore[arg-type]


class Silent:
    """Owes a reading for each text, and gives none."""

    fingerprint = "silent"

    def read(self, *asked: object) -> list[Any]:
        return []


@pytest.mark.parametrize("name", ["reader", "second"])
def test_a_reader_owes_a_reading_a_text(tmp_path: Path, name: str) -> None:
    with Library.open(tmp_path / "library") as library:
        library.add(Document("bridge", NOTES))
        with pytest.raises(ConfigError, match="Silent gave 0 readings of 1 texts"):
            library.ask(QUESTION, caution=0.1, **{name: Silent()})  # type: ignore[arg-type]


@pytest.mark.parametrize("question", [None, 5])
def test_a_question_is_text(question: str, tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library, pytest.raises(QueryError, match="to be str"):
        library.ask(question)


@pytest.mark.parametrize("k", ["3", None, 2.5, 0, -1])
def test_a_number_of_chunks_is_whole_and_positive(k: int, tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library, pytest.raises(QueryError, match="k is"):
        library.search("a mill", k)


@pytest.mark.parametrize("id_", [None, 5, ["a"]])
def test_a_document_is_asked_for_and_removed_by_a_text(id_: str, tmp_path: Path) -> None:
    with Library.open(tmp_path / "library") as library:
        for ask in (library.document, library.delete):
            with pytest.raises(QueryError, match="to be str"):
                ask(id_)


def test_a_reader_that_does_not_know_how_sure_it_is_refuses_caution() -> None:
    with pytest.raises(ConfigError, match="without a language model"):
        adjusted(Extractive(), 0.9, None, None)
