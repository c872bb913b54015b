"""What is about to be claimed is put to a second reader, whose doubt takes it back and whose word is shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from decoct import Library
from decoct.answer.base import adjusted
from decoct.answer.cited import Cited
from decoct.errors import ConfigError, ModelUnavailableError
from decoct.reading.base import SecondReading, StatementToRead, log_odds, logistic
from decoct.reading.language_model_second import PLAIN
from decoct_testing.scripted import ScriptedLLM

NOTES = "The Harrow Bridge was opened in 1934 by the mayor. Tolls were ended in 1960."
QUESTION = "When was the Harrow Bridge opened?"


class Says:
    """Says one thing of every statement."""

    fingerprint = "says"

    def __init__(self, share: float) -> None:
        self.share = share
        self.asked: list[StatementToRead] = []

    def read(self, statements: Sequence[StatementToRead]) -> list[SecondReading]:
        self.asked += statements
        return [SecondReading(self.share, self.share, self.share) for _ in statements]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("confirmation")
    (folder / "bridge.txt").write_text(NOTES, "utf-8")
    opened = Library.open(folder / "library")
    opened.add([folder / "bridge.txt"])
    return opened


def test_a_yes_leaves_the_claim_and_its_probability(library: Library) -> None:
    sure, plain = Says(0.99), library.ask(QUESTION, caution=0.3)
    answer = library.ask(QUESTION, caution=0.3, second=sure)
    assert (answer.text, answer.answers) == (plain.text, plain.answers)
    assert [one.text[one.start : one.end] for one in sure.asked] == [
        "The Harrow Bridge was opened in 1934 by the mayor."
    ]
    assert answer.trace.facts["second"] == [0.99]


def test_a_no_takes_from_it(library: Library) -> None:
    before = library.ask(QUESTION, caution=0.0).answers[0].score
    after = library.ask(QUESTION, caution=0.0, second=Says(0.1)).answers[0].score
    assert after == pytest.approx(before / 9 / (1 - before + before / 9))


def test_a_no_without_probabilities_lowers_a_score_as_the_page_says() -> None:
    """A page promised that a no is never claimed: it takes the log-odds of 0.1, and caution decides."""
    for before, after in ((0.9, 0.5), (0.98, 0.84)):
        assert logistic(log_odds(before) + log_odds(1 - PLAIN)) == pytest.approx(after, abs=0.006)


def test_what_it_denies_is_shown_and_not_claimed(library: Library) -> None:
    answer = library.ask(QUESTION, caution=0.5, second=Says(0.01))
    assert (answer.outcome, answer.answers) == ("passages", ())
    assert "1934" in answer.text
    (stage,) = [one for one in answer.trace.stages if one.name == "second"]
    assert (stage.counts["claims"], stage.counts["refused"]) == (1, 1)


def test_what_would_not_be_claimed_is_not_read_again(library: Library) -> None:
    second = Says(0.99)
    assert library.ask(QUESTION, caution=1.0, second=second).outcome == "passages"
    assert second.asked == []


def test_the_model_of_the_library_checks_a_quoted_answer(tmp_path: Path) -> None:
    (tmp_path / "bridge.txt").write_text(NOTES, "utf-8")
    llm = ScriptedLLM(["yes", "no", "It was opened in 1934 [1]."], failures={3: ModelUnavailableError("away")})
    with Library.open(tmp_path / "library", llm=llm) as library:
        library.add([tmp_path / "bridge.txt"])
        sure, doubted = (library.ask(QUESTION, caution=0.9, second="llm") for _ in range(2))
        assert (sure.outcome, sure.answers[0].text) == ("answer", "1934")
        assert sum(one.counts["model_calls"] for one in sure.trace.stages) == 1
        assert doubted.outcome == "passages"
        assert library.ask(QUESTION).text == "It was opened in 1934 [1]."  # without, the model writes
        unread = library.ask(QUESTION, caution=0.9, second="llm")
        assert (unread.outcome, unread.answers) == ("answer", sure.answers)
        assert unread.trace.fallbacks["second.failed"] == 1


def test_without_a_model_there_is_no_such_reader(library: Library) -> None:
    with pytest.raises(ConfigError, match="--llm"):
        library.ask(QUESTION, second="llm")


def test_what_a_model_writes_is_no_quoted_claim() -> None:
    with pytest.raises(ConfigError, match="quoted"):
        adjusted(Cited(ScriptedLLM([])), None, None, Says(0.5))
