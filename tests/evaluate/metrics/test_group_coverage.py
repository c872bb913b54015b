from __future__ import annotations

import pytest

from decoct.errors import EvaluationError
from decoct_lab.measures.group_coverage import group_coverage


def test_each_group_counts_once() -> None:
    groups = [("11.3 hours", "11.3 h"), ("18.6 hours",)]
    assert group_coverage("11.3 hours (11.3 h) in one study", groups) == 0.5
    assert group_coverage("11.3 h or 18.6 hours", groups) == 1
    assert group_coverage("11 hours", groups) == 0


def test_no_groups_is_an_error() -> None:
    with pytest.raises(EvaluationError, match="at least one group"):
        group_coverage("x", [])
