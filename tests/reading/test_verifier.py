"""The second reading: it tells claims that answer from those that answer something else, wherever they stand."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from decoct.errors import ConfigError, ProvenanceError
from decoct.reading.second import ClaimToRead
from decoct.reading.verifier import BUNDLED, Verifier

TEXT = "The kiosk sells soup until 14:30. Bicycles are kept in the shed behind it, which is locked at 21:00."


def _claim(question: str, words: str, text: str = TEXT, title: str = "Kiosk") -> ClaimToRead:
    start = text.index(words)
    return ClaimToRead(question, words, text, start, start + len(words), title)


def test_words_that_answer_are_likelier_than_words_that_answer_something_else() -> None:
    question = "When is the bicycle shed locked?"
    right, wrong = Verifier().entailed([_claim(question, "21:00"), _claim(question, "14:30")])
    assert 0 <= wrong < right <= 1


def test_a_claim_is_judged_by_its_own_question_text_and_place_alone() -> None:
    one, other = _claim("When is the shed locked?", "21:00"), _claim("Until when is soup sold?", "14:30")
    alone = [*Verifier(threads=1).entailed([one]), *Verifier(threads=1).entailed([other])]
    assert Verifier(threads=2).entailed([one, other]) == alone


def test_of_a_long_text_the_part_around_the_claim_is_read() -> None:
    filler = "Nothing of interest is said in this sentence of the notes. " * 200
    question = "When is the bicycle shed locked?"
    late = filler + TEXT + " " + filler
    (near,) = Verifier().entailed([_claim(question, "21:00")])
    (far,) = Verifier().entailed([_claim(question, "21:00", late)])
    (wrong,) = Verifier().entailed([_claim(question, "14:30", late)])
    assert far > wrong
    assert abs(near - far) < 0.5


def test_nothing_is_judged_where_nothing_is_claimed() -> None:
    assert Verifier().entailed([]) == []


@pytest.mark.parametrize(("start", "end"), [(3, 3), (-1, 2), (0, len(TEXT) + 1)])
def test_a_claim_must_stand_in_its_text(start: int, end: int) -> None:
    with pytest.raises(ProvenanceError, match="start < end"):
        ClaimToRead("When?", "x", TEXT, start, end)


def test_a_folder_without_a_tokenizer_or_its_marks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="tokenizer"):
        Verifier(tmp_path / "none").entailed([_claim("When?", "21:00")])
    folder = tmp_path / "other"
    folder.mkdir()
    held = (BUNDLED / "tokenizer.json").read_text("utf-8").replace('"[unused1]"', '"[another1]"')
    (folder / "tokenizer.json").write_text(held, "utf-8")
    with pytest.raises(ConfigError, match="unused1"):
        Verifier(folder).entailed([_claim("When?", "21:00")])


def test_the_fingerprint_names_the_weights_and_the_length(tmp_path: Path) -> None:
    folder = shutil.copytree(BUNDLED, tmp_path / "own")
    assert Verifier().fingerprint.startswith("verifier:verifier:")
    assert Verifier(folder).fingerprint.split(":")[2:] == Verifier().fingerprint.split(":")[2:]
    assert Verifier(longest=64).fingerprint != Verifier().fingerprint
