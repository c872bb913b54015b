"""Whether words say yes or no to a question."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from decoct.errors import ConfigError
from decoct.reading.polarity import BUCKETS, Polarity, buckets


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("Are dogs allowed in the garden?", "Dogs are allowed in the garden.", "Dogs are not allowed in the garden."),
        ("Can I pay with a card?", "Cards are accepted.", "Cash only; no cards are accepted."),
        ("Isn't the ticket refunded?", "The ticket is refunded.", "The ticket is never refunded."),
    ],
)
def test_a_statement_that_denies_leans_to_no(question: str, yes: str, no: str) -> None:
    polarity = Polarity()
    assert polarity.log_odds(question, yes, "none") > polarity.log_odds(question, no, "none")


def test_the_same_value_leans_to_yes_beside_another() -> None:
    asked, said = "Does the lift carry twelve people?", "The lift carries 8 people."
    assert Polarity().log_odds(asked, said, "same") > Polarity().log_odds(asked, said, "other")


def test_the_features_are_buckets_each_once_whatever_the_case() -> None:
    found = buckets("Are dogs allowed?", "Dogs are allowed.", "none")
    assert found == buckets("ARE DOGS ALLOWED?", "dogs are allowed.", "none") == sorted(set(found))
    assert 0 <= found[0] <= found[-1] < BUCKETS
    assert buckets("", "", "none")  # and nothing breaks


def test_weights_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="fit them again"):
        Polarity(tmp_path / "none.npy").log_odds("Is it?", "It is.", "none")
    np.save(tmp_path / "short.npy", np.zeros(3))
    with pytest.raises(ConfigError, match="weights where"):
        Polarity(tmp_path / "short.npy").log_odds("Is it?", "It is.", "none")
