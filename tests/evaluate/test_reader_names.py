"""The names of readers: each that needs no model is one, and the rest are the model and nobody."""

from typing import get_args

import pytest

from decoct.evaluate.answers import reader_without_model
from decoct.evaluate.reader_names import NO_READER, WITHOUT_MODEL, EvaluationReader, named_without_model


@pytest.mark.parametrize("name", WITHOUT_MODEL)
def test_names_that_need_no_model_open_such_a_reader(name: str) -> None:
    assert reader_without_model(name).model == name
    assert named_without_model(name) == name


def test_the_others_are_the_model_and_nobody() -> None:
    assert set(get_args(EvaluationReader)) - set(WITHOUT_MODEL) == {"model", NO_READER}
    assert named_without_model(NO_READER) == NO_READER
    assert [named_without_model(name) for name in ("model", None)] == ["", ""]
