"""The second reading: it tells statements that answer from those that answer something else, wherever they stand, and yes from no."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from decoct.errors import ConfigError, ProvenanceError
from decoct.reading.base import StatementToRead
from decoct.reading.verifier import BUNDLED, Verifier

TEXT = "The kiosk sells soup until 14:30. Bicycles are kept in the shed behind it, which is locked at 21:00."


SOUP, SHED = TEXT.split(". ")


def _claim(question: str, said: str, text: str = TEXT, title: str = "Kiosk") -> StatementToRead:
    start = text.index(said)
    return StatementToRead(question, text, start, start + len(said), title)


def _answers(statements: list[StatementToRead]) -> list[float]:
    return [one.answers for one in Verifier().read(statements)]


def test_words_that_answer_are_likelier_than_words_that_answer_something_else() -> None:
    question = "When is the bicycle shed locked?"
    right, wrong = _answers([_claim(question, SHED), _claim(question, SOUP)])
    assert 0 <= wrong < right <= 1


def test_a_statement_is_judged_by_its_own_question_text_and_place_alone() -> None:
    one, other = _claim("When is the shed locked?", SHED), _claim("Until when is soup sold?", SOUP)
    alone = [*Verifier(threads=1).read([one]), *Verifier(threads=1).read([other])]
    assert Verifier(threads=2).read([one, other]) == alone


def test_of_a_long_text_the_part_around_the_claim_is_read() -> None:
    filler = "Nothing of interest is said in this sentence of the notes. " * 200
    question = "When is the bicycle shed locked?"
    late = filler + TEXT + " " + filler
    (near,) = _answers([_claim(question, SHED)])
    (far,) = _answers([_claim(question, SHED, late)])
    (wrong,) = _answers([_claim(question, SOUP, late)])
    assert far > wrong
    assert abs(near - far) < 0.5


@pytest.mark.parametrize(
    ("question", "yes"),
    [("Does somebody lock the bicycle shed at 21:00?", True), ("Is the bicycle shed locked at six?", False)],
)
def test_a_statement_says_yes_or_no(question: str, yes: bool) -> None:
    (said,) = Verifier().read([_claim(question, SHED)])
    assert (said.yes > said.no) is yes
    assert (said.of("yes"), said.of("no"), said.of("21:00")) == (said.yes, said.no, said.answers)


def test_nothing_is_judged_where_nothing_is_claimed() -> None:
    assert Verifier().read([]) == []


@pytest.mark.parametrize(("start", "end"), [(3, 3), (-1, 2), (0, len(TEXT) + 1)])
def test_a_statement_must_stand_in_its_text(start: int, end: int) -> None:
    with pytest.raises(ProvenanceError, match="start < end"):
        StatementToRead("When?", TEXT, start, end)


def test_a_folder_without_a_tokenizer_or_its_marks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="tokenizer"):
        Verifier(tmp_path / "none").read([_claim("When?", SHED)])
    folder = tmp_path / "other"
    folder.mkdir()
    held = (BUNDLED / "tokenizer.json").read_text("utf-8").replace('"[unused1]"', '"[another1]"')
    (folder / "tokenizer.json").write_text(held, "utf-8")
    with pytest.raises(ConfigError, match="unused1"):
        Verifier(folder).read([_claim("When?", SHED)])


def test_the_fingerprint_names_the_weights_and_the_length(tmp_path: Path) -> None:
    folder = shutil.copytree(BUNDLED, tmp_path / "own")
    assert Verifier().fingerprint.startswith("verifier:verifier:")
    assert Verifier(folder).fingerprint.split(":")[2:] == Verifier().fingerprint.split(":")[2:]
    assert Verifier(longest=64).fingerprint != Verifier().fingerprint
